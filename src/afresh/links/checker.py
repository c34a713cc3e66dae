"""The checker: is a link still what it was? It asks for the page, reads it, probes the site if need be, and judges.

``afresh check``, watched links and examples to learn from all go through here.
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from afresh.base.models import NO_TERMS, Failed, Fetched, Outcome, Rejected, Terms
from afresh.links.answers import Checked
from afresh.links.first_sight import in_words
from afresh.links.judge import LinkJudge, Seen, wants_home, wants_probe, wants_target
from afresh.links.measures.profile import Profile
from afresh.links.status_checker import Fetch, Known, OnPage, StatusChecker, request_for
from afresh.links.versions import read_outcome
from afresh.parse.documents import is_slow
from afresh.parse.url import canonical

if TYPE_CHECKING:
    from afresh.base.records.links import Usage

#: A page that cannot exist: what a site answers for it tells what its "not found" looks like.
PROBE_PATH = "/afresh-probe-8c1f3b7e5d2a4960-no-such-page"
_REMEMBERED = 7 * 86_400.0  # seconds for a site's "not found" page and its front page
_PAGES = 2_000
_LARGE = 8_192  # bytes from which on a page is read where nobody waits: the worst of so many take a few milliseconds

_Answered = tuple[Outcome, Profile | None]
_ORIGIN = re.compile(r"https?://[^/?#]+(?=/)")


class Checker(StatusChecker):
    """Checks links: each URL asked for once, a site's "not found" page and its front page at most once a week."""

    def __init__(
        self,
        fetch: Fetch,
        judge: LinkJudge,
        *,
        now: Callable[[], float],
        probing: bool = True,
        explains: bool = False,  # what was seen is told in words
        apart: bool = True,  # where a store is read others go on meanwhile; False: there is none
        on_page: OnPage | None = None,
        retries: int = 0,
        elsewhere: Callable[[str], str] | None = None,
        known: Known | None = None,
    ) -> None:
        super().__init__(
            fetch, judge.links, now=now, on_page=on_page, retries=retries, elsewhere=elsewhere, enough=0, known=known
        )
        self.judge, self._probing, self._apart, self._explains = judge, probing, apart, explains
        self._pages: OrderedDict[str, tuple[float, asyncio.Task[_Answered]]] = OrderedDict()  # that tell of their sites

    async def _judge(self, resources: Sequence[int], outcome: Outcome, usage: Usage | None) -> list[Checked]:
        seen = await self.look(outcome) if isinstance(outcome, Fetched) else None

        def judged() -> list[Checked]:
            found = [self.judge.judge(resource, outcome, seen, usage=usage) for resource in resources]
            return [replace(one, seen=in_words(outcome, seen, one)) for one in found] if self._explains else found

        return await asyncio.to_thread(judged) if self._apart else judged()

    async def look(self, outcome: Fetched, *, may_probe: bool = True, terms: Terms = NO_TERMS) -> Seen:
        """Reads the page that came, and asks what it takes to understand it; ``terms`` of the lease.

        Where the page says that it has moved, what stands there; where it may be a "not found", the site's answer for
        a page that cannot exist, and its front page, if that answer does not tell.
        """
        seen = Seen(await _read(outcome))
        if not (may_probe and self._probing):
            return seen
        if target := wants_target(seen.page):
            asked, page = await self.page(target, terms)
            seen = replace(seen, target=page, asked=(asked,))
        if wants_probe(outcome.trip, seen.page):
            seen = await self._probe(seen, _probe_of(outcome.trip.final_url), terms)
            if wants_home(outcome.trip, seen):
                cost, _, home = await self._page_of_site(_home_of(outcome.trip.final_url), terms)
                seen = replace(seen, home=home, asked=(*seen.asked, *cost))
        return seen

    async def page(self, url: str, terms: Terms = NO_TERMS, *, render: bool = False) -> tuple[Outcome, Profile | None]:
        """A page as it is now; None: nothing to read came."""
        outcome = await self._fetch(replace(request_for(canonical(url)), terms=terms, render=render))
        # For a page that cannot exist an honest 404 says: the site tells missing pages apart.
        return outcome, await _read(outcome) if isinstance(outcome, Fetched) else None

    async def front_page(self, url: str) -> Profile | None:
        """The front page of the site of an address, as it was asked for in the week before, or now."""
        return (await self._page_of_site(_home_of(url), NO_TERMS))[-1]

    async def _probe(self, seen: Seen, target: str, terms: Terms) -> Seen:
        """With the site's answer for a page that cannot exist."""
        asked, outcome, probe = await self._page_of_site(target, terms)
        where = outcome.trip.final_url if isinstance(outcome, Fetched) and outcome.trip.redirects else ""
        return replace(
            seen, probe=probe, probe_url=where, is_honest=_says_missing(outcome), asked=(*seen.asked, *asked)
        )

    async def _page_of_site(self, url: str, terms: Terms) -> tuple[tuple[Outcome, ...], Outcome, Profile | None]:
        """A page that tells of its whole site, asked for once a week; first of all what was asked now, if anything."""
        now = self._now()
        at, known = self._pages.get(url, (now, None))
        if known is not None and at > now - _REMEMBERED:
            return (), *await asyncio.shield(known)
        asking = asyncio.create_task(self.page(url, terms))
        asking.add_done_callback(partial(self._forget_failed, url))
        self._pages[url] = (now, asking)
        while len(self._pages) > _PAGES:
            self._pages.popitem(last=False)
        outcome, page = await asyncio.shield(asking)  # a check that is broken off must not spoil those that wait, too
        return (outcome,), outcome, page

    def _forget_failed(self, target: str, asked: asyncio.Task[_Answered]) -> None:
        """What was not asked, or not answered, says nothing about the site."""
        if asked.cancelled() or asked.exception() is not None or isinstance(asked.result()[0], Failed):
            self._pages.pop(target, None)


def _probe_of(url: str) -> str:
    return _on_site(url, PROBE_PATH)


def _home_of(url: str) -> str:
    return _on_site(url, "/")


def _on_site(url: str, path: str) -> str:
    """The address of a path on the site of a URL; asked of every page, so without taking both apart."""
    found = _ORIGIN.match(url)
    return urljoin(url, path) if found is None else found[0] + path


def _says_missing(outcome: Outcome) -> bool:
    return isinstance(outcome, Rejected) and outcome.status in (404, 410)


async def _read(outcome: Fetched) -> Profile:
    if len(outcome.body) > _LARGE or is_slow(outcome.body, outcome.trip.headers.get("content-type", "")):
        return await asyncio.to_thread(read_outcome, outcome)
    return read_outcome(outcome)
