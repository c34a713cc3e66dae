"""Links in the loop: the checker at work under a site's lease, and what its checks mean for the loop."""

from collections.abc import Callable
from dataclasses import replace

from afresh.base.models import Failed, Fetched, Lease, NotModified, Outcome, Rejected, Request, Result
from afresh.base.protocols import Clock, Fetcher
from afresh.base.records.links import CheckRecord
from afresh.engine.judge import Finding, judge
from afresh.links.checker import Checker, request_for
from afresh.links.judge import Checked, LinkJudge, Seen
from afresh.links.workflow import is_failure
from afresh.parse.documents import mark_of
from afresh.parse.headers import clock_offset, max_age


class LinkVisits:
    """Fetches and concludes the visits of links; one request, two where a page looks like a site's "not found"."""

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
        self._fetcher, self._clock = fetcher, clock
        self._site_of, self._delay = site_of, delay
        self._checker = Checker(self._fetch_again, judge, now=clock.now, probing=probing)
        self._seen: dict[int, tuple[Outcome, Seen]] = {}

    async def fetch(self, lease: Lease, *, no_cache: bool = False) -> Outcome:
        """The page of a leased link, and what more its site has to be asked."""
        known = lease.resource
        outcome = await self._fetcher.fetch(request_for(known.url, known.validators, no_cache=no_cache))
        # The site is ours until the report, so a probe may follow after its pause.
        seen = await self._checker.look(outcome, may_probe=self._site_of(outcome.trip.final_url) == lease.site)
        if seen is None:
            return outcome
        self._seen[lease.id] = outcome, seen
        if seen.asked is None:
            return outcome
        last = seen.asked.trip  # the site's pause counts from the last request made to it
        return replace(
            outcome, trip=replace(outcome.trip, finished=last.finished, bytes=outcome.trip.bytes + last.bytes)
        )

    def conclude(self, lease: Lease, outcome: Outcome) -> tuple[Finding, CheckRecord]:
        """What the visit means for the loop, and what is recorded of the link."""
        page, seen = self._seen.pop(lease.id, (outcome, None))  # as it came, without the bytes and time of a probe
        checked = self._checker.judge.judge(lease.resource.id, page, seen)
        assert checked.record is not None
        return _finding(lease, outcome, checked, checked.record), checked.record

    async def _fetch_again(self, request: Request) -> Outcome:
        await self._clock.sleep(self._delay)
        return await self._fetcher.fetch(request)


def _finding(lease: Lease, outcome: Outcome, checked: Checked, record: CheckRecord) -> Finding:
    """For a link the news is a change of its standing; what stands in for an hour is retried like an error."""
    check = checked.check
    if isinstance(outcome, Rejected | Failed):
        return judge(lease.resource, outcome)
    if is_failure(check):
        error = f"{check.turned or 'nothing'} instead of the page"
        return Finding(result=Result.HTTP_ERROR, status=check.http, error=error)
    if isinstance(outcome, NotModified):
        return judge(lease.resource, outcome)
    assert isinstance(outcome, Fetched)
    trip = outcome.trip
    is_news = lease.resource.last_ok is None or record.event is not None
    return Finding(
        result=Result.NEW if is_news else Result.SAME,
        status=outcome.status,
        fingerprint=b"" if checked.page is None else mark_of(checked.page, outcome.body),
        title=check.title,
        max_age=max_age(trip.headers, trip.finished),
        clock_offset=clock_offset(trip.headers, trip.finished),
    )
