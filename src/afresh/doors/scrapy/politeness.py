"""A downloader middleware: one request at a time to a site, its pause, Retry-After, and robots.txt's Crawl-delay."""

import re
import time
from typing import TYPE_CHECKING, Self

from scrapy import Request, signals
from scrapy.http import Response

from afresh.doors.scrapy.engine import holds, say_pause
from afresh.doors.scrapy.naming import site_of
from afresh.doors.scrapy.options import pause_of
from afresh.doors.scrapy.turns import turns_of
from afresh.parse.headers import retry_after
from afresh.parse.robots import Robots

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_PATIENCE = 0.25  # seconds a request waits for its turn in a place of the downloader; then it goes back
_TOKEN = re.compile(r"[A-Za-z_-]+")
_LOCAL = frozenset(("data:", "file:"))


class Politeness:
    """Near the downloader, so that nothing lies between a request and its count: below 900, HttpCache's place."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler
        self._turns = turns_of(crawler, pause_of(crawler.settings))
        self._turns.is_kept = True
        self._taken: dict[Request, str] = {}
        settings = crawler.settings
        agent = str(settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT") or "")
        token = _TOKEN.match(agent)
        self._agent = token[0] if token else "*"

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> Self:
        made = cls(crawler)
        crawler.signals.connect(made.response_received, signal=signals.response_received)
        return made

    async def process_request(self, request: Request) -> Request | None:
        """Waits for the site's turn; a request of the frontier that would wait long is given back to it."""
        site = site_of(request)
        if site in _LOCAL:
            return None
        if self._turns.rest(site) > _PATIENCE and holds(self._crawler, request):
            return request
        await self._turns.take(site)
        self._taken[request] = site
        return None

    def process_response(self, request: Request, response: Response) -> Response:
        """Ends the turn; a site may ask to be left alone for longer."""
        site = self._taken.pop(request, None)
        if site is not None:
            said = (response.headers.get("Retry-After") or b"").decode("latin-1")
            self._turns.leave(site, wish=(retry_after(said, time.time()) or 0.0) if said else 0.0)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:  # noqa: ARG002 (as Scrapy calls it)
        """Ends the turn."""
        site = self._taken.pop(request, None)
        if site is not None:
            self._turns.leave(site)

    def response_received(self, response: Response, request: Request) -> None:
        """Reads the pause that a site's robots.txt asks for, when Scrapy has fetched it (ROBOTSTXT_OBEY)."""
        if not request.meta.get("dont_obey_robotstxt") or not request.url.endswith("/robots.txt"):
            return
        asked = Robots.parse(response.body, response.status).crawl_delay(self._agent)
        site = site_of(request)
        if asked is not None and self._turns.slow_down(site, asked):
            say_pause(self._crawler, site, asked)
