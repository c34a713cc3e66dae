"""Check: is a link still the page that was saved? One answer a link, in the order of [M03] §4.4."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Protocol, assert_never
from urllib.parse import urljoin, urlsplit

from afresh.core.measures import PageText, Profile
from afresh.core.models import Failed, Failure, Fetched, NotModified, Outcome, Rejected, Request
from afresh.core.protocols import Fetcher
from afresh.core.verdicts import Content, Signal, Usage, Verdict, VerdictModel, inspect_page, judge_pages, moved_notice
from afresh.core.verdicts.signals import Turned, page_signals
from afresh.core.verdicts.status import CheckStatus, Standing
from afresh.errors import ParseError, UsageError
from afresh.parse.page import parse_page
from afresh.parse.url import canonical

#: A page that cannot exist: what a site answers for it tells what its "not found" looks like.
PROBE_PATH = "/afresh-probe-8c1f3b7e5d2a4960-no-such-page"
_SUSPICIOUS = 0.2  # score of a sign from which on the site is probed

_NET = {
    Failure.DNS: CheckStatus.NET_NOT_FOUND,
    Failure.CONNECT: CheckStatus.NET_UNREACHABLE,
    Failure.TLS: CheckStatus.NET_UNREACHABLE,
    Failure.TIMEOUT: CheckStatus.NET_TIMEOUT,
    Failure.TOO_LARGE: CheckStatus.UNSUPPORTED,
    Failure.REDIRECTS: CheckStatus.SERVER_ERROR,
    Failure.PROTOCOL: CheckStatus.SERVER_ERROR,
    Failure.ADDRESS: CheckStatus.REFUSED,
    Failure.ROBOTS: CheckStatus.REFUSED,
    Failure.OFFLINE: CheckStatus.OFFLINE,
}


class _Turn(Protocol):
    outcome: Outcome | None


#: a site's turn: one request at a time, a pause between two
TakeTurn = Callable[[str], AbstractAsyncContextManager[_Turn]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What became of one link."""

    url: str
    status: CheckStatus
    http: int | None = None
    final_url: str = ""
    title: str = ""
    detail: str = ""
    turned: Turned | None = None  # what the page turned into behind a friendly 200
    new_url: str = ""  # where it moved to, as far as known
    verdict: Verdict | None = None  # against the saved version, where there is one
    page: PageText | None = None  # the version seen now

    @property
    def standing(self) -> Standing:
        return self.status.standing


class Checker:
    """Checks links politely: one request at a time to a site, each URL once, a site's "not found" page at most once."""

    def __init__(
        self,
        fetcher: Fetcher,
        turn: TakeTurn,
        site_of: Callable[[str], str],
        *,
        model: VerdictModel,
        usage: Usage = Usage.REFERENTIAL,
        probing: bool = True,
    ) -> None:
        self._fetcher, self._turn, self._site_of = fetcher, turn, site_of
        self._model, self._usage, self._probing = model, usage, probing
        self._probes: dict[str, asyncio.Task[Profile | None]] = {}

    async def check(self, url: str, saved: PageText | None = None) -> CheckResult:
        """One link; ``saved`` is the version it is compared with, None: there is none yet."""
        try:
            address = canonical(url)
        except (UsageError, ParseError) as error:
            scheme = url.partition(":")[0].strip().lower()
            is_other = scheme.isalpha() and scheme not in ("http", "https") and ":" in url
            status = CheckStatus.PROTOCOL_UNSUPPORTED if is_other else CheckStatus.SYNTAX_URL
            return CheckResult(url=url, status=status, detail=str(error))
        outcome = await self._ask(address)
        match outcome:
            case Fetched():
                return await self._judge(url, outcome, saved)
            case NotModified():
                return CheckResult(url=url, status=CheckStatus.EQUAL, http=304, final_url=outcome.trip.final_url)
            case Rejected(status=code):
                return CheckResult(url=url, status=_rejected(code), http=code, final_url=outcome.trip.final_url)
            case Failed(cause=cause, detail=detail):
                return CheckResult(url=url, status=_NET[cause], detail=detail)
            case _:
                assert_never(outcome)

    async def check_all(
        self, urls: Sequence[str], *, parallel: int = 64, done: Callable[[CheckResult], None] = lambda _: None
    ) -> list[CheckResult]:
        """All links, sites side by side; results in the order given."""
        results: dict[str, CheckResult] = {}
        waiting = iter(interleaved(dict.fromkeys(urls), self._site_of))

        async def work() -> None:
            for url in waiting:
                results[url] = await self.check(url)
                done(results[url])

        async with asyncio.TaskGroup() as group:
            for _ in range(min(parallel, len(urls))):
                group.create_task(work())
        return [results[url] for url in urls]

    async def _ask(self, address: str) -> Outcome:
        async with self._turn(self._site_of(address)) as turn:
            turn.outcome = outcome = await self._fetcher.fetch(Request(url=address, accept="text/html, */*;q=0.5"))
        return outcome

    async def _judge(self, url: str, outcome: Fetched, saved: PageText | None) -> CheckResult:
        trip = outcome.trip
        page = parse_page(outcome.body, url=trip.final_url, content_type=trip.headers.get("content-type", ""))
        known = CheckResult(
            url=url, status=CheckStatus.NEW, http=outcome.status, final_url=trip.final_url, title=page.title, page=page
        )
        if page.kind == "binary":
            changed = saved is not None and saved.kind != "binary"
            return replace(known, status=CheckStatus.UNSUPPORTED) if changed else known
        now = Profile(page)
        probe = await self._probe(trip.final_url, now) if self._probing else None
        if saved is None:
            result = _first_seen(known, inspect_page(now, probe=probe), now)
        else:
            verdict = judge_pages(Profile(saved), now, model=self._model, usage=self._usage, probe=probe)
            result = _compared(known, verdict)
        return _redirected(result, outcome)

    async def _probe(self, address: str, page: Profile) -> Profile | None:
        """The site's answer for a page that cannot exist, asked for only where the page looks like one."""
        signs = [signal.score for signal in page_signals(page) if signal.kind in (Turned.SOFT_404, Turned.EMPTY)]
        if max(signs, default=0.0) < _SUSPICIOUS or urlsplit(address).path in ("", "/"):
            return None
        target = urljoin(address, PROBE_PATH)
        if target not in self._probes:
            self._probes[target] = asyncio.create_task(self._fetch_probe(target))
        return await self._probes[target]

    async def _fetch_probe(self, target: str) -> Profile | None:
        outcome = await self._ask(target)
        if not isinstance(outcome, Fetched):  # an honest 404: the site tells missing pages apart
            return None
        content_type = outcome.trip.headers.get("content-type", "")
        return Profile(parse_page(outcome.body, url=outcome.trip.final_url, content_type=content_type))


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


def _first_seen(known: CheckResult, signal: Signal | None, page: Profile) -> CheckResult:
    move = moved_notice(page)
    if move is not None:
        return replace(known, status=CheckStatus.MOVED, new_url=move.url, detail=f"says so itself ({move.because})")
    if signal is None:
        return known
    return replace(known, status=CheckStatus.DIFFERENT, turned=signal.kind, detail="; ".join(signal.evidence))


def _compared(known: CheckResult, verdict: Verdict) -> CheckResult:
    statuses = {
        Content.EQUAL: CheckStatus.EQUAL,
        Content.SIMILAR: CheckStatus.SIMILAR,
        Content.DIFFERENT: CheckStatus.DIFFERENT,
    }
    result = replace(known, status=statuses[verdict.content], verdict=verdict, detail="; ".join(verdict.reasons))
    if verdict.turned is not None:
        result = replace(result, turned=verdict.turned.kind)
    if verdict.moved is not None:
        result = replace(result, status=CheckStatus.MOVED, new_url=verdict.moved.url)
    return result


def _redirected(result: CheckResult, outcome: Fetched) -> CheckResult:
    """A permanent redirect to living content means: change the address."""
    hops = outcome.trip.redirects
    permanent = bool(hops) and all(hop.is_permanent for hop in hops)
    if not permanent or result.standing is not Standing.OK:
        return result
    return replace(result, status=CheckStatus.MOVED, new_url=outcome.trip.final_url, detail="permanent redirect")


def _rejected(status: int) -> CheckStatus:
    if status in (404, 410):
        return CheckStatus.MISSING
    if status == 429:
        return CheckStatus.THROTTLED
    return CheckStatus.SERVER_ERROR if status >= 500 else CheckStatus.ACCESS_DENIED
