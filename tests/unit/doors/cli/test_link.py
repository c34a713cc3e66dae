"""``afresh link``: what is kept is shown whole, and what was done is said."""

from contextlib import closing
from pathlib import Path

import pytest

from afresh.base.records.links import Check, CheckRecord, CheckStatus, LinkState, Standing
from afresh.store import open_store
from tests.fakes.desk import Desk

NOW = 1_700_000_000.0


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, capsys)


def test_a_link_that_is_not_there_points_to_those_that_are(desk: Desk) -> None:
    desk.run("link", "add", "https://a.example/")
    for key in ("9999", "https://b.example/"):
        told = desk.run("link", "show", key, code=2)
        assert "`afresh link list`" in told
        assert "`afresh link add`" in told


def test_a_file_without_links_adds_none(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    empty = desk.file("empty.html", "<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p></DL>")
    assert f"{empty} names no links" in desk.run("link", "add", empty, code=2)
    assert "1 added" in desk.run("link", "add", empty, "https://a.example/")


def test_a_packed_document_is_read_or_refused(desk: Desk) -> None:
    name = desk.file("x.pdf", "no PDF")
    assert desk.run("link", "add", name, code=2)


def test_a_new_address_is_told(desk: Desk) -> None:
    desk.run("link", "add", "https://a.example/")
    assert "link 1: now at https://b.example/; stands unknown" in desk.run(
        "link", "set", "1", "--address", "https://b.example/"
    )
    assert "https://b.example/: means attributive" in desk.run("link", "set", "1", "--profile", "attributive")


def test_one_day_is_one_day(desk: Desk) -> None:
    desk.run("link", "add", "https://a.example/")
    failing = LinkState(standing=Standing.SUSPECT, failures=1, failing_days=1, failing_since=NOW)
    check = Check(url="https://a.example/", at=NOW, status=CheckStatus.MISSING)
    with closing(open_store(str(desk.folder / "desk.db"))) as store:
        store.links.record_checks([CheckRecord(resource=1, check=check, state=failing)])
    assert "failing  1 time on 1 day since" in desk.run("link", "show", "1")
