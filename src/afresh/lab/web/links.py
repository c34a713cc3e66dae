"""A small web of bookmarked pages on loopback, some of which turn into something else while the server says 200.

Before ``turn`` every link is the page somebody saved. Afterwards one is edited, one moved, one gone, and the others are
what no status code tells: parked, taken over, a polite "not found", a login, a page under maintenance.
"""

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from aiohttp import web

from afresh.base.records.links import LinkRef
from afresh.lab.web.ledger import Ledger
from afresh.lab.web.listening import LoopbackWeb
from afresh.lab.web.words import paragraph
from afresh.parse.bookmarks import write_bookmarks


@dataclass(frozen=True, slots=True)
class Saved:
    """A bookmarked page: its site, its path, its title, and what becomes of it (the truth)."""

    site: str
    path: str
    title: str
    fate: str  # "edited", "moved", "gone", "parked", "replaced", "soft_404", "login_wall", "maintenance", "well"


BOOKMARKS = (
    Saved("harbour", "/plans", "Plans for the old harbour", "well"),
    Saved("bakery", "/bread", "How we bake our rye bread", "edited"),
    Saved("railway", "/timetable", "Timetable of the narrow railway", "moved"),
    Saved("library", "/books/maps", "Maps in the reading room", "soft_404"),
    Saved("garden", "/club", "The garden club by the river", "parked"),
    Saved("choir", "/songs", "Songs of the fishermen's choir", "replaced"),
    Saved("museum", "/sails", "Ropes and sails in the museum", "login_wall"),
    Saved("weather", "/station", "Readings of the weather station", "maintenance"),
    Saved("walks", "/mill", "A walk along the mill stream", "gone"),
)


class LinkWeb(LoopbackWeb):
    """The bookmarked pages behind one loopback port, told apart by the Host header.

    async with LinkWeb() as town:
        town.urls; town.turn()
    """

    def __init__(self, seed: int = 0, *, polite_delay: float = 0.0) -> None:
        self.seed = seed
        self.ledger = Ledger(polite_delay=polite_delay)
        self._turned: set[str] = set()  # names of sites

    @property
    def urls(self) -> list[str]:
        return [self.url(saved) for saved in BOOKMARKS]

    def url(self, saved: Saved) -> str:
        return f"http://{saved.site}.localhost:{self.port}{saved.path}"

    @property
    def has_turned(self) -> bool:
        return len(self._turned) == len(BOOKMARKS)

    def turn(self, *sites: str) -> None:
        """Some years pass, for these sites or for all."""
        self._turned.update(sites or (saved.site for saved in BOOKMARKS))

    def answer(self, site: str, path: str) -> tuple[int, Mapping[str, str], str]:
        """Status, headers and text of one answer."""
        html = {"Content-Type": "text/html; charset=utf-8"}
        for saved in BOOKMARKS:
            if saved.site != site:
                continue
            has_turned = site in self._turned
            if path == saved.path:
                return self._now(saved) if has_turned else (200, html, self._page(saved))
            if path == "/":
                return 200, html, self._home(saved)
            if saved.fate == "soft_404" and has_turned and path != "/robots.txt":
                return 200, html, _chrome(saved, "Page not found", "<p>Sorry, we could not find that page.</p>")
            if path == f"/new{saved.path}" and has_turned and saved.fate in ("moved", "gone"):
                return 200, html, self._page(saved)
        return 404, html, "<title>404</title><h1>Not found</h1>"

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        name, is_site, _ = request.host.partition(".localhost")
        if not is_site:
            status, headers, text = self._desk(request.path)
            return web.Response(status=status, headers=dict(headers), text=text)
        asked = {key.lower(): value for key, value in request.headers.items()}
        seen = self.ledger.begin(name, request.path, time.time(), headers=asked)
        status, headers, text = self.answer(name, request.path)
        where = headers.get("Location")
        self.ledger.finish(seen, time.time(), status, redirect=(name, where) if where else None)
        return web.Response(status=status, headers=dict(headers), text=text)

    def _desk(self, path: str) -> tuple[int, Mapping[str, str], str]:
        """The web's own host: the bookmarks as a browser exports them, and the passing of years."""
        if path == "/bookmarks.html":
            links = [LinkRef(url=self.url(saved), title=saved.title, folder="Town") for saved in BOOKMARKS]
            return 200, {"Content-Type": "text/html; charset=utf-8"}, write_bookmarks(links)
        if path == "/years-pass":
            self.turn()
            return 200, {"Content-Type": "text/plain; charset=utf-8"}, "Some years have passed.\n"
        return 404, {"Content-Type": "text/plain"}, "no such site\n"

    def _now(self, saved: Saved) -> tuple[int, Mapping[str, str], str]:
        html = {"Content-Type": "text/html; charset=utf-8"}
        match saved.fate:
            case "edited":
                return 200, html, self._page(saved, edited=True)
            case "moved":
                return 301, {**html, "Location": f"/new{saved.path}"}, ""
            case "gone":
                return 404, html, "<title>404</title><h1>Not found</h1>"
            case "soft_404":
                return 200, html, _chrome(saved, "Page not found", "<p>Sorry, we could not find that page.</p>")
            case "parked":
                offer = (
                    f"<h1>{saved.site}.localhost is for sale</h1><p>This domain may be for sale. Buy this domain now."
                )
                return 200, html, f"<title>{saved.site}.localhost</title>{offer} Related searches: loans, insurance</p>"
            case "replaced":
                return 200, html, _shop(self.seed)
            case "login_wall":
                form = "<form><input name=user><input name=password type=password><button>Log in</button></form>"
                return 200, html, _chrome(saved, "Log in", f"<h1>Please log in to continue</h1>{form}")
            case "maintenance":
                words = "<h1>Down for maintenance</h1><p>We will be back shortly. Please try again later.</p>"
                return 200, html, f"<title>Down for maintenance</title>{words}"
            case _:
                return 200, html, self._page(saved)

    def _page(self, saved: Saved, *, edited: bool = False) -> str:
        rng = random.Random(f"{self.seed}{saved.site}")
        texts = [paragraph(rng, 6) for _ in range(4)]
        if edited:
            texts[2] = paragraph(random.Random(f"{self.seed}{saved.site} edited"), 6)
        return _chrome(saved, saved.title, "".join(f"<p>{escape(text)}</p>" for text in texts))

    def _home(self, saved: Saved) -> str:
        where = f"/new{saved.path}" if saved.site in self._turned and saved.fate in ("moved", "gone") else saved.path
        return _chrome(saved, saved.site.title(), f'<p><a href="{where}">{escape(saved.title)}</a></p>')


def _chrome(saved: Saved, title: str, body: str) -> str:
    """What all pages of a site share."""
    places = ("start", "news", "about", "contact")
    links = "".join(f'<a href="/{place}">{place} of the {saved.site}</a> ' for place in places)
    return (
        f'<!doctype html><html lang="en"><head><title>{escape(title)}</title></head><body><nav>{links}</nav>'
        f"<h1>{escape(title)}</h1>{body}<footer>Pages of the {saved.site}</footer></body></html>"
    )


def _shop(seed: int) -> str:
    """Another business under an old name."""
    rng = random.Random(f"{seed} shop")
    offers = "".join(f"<li><a href='/offer/{n}'>{escape(paragraph(rng, 1))}</a></li>" for n in range(12))
    return (
        "<!doctype html><html><head><title>Cheap phone covers, shipped today</title></head><body>"
        "<h1>Covers for every phone</h1><p>Free shipping from three covers on, paid in instalments.</p>"
        f"<ul>{offers}</ul>"
        "</body></html>"
    )
