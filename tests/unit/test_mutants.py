"""The list of breaks fits the code: each line is there once, each test exists. ``make mutants`` does the breaking."""

import ast
from pathlib import Path

import pytest

from tests.mutants.breaks import BREAKS, Break

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("one", BREAKS, ids=lambda one: f"{one.module}: {one.wrong.strip()[:40]}")
def test_the_line_is_there_once_and_its_test_exists(one: Break) -> None:
    text = (ROOT / "src" / "afresh" / one.module).read_text(encoding="utf-8")
    assert text.count(one.right) == 1
    ast.parse(text.replace(one.right, one.wrong))
    path, _, name = one.caught_by.partition("::")
    tests = ast.parse((ROOT / "tests" / path).read_text(encoding="utf-8"))
    assert not name or name in {node.name for node in tests.body if isinstance(node, ast.FunctionDef)}
