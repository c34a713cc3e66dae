"""Links in the loop: the checker at work under a site's lease, and what its checks mean for the loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from afresh.base.models import Failed, Fetched, Lease, NotModified, Outcome, Rejected, Request, Resource, Result, Window
from afresh.base.visits import Answer, Finding
from afresh.links.checker import Checker
from afresh.links.status_checker import request_for
from afresh.links.workflow import is_failure
from afresh.parse.documents import mark_of
from afresh.parse.url import page_of

if TYPE_CHECKING:
    from afresh.base.protocols import Clock, Fetcher
    from afresh.base.records.link_store import LinkStore
    from afresh.base.records.links import CheckRecord
    from afresh.links.answers import Checked
    from afresh.links.judge import LinkJudge, Seen


class LinkVisits:
    """Probes and judges the visits of links; one request, two where a page looks like a site's "not found"."""

    def __init__(
        self,
        judge: LinkJudge,
        fetcher: Fetcher,
        *,
        links: LinkStore,
        clock: Clock,
        site_of: Callable[[str], str],
        probing: bool = True,
    ) -> None:
        self._links, self._site_of = links, site_of
        self._checker = Checker(fetcher.fetch, judge, now=clock.now, probing=probing)
        self._seen: dict[int, tuple[Fetched, Seen]] = {}

    def request(self, resource: Resource, *, no_cache: bool) -> Request:
        return request_for(page_of(resource.url), resource.validators, no_cache=no_cache)

    async def follow_up(self, lease: Lease, outcome: Outcome) -> Outcome:
        """Reads the page of a leased link. The site is ours until the report, so a probe may follow after its pause."""
        if not isinstance(outcome, Fetched):
            return outcome
        may_probe = self._site_of(outcome.trip.final_url) == lease.site
        seen = await self._checker.look(outcome, may_probe=may_probe, terms=lease.terms)
        self._seen[lease.id] = outcome, seen
        trip = outcome.trip
        for asked in seen.asked:
            last = asked.trip  # the site's pause counts from the last request made to it
            trip = replace(
                trip,
                finished=last.finished,
                bytes=trip.bytes + last.bytes,
                requests=trip.requests + last.requests,
                robots_requests=trip.robots_requests + last.robots_requests,
                robots_bytes=trip.robots_bytes + last.robots_bytes,
            )
        return replace(outcome, trip=trip)

    def judge(self, answer: Answer, plain: Finding) -> Finding:
        """What the visit means for the loop, with what is recorded of the link."""
        # The page is judged as it came, without the bytes and time of a probe.
        page, seen = self._seen.get(answer.lease.id, (answer.outcome, None))
        if not isinstance(answer.outcome, Fetched):
            page, seen = answer.outcome, None
        checked = self._checker.judge.judge(answer.before.id, page, seen)
        self._seen.pop(answer.lease.id, None)  # only now: a store that was busy is asked again
        assert checked.record is not None
        parts = self._others(answer.before, page, seen)
        return replace(_finding(answer, plain, checked, checked.record), link=checked.record, parts=parts)

    def _others(self, visited: Resource, page: Outcome, seen: Seen | None) -> tuple[CheckRecord, ...]:
        """What the same answer means for other watched links to the page, and to parts of it: nobody asks again.

        What is as it was says nothing of a link that was never looked at.
        """
        judge = self._checker.judge
        others = [link for link in self._links.links_of_page(visited.url) if link.id != visited.id and link.is_watched]
        if isinstance(page, NotModified):
            others = [link for link in others if link.versions]
        return tuple(filter(None, (judge.judge(link.id, page, seen).record for link in others)))


def _finding(answer: Answer, plain: Finding, checked: Checked, record: CheckRecord) -> Finding:
    """For a link the news is a change of its standing; what stands in for an hour is retried like an error."""
    outcome, check = answer.outcome, checked.check
    if isinstance(outcome, Rejected | Failed):
        return plain
    if is_failure(check):
        error = f"{check.turned or 'nothing'} instead of the page"
        return Finding(result=Result.HTTP_ERROR, status=check.http, error=error)
    if isinstance(outcome, NotModified):
        return plain
    mark = b"" if checked.page is None else mark_of(checked.page, outcome.body)
    is_news = answer.before.last_ok is None or record.event is not None
    window = Window((mark,), np.array([answer.now])) if is_news and mark else None
    return replace(plain, result=Result.NEW if is_news else Result.SAME, window=window, title=check.title)
