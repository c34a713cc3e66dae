"""Lists on the command line: what a file says is kept, comes out again, and is told where it is damaged."""

from dataclasses import replace
from pathlib import Path

import pytest

from afresh.base.models import Result
from afresh.doors.cli.main import EXIT_WRONG, run
from afresh.store import open_store
from tests.fakes.desk import Desk
from tests.laws.store_material import NOW, feeds, report, take

MARKS = (
    "<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p><DT><H3>News</H3><DL><p>"
    '<DT><A HREF="https://a.example/" ADD_DATE="1700000000" TAGS="x,y">A</A><DD>said of it\n</DL><p></DL>'
)
OPML = '<opml><body><outline text="A & B" xmlUrl="https://a.example/feed" htmlUrl="https://a.example/"/></body></opml>'


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, capsys)


def test_an_export_of_nothing_says_what_there_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Desk(tmp_path, capsys).run("link", "add", "https://a.example/")
    assert run(["--store", str(tmp_path / "desk.db"), "export", "-o", str(tmp_path / "feeds.opml")]) == 0
    assert capsys.readouterr().err.splitlines()[:2] == [
        "no feed is watched",
        "not in this list: 1 link (--kind link, or all); a copy of the database has everything",
    ]


def test_what_a_file_says_of_a_link_is_kept_and_shown(desk: Desk) -> None:
    assert desk.run("import", "--kind", "link", "--tag", "mine", desk.file("marks.html", MARKS)).startswith("1 added")
    (found,) = desk.json("list")
    assert {name: found[name] for name in ("kind", "title", "folder", "tags", "note", "saved")} == {
        "kind": "link",
        "title": "A",
        "folder": "News",
        "tags": ["mine", "x", "y"],
        "note": "said of it",
        "saved": "2023-11-14T22:13:20.000Z",
    }
    assert desk.run("export", "--json") == "[]\n"  # of feeds
    for words in (("export", "--format", "bookmarks"), ("link", "export")):
        exported = desk.run(*words)
        assert '<A HREF="https://a.example/" ADD_DATE="1700000000" TAGS="mine,x,y">A</A>\n<DD>said of it' in exported


SLASHED = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<DL><p><DT><H3>Net</H3><DL><p><DT><H3>TCP/IP</H3><DL><p>
<DT><A HREF="https://a.example/">A</A>
<DT><H3>v6</H3><DL><p><DT><A HREF="https://b.example/">B</A></DL><p>
</DL><p></DL><p><DT><H3>Net</H3><DL><p><DT><H3>TCP</H3><DL><p><DT><A HREF="https://c.example/">C</A></DL><p></DL><p></DL>
"""


@pytest.mark.parametrize("form", ["bookmarks", "opml", "json", "csv"])
def test_a_folder_with_a_slash_in_its_name_stays_one(
    form: str, desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.run("import", desk.file("marks.html", SLASHED))
    exported = desk.run("export", "--kind", "link", "--format", form)
    if form in ("bookmarks", "opml"):
        assert "TCP/IP" in exported
    (tmp_path / "second").mkdir()
    second = Desk(tmp_path / "second", capsys)
    second.run("import", "--kind", "link", second.file(f"again.{'html' if form == 'bookmarks' else form}", exported))
    for one in (desk, second):
        assert [found["title"] for found in one.json("list", "--folder", "Net/TCP/IP")] == ["A", "B"]
        assert [found["title"] for found in one.json("link", "list", "--folder", "Net/TCP/IP/v6")] == ["B"]
        assert [found["title"] for found in one.json("link", "list", "--folder", "Net/TCP")] == ["C"]
        assert [found["title"] for found in one.json("list", "--folder", "Net/TCP")] == ["C"]
        assert {found["folder"] for found in one.json("list")} == {"Net/TCP∕IP", "Net/TCP∕IP/v6", "Net/TCP"}


def test_a_note_can_be_changed(desk: Desk) -> None:
    desk.run("add", "https://a.example/feed")
    desk.run("set", "https://a.example/feed", "--note", "for later")
    assert desk.json("show", "https://a.example/feed")["note"] == "for later"
    assert "10,000" in desk.run("set", "https://a.example/feed", "--note", "x" * 10_001, code=2)


def test_a_row_of_an_unknown_kind_is_refused_and_the_others_are_added(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    file = desk.file("x.csv", "url,kind\nhttps://a.example/feed,nosuch\nhttps://b.example/feed,feed\n")
    assert run(["--store", str(desk.folder / "desk.db"), "import", file]) == EXIT_WRONG
    told = capsys.readouterr()
    assert told.out.startswith("1 added")
    assert "refused 'https://a.example/feed': 'nosuch' is no kind of resource" in told.err
    assert [item["url"] for item in desk.json("list")] == ["https://b.example/feed"]


def test_a_damaged_file_is_imported_and_told(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--store", str(desk.folder / "desk.db"), "import", desk.file("feeds.opml", OPML)]) == 0
    assert "is damaged: one place had to be repaired" in capsys.readouterr().err
    (found,) = desk.json("list")
    assert (found["title"], found["site_url"]) == ("A & B", "https://a.example/")
    assert 'htmlUrl="https://a.example/"' in desk.run("export")


NOT_ALL = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<DL><p>
<DT><A HREF="https://a.example/x">A</A>
<DT><A HREF="https://a.example/x#part">A, a part of it</A>
<DT><A HREF="https://a.example/x">A again</A>
<DT><A HREF="https://A.example:443/x">A in capitals</A>
<DT><A HREF="javascript:void(0)">J</A>
<DT><A HREF="JavaScript:void(1)">J</A>
<DT><A HREF="place:sort=8">P</A>
<DT><A HREF="ftp://a.example/f">F</A>
<DT><A HREF="mailto:me@a.example">M</A>
<DT><A HREF="https://b.example/">B</A>
</DL>
"""


def test_a_bookmark_in_two_folders_has_the_tags_of_both(desk: Desk) -> None:
    twice = "<!DOCTYPE NETSCAPE-Bookmark-file-1>" + "".join(
        f'<DT><A HREF="https://a.example/" TAGS="{tag}">A</A>' for tag in "ab"
    )
    desk.run("import", desk.file("twice.html", twice))
    assert [item["tags"] for item in desk.json("list")] == [["a", "b"]]


def test_a_feed_that_is_known_gets_the_folder_of_a_list_and_keeps_its_own(desk: Desk) -> None:
    desk.run("add", "https://a.example/feed")
    desk.run("add", "https://b.example/feed", "--folder", "mine", "--tag", "t")
    feeds = "".join(f'<outline xmlUrl="https://{n}.example/feed" text="{n}" category="c"/>' for n in "ab")
    listed = f'<opml><body><outline text="News">{feeds}<outline xmlUrl="" text="gone"/></outline></body></opml>'
    said = desk.run("import", desk.file("feeds.opml", listed))
    assert "of those already known 2 got title, folder, tags or note" in said, "the second its title alone"
    assert "left out: 1 without an address" in said
    found = {item["url"]: (item["folder"], item["tags"], item["title"]) for item in desk.json("list")}
    assert found == {
        "https://a.example/feed": ("News", ["c"], "a"),
        "https://b.example/feed": ("mine", ["t"], "b"),
    }
    assert desk.json("import", desk.file("feeds.opml", listed))["completed"] == 0


def test_bookmarks_that_are_not_taken_are_counted(desk: Desk) -> None:
    desk.run("add", "--kind", "link", "https://b.example/")
    marks = desk.file("marks.html", NOT_ALL)
    assert desk.run("import", marks).splitlines() == [
        "2 added, 1 already known, 0 refused",
        "of those already known 1 got title, folder, tags or note that they had not",
        "same address as another: 2",
        "left out: 2 javascript:, 1 place:, 1 ftp:, 1 mailto:",
    ]
    told = desk.json("import", marks)
    assert (told["added"], told["known"], told["repeated"], told["refused"]) == (0, 3, 2, 0)
    assert told["left_out"] == {"javascript:": 2, "place:": 1, "ftp:": 1, "mailto:": 1}
    assert [item["wanted"] for item in told["items"]] == [
        "https://a.example/x",
        "https://a.example/x#part",
        "https://A.example:443/x",
        "https://b.example/",
    ]


def test_bookmarks_of_which_none_is_taken_are_refused_with_what_they_are(desk: Desk) -> None:
    marks = desk.file("marks.html", '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><A HREF="ftp://a.example/">F</A></DL>')
    assert "nothing to import: it looks like bookmarks; left out: 1 ftp:" in desk.run("import", marks, code=2)


@pytest.mark.parametrize("text", ["", "Dear all,\nno list.\n", '{"a": 1}', "<rss><channel/></rss>"])
def test_a_file_that_names_nothing_ends_with_2(desk: Desk, text: str) -> None:
    assert "nothing to import: it looks like" in desk.run("import", desk.file("x.txt", text), code=2)
    assert desk.kinds() == {}


def test_a_repaired_feed_is_listed_and_told(desk: Desk) -> None:
    store = open_store(str(desk.folder / "desk.db"))
    store.add(feeds(2, due=0.0), now=NOW)
    first, second = take(store)
    made = report(first, repaired=("bare ampersands", "missing ends"))
    store.record([replace(made, visit=replace(made.visit, repaired=made.resource.repaired)), report(second)])
    store.close()
    (found,) = desk.json("list", "--repaired")
    assert (found["url"], found["repaired"]) == (first.resource.url, ["bare ampersands", "missing ends"])
    assert "repaired    bare ampersands, missing ends" in desk.run("why", first.resource.url)
    assert desk.json("why", first.resource.url)["repaired"] == found["repaired"]
    shown = desk.json("show", first.resource.url)
    assert shown["visits"][0]["repaired"] == found["repaired"]
    assert "repaired" not in desk.run("why", second.resource.url)


def test_failing_ones_are_listed_with_the_reason_and_counted_in_status(desk: Desk) -> None:
    store = open_store(str(desk.folder / "desk.db"))
    store.add(feeds(7, due=0.0), now=NOW)
    for lease in take(store):
        made = report(lease)
        failed = replace(made.resource, error="dns: no such\nname", last_result=Result.HTTP_ERROR)
        counters = replace(failed.counters, failures=3)
        store.record([replace(made, resource=replace(failed, counters=counters))])
    store.close()
    listed = desk.run("list", "--failing")
    assert "failures #" in listed
    assert "dns: no such name" in listed
    assert "failures" not in desk.run("list")
    assert "and 2 more: `afresh list --failing`" in desk.run("status")


@pytest.mark.parametrize("form", ["opml", "json", "csv", "bookmarks"])
def test_what_was_decided_moves_with_the_list(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who moves by export and import finds paused feeds paused, and pins, weights, rules and bounds as they were."""
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    old, new = Desk(tmp_path / "old", capsys), Desk(tmp_path / "new", capsys)
    old.run("add", "https://a.example/feed", "https://b.example/feed", "https://c.example/feed")
    old.run("add", "--kind", "page", "https://d.example/")
    old.run("set", "1", "--pause")
    old.run("set", "2", "--pin", "30m", "--weight", "3")
    old.run("set", "3", "--longest", "2h", "--shortest", "5m", "--rule", "miniflux")
    old.run("set", "4", "--pin", "1h")
    file = str(tmp_path / f"list.{form}")
    old.run("export", "--kind", "all", "--format", form, "-o", file)
    new.run("import", file)
    names = ("url", "kind", "status", "pinned", "shortest", "longest", "weight", "rule")
    seen = [sorted([one[name] for name in names] for one in desk.json("list")) for desk in (old, new)]
    assert seen[0] == seen[1]


def test_a_rule_that_nobody_knows_here_is_told(desk: Desk) -> None:
    file = desk.file(
        "a.json", '[{"url": "https://a.example/feed", "visits": "{\\"rule\\":\\"no-such\\",\\"paused\\":true}"}]'
    )
    assert "no-such" in str(desk.json("import", file))
    [kept] = desk.json("list")
    assert (kept["rule"], kept["status"]) == (None, "paused")


@pytest.mark.parametrize("words", [("add",), ("add", "--json"), ("link", "add"), ("init", "--no-discovery", "--watch")])
def test_passwords_of_refused_addresses_are_not_echoed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    for address in ("https://user:hunter2@a.example/rss.xml", "ftp://user:hunter2@a.example/x"):
        run([*words, address])
        said = capsys.readouterr()
        assert "hunter2" not in said.out + said.err
        assert "…@a.example" in said.out + said.err
