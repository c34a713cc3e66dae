"""``afresh discover --add`` says what became of the feeds it found."""

import json
from pathlib import Path

import pytest

from afresh.doors.cli import discover
from afresh.doors.cli.main import run
from afresh.feeds.discovery import Candidate, Discovery


def found(*urls: str) -> Discovery:
    return Discovery(feeds=tuple(Candidate(url=url) for url in urls), dead=(), duplicates=(), unreachable=())


def test_feeds_that_are_watched_already_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def find(*_: object) -> Discovery:
        return found("https://a.example/1", "https://a.example/2", "https://a.example/3")

    monkeypatch.setattr(discover, "find_feeds", find)
    store = ("--store", str(tmp_path / "s.db"))
    assert run([*store, "add", "https://a.example/2"]) == 0
    assert run([*store, "discover", "a.example", "--add"]) == 0
    assert capsys.readouterr().out.endswith("\n2 added, 1 was watched already\n")
    assert run([*store, "discover", "a.example", "--add"]) == 0
    assert capsys.readouterr().out.endswith("\n0 added, 3 were watched already\n")
    assert run([*store, "discover", "a.example", "--add", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["added"], told["known"]) == (0, 3)


def test_what_robots_forbids_is_told_as_that(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def find(*_: object) -> Discovery:
        dead = Candidate(url="https://a.example/1", error="robots.txt forbids it", is_forbidden=True)
        return Discovery(feeds=(), dead=(dead,), duplicates=(), unreachable=())

    monkeypatch.setattr(discover, "find_feeds", find)
    run(["--store", str(tmp_path / "s.db"), "discover", "a.example"])
    assert capsys.readouterr().out == "forbidden  https://a.example/1  robots.txt forbids it\n"
