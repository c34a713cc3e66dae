"""``afresh notice`` as a person types it."""

import json
import socket
from pathlib import Path

import pytest

from afresh.base.records.notices import Event, EventKind
from afresh.doors.cli.main import run
from afresh.feeds.queries.creating import create
from afresh.store import open_store


class Desk:
    """Commands on one store, with what they printed."""

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.path, self._capsys = path, capsys
        store = open_store(str(path))
        create(store, "CREATE FEED solar AS RETURN ALL", now=0.0)
        store.close()

    def notice(self, *words: str, code: int = 0) -> str:
        got = run(["--store", str(self.path), "notice", *words])
        printed = self._capsys.readouterr()
        assert got == code, printed
        return printed.out if code == 0 else printed.err


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path / "desk.db", capsys)


def test_a_notice_is_made_listed_and_dropped(desk: Desk) -> None:
    said = desk.notice("add", "https://me:pw@example.org/hook?key=1", "--query", "solar", "--digest", "1h")
    assert "made notice 1: new entries of query feed solar, gathered for 1h to https://example.org/hook" in said
    assert "whsec_" in said
    listed = desk.notice("list")
    assert "example.org/hook" in listed
    for secret in ("pw", "key=1", "whsec_"):
        assert secret not in listed
    [facts] = json.loads(desk.notice("list", "--json"))
    assert (facts["topic"], facts["subject"], facts["digest"], facts["is_signed"]) == ("query", "solar", 3600.0, True)
    assert facts["secret"] is None, "shown once, at its making"
    assert "dropped notice 1" in desk.notice("drop", "1")
    assert json.loads(desk.notice("list", "--json")) == []


def test_all_entries_or_those_of_a_folder_are_told(desk: Desk) -> None:
    said = desk.notice("add", "https://example.org/hook", "--entries")
    assert "made notice 1: new entries of all feeds to https://example.org/hook" in said
    said = desk.notice("add", "https://example.org/hook", "--folder", "news")
    assert "made notice 2: new entries in folder news to https://example.org/hook\nnothing is in news yet\n" in said


def test_a_tag_that_nothing_has_is_taken_and_remarked_on(desk: Desk) -> None:
    assert "\nnothing is tagged hto yet\n" in desk.notice("add", "https://example.org/hook", "--tag", "hto")
    assert "new entries tagged hto (nothing is tagged hto yet)" in desk.notice("list")


def test_an_own_secret_is_kept_to_oneself(desk: Desk) -> None:
    said = desk.notice("add", "https://example.org/hook", "--failing", "--secret", "mine")
    assert "mine" not in said


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["https://example.org/hook"], "say what shall be told"),
        (["https://example.org/hook", "--failing", "--broken"], "say what shall be told"),
        (["https://example.org/hook", "--query", "lunar"], "lunar"),
        (["https://example.org/hook", "--tag", ""], "needs a name"),
        (["https://example.org/hook", "--failing", "--digest", "soon"], "not a duration"),
        (["https://example.org/hook", "--failing", "--quiet", "nights"], "22:00-07:00"),
        (["http://127.0.0.1/hook", "--failing"], "public address"),
        (["https://", "--failing"], "webhook"),
    ],
)
def test_bad_input_is_refused_with_a_word_and_leaves_nothing(desk: Desk, words: list[str], complaint: str) -> None:
    assert complaint in desk.notice("add", *words, code=2)
    assert json.loads(desk.notice("list", "--json")) == []


def test_what_is_not_there_is_said(desk: Desk) -> None:
    for command in ("drop", "test"):
        assert "no notice 9" in desk.notice(command, "9", code=2)


def test_a_test_that_is_not_taken_is_said(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AFRESH_FETCH_ALLOWED_NETWORKS", "127.0.0.0/8")
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # bound, and deaf
        desk.notice("add", f"http://127.0.0.1:{nobody.getsockname()[1]}/hook", "--failing")
        assert "was not taken" in desk.notice("test", "1", code=1)


def test_what_is_to_be_sent_and_what_was_not_taken_are_told_apart(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.notice("add", "https://example.org/hook", "--entries")
    assert run(["--store", str(desk.path), "notice", "list"]) == 0
    assert "to be sent:" not in capsys.readouterr().err
    event = Event(key="1", kind=EventKind.ENTRY, at=0.0, title="t", link="http://l", source="s")
    store = open_store(str(desk.path))
    store.notices.put_events(1, [event], cursor=1.0, now=0.0)
    store.close()
    assert run(["--store", str(desk.path), "notice", "list"]) == 0
    told = capsys.readouterr()
    assert all(name in told.out for name in ("to be sent", "not taken"))
    assert "not taken: messages" in told.err
