"""Pages nobody saved a version of, on three kinds of sites: what they are called, and which are left alone.

``first_sight.jsonl`` has pages that were misjudged once, written after what systems, registrars and guards send (a
``kind``), and pages that speak of such things and are none (``kind`` null). A site says 404 for a page that cannot
exist, or shows a page for everything, or sends whoever is lost to its front page.
"""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from afresh.base.models import Fetched, Outcome, Redirect, Rejected, Request, Trip
from afresh.base.records.links import Check, Standing, Turned
from afresh.base.settings.sections import LinkSettings
from afresh.links.checker import Checker
from afresh.links.first_sight import in_words
from afresh.links.judge import LinkJudge, Seen
from afresh.links.measures.profile import Profile
from afresh.links.unsaved import UnsavedLinks
from afresh.links.verdicts.model import default_model
from afresh.parse.documents import read_document

PAGES: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "first_sight.jsonl").read_text().splitlines()
]
HOST = "northgate.example"
#: What befalls a whole site: it stands at every address, or at that of the front page alone.
EVERYWHERE = {"parked", "maintenance", "suspended", "placeholder", "captcha", "consent_wall"}
HOME = "<title>Welcome – Northgate</title><h1>Welcome</h1>" + "".join(
    f"<p>Northgate is a small town by the water; story {n} tells of the harbour.</p><a href='/s/{n}'>{n}</a>"
    for n in range(8)
)
LOST = "<title>Northgate</title><a href='/'>Northgate</a><h1>Hm.</h1><p>There is nothing here. Try the search.</p>"


class Site:
    """One site with one page worth a look."""

    def __init__(self, manner: str, page: dict[str, Any]) -> None:
        self._manner, self._kind = manner, page["kind"]
        self._html = page["html"].replace("{host}", HOST)
        self.path = "/" if manner == "honest" and self._kind in EVERYWHERE else page["path"]

    async def fetch(self, request: Request) -> Outcome:
        path = request.url.removeprefix(f"http://{HOST}")
        kind = "text/html" if "<" in self._html else "text/plain"
        trip = Trip(url=request.url, final_url=request.url, started=0.0, finished=0.0, headers={"content-type": kind})
        if path == self.path or (self._kind in EVERYWHERE and self._manner != "honest"):
            return Fetched(trip=trip, status=200, body=self._html.encode())
        if path == "/":
            return Fetched(trip=trip, status=200, body=HOME.encode())
        if self._manner == "honest":
            return Rejected(trip=trip, status=404)
        if self._manner == "sends home":
            home = f"http://{HOST}/"
            trip = replace(trip, final_url=home, redirects=(Redirect(302, home),))
            return Fetched(trip=trip, status=200, body=HOME.encode())
        return Fetched(trip=trip, status=200, body=(self._html if self._kind == "soft_404" else LOST).encode())


def checked(site: Site) -> Check:
    links = UnsavedLinks()
    judge = LinkJudge(links, LinkSettings(), model=lambda _: default_model())
    checker = Checker(site.fetch, judge, now=lambda: 0.0, apart=False)
    url = f"http://{HOST}{site.path}"
    return asyncio.run(checker.check(url, links.add(url))).check


@pytest.mark.parametrize("manner", ["honest", "shows a page", "sends home"])
@pytest.mark.parametrize("page", [page for page in PAGES if page["kind"]], ids=lambda page: page["name"])
def test_what_is_no_page_is_called_what_it_is(page: dict[str, Any], manner: str) -> None:
    check = checked(Site(manner, page))
    assert (check.standing, check.turned) == (Standing.BROKEN, Turned(page["kind"])), check.detail


@pytest.mark.parametrize("manner", ["honest", "shows a page", "sends home"])
@pytest.mark.parametrize("page", [page for page in PAGES if not page["kind"]], ids=lambda page: page["name"])
def test_a_page_about_such_things_is_a_page(page: dict[str, Any], manner: str) -> None:
    check = checked(Site(manner, page))
    assert check.standing is Standing.OK, (check.turned, check.detail)


def test_only_what_was_asked_for_speaks_for_a_page() -> None:
    """Sent to /404, it is what was not asked for that speaks of it."""
    page = {"kind": "soft_404", "path": "/plans", "html": "<title>404</title><h1>404</h1><p>Nothing here.</p>"}

    class Sending(Site):
        async def fetch(self, request: Request) -> Outcome:
            outcome = await super().fetch(request)
            if request.url.endswith("/plans"):
                there = f"http://{HOST}/404"
                return replace(outcome, trip=replace(outcome.trip, final_url=there, redirects=(Redirect(302, there),)))
            return outcome

    assert checked(Sending("honest", page)).turned is Turned.SOFT_404
    assert checked(Site("honest", page | {"path": "/404"})).standing is Standing.OK


FRAME = "<a href='/'>Home</a> <a href='/categories/'>categories</a> <a href='/tags/'>tags</a>"


class Several:
    """A site by its pages; whoever asks for another one gets the last of them, or a 404."""

    def __init__(self, pages: dict[str, str], lost: str | None = None) -> None:
        self._pages, self._lost = pages, lost

    async def fetch(self, request: Request) -> Outcome:
        trip = Trip(
            url=request.url, final_url=request.url, started=0.0, finished=0.0, headers={"content-type": "text/html"}
        )
        html = self._pages.get(request.url.removeprefix(f"http://{HOST}"), self._lost)
        return Rejected(trip=trip, status=404) if html is None else Fetched(trip=trip, status=200, body=html.encode())

    def check(self, path: str) -> Check:
        links = UnsavedLinks()
        judge = LinkJudge(links, LinkSettings(), model=lambda _: default_model())
        url = f"http://{HOST}{path}"
        return asyncio.run(Checker(self.fetch, judge, now=lambda: 0.0, apart=False).check(url, links.add(url))).check


def refresh(target: str) -> str:
    return f"<html><head><title>{target}</title><meta http-equiv=refresh content='0; url={target}'></head></html>"


@pytest.mark.parametrize("lost", [None, LOST], ids=["honest", "shows a page"])
def test_a_page_that_is_nothing_but_a_refresh_is_a_redirect(lost: str | None) -> None:
    """As generators of sites write them for the first page of a list, and for addresses that were given up."""
    site = Several({"/": HOME, "/posts/": HOME.replace("Welcome", "Posts"), "/posts/page/1/": refresh("/posts/")}, lost)
    check = site.check("/posts/page/1/")
    assert (check.standing, check.new_url) == (Standing.MOVED, f"http://{HOST}/posts/")


@pytest.mark.parametrize(
    "words",
    [
        "This page has moved to <a href='/posts/'>a new address</a>.",
        "The document has moved <a href='/posts/'>here</a>.",
        "This page has been moved. Please update your bookmarks.",
    ],
)
def test_a_refresh_with_words_that_say_so_is_a_redirect_too(words: str) -> None:
    """Words of a lost page: "this page has moved". With an address that every browser goes to, they are true."""
    text = refresh("/posts/").replace("<title>/posts/", "<title>Moved").replace("</html>", f"<p>{words}</p></html>")
    site = Several({"/": HOME, "/posts/": HOME.replace("Welcome", "Posts"), "/old": text}, None)
    found = site.check("/old")
    assert (found.standing, found.new_url.endswith("/posts/")) == (Standing.MOVED, True)
    everywhere = Several({"/": HOME, "/posts/": HOME.replace("Welcome", "Posts")}, lost=text)
    assert everywhere.check("/old").standing is Standing.BROKEN
    perhaps = text.replace(words, "This page was moved, removed or renamed.")
    assert Several({"/": HOME, "/posts/": HOME, "/old": perhaps}, None).check("/old").standing is Standing.BROKEN


def test_a_refresh_to_the_front_page_or_to_where_all_are_sent_is_no_redirect_to_a_page() -> None:
    home = Several({"/": HOME, "/old-plan": refresh("/")})
    everywhere = Several({"/": HOME, "/sorry": HOME}, lost=refresh("/sorry"))
    assert home.check("/old-plan").standing is Standing.BROKEN
    assert everywhere.check("/old-plan").standing is Standing.BROKEN
    assert Several({"/old-plan": refresh("/gone")}).check("/old-plan").standing is Standing.BROKEN


def test_a_page_without_text_is_not_an_answer_that_has_some() -> None:
    made = "<title>Tides</title><script>fetch('/tides.json').then(show)</script>"
    assert Several({"/": HOME, "/tides": made}, LOST).check("/tides").standing is Standing.OK


def test_a_list_without_entries_is_a_page_and_the_answer_with_its_address_is_none() -> None:
    lost = f"<title>Page not found | Northgate</title>{FRAME}<p>404</p>"
    empty = f"<title>Categories | Northgate</title>{FRAME}<h1>Categories</h1>"
    echoed = f"<title>Page not found: categories | Northgate</title>{FRAME}<p>404</p>"
    assert Several({"/": HOME, "/categories/": empty}, lost).check("/categories/").standing is Standing.OK
    assert Several({"/": HOME, "/categories/": echoed}, lost).check("/categories/").turned is Turned.SOFT_404


def test_the_name_of_a_language_in_a_menu_makes_no_long_page() -> None:
    said = "Talk is cheap, says the subtitle of a diary. The page that you asked for does not exist any more. Search"
    missing = f"<title>404 Page not found</title><p>English</p><p>中文</p><h1>Not found</h1><p>{said * 2}</p>"
    for html in (missing, missing.replace("中文", "Suomi")):
        assert Several({"/": HOME, "/plan": html}).check("/plan").turned is Turned.SOFT_404


def test_a_login_that_was_asked_for_is_a_page_however_its_file_is_called() -> None:
    form = "<title>Log in</title><h1>Welcome back</h1><form><input type=password></form><p>Forgot your password?</p>"
    site = Several({"/": HOME, "/_login.html": form, "/plan": form})
    assert site.check("/_login.html").standing is Standing.OK
    assert site.check("/plan").turned is Turned.LOGIN_WALL


TOLD = "<title>{0} – Northgate</title><h1>{0}</h1>" + (
    "<p>How a server says that it has not got a page: what stands in the first line, and what people read.</p>" * 4
)
SAID = "<title>Northgate</title><p>Page not found? The requested page does not exist. Sorry, we could not find it.</p>"
FRONT = f"{SAID}<p>Welcome to a small town by the water.</p>"
EMPTY = "<title>{0} – Northgate</title><h1>{0}</h1>"


@pytest.mark.parametrize(
    ("html", "path", "others", "why"),
    [
        (TOLD.format("Harbour"), "/a", {}, "nothing says that it is no page"),
        (
            TOLD.format("Page not found"),
            "/a",
            {"is_honest": True},
            "what looks like a page that says it is not there is rather what it is about: a page that cannot exist is"
            " answered otherwise",
        ),
        (
            EMPTY.format("Log in") + "<form><input name=user><input type=password></form>",
            "/login",
            {"is_honest": True},
            "its address asks for a login before the page",
        ),
        (
            SAID + "<p>The harbour has a new pier, and boats from the islands land there again.</p>",
            "/harbour/pier",
            {"is_honest": True, "home": Profile(read_document(FRONT.encode(), url=f"http://{HOST}/"))},
            "what looks like a page that says it is not there stands on the front page, too",
        ),
    ],
)
def test_a_sign_that_does_not_count_is_told_with_why(
    html: str, path: str, others: dict[str, Any], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "HOME", FRONT if "home" in others else HOME)
    page = {"kind": None, "path": path, "html": html}
    site, links, url = Site("honest", page), UnsavedLinks(), f"http://{HOST}{path}"
    judge = LinkJudge(links, LinkSettings(), model=lambda _: default_model())
    done = asyncio.run(Checker(site.fetch, judge, now=lambda: 0.0, apart=False).check(url, links.add(url)))
    assert done.check.standing is Standing.OK
    outcome = asyncio.run(site.fetch(Request(url=url)))
    seen = Seen(page=Profile(read_document(html.encode(), url=url)), **others)
    assert in_words(outcome, seen, done)[-1].startswith(f"so it is ok: it answered, and {why}; no saved version")


BANNER = (
    "<div role=dialog><p>We use cookies to personalise content and ads. By clicking “Accept” you agree to this.</p>"
    "<button>Accept all</button><button>Reject</button></div>"
)
ROOM = "<h1>Reading room</h1><p>Open on Tuesday and Thursday from ten to four. Pencils only, please; bring a pass.</p>"


def front(teaser: str) -> str:
    return f"<title>Northgate</title><h1>Northgate</h1>{teaser.replace('h1', 'h2')}" + HOME.partition("</h1>")[2]


def test_a_banner_beside_a_text_is_no_wall_even_if_the_front_page_has_the_text_too() -> None:
    page = f"<title>Reading room – Northgate</title>{BANNER}{ROOM}"
    assert Several({"/": front(ROOM), "/reading-room": page}).check("/reading-room").standing is Standing.OK
    wall = f"<title>Your choice</title>{BANNER}"
    assert Several({"/": front(ROOM), "/reading-room": wall}).check("/reading-room").turned is Turned.CONSENT_WALL


def test_a_sign_that_decides_without_the_words_of_the_front_page_is_told_so() -> None:
    frame = "<p>Northgate has a harbour, three churches and a market that is held on every other Saturday.</p>" * 20
    home = Profile(read_document(f"<title>Northgate</title>{frame}".encode(), url=f"http://{HOST}/"))
    said = "<h1>Hm</h1><p>The requested page does not exist.</p><p>Sorry, we could not find the page.</p>"
    html, url = f"<title>Northgate</title>{said}{frame}", f"http://{HOST}/harbour/pier"
    site, links = Several({"/": f"<title>Northgate</title>{frame}", "/harbour/pier": html}), UnsavedLinks()
    judge = LinkJudge(links, LinkSettings(), model=lambda _: default_model())
    done = asyncio.run(Checker(site.fetch, judge, now=lambda: 0.0, apart=False).check(url, links.add(url)))
    assert done.check.turned is Turned.SOFT_404
    seen = Seen(page=Profile(read_document(html.encode(), url=url)), home=home, is_honest=True)
    told = in_words(asyncio.run(site.fetch(Request(url=url))), seen, done)
    assert not any("too little by itself" in line for line in told if "says it is not there:" in line)
    assert any("in what does not stand on the front page, too, which is enough" in line for line in told)
