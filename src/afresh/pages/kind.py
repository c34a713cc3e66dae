"""Pages and sitemaps as kinds of visit: did the text change, which pages are named, and when is another look due?"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha1
from typing import ClassVar

import numpy as np

from afresh.base.durations import format_duration
from afresh.base.errors import ParseError
from afresh.base.models import Bounds, Explanation, Fetched, Request, Resource, Result, Site, Window
from afresh.base.records.pages import Heard, SignalCounts
from afresh.base.settings.sections import RevisitSettings
from afresh.base.visits import Answer, Finding, OneRequest, Planned, Seat, conditional, out_of_turn, own_bounds
from afresh.pages.planner import PagePlanner
from afresh.pages.reasons import explain_page
from afresh.pages.watching import PageWatching
from afresh.parse import child_reader
from afresh.parse.sitemap import Sitemap, read_sitemap

_ACCEPT = "text/html, application/xhtml+xml, */*;q=0.8"
_LOOKS_SOON = "differs at every visit; looked at again soon to see whether it always does"
_XML = "application/xml, text/xml, text/plain;q=0.9, */*;q=0.5"


def page_request(url: str, *, render: bool = False) -> Request:
    """The request of somebody who wants to see a page once."""
    return Request(url=url, accept=_ACCEPT, is_crawl=True, render=render)


@dataclass(frozen=True, slots=True)
class PageKind(OneRequest):
    """Visits of pages: in the order of their site, as often as their changes are worth."""

    asks_store: ClassVar[bool] = True

    planner: PagePlanner
    price: Callable[[Resource], float]  # of a visit, in stale seconds
    watching: PageWatching = field(default_factory=PageWatching)

    def request(self, resource: Resource, *, no_cache: bool) -> Request:
        request = conditional(resource, no_cache=no_cache, accept=_ACCEPT, is_crawl=True)
        watch = self.watching.watches.of(resource)
        return replace(request, render=True, screenshot=watch.screenshot) if watch.renders else request

    def judge(self, answer: Answer, plain: Finding) -> Finding:
        found = plain
        if isinstance(answer.outcome, Fetched):
            found = self.watching.judge(answer, plain)
        elif plain.result is Result.NOT_MODIFIED:
            found = replace(plain, error=self.watching.standing_remark(answer.before))
        else:
            return self.watching.failed(answer, plain)
        entries = (*self.watching.working_again(answer), *found.entries)
        return replace(found, heard=_heard(answer, found), entries=entries)

    def learn(self, known: Resource, answer: Answer, finding: Finding) -> Resource:  # noqa: ARG002 (with the plan)
        return known

    def plan(self, known: Resource, answer: Answer, finding: Finding) -> Planned:
        pages, bounds, is_first = self.planner, self.bounds(known), answer.before.last_ok is None
        clock = pages.clock(answer.site)
        row = pages.learn(answer.before, now=answer.now, changed=finding.result is Result.NEW, clock=clock)
        own = answer.site.state.price if answer.site is not None else 0.0
        # the two-stage solution: the larger multiplier is in force
        told = pages.explain(row, max(self.price(known), own), bounds)
        wait = told.numbers["interval"]
        if is_first:
            pages.look_again(row, answer.u)
        due = pages.wait(row, wait, bounds)
        if not is_first and self._looks_soon(finding, bounds):  # out of turn
            due, wait, told = bounds.shortest, math.inf, replace(told, summary=_LOOKS_SOON)
        return Planned(
            answer.now + due,
            told.summary,
            frequency=1.0 / wait if 0.0 < wait < math.inf else 0.0,
            clock=clock,
            is_guess=pages.is_exploring(row),
            state=row,
            state_of=pages.name,
        )

    def _looks_soon(self, finding: Finding, bounds: Bounds) -> bool:
        """Whether a look in a moment would tell something, and may be had."""
        return finding.page is not None and finding.page.look_soon and bounds.shortest <= self.watching.soon

    def seat(self, known: Resource, answer: Answer, planned: Planned, *, free: float) -> Seat:
        before = answer.before
        frequency = planned.frequency if known.site == before.site else 0.0
        return self.planner.seat(
            before,
            self.planner.row(before) if planned.state is None else planned.state,
            planned.clock,
            answer.site,
            wait=1.0 / frequency if frequency > 0.0 else math.inf,
            bounds=self.bounds(known),
            price=self.price(known),
            now=answer.now,
            free=free,
        )

    def is_priced(self, resource: Resource) -> bool:  # noqa: ARG002
        return True

    def bounds(self, resource: Resource) -> Bounds:
        return own_bounds(resource, self.planner.settings.bounds)

    def explain(
        self, resource: Resource, *, now: float, site: Site | None, signals: Mapping[str, SignalCounts] | None = None
    ) -> Explanation:
        price, bounds = self.price(resource), self.bounds(resource)
        told = explain_page(self.planner, resource, price, bounds, now=now, site=site, signals=signals)
        told = replace(told, watched=self.watching.described(resource))
        helps = self.watching.advice(resource)
        return replace(told, summary=f"{told.summary}; {helps}") if helps else told


@dataclass(frozen=True, slots=True)
class SitemapKind(OneRequest):
    """Visits of sitemaps: read now and then for the pages they name."""

    settings: RevisitSettings

    def request(self, resource: Resource, *, no_cache: bool) -> Request:
        return conditional(resource, no_cache=no_cache, accept=_XML, is_crawl=True)

    def judge(self, answer: Answer, plain: Finding) -> Finding:
        outcome = answer.outcome
        if not isinstance(outcome, Fetched):
            return plain
        content_type = outcome.trip.headers.get("content-type", "")
        try:
            found = child_reader.read(
                read_sitemap, Sitemap, outcome.body, url=answer.before.url, content_type=content_type
            )
        except ParseError as error:
            return replace(plain, result=Result.UNPARSABLE, error=str(error))
        mark = sha1(outcome.body, usedforsecurity=False).digest()
        return replace(_marked(answer, plain, mark), listed=found.urls, sitemaps=found.sitemaps)

    def learn(self, known: Resource, answer: Answer, finding: Finding) -> Resource:  # noqa: ARG002 (what it names is followed)
        return known

    def plan(self, known: Resource, answer: Answer, finding: Finding) -> Planned:  # noqa: ARG002 (all are read alike)
        wait = self.settings.sitemap_every
        has = f"{len(finding.listed)} pages, {len(finding.sitemaps)} sitemaps"
        if finding.result is Result.NOT_MODIFIED:
            has = "not modified since"
        reason = f"read every {format_duration(wait)}: {has}"
        return Planned(answer.now + wait * (0.95 + 0.1 * answer.u), reason)

    def seat(self, known: Resource, answer: Answer, planned: Planned, *, free: float) -> Seat:  # noqa: ARG002
        return out_of_turn(answer.before)

    def is_priced(self, resource: Resource) -> bool:  # noqa: ARG002
        return False

    def bounds(self, resource: Resource) -> Bounds:  # noqa: ARG002 (nothing moves its interval)
        return Bounds(self.settings.sitemap_every, self.settings.sitemap_every, self.settings.sitemap_every)

    def explain(
        self,
        resource: Resource,
        *,
        now: float,  # noqa: ARG002
        site: Site | None,  # noqa: ARG002
        signals: Mapping[str, SignalCounts] | None = None,  # noqa: ARG002
    ) -> Explanation:
        return Explanation(rule="sitemap", summary=resource.reason or "a sitemap, to be read as soon as may be")


def _marked(answer: Answer, plain: Finding, mark: bytes) -> Finding:
    """Known by the mark of what it shows; its window is that mark and when it was first seen."""
    if mark in answer.before.window.uids:
        return plain
    return replace(plain, result=Result.NEW, window=Window((mark,), np.array([answer.now])))


def _heard(answer: Answer, finding: Finding) -> Heard | None:
    """What a good visit says about the signals since the one before; a first visit says nothing."""
    before = answer.before
    if not finding.result.is_success or before.last_ok is None or answer.now <= before.last_ok:
        return None
    changed = finding.result is Result.NEW
    return Heard(announced=dict(before.announced), changed=changed, elapsed=answer.now - before.last_ok)
