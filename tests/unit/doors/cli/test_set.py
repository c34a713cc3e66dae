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


def test_who_resumes_what_was_not_paused_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.db"
    added(path, capsys)
    said = change(path, capsys, "--resume", "--now")
    assert said == f"changed the next visit of {URL}\nit was not paused\nit is visited as soon as its site allows\n"
    assert change(path, capsys, "--resume") == f"changed nothing of {URL}\nit was not paused\n"
    assert change(path, capsys, "--pause") == f"changed paused to yes of {URL}\n"
    assert change(path, capsys, "--resume") == f"changed paused to no of {URL}\n"


def test_a_title_names_a_resource_if_no_other_has_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.db"
    added(path, capsys)
    change(path, capsys, "--title", "My blog 6")
    assert run(["--store", str(path), "show", "my  BLOG 6"]) == 0
    assert URL in capsys.readouterr().out
    assert run(["--store", str(path), "show", "My blog"]) == EXIT_USAGE, "a part of a title is none"
    assert run(["--store", str(path), "add", "https://b.example/feed"]) == 0
    assert run(["--store", str(path), "set", "2", "--title", "My blog 6"]) == 0
    capsys.readouterr()
    assert run(["--store", str(path), "show", "My blog 6"]) == EXIT_USAGE
    assert "several are called 'My blog 6': #1, #2; name one by its number" in capsys.readouterr().err


def test_a_pin_that_no_rule_would_choose_is_told_as_such(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.db"
    added(path, capsys)
    said = change(path, capsys, "--pin", "10")
    assert said == f"changed pinned to 10s of {URL}: asked every 10s, shorter than predict.shortest (1m)\n"
    assert "shorter" not in change(path, capsys, "--pin", "1m") + change(path, capsys, "--pin", "none")
