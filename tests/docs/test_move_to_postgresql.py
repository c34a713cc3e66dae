"""The guide to PostgreSQL is followed to the letter, on a database of the tests' own."""

import re
import shlex
from pathlib import Path

import pytest

from afresh.doors.cli.main import run

GUIDE = Path(__file__).parents[2] / "docs" / "howto" / "move-to-postgresql.md"
URL = "postgresql://afresh@db.example.org/afresh"


def test_its_commands_work(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["add", "https://example.org/feed.xml"]) == 0
    commands = re.findall(r"^\$ afresh (.+)$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["store", "store", "--store"]
    for command in commands:
        assert run(shlex.split(command.replace(URL, postgres))) == 0, capsys.readouterr().err
    assert "watching  1 of 1 resources" in capsys.readouterr().out
