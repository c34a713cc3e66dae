"""``afresh set``: tags and folders, and a visit that is wished for in vain."""

import json
from pathlib import Path
from typing import Any

import pytest

from afresh.doors.cli.main import EXIT_USAGE, run

URL = "https://a.example/feed"


def change(path: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(["--store", str(path), "set", URL, *words]) == 0
    return capsys.readouterr().out


def added(path: Path, capsys: pytest.CaptureFixture[str], *words: str) -> None:
    assert run(["--store", str(path), "add", URL, *words]) == 0
    capsys.readouterr()


def test_tags_and_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.db"
    added(path, capsys, "--tag", "old")
    told: dict[str, Any] = json.loads(change(path, capsys, "--tag", "new", "--tag", "b", "--folder", "x/y", "--json"))
    assert (told["tags"], told["folder"]) == (["old", "new", "b"], "x/y")
    assert json.loads(change(path, capsys, "--untag", "old", "--tag", "b", "--json"))["tags"] == ["new", "b"]
    assert run(["--store", str(path), "set", URL]) == EXIT_USAGE


def test_who_wants_a_paused_one_visited_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.db"
    added(path, capsys)
    assert "but it is" not in change(path, capsys, "--now")
    change(path, capsys, "--pause")
    assert "but it is paused, so it is not visited: `afresh set 1 --resume`" in change(path, capsys, "--now")
    assert "but it is" not in change(path, capsys, "--now", "--resume")
