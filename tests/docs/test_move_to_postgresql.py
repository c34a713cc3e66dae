"""The guide to PostgreSQL is followed to the letter, on a database of the tests' own."""

import re
import shlex
from pathlib import Path

import pytest

from afresh.doors.cli.main import run

GUIDE = Path(__file__).parents[2] / "docs" / "howto" / "move-to-postgresql.md"
URLS = re.compile(r"postgresql://afresh@db\.example\.org/(afresh|frontier)")  # both may be one database


def test_its_commands_work(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["add", "https://example.org/feed.xml"]) == 0
    assert run(["serve", "--port", "0", "--for", "100ms", "--seed", "https://example.org/"]) == 0
    commands = re.findall(r"^\$ afresh (.+)$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["store", "store", "--store", "store", "store"]
    for command in commands:
        assert run(shlex.split(URLS.sub(lambda _: postgres, command))) == 0, capsys.readouterr().err
    assert "watching  1 of 1 resources" in capsys.readouterr().out
