"""The table of URLFrontier's calls names every call, and tests that exist."""

import re
from pathlib import Path

from afresh.frontier.urlfrontier.protocol import protocol_schema

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "docs/reference/urlfrontier.md").read_text(encoding="utf-8")
TESTS = ROOT / "tests/integration/grpc"


def test_every_call_has_a_row() -> None:
    named = {name for cell in re.findall(r"^\| ([A-Za-z, ]+) \|", TABLE, re.MULTILINE) for name in cell.split(", ")}
    assert {call.name for call in protocol_schema().calls} <= named


def test_every_test_that_is_named_exists() -> None:
    for file, name in re.findall(r"`(?:(test_\w+\.py): )?(test_\w+)`", TABLE):
        source = (TESTS / (file or "test_conformance.py")).read_text(encoding="utf-8")
        assert f"def {name}(" in source, name


def test_every_test_of_the_suite_is_in_the_table() -> None:
    source = (TESTS / "test_conformance.py").read_text(encoding="utf-8")
    assert set(re.findall(r"^def (test_\w+)", source, re.MULTILINE)) <= set(re.findall(r"test_\w+", TABLE))
