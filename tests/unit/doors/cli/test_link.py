"""``afresh link``: what is kept is shown whole, and what was done is said."""

from contextlib import closing
from pathlib import Path

import pytest

from afresh.base.records.links import Check, CheckRecord, CheckStatus, LinkState, Standing
from afresh.doors.cli.main import run
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


def test_a_file_that_is_not_there_keeps_nobody_from_the_others(desk: Desk) -> None:
    good = desk.file("a.txt", "https://a.example/\n")
    told = desk.run("link", "add", good, str(desk.folder / "missing.md"), code=1)
    assert "cannot read" in told
    assert list(desk.kinds()) == ["https://a.example/"]
    assert "nothing could be read" in desk.run("link", "add", "x.md", "y.md", code=2)


def test_a_second_list_adds_its_tags_and_what_was_not_said_yet(desk: Desk) -> None:
    desk.run("link", "add", desk.file("a.json", '[{"url": "https://a.example/", "title": "Mine", "tags": ["x"]}]'))
    more = '[{"url": "https://a.example/", "title": "Theirs", "tags": ["y", "x"], "note": "from Ada"}]'
    assert "1 known already" in desk.run("link", "add", desk.file("b.json", more))
    [kept] = desk.json("list")
    assert (kept["title"], kept["tags"], kept["note"]) == ("Mine", ["x", "y"], "from Ada")


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
    missing = CheckStatus.MISSING
    failing = LinkState(standing=Standing.SUSPECT, status=missing, failures=1, failing_days=1, failing_since=NOW)
    check = Check(url="https://a.example/", at=NOW, status=missing)
    with closing(open_store(str(desk.folder / "desk.db"))) as store:
        store.links.record_checks([CheckRecord(resource=1, check=check, state=failing)])
    assert "failing  1 time on 1 day since" in desk.run("link", "show", "1")
    told = {status: desk.json("link", "list", "--status", status) for status in ("content_missing", "content_similar")}
    assert [len(links) for links in told.values()] == [1, 0]


def test_what_its_owner_says_of_a_link_is_shown(desk: Desk) -> None:
    marks = '<DL><p><DT><H3>Bread</H3><DL><p><DT><A HREF="https://a.example/" TAGS="toread,x">A</A><DD>from Ada'
    desk.run("link", "add", desk.file("b.html", f"<!DOCTYPE NETSCAPE-Bookmark-file-1>{marks}"), "https://b.example/")
    told = desk.run("link", "show", "1")
    assert "  in       Bread  #toread  #x\n  note     from Ada\n" in told
    assert desk.json("link", "show", "1")["note"] == "from Ada"
    assert "  in  " not in desk.run("link", "show", "2")
    for words in (("--tag", "toread"), ("--text", "TOREAD"), ("--text", "bread")):
        assert [link["id"] for link in desk.json("link", "list", *words)] == [1]


@pytest.mark.parametrize("command", [("link", "list"), ("list",)], ids=" ".join)
@pytest.mark.parametrize("form", [(), ("--json",)], ids=["table", "json"])
def test_a_list_that_goes_on_says_so(
    command: tuple[str, ...], form: tuple[str, ...], desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.run("link", "add", *(f"https://a{n}.example/" for n in range(5)))

    def said(*words: str) -> str:
        assert run(["--store", str(desk.folder / "desk.db"), *command, *words, *form]) == 0
        return capsys.readouterr().err

    assert said("--limit", "2") == "3 more: --limit 5, or --after 2\n"
    assert said("--limit", "2", "--after", "2") == "1 more: --limit 3, or --after 4\n"
    assert said("--limit", "2", "--after", "4") == said() == said("--limit", "5") == ""
