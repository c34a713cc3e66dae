"""The checker: is a link still what it was? It asks for the page, reads it, probes the site if need be, and judges.

``afresh check``, watched links and examples to learn from all go through here. Requests leave by the one ``fetch`` it
is given, which is as polite as its maker made it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from afresh.base.errors import ParseError, UsageError
from afresh.base.models import Failed, Failure, Fetched, Outcome, Rejected, Request, Terms, Validators
from afresh.links.judge import Checked, LinkJudge, Seen, judge_status, refuse_address, wants_probe, wants_target
from afresh.links.measures.profile import Profile
from afresh.links.versions import read_outcome
from afresh.parse.documents import is_slow
from afresh.parse.url import canonical

if TYPE_CHECKING:
    from afresh.base.records.link_status import Usage
    from afresh.links.judging import JudgingProcess

ACCEPT = "text/html, application/xhtml+xml, application/pdf;q=0.9, */*;q=0.5"
#: A page that cannot exist: what a site answers for it tells what its "not found" looks like.
PROBE_PATH = "/afresh-probe-8c1f3b7e5d2a4960-no-such-page"
_PROBED = 7 * 86_400.0  # seconds a site's "not found" page is remembered
_SITES = 1_000
_LARGE = 8_192  # bytes from which on a page is read where nobody waits: the worst of so many take a few milliseconds

_ENOUGH = 65_536  # bytes after which a status is known for certain; less, and small pages would cost a connection each
_PASSING = frozenset((408, 425, 429, 500, 502, 503, 504))

_FIRST_TIME = Validators()
_NOTHING_KNOWN = Terms()

#: carries out one request, politely
Fetch = Callable[[Request], Awaitable[Outcome]]


def request_for(url: str, known: Validators = _FIRST_TIME, *, no_cache: bool = False) -> Request:
    """The request of a link, whoever wants to know of it."""
    return Request(
        url=url,
        etag=known.etag,
        last_modified=known.last_modified,
        no_cache=no_cache,
        accept=ACCEPT,
        is_crawl=True,
    )


class Checker:
    """Checks links: each URL asked for once, a site's "not found" page at most once a week."""

    def __init__(
        self,
        fetch: Fetch,
        judge: LinkJudge,
        *,
        now: Callable[[], float],
        probing: bool = True,
        process: JudgingProcess | None = None,
        on_page: Callable[[str, Fetched], None] | None = None,  # is shown what came for a link; None: nobody is
        retries: int = 0,  # of what may be better the next time; the gate's pauses lie in between
        status_only: bool = False,  # what came is not judged
        elsewhere: Callable[[str], str] | None = None,  # another address that knows of one that is refused; "": none
    ) -> None:
        self._fetch, self.judge, self._now = fetch, judge, now
        self._retries, self._status_only, self._elsewhere = retries, status_only, elsewhere
        self._probing, self._process, self._on_page = probing, process, on_page
        self._probes: OrderedDict[str, tuple[float, asyncio.Task[tuple[Outcome, Profile | None]]]] = OrderedDict()

    async def check(self, url: str, resource: int | None, *, usage: Usage | None = None) -> Checked:
        """One link as somebody wrote it; ``resource`` None: it cannot be asked for, and is told why."""
        if resource is None:
            return Checked(check=refuse_address(url, at=self._now()))
        outcome = await self._ask(canonical(url))
        if self._on_page is not None and isinstance(outcome, Fetched):
            self._on_page(url, outcome)
        if isinstance(outcome, Rejected) and (known := await self._ask_elsewhere(url)) is not None:
            checked = judge_status(self.judge.links.link(resource), known)
        elif self._status_only:
            checked = judge_status(self.judge.links.link(resource), outcome)
        elif self._process is None:
            seen = await self.look(outcome) if isinstance(outcome, Fetched) else None
            checked = await asyncio.to_thread(self.judge.judge, resource, outcome, seen, usage=usage)
        else:
            checked = await self._check_among_many(resource, outcome, self._process)
        return checked if checked.check.url == url else replace(checked, check=replace(checked.check, url=url))

    async def _ask(self, address: str) -> Outcome:
        """The answer, asked for again where it may be a passing trouble."""
        request = request_for(address)
        if self._status_only:
            request = replace(request, enough=_ENOUGH)
        outcome = await self._fetch(request)
        for _ in range(self._retries):
            if not is_passing(outcome):
                break
            outcome = await self._fetch(request)
        return outcome

    async def _ask_elsewhere(self, url: str) -> Outcome | None:
        """What another address says of this one, if that is good news."""
        address = "" if self._elsewhere is None else self._elsewhere(url)
        outcome = await self._fetch(request_for(address)) if address else None
        return outcome if isinstance(outcome, Fetched) else None

    async def look(self, outcome: Fetched, *, may_probe: bool = True, terms: Terms = _NOTHING_KNOWN) -> Seen:
        """Reads the page that came, and asks what it takes to understand it; ``terms`` of the lease.

        Where the page says that it has moved, what stands there; where it may be a "not found", the site's answer for
        a page that cannot exist.
        """
        seen = Seen(await _read(outcome))
        if not (may_probe and self._probing):
            return seen
        if target := wants_target(seen.page):
            asked, page = await self.page(target, terms)
            seen = replace(seen, target=page, asked=(asked,))
        if wants_probe(outcome.trip, seen.page):
            seen = await self._probe(seen, _probe_of(outcome.trip.final_url), terms)
        return seen

    async def page(
        self, url: str, terms: Terms = _NOTHING_KNOWN, *, render: bool = False
    ) -> tuple[Outcome, Profile | None]:
        """A page as it is now; None: nothing to read came."""
        outcome = await self._fetch(replace(request_for(canonical(url)), terms=terms, render=render))
        # For a page that cannot exist an honest 404 says: the site tells missing pages apart.
        return outcome, await _read(outcome) if isinstance(outcome, Fetched) else None

    async def check_all(
        self,
        links: Mapping[str, int | None],
        done: Callable[[Checked], Awaitable[None]],
        *,
        site_of: Callable[[str], str],
        parallel: int = 64,
        usage: Usage | None = None,
    ) -> None:
        """All links, by number, sites side by side; ``done`` is told of each."""
        waiting = iter(interleaved(links, site_of))

        async def go_on() -> None:
            for url in waiting:
                await done(await self.check(url, links[url], usage=usage))

        # Who waits for the other process asks nobody meanwhile: the fetcher limits how many are asked at a time.
        ahead = 0 if self._process is None else self._process.ahead
        async with asyncio.TaskGroup() as group:
            for _ in range(min(parallel + ahead, len(links))):
                group.create_task(go_on())

    async def _check_among_many(self, resource: int, outcome: Outcome, process: JudgingProcess) -> Checked:
        """Where nothing is compared or kept: judged in the other process, or here while that is busy."""
        if not isinstance(outcome, Fetched):
            return self.judge.judge(resource, outcome)
        link = self.judge.links.link(resource)
        told = await process.judge(link, outcome, is_honest=self._is_honest(outcome.trip.final_url))
        if told is not None:
            return Checked(check=told)
        return self.judge.judge(resource, outcome, await self.look(outcome))

    def _is_honest(self, url: str) -> bool:
        """Whether the site of a URL is known to say that a page that cannot exist is not there."""
        _, known = self._probes.get(_probe_of(url), (0.0, None))
        return known is not None and known.done() and not known.cancelled() and _says_missing(known.result()[0])

    async def _probe(self, seen: Seen, target: str, terms: Terms) -> Seen:
        """With the site's answer for a page that cannot exist."""
        now = self._now()
        at, known = self._probes.get(target, (now, None))
        if known is not None and at > now - _PROBED:
            return _with_probe(seen, *await asyncio.shield(known))
        asking = asyncio.create_task(self.page(target, terms))
        asking.add_done_callback(partial(self._forget_failed, target))
        self._probes[target] = (now, asking)
        while len(self._probes) > _SITES:
            self._probes.popitem(last=False)
        outcome, probe = await asyncio.shield(asking)  # a check that is broken off must not spoil those that wait, too
        return replace(_with_probe(seen, outcome, probe), asked=(*seen.asked, outcome))

    def _forget_failed(self, target: str, asked: asyncio.Task[tuple[Outcome, Profile | None]]) -> None:
        """A probe that was not asked, or not answered, says nothing about the site."""
        if asked.cancelled() or asked.exception() is not None or isinstance(asked.result()[0], Failed):
            self._probes.pop(target, None)


def is_passing(outcome: Outcome) -> bool:
    """Whether the next answer may be another: trouble on the way, or of the server's own."""
    if isinstance(outcome, Rejected):
        return outcome.status in _PASSING
    return isinstance(outcome, Failed) and outcome.cause in (Failure.TIMEOUT, Failure.CONNECT, Failure.PROTOCOL)


def _probe_of(url: str) -> str:
    return urljoin(url, PROBE_PATH)


def _with_probe(seen: Seen, outcome: Outcome, probe: Profile | None) -> Seen:
    where = outcome.trip.final_url if isinstance(outcome, Fetched) and outcome.trip.redirects else ""
    return replace(seen, probe=probe, probe_url=where, is_honest=_says_missing(outcome))


def _says_missing(outcome: Outcome) -> bool:
    return isinstance(outcome, Rejected) and outcome.status in (404, 410)


async def _read(outcome: Fetched) -> Profile:
    if len(outcome.body) > _LARGE or is_slow(outcome.body, outcome.trip.headers.get("content-type", "")):
        return await asyncio.to_thread(read_outcome, outcome)
    return read_outcome(outcome)


def interleaved(urls: Iterable[str], site_of: Callable[[str], str]) -> list[str]:
    """Links in turn from each site, so that many sites are asked side by side instead of one after the other.

    >>> interleaved(["a1", "a2", "b1"], lambda url: url[0])
    ['a1', 'b1', 'a2']
    """
    groups: dict[str, list[str]] = {}
    for url in urls:
        try:
            site = site_of(canonical(url))
        except (UsageError, ParseError):
            site = url[:1]
        groups.setdefault(site, []).append(url)
    longest = max(map(len, groups.values()), default=0)
    return [group[turn] for turn in range(longest) for group in groups.values() if turn < len(group)]
