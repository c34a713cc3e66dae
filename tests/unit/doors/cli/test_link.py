"""``afresh link``: what is kept is shown whole, and what was done is said."""

from contextlib import closing
from pathlib import Path

import pytest

from afresh.base.records.links import Check, CheckRecord, CheckStatus, LinkState, NewVersion, Standing
from afresh.doors.cli.main import run
from afresh.doors.presenting.checks import status_words
from afresh.links.answers import PERMANENT
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


def test_the_last_line_counts_the_links_that_are_listed(desk: Desk) -> None:
    links = '[{"url": "https://a.example/", "tags": ["x"]}, {"url": "https://b.example/", "tags": ["y"]}]'
    desk.run("link", "add", desk.file("a.json", links))
    assert desk.run("link", "list", "--tag", "x").splitlines()[-1] == "links: 1 unknown"
    assert desk.run("link", "list").splitlines()[-1] == "links: 2 unknown"
    assert desk.run("link", "list", "--standing", "ok").splitlines()[-1] == "links: none"


def test_a_link_that_never_brought_a_page_has_none_to_be_accepted(desk: Desk) -> None:
    desk.run("link", "add", "https://a.example/")
    assert "it has to be checked first" in desk.run("link", "accept", "1", code=2)
    with closing(open_store(f"sqlite:///{desk.folder / 'desk.db'}")) as store:
        check = Check(url="https://a.example/", at=NOW, status=CheckStatus.MISSING, http=404, detail="HTTP 404")
        state = LinkState(standing=Standing.SUSPECT, status=CheckStatus.MISSING, checked=NOW, detail="HTTP 404")
        store.links.record_checks([CheckRecord(resource=1, check=check, state=state)])
    for command in ("accept", "diff"):
        told = desk.run("link", command, "1", code=2)
        assert "no check has brought a page (the last one: HTTP 404)" in told


def test_what_is_not_there_any_more_is_not_accepted(desk: Desk) -> None:
    desk.run("link", "add", "https://a.example/")
    with closing(open_store(f"sqlite:///{desk.folder / 'desk.db'}")) as store:
        saved = NewVersion(at=NOW, url="https://a.example/", mark=b"a", body=b"<p>a", content_type="text/html")
        store.links.compare_with(1, store.links.add_version(1, saved), by="archive", now=NOW)
        check = Check(url="https://a.example/", at=NOW, status=CheckStatus.MISSING, http=404, detail="HTTP 404")
        state = LinkState(standing=Standing.SUSPECT, status=CheckStatus.MISSING, checked=NOW, detail="HTTP 404")
        store.links.record_checks([CheckRecord(resource=1, check=check, state=state)])
    told = desk.run("link", "accept", "1", code=2)
    assert "there is no page at https://a.example/ that could be accepted (last check: HTTP 404)" in told
    assert desk.json("link", "list")[0]["standing"] == "suspect"


@pytest.mark.parametrize(
    ("by", "told"),
    [("", "compared with version 1, saved"), ("archive", "version 1, an archive's of"), ("ada", "by ada")],
)
def test_a_link_is_shown_in_words(desk: Desk, by: str, told: str) -> None:
    desk.run("link", "add", "https://a.example/")
    assert "stands   unknown; last check: none yet" in desk.run("link", "show", "1")
    with closing(open_store(f"sqlite:///{desk.folder / 'desk.db'}")) as store:
        saved = NewVersion(at=NOW, url="https://a.example/", mark=b"a", body=b"<p>a", content_type="text/html")
        store.links.compare_with(1, store.links.add_version(1, saved), by=by, now=NOW)
        check = Check(url="https://a.example/", at=NOW, status=CheckStatus.NET_TIMEOUT)
        state = LinkState(standing=Standing.SUSPECT, status=CheckStatus.NET_TIMEOUT, checked=NOW)
        store.links.record_checks([CheckRecord(resource=1, check=check, state=state)])
    shown = desk.run("link", "show", "1")
    assert "  stands   suspect; last check: no answer in time\n" in shown
    assert told in shown


def test_every_status_has_words() -> None:
    assert all(" " in status_words(status) for status in CheckStatus)


MARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<DL><p>
<DT><H3>One</H3>
<DL><p>
<DT><A HREF="{a}" TAGS="a">A</A>
</DL><p>
<DT><H3>Two</H3>
<DL><p>
<DT><A HREF="{a}" TAGS="b">A</A>
<DT><A HREF="javascript:void(0)">J</A>
<DT><A HREF="">none</A>
<DT><A HREF="ftp://a.example/f">F</A>
<DT><A HREF="mailto:me@a.example">M</A>
</DL><p>
</DL><p>
"""


def test_a_bookmark_in_two_folders_is_kept_once_with_the_tags_of_both(desk: Desk) -> None:
    told = desk.run("link", "add", desk.file("a.html", MARKS.format(a="https://a.example/")))
    assert told.splitlines() == [
        "1 added, 0 known already, 0 refused; `afresh run` watches them",
        "2 links are kept as 1: an address is kept once, with the tags of all",
        "left out: 1 javascript:, 1 without an address, 1 ftp:, 1 mailto:",
    ]
    [kept] = desk.json("list")
    assert (kept["folder"], kept["tags"]) == ("One", ["a", "b"])


def test_every_place_of_a_bookmark_is_checked_and_what_is_not_asked_is_told(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    marks = desk.file("a.html", MARKS.format(a="http://127.0.0.1:1/"))
    rows = desk.json("check", marks)
    assert [(row["folder"], row["tags"], row["line"]) for row in rows] == [("One", ["a"], 5), ("Two", ["b"], 9)]
    told = desk.run("check", marks)
    assert "2 unknown of 2 links; left out: 1 ftp, 1 mailto, 1 javascript, 1 without an address" in told
    assert [row["url"] for row in desk.json("check", "--mail", marks)][2:] == ["mailto:me@a.example"]


def test_a_link_is_judged_the_same_whether_it_is_kept_or_not(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """Where no request may go nothing is kept, which is told."""
    names = ("standing", "status", "detail")
    for url, said in (("http://127.0.0.1:1/closed", "port 1 belongs to another"), ("http://[bad", "not a URL")):
        [kept], [seen] = desk.rows("check", "--save", url), desk.rows("check", url)
        assert [kept[name] for name in names] == [seen[name] for name in names]
        assert said in kept["detail"]
    run(["--store", str(desk.folder / "desk.db"), "check", "--save", "http://[bad"])
    assert "1 link cannot be kept: http://[bad (" in capsys.readouterr().err


def test_a_packed_document_is_read_or_refused(desk: Desk) -> None:
    name = desk.file("x.pdf", "no PDF")
    assert desk.run("link", "add", name, code=2)


def test_a_new_address_is_told(desk: Desk) -> None:
    desk.run("link", "add", "https://a.example/")
    assert "link 1: now at https://b.example/; stands unknown" in desk.run(
        "link", "set", "1", "--address", "https://b.example/"
    )
    assert "https://b.example/: means attributive" in desk.run("link", "set", "1", "--profile", "attributive")


def test_a_permanent_redirect_is_taken_when_somebody_says_so(desk: Desk) -> None:
    """After the first check that saw it, with no address to be typed; not where it leads to a front page."""
    desk.run("link", "add", "https://a.example/old")
    moved = CheckStatus.MOVED
    check = Check(url="https://a.example/old", at=NOW, status=moved)
    assert desk.run("link", "set", "1", "--moved", code=2) == "afresh: no new address is known\n"
    for new in ("https://a.example/", "https://a.example/new"):
        state = LinkState(standing=Standing.MOVED, status=moved, checked=NOW, new_url=new, detail=PERMANENT)
        with closing(open_store(str(desk.folder / "desk.db"))) as store:
            store.links.record_checks([CheckRecord(resource=1, check=check, state=state)])
        if new == "https://a.example/":
            assert "was not taken: it leads to a front page" in desk.run("link", "set", "1", "--moved", code=2)
    assert desk.run("link", "set", "1", "--moved") == "link 1: now at https://a.example/new; stands ok\n"


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
