"""Links in the loop: fetched under the site's lease, with the site's answer for a page that cannot exist."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import urljoin

import numpy as np

from afresh.base.models import Failed, Fetched, Lease, NotModified, Outcome, Rejected, Request, Result, Window
from afresh.base.protocols import Clock, Fetcher
from afresh.base.records.links import CheckRecord
from afresh.base.visits import Answer, Finding
from afresh.links.judge import PROBE_PATH, CheckResult, wants_probe
from afresh.links.kind import ACCEPT
from afresh.links.measures import Profile
from afresh.links.watching import LinkJudge, read_outcome
from afresh.links.workflow import is_failure
from afresh.parse.documents import mark_of

_PROBED = 7 * 86_400.0  # seconds a site's "not found" page is remembered
_SITES = 1_000


@dataclass(frozen=True, slots=True)
class _Seen:
    page: Profile
    probe: Profile | None


class LinkVisits:
    """Probes and judges the visits of links; one request, two where a page looks like a site's "not found"."""

    def __init__(
        self,
        judge: LinkJudge,
        fetcher: Fetcher,
        *,
        clock: Clock,
        site_of: Callable[[str], str],
        delay: float,
        probing: bool = True,
    ) -> None:
        self._judge, self._fetcher, self._clock = judge, fetcher, clock
        self._site_of, self._delay, self._probing = site_of, delay, probing
        self._seen: dict[int, _Seen] = {}
        self._probes: OrderedDict[str, tuple[float, Profile | None]] = OrderedDict()

    async def follow_up(self, lease: Lease, outcome: Outcome) -> Outcome:
        """Reads the page of a leased link. The site is ours until the report, so a probe may follow after its pause."""
        if not isinstance(outcome, Fetched):
            return outcome
        page = await asyncio.to_thread(read_outcome, outcome)
        probe = None
        address = outcome.trip.final_url
        if self._probing and self._site_of(address) == lease.site and wants_probe(address, page):
            probe, last = await self._probe(lease.site, address)
            if last is not None:  # the site's pause counts from the last request made to it
                trip = replace(outcome.trip, finished=last.trip.finished, bytes=outcome.trip.bytes + last.trip.bytes)
                outcome = replace(outcome, trip=trip)
        self._seen[lease.id] = _Seen(page, probe)
        return outcome

    def judge(self, answer: Answer, plain: Finding) -> Finding:
        """What the visit means for the loop, with what is recorded of the link."""
        seen = self._seen.pop(answer.lease.id, None)
        page, probe = (seen.page, seen.probe) if seen is not None else (None, None)
        judged = self._judge.judge(answer.before.id, answer.outcome, page=page, probe=probe)
        return replace(_finding(answer, plain, judged.result, judged.record), link=judged.record)

    async def _probe(self, site: str, address: str) -> tuple[Profile | None, Outcome | None]:
        """The site's answer for a page that cannot exist, asked for once a week; and the outcome if it was asked."""
        known = self._probes.get(site)
        now = self._clock.now()
        if known is not None and known[0] > now - _PROBED:
            return known[1], None
        await self._clock.sleep(self._delay)
        outcome = await self._fetcher.fetch(Request(url=urljoin(address, PROBE_PATH), accept=ACCEPT, is_crawl=True))
        # An honest 404: the site tells missing pages apart.
        page = await asyncio.to_thread(read_outcome, outcome) if isinstance(outcome, Fetched) else None
        self._probes[site] = (now, page)
        while len(self._probes) > _SITES:
            self._probes.popitem(last=False)
        return page, outcome


def _finding(answer: Answer, plain: Finding, result: CheckResult, record: CheckRecord) -> Finding:
    """For a link the news is a change of its standing; what stands in for an hour is retried like an error."""
    outcome = answer.outcome
    if isinstance(outcome, Rejected | Failed):
        return plain
    if is_failure(record.check):
        error = f"{result.turned or 'nothing'} instead of the page"
        return Finding(result=Result.HTTP_ERROR, status=result.http, error=error)
    if isinstance(outcome, NotModified):
        return plain
    mark = b"" if result.page is None else mark_of(result.page, outcome.body)
    is_news = answer.before.last_ok is None or record.event is not None
    window = Window((mark,), np.array([answer.now])) if is_news and mark else None
    return replace(plain, result=Result.NEW if is_news else Result.SAME, window=window, title=result.title)
