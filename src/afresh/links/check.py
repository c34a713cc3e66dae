"""Check: are these links still what they were? One answer a link, politely: a site's links one after the other."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from urllib.parse import urljoin

from afresh.base.errors import ParseError, UsageError
from afresh.base.models import Fetched, Outcome, Request
from afresh.base.protocols import Fetcher
from afresh.base.records.link_status import Usage
from afresh.base.records.links import CheckRecord
from afresh.links.judge import PROBE_PATH, CheckResult, judge_page, judge_without_page, refuse_address, wants_probe
from afresh.links.judging import AHEAD, JudgingProcess
from afresh.links.measures import PageText, Profile
from afresh.links.verdicts import VerdictModel
from afresh.links.watching import LinkJudge, read_outcome
from afresh.parse.documents import is_slow
from afresh.parse.url import canonical

ACCEPT = "text/html, */*;q=0.5"


class Checker:
    """Checks links: each URL once, a site's "not found" page at most once; the pace is the fetcher's business."""

    def __init__(
        self,
        fetcher: Fetcher,
        site_of: Callable[[str], str],
        *,
        model: VerdictModel,
        usage: Usage = Usage.REFERENTIAL,
        probing: bool = True,
        process: JudgingProcess | None = None,
    ) -> None:
        self._fetcher, self._site_of = fetcher, site_of
        self._model, self._usage, self._probing = model, usage, probing
        self._process = process
        self._probes: dict[str, asyncio.Task[Profile | None]] = {}

    async def check(self, url: str, saved: PageText | None = None) -> CheckResult:
        """One link; ``saved`` is the version it is compared with, None: there is none yet."""
        try:
            address = canonical(url)
        except (UsageError, ParseError):
            refused = refuse_address(url)
            assert refused is not None
            return refused
        outcome = await self._ask(address)
        if not isinstance(outcome, Fetched):
            return judge_without_page(url, outcome)
        if saved is None and self._process is not None and (told := await self._process.judge(url, outcome)):
            return told
        page = await _read(outcome)
        probe = await self._probe(outcome, page)
        known = None if saved is None else Profile(saved)
        return judge_page(url, outcome, page, known, model=self._model, usage=self._usage, probe=probe)

    async def check_kept(
        self, url: str, resource: int, judge: LinkJudge, *, usage: Usage | None = None
    ) -> tuple[CheckResult, CheckRecord]:
        """One link against its stored reference, with what is to be recorded."""
        outcome = await self._ask(canonical(url))
        page = probe = None
        if isinstance(outcome, Fetched):
            page = await _read(outcome)
            probe = await self._probe(outcome, page)
        judged = await asyncio.to_thread(judge.judge, resource, outcome, page=page, probe=probe, usage=usage)
        return replace(judged.result, url=url), judged.record

    async def fetch(self, url: str) -> Profile | None:
        """A page as it is now, in its site's turn; None: nothing to read came."""
        outcome = await self._ask(canonical(url))
        return await _read(outcome) if isinstance(outcome, Fetched) else None

    async def check_all(
        self, urls: Sequence[str], *, parallel: int = 64, done: Callable[[CheckResult], None] = lambda _: None
    ) -> list[CheckResult]:
        """All links, sites side by side; results in the order given, without the pages: there may be very many."""
        results: dict[str, CheckResult] = {}

        async def one(url: str) -> None:
            result = await self.check(url)
            results[url] = result if result.page is None else replace(result, page=None)
            done(results[url])

        # Who waits for the other process asks nobody meanwhile: the fetcher limits how many are asked at a time.
        ahead = parallel if self._process is None else parallel + AHEAD
        await in_turns(interleaved(dict.fromkeys(urls), self._site_of), one, parallel=ahead)
        return [results[url] for url in urls]

    async def _ask(self, address: str) -> Outcome:
        return await self._fetcher.fetch(Request(url=address, accept=ACCEPT, is_crawl=True))

    async def _probe(self, outcome: Fetched, page: Profile) -> Profile | None:
        """The site's answer for a page that cannot exist, asked for only where the page looks like one."""
        address = outcome.trip.final_url
        if not self._probing or not wants_probe(address, page):
            return None
        target = urljoin(address, PROBE_PATH)
        if target not in self._probes:
            self._probes[target] = asyncio.create_task(self._fetch_probe(target))
        return await self._probes[target]

    async def _fetch_probe(self, target: str) -> Profile | None:
        outcome = await self._ask(target)
        # An honest 404: the site tells missing pages apart.
        return await _read(outcome) if isinstance(outcome, Fetched) else None


async def _read(outcome: Fetched) -> Profile:
    if is_slow(outcome.body, outcome.trip.headers.get("content-type", "")):
        return await asyncio.to_thread(read_outcome, outcome)
    return read_outcome(outcome)


async def in_turns(urls: Iterable[str], work: Callable[[str], Awaitable[None]], *, parallel: int) -> None:
    """Works through the links with so many at a time."""
    waiting = iter(urls)

    async def go_on() -> None:
        for url in waiting:
            await work(url)

    async with asyncio.TaskGroup() as group:
        for _ in range(parallel):
            group.create_task(go_on())


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
