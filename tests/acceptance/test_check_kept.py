"""From a bookmark export to verdicts over time: save, compare, explain, find what moved, accept, resume."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from html import unescape
from pathlib import Path
from zlib import crc32

import pytest
from aiohttp import web

from afresh.base.models import Kind
from afresh.doors.cli.main import run
from afresh.parse.links import read_links
from afresh.store import open_store
from tests.fakes.every_status import answering

HARBOUR = "The harbour was rebuilt in stone after the storm of that year, and the council printed the plans for all. "
GARDEN = "Our garden club meets in the old greenhouse on every first Sunday to trade seeds and to tell long stories. "
WALKS = "The walk along the mill stream takes about two hours and passes three bridges, an orchard and a chapel. "
PARKED = "<title>garden.example is for sale</title><h1>This domain is for sale</h1><p>Buy this domain. Loans</p>"
Run = Callable[..., tuple[int, str]]


def page(title: str, prose: str) -> str:
    return f"<html><head><title>{title}</title></head><body><h1 id='a'>{title}</h1><p>{prose * 8}</p></body></html>"


class Town:
    """A web of four pages that changes when told."""

    def __init__(self) -> None:
        self.pages = {
            "/harbour": page("Harbour plans", HARBOUR),
            "/garden": page("Garden club", GARDEN),
            "/walks": page("Walks by the mill", WALKS),
            "/": "<title>Town</title><a href='/trails'>Walks by the mill</a><p>Welcome to the pages of the town.</p>",
        }
        self.asked: list[str] = []
        self.whole: list[str] = []  # asked for and sent, not as it was
        self.address = ""

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.asked.append(request.path)
        text = self.pages.get(request.path)
        if text is None:
            return web.Response(status=404)
        answer = web.Response(text=text, content_type="text/html", headers={"ETag": f'"{crc32(text.encode())}"'})
        if request.headers.get("If-None-Match") == answer.headers["ETag"]:
            return web.Response(status=304, headers={"ETag": answer.headers["ETag"]})
        self.whole.append(request.path)
        return answer

    def change(self) -> None:
        """The garden is parked, the walks have moved, the harbour is edited."""
        self.pages["/garden"] = PARKED
        self.pages["/trails"] = self.pages.pop("/walks")
        self.pages["/harbour"] = page("Harbour plans", HARBOUR).replace("printed", "reprinted", 2)

    def urls(self, *paths: str) -> list[str]:
        return [self.address + path for path in paths or ("/harbour", "/garden", "/walks")]


@pytest.fixture
def town() -> Iterator[Town]:
    made = Town()
    with answering(made.answer, host="town.localhost") as made.address:
        yield made


@pytest.fixture
def afresh(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    def call(*arguments: str) -> tuple[int, str]:
        common = ["--store", str(tmp_path / "links.db"), "--set", "fetch.allowed_networks=127.0.0.0/8;::1/128"]
        code = run([*common, "--set", "politeness.delay=0", *arguments])
        return code, capsys.readouterr().out

    return call


def test_a_page_that_stays_as_it_was_is_not_sent_again(town: Town, afresh: Run) -> None:
    afresh("check", "--save", *town.urls())
    town.whole.clear()
    for again in (("--save",), (), ("--save", "--accept", "200")):
        assert afresh("check", *again, *town.urls()) == (0, "3 ok of 3 links\n")
    assert town.whole == []
    town.change()
    code, told = afresh("check", "--save", *town.urls())
    assert (code, sorted({*town.whole} & {"/harbour", "/garden"})) == (1, ["/garden", "/harbour"])
    town.whole.clear()
    assert afresh("check", "--save", *town.urls()) == (code, told)  # what is lost does not turn well by it
    assert town.whole == []
    afresh("link", "accept", town.urls("/garden")[0])
    assert "garden" not in afresh("check", *town.urls())[1]


def test_who_wants_to_see_the_page_is_sent_it(town: Town, afresh: Run, tmp_path: Path) -> None:
    afresh("check", "--save", *town.urls())
    text = tmp_path / "text.md"
    text.write_text(f"[part]({town.urls()[0]}#no-such-part)", "utf-8")
    assert "no-such-part" in afresh("check", str(text))[1]
    assert "title" in afresh("check", "--explain", town.urls("/garden")[0])[1]


@pytest.mark.parametrize("round_trip", ["saved", "saved before"])
def test_addresses_are_told_as_they_were_written(town: Town, afresh: Run, round_trip: str) -> None:
    """Bookmarks have capital hosts, bare hosts, letters with accents; kept is the canonical address."""
    host = town.address.partition("//")[2]
    written = [
        f"http://{host.upper()}/harbour",
        f"http://{host}",
        f"{town.address}/a/../garden",
        f"{town.address}/wälks",
    ]
    if round_trip == "saved before":
        afresh("check", "--save", "--json", *written)
        code, out = afresh("check", "--json", *written)
    else:
        code, out = afresh("check", "--save", "--json", *written)
    rows = json.loads(out)
    assert (code, [row["url"] for row in rows]) == (1, written)
    assert [row["standing"] for row in rows] == ["ok", "ok", "ok", "broken"]


def test_pages_that_are_kept_once_are_told(town: Town, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    parts = [f"{url}{part}" for url in town.urls("/harbour") for part in ("#a", "", "#a")]
    call = ["--set", "fetch.allowed_networks=127.0.0.0/8;::1/128", "--set", "politeness.delay=0"]
    call += ["--store", str(tmp_path / "merged.db"), "check", "--save", *parts, *town.urls("/garden")]
    for told in (True, False):
        assert run(call) == 0
        assert ("links are kept as 3: an address is kept once" in capfd.readouterr().err) == told, "once"


def test_bookmarks_of_parts_are_kept_each_and_cost_one_request(town: Town, afresh: Run, tmp_path: Path) -> None:
    [harbour] = town.urls("/harbour")
    marks = "".join(
        f'<DT><H3>{folder}</H3><DL><p><DT><A HREF="{harbour}{part}" TAGS="{folder}">{title}</A></DL><p>\n'
        for part, title, folder in (("#a", "Plans", "One"), ("#gone", "Quay", "Two"), ("", "Harbour", "Three"))
    )
    file = tmp_path / "marks.html"
    file.write_text(f"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p>{marks}</DL>")
    code, out = afresh("check", "--save", "--json", str(file))
    assert (code, [row["status"] for row in json.loads(out)]) == (1, ["content_new", "fragment_missing", "content_new"])
    assert town.asked.count("/harbour") == 1
    kept = json.loads(afresh("link", "list", "--json")[1])
    assert [(link["url"], link["title"], link["folder"], link["tags"], link["standing"]) for link in kept] == [
        (f"{harbour}#a", "Plans", "One", ["One"], "ok"),
        (f"{harbour}#gone", "Quay", "Two", ["Two"], "broken"),
        (harbour, "Harbour", "Three", ["Three"], "ok"),
    ]
    code, out = afresh("check", "--no-fragments", "--save", "--json", str(file))
    assert (code, [row["status"] for row in json.loads(out)]) == (0, ["content_equal"] * 3)
    assert town.asked.count("/harbour") == 2
    assert [(link.url, link.folder) for link in read_links(afresh("link", "export")[1].encode(), name="a.html")] == [
        (link["url"], link["folder"]) for link in kept
    ]
    assert json.loads(afresh("link", "show", "--json", f"{harbour}#gone")[1])["title"] == "Quay"
    assert json.loads(afresh("link", "show", "--json", f"{harbour}#other")[1])["title"] == "Harbour"  # its page


def test_a_part_follows_its_page_to_a_new_address(town: Town, afresh: Run) -> None:
    harbour, garden = town.urls("/harbour", "/garden")
    afresh("link", "add", f"{harbour}#a")
    assert json.loads(afresh("link", "show", "--json", harbour)[1])["url"] == f"{harbour}#a"  # the only one
    assert json.loads(afresh("link", "set", harbour, "--address", garden, "--json")[1])["url"] == f"{garden}#a"
    assert afresh("set", f"{garden}#a", "--kind", "page")[0] == 2  # a part of a page is no page


def test_without_a_saved_version_what_was_seen_is_explained(town: Town, afresh: Run) -> None:
    town.pages["/garden"], [harbour, garden, gone] = PARKED, town.urls("/harbour", "/garden", "/gone")
    code, out = afresh("check", "--explain", harbour, garden, gone)
    assert code == 1
    told = {block.partition("\n")[0]: block.splitlines()[1:] for block in out.split("\n\n")[1:]}
    assert told[harbour][1].strip().startswith('page: title "Harbour plans", 160 words of its own text, 0 links')
    assert "so it is ok: it answered, and nothing says that it is no page; no saved version" in told[harbour][-2]
    assert told[garden][0].strip().startswith("answer: HTTP 200, text/html, ")
    assert any("sign of a parked domain: " in line and "for sale" in line for line in told[garden])
    assert "  so it is broken: this is a parked domain, not the page; " in "\n".join(told[garden])
    assert "  answer: HTTP 404" in told[gone][0]
    assert told[gone][1].startswith("  so it is broken; HTTP 404")
    rows = json.loads(afresh("check", "--explain", "--json", garden)[1])
    assert rows[0]["seen"][-1].startswith("so it is broken: this is a parked domain")


def test_a_curators_story(town: Town, afresh: Run) -> None:
    code, out = afresh("check", "--save", "--json", *town.urls())
    assert (code, {row["status"] for row in json.loads(out)}) == (0, {"content_new"})
    town.change()
    code, out = afresh("check", "--explain", "--find-moved", "--json", *town.urls())
    assert code == 1
    harbour, garden, walks = json.loads(out)
    assert (harbour["standing"], garden["turned"], walks["status"]) == ("ok", "parked", "content_missing")
    assert garden["measures"]
    assert {"change": "removed", "text": "Garden club"} in garden["difference"]
    assert [c["url"] for c in walks["candidates"]] == town.urls("/trails")
    for _ in range(2):  # looking again does not make it well
        assert afresh("check", "--save", *town.urls("/garden"))[0] == 1
    code, out = afresh("link", "list", "--standing", "broken", "--json")
    assert [row["url"] for row in json.loads(out)] == town.urls("/garden")
    code, out = afresh("link", "diff", town.urls("/garden")[0])
    assert "- Garden club" in out
    assert "+ This domain is for sale" in out
    assert afresh("link", "accept", town.urls("/garden")[0])[0] == 0
    assert afresh("check", *town.urls("/garden"))[0] == 0
    assert json.loads(afresh("link", "show", town.urls("/garden")[0], "--json")[1])["standing"] == "ok"
    history = json.loads(afresh("link", "history", town.urls("/garden")[0], "--json")[1])
    assert [check["overruled"] for check in history["checks"]][:1] == ["content_similar"]
    code, out = afresh("link", "reject", town.urls("/garden")[0])
    assert "stands broken" in out


def test_what_is_kept_in_this_folder_is_compared_with_and_not_asked_for_again_at_once(
    town: Town, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    common = ["--set", "fetch.allowed_networks=127.0.0.0/8;::1/128", "--set", "politeness.delay=0"]
    began = time.time()
    assert run([*common, "check", "--save", "--watch", *town.urls()]) == 0
    feed = f"{town.address}/feed"
    assert run([*common, "add", feed]) == 0
    assert run([*common, "check", "--save", feed]) == 1  # 404
    with closing(open_store("afresh.db")) as store:
        due = {one.kind: one.due for one in store.iterate()}
        assert due[Kind.LINK] >= began + 86_400.0
        assert due[Kind.FEED] < time.time() + 60.0  # a feed goes by its own rule
    town.pages["/garden"] = page("Casino", "Play slots, roulette and poker with a bonus for every new player. ")
    capsys.readouterr()
    assert run([*common, "check", "--json", *town.urls("/garden")]) == 1
    assert json.loads(capsys.readouterr().out)[0]["status"] == "content_different"


def test_kept_links_are_watched_only_if_wanted(town: Town, afresh: Run, tmp_path: Path) -> None:
    afresh("check", "--save", *town.urls("/harbour"))
    afresh("check", "--save", "--watch", *town.urls("/garden"))
    marks = tmp_path / "marks.html"
    marks.write_text(
        "<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p><DT><H3>Town</H3><DL><p>"
        f'<DT><A HREF="{town.address}/walks">Walks</A></DL></DL>'
    )
    assert afresh("link", "add", str(marks))[0] == 0
    found = {row["url"]: row["is_watched"] for row in json.loads(afresh("link", "list", "--json")[1])}
    assert [found[url] for url in town.urls()] == [False, True, True]
    said = afresh("link", "add", *town.urls("/harbour"))[1]
    assert "0 added, 1 known already (1 of them not watched so far), 0 refused" in said
    assert json.loads(afresh("link", "show", town.urls("/harbour")[0], "--json")[1])["is_watched"]
    afresh("set", town.urls("/harbour")[0], "--pause")
    afresh("check", "--save", "--watch", *town.urls("/harbour"))
    assert json.loads(afresh("link", "show", town.urls("/harbour")[0], "--json")[1])["is_watched"]
    exported = tmp_path / "out.html"
    exported.write_text(afresh("link", "export")[1])
    kept = {link.url: (link.title, link.folder) for link in read_links(exported.read_bytes(), name="out.html")}
    assert kept[town.urls("/walks")[0]] == ("Walks", "Town")
    assert set(kept) == set(town.urls())
    assert afresh("check", "--watch", *town.urls())[0] == 2


def test_a_link_keeps_the_name_folder_and_tags_of_its_owner(town: Town, afresh: Run, tmp_path: Path) -> None:
    harbour, walks = town.urls("/harbour", "/walks")
    marks = tmp_path / "marks.html"

    def show(url: str) -> tuple[str, str, list[str]]:
        told = json.loads(afresh("link", "show", url, "--json")[1])
        return told["title"], told["folder"], told["tags"]

    afresh("check", "--save", harbour)
    assert show(harbour) == ("Harbour plans", "", [])  # nobody gave it a name: its page's own
    marks.write_text(
        "<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p><DT><H3>Town</H3><DL><p>"
        f'<DT><A HREF="{walks}" TAGS="sunday,mill">Our walk</A>'
        f'<DT><A HREF="{harbour}" TAGS="sea">The port</A></DL></DL>'
    )
    told = json.loads(afresh("check", "--save", "--json", str(marks))[1])
    assert [row["title"] for row in told] == ["Our walk", "Harbour plans"]
    assert show(walks) == ("Our walk", "Town", ["sunday", "mill"])
    assert show(harbour) == ("Harbour plans", "Town", ["sea"])
    marks.write_text(f'<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p><DT><A HREF="{walks}" TAGS="x">Other</A></DL>')
    town.pages["/walks"] = page("A new heading", WALKS)
    afresh("check", "--save", "--watch", str(marks))
    assert show(walks) == ("Our walk", "Town", ["sunday", "mill"])
    exported = afresh("link", "export")[1]
    assert f'<DT><A HREF="{walks}" TAGS="sunday,mill">Our walk</A>' in exported
    [garden] = town.urls("/garden")
    marks.write_text(
        "<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p><DT><H3>Clubs</H3><DL><p>"
        f'<DT><A HREF="{garden}" TAGS="green">Our club</A></DL></DL>'
    )
    town.pages["/garden"] = PARKED
    afresh("check", "--save", "--watch", str(marks))
    assert show(garden) == ("Our club", "Clubs", ["green"])  # whatever stands there now


def test_the_profile_decides_what_counts(town: Town, afresh: Run) -> None:
    """The programme of a place: another one next month is the same place, but not the same programme."""
    places = "".join(f'<a href="/{name}">{name} of the town</a>' for name in ("start", "news", "contact", "archive"))
    ferry = "A new ferry sails at nine from the northern quay with room for forty bicycles and a dog. "

    def programme(*parts: str) -> str:
        return page("This month", "").replace("<h1>", places + "<h1>").replace("<p>", "<p>" + "".join(parts))

    town.pages["/harbour"] = programme(HARBOUR, GARDEN, WALKS)
    afresh("check", "--save", *town.urls("/harbour"))
    town.pages["/harbour"] = programme(WALKS, ferry)
    assert afresh("check", *town.urls("/harbour"))[0] == 0
    assert afresh("check", "--profile", "attributive", *town.urls("/harbour"))[0] == 1
    afresh("link", "set", "--profile", "attributive", town.urls("/harbour")[0])
    code, out = afresh("check", "--json", *town.urls("/harbour"))
    assert code == 1
    assert "of the main text is kept" in json.loads(out)[0]["detail"]


def test_a_check_is_resumed_from_its_file(town: Town, afresh: Run, tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    first = afresh("check", "--resume", str(file), "--json", *town.urls("/harbour", "/gone"))
    asked = len(town.asked)
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-1]) + b'{"at": 1, "url": "http://cut')  # interrupted: the last line says the end
    again = afresh("check", "--resume", str(file), "--json", *town.urls("/harbour", "/gone"))
    assert again == first
    assert len(town.asked) == asked
    more = afresh("check", "--resume", str(file), "--json", *town.urls("/harbour", "/gone", "/garden"))
    assert [row["status"] for row in json.loads(more[1])] == ["content_new", "content_missing", "content_new"]
    assert {path for path in town.asked[asked:] if path != "/robots.txt"} == {"/gone", "/garden"}, (
        "the run before got to its end: what was broken may have been repaired"
    )
    old = afresh("check", "--resume", str(file), "--max-age", "0s", "--json", *town.urls("/harbour"))
    assert old[0] == 0
    assert town.asked[-1] == "/harbour"
    parts = [f"{url}#no-such-part" for url in town.urls("/harbour")]
    assert [afresh("check", "--resume", str(file), *parts)[0] for _ in "12"] == [1, 1]  # the page is looked at again
    foreign = tmp_path / "precious.txt"
    foreign.write_text("do not append to me\n")
    assert afresh("check", "--resume", str(foreign), *town.urls("/harbour"))[0] == 2
    assert foreign.read_text() == "do not append to me\n"


def test_archived_versions_bootstrap_a_link(town: Town, afresh: Run, tmp_path: Path) -> None:
    afresh("link", "add", *town.urls("/garden"))
    saved = tmp_path / "garden.html"
    toolbar = "<!-- BEGIN WAYBACK TOOLBAR INSERT --><p>captures</p><!-- END WAYBACK TOOLBAR INSERT -->"
    saved.write_text(town.pages["/garden"].replace("<body>", "<body>" + toolbar))
    code, out = afresh("link", "import", "--at", "20030401", town.urls("/garden")[0], str(saved), "--json")
    assert (code, json.loads(out)["versions"]) == (0, 1)
    assert json.loads(afresh("check", "--json", *town.urls("/garden"))[1])[0]["status"] == "content_equal"
    town.change()
    assert json.loads(afresh("check", "--json", *town.urls("/garden"))[1])[0]["turned"] == "parked"


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("cut.html", b'<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p><DT><A HREF="URL/harbour">Harb'),
        ("cut.json", b'{"roots": {"bookmark_bar": {"children": [{"url": "URL/harbour"'),
        ("noise.html", bytes(range(256)) * 50),
        ("deep.json", b"[" * 100_000),
    ],
)
def test_a_broken_file_is_read_or_refused(town: Town, afresh: Run, tmp_path: Path, name: str, body: bytes) -> None:
    (tmp_path / name).write_bytes(body.replace(b"URL", town.address.encode()))
    code, _ = afresh("check", str(tmp_path / name))
    assert code in (0, 2)
    assert (name == "cut.html") == (code == 0)


def test_pages_of_any_size_and_shape_have_a_status(town: Town, afresh: Run) -> None:
    town.pages |= {
        "/huge": "<p>" + "word " * 10_000_000,
        "/deep": "<div>" * 100_000,
        "/line": "x" * 900_000,
        "/empty": "",
    }
    code, out = afresh("check", "--json", *town.urls("/huge", "/deep", "/line", "/empty"))
    assert code == 1
    told = {row["url"].rpartition("/")[2]: row["status"] for row in json.loads(out)}
    assert (told["huge"], told["empty"]) == ("content_new", "content_missing")  # what is large is well
    assert set(told) == {"huge", "deep", "line", "empty"}


def test_poll_and_why_speak_of_links_as_check_does(town: Town, afresh: Run) -> None:
    garden, walks = town.urls("/garden", "/walks")
    assert afresh("check", "--save", "--watch", garden, walks)[0] == 0
    said = afresh("why", garden)[1]
    assert "24 h after `afresh check` looked at it; next tomorrow at " in said, "it was looked at, if not by a daemon"
    assert "never visited" not in said
    town.change()
    code, out = afresh("poll", garden, walks)
    told = " ".join(out.split())
    assert code == 1
    assert "broken (content different)" in told
    assert "parked; title: " in told
    assert "suspect (content missing)" in told
    assert "HTTP 404" in told
    parked = json.loads(afresh("poll", garden, "--json")[1])[0]
    assert (parked["link"]["standing"], parked["link"]["turned"]) == ("broken", "parked")
    assert "looked at it" not in afresh("why", garden)[1]


def test_every_report_says_it_in_one_sentence(town: Town, afresh: Run) -> None:
    town.pages["/garden"], [garden] = PARKED, town.urls("/garden")
    [row] = json.loads(afresh("check", "--save", "--json", garden)[1])
    assert row["detail"] == row["message"]
    assert row["detail"].count("; ") <= 1
    assert len(row["reasons"]) > 2
    assert row["reasons"][0] in row["detail"]
    assert "structure" not in row["reasons"]
    for form in ("csv", "html", "github", "junit", "markdown"):
        told = unescape(afresh("check", "--format", form, garden)[1])
        assert row["detail"] in told, form
        assert row["reasons"][-1] not in told, form
    kept = json.loads(afresh("link", "show", "--json", garden)[1])
    assert (kept["detail"], kept["reasons"]) == (row["detail"], row["reasons"])
    assert all(reason in afresh("link", "show", garden)[1] for reason in row["reasons"])


def test_one_page_not_found_is_not_the_new_home_of_another(town: Town, afresh: Run) -> None:
    """Neither where nothing was saved but such a page, nor where a page was."""
    missing = "<title>Page not found</title><h1>404 - Page not found</h1><p>The page you requested was not found.</p>"
    town.pages |= {"/shop/lamp-17": missing, "/shop/lamp-18": missing}
    town.pages["/"] += "<a href='/shop/lamp-18'>Lamps</a><a href='/old/walks'>Walks by the mill</a>"
    [lamp] = town.urls("/shop/lamp-17")
    for _ in range(2):
        [row] = json.loads(afresh("check", "--save", "--find-moved", "--explain", "--json", lamp)[1])
        assert (row["standing"], row["new_url"], row["candidates"]) == ("broken", None, [])
    [walks] = town.urls("/walks")
    afresh("check", "--save", walks)
    town.pages |= {"/walks": PARKED, "/old/walks": PARKED}
    [row] = json.loads(afresh("check", "--save", "--find-moved", "--explain", "--json", walks)[1])
    assert (row["standing"], row["candidates"]) == ("broken", [])


@pytest.mark.parametrize("place", ["nodir/r.html", "", "file/r.html"])
def test_a_report_that_cannot_be_written_is_refused_before_the_first_request(
    town: Town, afresh: Run, tmp_path: Path, place: str
) -> None:
    (tmp_path / "file").write_text("")
    assert afresh("check", *town.urls(), "-o", str(tmp_path / place))[0] == 2
    assert town.asked == []


def test_trying_where_a_report_goes_changes_nothing(afresh: Run, tmp_path: Path) -> None:
    report, old = tmp_path / "r.html", tmp_path / "old.html"
    old.write_text("as it was")
    for path in (report, old):
        assert afresh("check", str(tmp_path / "nothing.txt"), "-o", str(path))[0] == 2
    assert (report.exists(), old.read_text()) == (False, "as it was")


def test_where_a_lost_page_may_be_is_kept_with_the_link_and_can_be_taken(town: Town, afresh: Run) -> None:
    [walks, trails] = town.urls("/walks", "/trails")
    afresh("check", "--save", walks)
    town.change()
    _, out = afresh("check", "--save", "--find-moved", walks)
    assert f"perhaps now at {trails}" in out
    kept = json.loads(afresh("link", "show", walks, "--json")[1])
    assert (kept["new_url"], kept["standing"]) == (trails, "suspect")
    code, out = afresh("link", "set", walks, "--address", kept["new_url"], "--json")
    assert code == 0
    there = json.loads(afresh("link", "show", trails, "--json")[1])
    assert (there["id"], there["standing"]) == (kept["id"], "ok"), "its page was compared there"
    assert afresh("check", "--save", trails)[0] == 0
    assert afresh("link", "set", trails, "--address", "http://10.0.0.1/")[0] == 2
