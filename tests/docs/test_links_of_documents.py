"""The links of this project's own documents lead somewhere: files, and the parts of them that are named."""

import json
from pathlib import Path

import pytest

from afresh.doors.cli.main import run

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("target", "least"), [("README.md", 15), ("docs/", 90), (".", 100)])
def test_no_link_to_a_file_is_broken(
    target: str, least: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    code = run(["check", "--offline", "--json", target])
    rows = json.loads(capsys.readouterr().out)
    assert [row for row in rows if row["standing"] != "ok"] == []
    assert (code, len(rows) >= least) == (0, True)
