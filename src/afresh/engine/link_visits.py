"""Links in the loop: fetched under the site's lease, with the site's answer for a page that cannot exist."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import urljoin

from afresh.base.models import Failed, Failure, Fetched, Lease, NotModified, Outcome, Rejected, Request, Result
from afresh.base.protocols import Clock, Fetcher
from afresh.base.records.link_status import CheckStatus
from afresh.base.records.links import CheckRecord
from afresh.engine.judge import Finding
from afresh.links.judge import PROBE_PATH, CheckResult, wants_probe
from afresh.links.measures import Profile
from afresh.links.watching import LinkJudge, read_outcome
from afresh.links.workflow import is_failure, is_silent
from afresh.parse.documents import mark_of
from afresh.parse.headers import clock_offset, max_age

ACCEPT = "text/html, application/xhtml+xml, application/pdf;q=0.9, */*;q=0.5"
_PROBED = 7 * 86_400.0  # seconds a site's "not found" page is remembered
_SITES = 1_000
_REFUSED = (Failure.ADDRESS, Failure.ROBOTS, Failure.TOO_LARGE)


@dataclass(frozen=True, slots=True)
class _Seen:
    page: Profile
    probe: Profile | None


class LinkVisits:
    """Fetches and concludes the visits of links; one request, two where a page looks like a site's "not found"."""

    def __init__(
        self,
        judge: LinkJudge,
        fetcher: Fetcher,
        *,
        clock: Clock,
        site_of: Callable[[str], str],
        probing: bool = True,
    ) -> None:
        self._judge, self._fetcher, self._clock = judge, fetcher, clock
        self._site_of, self._probing = site_of, probing
        self._seen: dict[int, _Seen] = {}
        self._probes: OrderedDict[str, tuple[float, Profile | None]] = OrderedDict()

    async def fetch(self, lease: Lease, *, no_cache: bool = False) -> Outcome:
        """The page of a leased link. The site is ours until the report, so a probe may follow after its pause."""
        known = lease.resource
        outcome = await self._fetcher.fetch(
            Request(
                url=known.url,
                etag=known.validators.etag,
                last_modified=known.validators.last_modified,
                no_cache=no_cache,
                accept=ACCEPT,
                is_crawl=True,
                terms=lease.terms,
            )
        )
        if not isinstance(outcome, Fetched):
            return outcome
        page = await asyncio.to_thread(read_outcome, outcome)
        probe = None
        address = outcome.trip.final_url
        if self._probing and self._site_of(address) == lease.site and wants_probe(address, page):
            probe, last = await self._probe(lease, address)
            if last is not None:  # the site's pause counts from the last request made to it
                trip = replace(outcome.trip, finished=last.trip.finished, bytes=outcome.trip.bytes + last.trip.bytes)
                outcome = replace(outcome, trip=trip)
        self._seen[lease.id] = _Seen(page, probe)
        return outcome

    def conclude(self, lease: Lease, outcome: Outcome) -> tuple[Finding, CheckRecord]:
        """What the visit means for the loop, and what is recorded of the link."""
        seen = self._seen.pop(lease.id, None)
        page, probe = (seen.page, seen.probe) if seen is not None else (None, None)
        judged = self._judge.judge(lease.resource.id, outcome, page=page, probe=probe)
        is_first = lease.resource.last_ok is None
        return _finding(outcome, judged.result, judged.record, is_first=is_first), judged.record

    async def _probe(self, lease: Lease, address: str) -> tuple[Profile | None, Outcome | None]:
        """The site's answer for a page that cannot exist, asked for once a week; and the outcome if it was asked."""
        known = self._probes.get(lease.site)
        now = self._clock.now()
        if known is not None and known[0] > now - _PROBED:
            return known[1], None
        target = urljoin(address, PROBE_PATH)
        outcome = await self._fetcher.fetch(Request(url=target, accept=ACCEPT, is_crawl=True, terms=lease.terms))
        # An honest 404: the site tells missing pages apart.
        page = await asyncio.to_thread(read_outcome, outcome) if isinstance(outcome, Fetched) else None
        if isinstance(outcome, Failed):  # it was not asked, or did not answer: nothing is known
            return None, outcome
        self._probes[lease.site] = (now, page)
        while len(self._probes) > _SITES:
            self._probes.popitem(last=False)
        return page, outcome


def _finding(outcome: Outcome, result: CheckResult, record: CheckRecord, *, is_first: bool) -> Finding:
    """For a link the news is a change of its standing; what stands in for an hour is retried like an error."""
    trip = outcome.trip
    if isinstance(outcome, Rejected):
        throttled = result.status is CheckStatus.THROTTLED or (
            outcome.status == 503 and outcome.retry_after is not None
        )
        kind = Result.GONE if outcome.status == 410 else Result.THROTTLED if throttled else Result.HTTP_ERROR
        error = f"HTTP {outcome.status}"
        return Finding(result=kind, status=outcome.status, retry_after=outcome.retry_after, error=error)
    if isinstance(outcome, Failed):
        if outcome.cause is Failure.LATER:
            return Finding(result=Result.THROTTLED, retry_after=outcome.retry_after, error=outcome.detail)
        error = f"{outcome.cause}: {outcome.detail}" if outcome.detail else str(outcome.cause)
        if is_silent(result.status):
            kind = Result.OFFLINE if outcome.cause is Failure.OFFLINE else Result.REFUSED
        else:
            kind = Result.REFUSED if outcome.cause in _REFUSED else Result.UNREACHABLE
        return Finding(result=kind, retry_after=outcome.retry_after, error=error)
    freshness, offset = max_age(trip.headers, trip.finished), clock_offset(trip.headers, trip.finished)
    if is_failure(record.check):
        error = f"{result.turned or 'nothing'} instead of the page"
        return Finding(result=Result.HTTP_ERROR, status=result.http, error=error)
    if isinstance(outcome, NotModified):
        return Finding(result=Result.NOT_MODIFIED, status=304, max_age=freshness, clock_offset=offset)
    mark = b"" if result.page is None else mark_of(result.page, outcome.body)
    return Finding(
        result=Result.NEW if is_first or record.event is not None else Result.SAME,
        status=outcome.status,
        fingerprint=mark,
        title=result.title,
        max_age=freshness,
        clock_offset=offset,
    )
