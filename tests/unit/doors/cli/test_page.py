"""``afresh page`` and the options of what is watched, as a person types them."""

from pathlib import Path

import pytest

from afresh.parse.pictures import read_png
from afresh.store import open_store
from tests.fakes.desk import Desk
from tests.fakes.watched import WatchedPages, picture

URL = "http://page.example/"


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, capsys)


@pytest.fixture
def changed(desk: Desk) -> Desk:
    """A page that was visited twice and has changed."""
    store = open_store(str(desk.folder / "desk.db"))
    pages = WatchedPages(store)
    number = pages.add()
    for price in ("10 €", "12 €"):
        pages.see(number, "Lamp", f"Price: {price}", "The end")
    store.close()
    return desk


def test_adding_what_is_watched_changes_nothing_and_says_so(desk: Desk) -> None:
    desk.run("add", "--kind", "page", URL, "--css", ".price", "--tag", "lamps")
    before = desk.json("show", "1")
    told = desk.run("add", "--kind", "page", URL, "--css", ".nothere", "--folder", "Zoo")
    assert "known  #1" in told
    assert "#1 stays as it was" in told
    assert "afresh set 1" in told
    assert desk.json("show", "1") == before
    assert "stays" not in desk.run("add", "--kind", "page", URL), "nothing was said that could be lost"


def test_versions_are_listed_newest_first(changed: Desk) -> None:
    found = changed.json("page", "versions", URL)
    assert [item["id"] for item in found] == [2, 1]
    assert found[0]["content"] == "/api/v1/resources/1/versions/2/content"
    assert "The page" in changed.run("page", "versions", "1")
    assert len(changed.json("page", "versions", URL, "--limit", "1")) == 1


def test_versions_of_every_page_are_counted_from_one_and_keep_their_numbers(desk: Desk) -> None:
    store = open_store(str(desk.folder / "desk.db"))
    pages = WatchedPages(store)
    pages.see(pages.add("http://other.example/"), "Another page")
    number = pages.add()
    for price in range(14):
        pages.see(number, f"Price: {price} €")
    store.close()
    numbers = [item["number"] for item in desk.json("page", "versions", URL)]
    assert numbers == [*range(14, 4, -1), 1], "ten are kept, and the one that others are packed on"
    assert "version 13 (" in desk.run("page", "diff", URL)
    assert desk.run("page", "diff", URL, "12", "14").endswith("- Price: 11 €\n+ Price: 13 €\n")
    told = desk.run("page", "diff", URL, "99", code=2)
    assert "no version 99 of this page is stored (any more); `afresh page versions` lists those there are" in told


def test_what_changed_is_shown_with_signs_where_there_are_no_colours(changed: Desk) -> None:
    told = changed.run("page", "diff", URL)
    assert "version 1 (" in told
    assert "Price: 10 → 12 €" in told
    assert told.endswith("- Price: 10 €\n+ Price: 12 €\n")
    backwards = changed.run("page", "diff", URL, "2", "1")
    assert backwards.endswith("- Price: 12 €\n+ Price: 10 €\n")


def test_what_changed_as_other_programs_want_it(changed: Desk) -> None:
    unified = changed.run("page", "diff", URL, "--unified").splitlines()
    assert unified[0].startswith(f"--- {URL} ")
    assert unified[2:] == ["@@ -1,3 +1,3 @@", " Lamp", "-Price: 10 €", "+Price: 12 €", " The end"]
    view = changed.json("page", "diff", URL)
    assert (view["summary"], view["added"], view["removed"]) == ("Price: 10 → 12 €", 1, 1)
    [row] = [row for row in view["rows"] if row["mark"] == "changed"]
    assert [words["text"] for words in row["words"] if words["is_number"]] == ["10", "12"]


def test_a_selector_that_finds_nothing_in_the_stored_version_is_said_so(changed: Desk) -> None:
    said = changed.run("set", URL, "--css", ".nope")
    assert "changed css of" in said
    assert "but nothing of its stored version matches .nope" in said
    assert "but nothing" not in changed.run("set", URL, "--css", "p")
    assert "watched  css: p\n" in changed.run("show", URL)
    assert changed.json("show", URL)["watched"] == "css: p"


def test_what_cannot_be_compared_is_said_so(changed: Desk) -> None:
    assert "`afresh page versions`" in changed.run("page", "diff", URL, "9", "2", code=2)
    assert "version 9" in changed.run("page", "diff", URL, "9", "2", code=2)
    changed.run("add", "--kind", "page", "http://new.example/")
    assert "has to be visited first" in changed.run("page", "diff", "http://new.example/", code=2)
    assert changed.run("page", "versions", "http://new.example/") == ""
    assert changed.run("page", "versions", "http://unknown.example/", code=2)


def test_what_is_watched_is_said_when_a_page_is_added_or_later(desk: Desk) -> None:
    desk.run("add", "--kind", "page", URL, "--css", ".price", "--only", "numbers")
    watch = desk.json("page", "watch", URL)
    assert (watch["scope"], watch["css"], watch["only"]) == ("page:1", [".price"], "numbers")
    desk.run("set", URL, "--css", "#stock", "--at-least", "5w", "--ignore", r"\d+")
    watch = desk.json("page", "watch", URL)
    assert (watch["css"], watch["only"], watch["at_least"], watch["ignore"]) == (["#stock"], "numbers", 5, [r"\d+"])
    told = desk.run("page", "watch", URL)
    assert told.startswith("page:1: css: #stock;")
    desk.run("page", "watch", URL, "--css", "none", "--ignore", "none", "--only", "all", "--at-least", "1")
    assert desk.run("page", "watch", URL) == "page:1: all of it, as usual\n"


def test_no_case_is_told(desk: Desk) -> None:
    desk.run("add", "--kind", "page", URL, "--no-case")
    assert desk.run("page", "watch", URL) == "page:1: case: no\n"


def test_sites_and_tags_are_watched_too(desk: Desk) -> None:
    assert desk.json("page", "watch", "--site", "https://news.example/a", "--main-text")["scope"] == "site:news.example"
    assert desk.json("page", "watch", "--tag", "prices", "--everything")["everything"] is True
    assert "name one page" in desk.run("page", "watch", "--tag", "a", "--site", "b.example", code=2)
    assert "name one page" in desk.run("page", "watch", code=2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--css", "p["), "CSS selector"),
        (("--xpath", "//p["), "XPath"),
        (("--json-path", "$.["), "JSONPath"),
        (("--ignore", "("), "regular expression"),
        (("--at-least", "many"), "number of words"),
        (("--at-least", "0"), "1 to 100,000"),
        (("--only", "verbs"), "verbs"),
        (("--css", "a" * 2_000), "characters"),
    ],
)
def test_what_nobody_can_mean_is_refused_and_nothing_is_added(desk: Desk, words: tuple[str, str], said: str) -> None:
    assert said in desk.run("add", "--kind", "page", URL, *words, code=2)
    assert desk.kinds() == {}


def test_changes_are_entries_of_the_one_sequence(changed: Desk) -> None:
    [entry] = changed.json("entries", "--after", "0")["entries"]
    assert entry["title"] == "The page: Price: 10 → 12 €"
    when = "changed between 2025-10-09 14:53:20 and 20:53:20 UTC"
    assert entry["summary"] == f"- Price: 10 €\n+ Price: 12 €\n{when}\n"
    assert changed.json("entries", "--after", str(entry["seq"]))["entries"] == []


def test_a_query_takes_changes_of_pages(changed: Desk) -> None:
    made = changed.run("feed", "create", 'CREATE FEED prices FROM PAGES WHERE CONTENT CONTAINS "price"')
    assert "made query feed prices: 1 entries; 1 of 1 offered passed" in made
    made = changed.run("feed", "create", 'CREATE FEED dear FROM PAGES WHERE CONTENT CONTAINS "gold"')
    assert "0 of 1 offered passed" in made


def test_why_says_what_is_watched_and_what_is_left_out(desk: Desk) -> None:
    store = open_store(str(desk.folder / "desk.db"))
    pages = WatchedPages(store)
    number = pages.add()
    for visit in range(9):
        pages.see(number, "Lamp", f"{1_000 + visit} visitors", "The end")
    store.close()
    left_out = "the line between “Lamp” and “The end” changes at every visit and is left out; --everything counts it"
    assert desk.json("why", URL)["watched"] == ["all of it, as usual", left_out]
    assert f"  watched     {left_out}\n" in desk.run("why", URL)
    desk.run("page", "watch", URL, "--everything")
    counted = "the line between “Lamp” and “The end” changes at every visit; --restless-out leaves it out"
    assert desk.json("why", URL)["watched"] == ["everything: yes", counted]
    desk.run("page", "watch", URL, "--restless-out")
    assert desk.json("why", URL)["watched"][1:] == [left_out]


def test_a_page_becomes_a_link_and_back_with_its_versions(changed: Desk) -> None:
    versions = changed.json("page", "versions", URL)
    assert changed.run("set", URL, "--kind", "link") == f"changed kind to link of {URL}\n"
    assert changed.kinds() == {URL: "link"}
    assert [item["url"] for item in changed.json("link", "list")] == [URL]
    assert "parts are watched of pages" in changed.run("set", URL, "--css", "p", code=2)
    assert changed.json("page", "versions", URL) == versions
    changed.run("set", URL, "--kind", "page", "--css", "p")
    assert changed.kinds() == {URL: "page"}
    assert changed.json("page", "watch", URL)["css"] == ["p"]
    assert "+ Price: 12 €" in changed.run("page", "diff", URL)
    changed.run("add", "http://feed.example/")
    assert "only pages and links" in changed.run("set", "http://feed.example/", "--kind", "page", code=2)


def test_pictures_are_written_to_files(desk: Desk) -> None:
    store = open_store(str(desk.folder / "desk.db"))
    pages = WatchedPages(store)
    number = pages.add()
    for grey in (100, 0):
        pages.visit(number, f"<p>Grey {grey}</p>", picture=picture(grey))
    store.close()
    file, first, both = (desk.folder / name for name in ("new.png", "old.png", "both.png"))
    desk.run("page", "picture", URL, "-o", str(file))
    desk.run("page", "picture", URL, "1", "-o", str(first))
    assert [int(read_png(one.read_bytes())[45, 30, 0]) for one in (first, file)] == [100, 0]
    assert "Grey 100 → 0" in desk.run("page", "diff", URL, "--picture", str(both))
    assert read_png(both.read_bytes()).shape[1] == 136
    assert "version 9" in desk.run("page", "picture", URL, "9", "-o", str(file), code=2)
    assert "cannot write" in desk.run("page", "picture", URL, "-o", str(desk.folder), code=2)


def test_where_no_picture_was_taken_it_is_said_how_to_have_one(changed: Desk) -> None:
    file = str(changed.folder / "x.png")
    for words in (("page", "picture", URL, "-o", file), ("page", "diff", URL, "--picture", file)):
        assert "--screenshot" in changed.run(*words, code=2)
    changed.run("set", URL, "--screenshot")
    assert changed.run("page", "watch", URL) == "page:1: screenshot: yes\n"


def test_of_a_feed_no_versions_are_compared(desk: Desk) -> None:
    desk.run("add", "https://a.example/feed")
    said = desk.run("page", "diff", "1", code=2)
    assert "https://a.example/feed is a feed, of which no versions are kept: `afresh entries --feed 1`" in said
    assert "validators" not in desk.run("show", "1")
