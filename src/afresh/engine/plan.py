"""Plan: when is the next visit of a resource worth its price?"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from afresh.base.durations import format_duration
from afresh.base.models import Explanation, Kind, Resource, Result, Row, Site, Status
from afresh.base.pacing import backoff
from afresh.base.protocols import Bounds, Predictor
from afresh.base.records.pages import Pace, SignalCounts
from afresh.base.settings.watching import ErrorSettings, PredictSettings, RevisitSettings
from afresh.engine.judge import Finding
from afresh.feeds.profiles import Profiles
from afresh.feeds.rules import hints as hint
from afresh.feeds.rules import load
from afresh.feeds.skips import earliest_allowed
from afresh.pages.planner import PagePlanner
from afresh.pages.reasons import explain_page

#: (count, oldest) of the entries a resource published since a time; the store answers it
EntryCounts = Callable[[int, float], tuple[int, float | None]]

_WEEK, _MONTH = 7 * 86_400.0, 30 * 86_400.0
_OFFLINE_WAIT = 60.0
_PAGE_PRICE = 1_000.0  # stale seconds, where nothing else sets a price


@dataclass(frozen=True, slots=True)
class Planned:
    """The next visit, the rule's new state, and the reason in one sentence."""

    due: float
    reason: str
    state: Row
    state_of: str
    wait: float = (
        math.inf
    )  # seconds of a page that takes a place in the order of its site; infinite: it goes by ``due``
    clock: Row | None = None  # the row of a page's site after this visit; None: as it was


@lru_cache(maxsize=1024)
def predictor_of(spec: str, bounds: Bounds) -> Predictor:
    """The rule of that name with these bounds, made once."""
    return load(spec, bounds)


def _link_pages() -> PagePlanner:
    return PagePlanner(RevisitSettings(policy="belief"))  # links of a site do not change together


@dataclass(frozen=True, slots=True)
class Planner:
    """Decides the next visit of a feed from what was learnt; the same steps the lab replays."""

    predict: PredictSettings
    errors: ErrorSettings
    counts: EntryCounts | None = None
    price: Callable[[Resource], float] | None = None  # of a visit, in entry-seconds; None: the rule's own
    profiles: Profiles | None = None  # of rules that are trained
    pages: PagePlanner = field(default_factory=PagePlanner)
    links: PagePlanner = field(default_factory=_link_pages)  # a link changes when its standing does
    link_bounds: Bounds | None = None  # None: those of feeds and pages
    pushed: Callable[[int, float], float | None] | None = None  # interval of the safety net of a feed a hub tells of

    def plan(self, resource: Resource, finding: Finding, *, now: float, u: float, site: Site | None = None) -> Planned:
        """The next visit after ``finding``; ``resource`` has already learnt from it, ``u`` is a random number."""
        kept = (resource.state, resource.state_of)
        if resource.status is not Status.ACTIVE:
            return Planned(math.inf, f"{resource.status}: not visited", *kept)
        if not finding.result.is_success:
            due, reason = self._after_failure(resource, finding, now=now, u=u)
            return Planned(due, reason, *kept)
        return self._after_success(resource, finding, now=now, u=u, site=site)

    def explain(
        self,
        resource: Resource,
        *,
        now: float,
        site: Site | None = None,
        signals: Mapping[str, SignalCounts] | None = None,
    ) -> Explanation:
        """Why the next visit is when it is, in words and numbers."""
        if resource.kind is Kind.SITEMAP:
            return Explanation(rule="sitemap", summary=resource.reason or "a sitemap, to be read as soon as may be")
        if resource.kind is Kind.PAGE:
            return explain_page(
                self.pages,
                resource,
                self.price_of(resource),
                self.bounds(resource),
                now=now,
                site=site,
                signals=signals,
            )
        if resource.kind is not Kind.FEED:
            pages = self._pages_of(resource)
            return pages.explain(pages.row(resource), self.price_of(resource), self.bounds(resource))
        predictor = self.predictor(resource)
        state = self._state(resource, predictor)
        told = predictor.explain(state, now, resource.window.times, self.hints(resource, predictor, now, missed=False))
        planned = resource.due - (now if resource.last_visit is None else resource.last_visit)
        numbers = {**told.numbers, "interval": planned}
        if resource.pinned is None and resource.last_result and resource.last_result.is_success:
            return Explanation(rule=told.rule, summary=resource.reason or told.summary, numbers=numbers)
        return replace(told, summary=resource.reason, numbers=numbers) if resource.reason else told

    def predictor(self, resource: Resource) -> Predictor:
        return predictor_of(resource.predictor or self.predict.rule, self.bounds(resource))

    def bounds(self, resource: Resource) -> Bounds:
        """The settings' bounds with the resource's own in their place, and ttl as bound where that is wanted."""
        default = self.predict.bounds
        if resource.kind is Kind.LINK and self.link_bounds is not None:
            default = self.link_bounds
        elif resource.kind is Kind.PAGE:
            default = self.pages.settings.bounds
        alpha = default.alpha if resource.alpha is None else resource.alpha
        beta = default.beta if resource.beta is None else resource.beta
        eta = default.eta if resource.eta is None else resource.eta
        beta = max(alpha, beta)
        if resource.facts.ttl and self.predict.ttl != "ignore":
            # [R12] §5.2 has no longest interval; here a feed must not silence itself with a ttl of years
            alpha = min(max(alpha, resource.facts.ttl), beta)
            beta = alpha if self.predict.ttl == "interval" else beta
        return Bounds(alpha, beta, min(max(eta, alpha), beta))

    def hints(self, resource: Resource, predictor: Predictor, now: float, *, missed: bool) -> Row:
        """What besides the window a rule may look at."""
        known = {
            "previous": math.nan if resource.last_ok is None else resource.last_ok,
            "ttl": math.nan if resource.facts.ttl is None else resource.facts.ttl,
            "max_age": math.nan if resource.max_age is None else resource.max_age,
            "capacity": float(resource.capacity),
            "weight": resource.weight,
            "missed": float(missed),
            "price": math.nan if self.price is None else self.price(resource),
        }
        if self.counts is not None and getattr(predictor, "needs_counts", False):
            for name, span in (("7d", _WEEK), ("30d", _MONTH)):
                count, oldest = self.counts(resource.id, now - span)
                known[f"count_{name}"] = float(count)
                known[f"oldest_{name}"] = math.nan if oldest is None else oldest
        profile = self.profiles.profile(resource.id, predictor, now) if self.profiles else None
        if profile is None and predictor.profile_size:
            profile = np.zeros(predictor.profile_size)
        return hint.row(profile, **known)

    def _after_success(
        self, resource: Resource, finding: Finding, *, now: float, u: float, site: Site | None
    ) -> Planned:
        if resource.pinned is not None:
            due = now + resource.pinned
            return Planned(due, f"pinned to {format_duration(resource.pinned)}", resource.state, resource.state_of)
        if resource.kind is Kind.SITEMAP:
            wait = self.pages.settings.sitemap_every
            reason = f"read every {format_duration(wait)}: {finding.title}"
            return Planned(now + wait * (0.95 + 0.1 * u), reason, resource.state, resource.state_of)
        if resource.kind is not Kind.FEED:
            return self._after_page(resource, finding, now=now, u=u, site=site)
        predictor = self.predictor(resource)
        state = self._state(resource, predictor)
        known = self.hints(resource, predictor, now, missed=finding.missed)
        params, times = predictor.params(), resource.window.times
        due = type(predictor).step(params, state, now, times, finding.new, known, u)
        reason = predictor.explain(state, now, times, known).summary
        if self.predict.skips and (resource.facts.skip_hours or resource.facts.skip_days):
            allowed = earliest_allowed(due, skip_hours=resource.facts.skip_hours, skip_days=resource.facts.skip_days)
            if allowed is not None and allowed > due:
                due, reason = allowed, f"{reason}; put off by skipHours/skipDays"
        slowest = self.pushed(resource.id, now) if self.pushed else None
        if slowest is not None and due < now + slowest:
            due, reason = now + slowest, f"its hub tells us of news; polled as a safety net. Without it: {reason}"
        return Planned(due, reason, state, predictor.name)

    def _after_page(self, resource: Resource, finding: Finding, *, now: float, u: float, site: Site | None) -> Planned:
        changed = finding.result is Result.NEW
        pages, bounds = self._pages_of(resource), self.bounds(resource)
        clock = pages.clock(site)
        row = pages.learn(resource, now=now, changed=changed, clock=clock)
        price = self.price_of(resource)
        if resource.kind is not Kind.PAGE:
            told = pages.explain(row, price, bounds)
            return Planned(now + told.numbers["interval"], told.summary, row, pages.name)
        if site is not None:
            price = max(price, site.state.price)  # the two-stage solution: the larger multiplier is in force
        told = pages.explain(row, price, bounds)
        wait = due = told.numbers["interval"]
        if resource.last_ok is None:
            due = pages.look_again(row, wait, bounds, u)
        return Planned(now + due, told.summary, row, pages.name, wait, clock)

    def seat(
        self, resource: Resource, planned: Planned, site: Site | None, *, wait: float, now: float, free: float
    ) -> tuple[float | None, float, Pace]:
        """The place and the frequency a resource has after a visit, and the pace of its site.

        ``resource`` is as it was leased; it waits ``wait`` seconds, infinitely: it takes no place. No request is made
        before ``free``.
        """
        if resource.kind is not Kind.PAGE:
            return None, 0.0, Pace(added=-resource.frequency)
        pages = self.pages
        clock = pages.clock(site) if planned.clock is None else planned.clock
        seat = pages.seat(
            resource,
            planned.state if planned.clock is not None else pages.row(resource),
            clock,
            site,
            wait=wait,
            bounds=self.bounds(resource),
            price=self.price_of(resource),
            now=now,
            free=free,
        )
        return seat.turn, seat.frequency, seat.pace

    def _pages_of(self, resource: Resource) -> PagePlanner:
        return self.links if resource.kind is Kind.LINK else self.pages

    def price_of(self, resource: Resource) -> float:
        """What a visit costs; the site's own price apart."""
        return _PAGE_PRICE if self.price is None else self.price(resource)

    def _state(self, resource: Resource, predictor: Predictor) -> Row:
        if resource.state_of == predictor.name and len(resource.state) == predictor.state_size:
            return resource.state.copy()
        return np.zeros(predictor.state_size)

    def _after_failure(self, resource: Resource, finding: Finding, *, now: float, u: float) -> tuple[float, str]:
        usual = resource.last_interval or self.predict.eta
        if finding.result is Result.OFFLINE:
            return now + _OFFLINE_WAIT * (1 + u), "our own network seems down; trying again shortly"
        if finding.result is Result.THROTTLED:
            wait = max(finding.retry_after or 0.0, usual)
            return now + wait * (1 + 0.1 * u), f"the server asked us to wait ({finding.error})"
        wait = backoff(resource.counters.failures, base=self.errors.first_wait, cap=self.errors.longest_wait, u=u)
        count = resource.counters.failures
        times = "once" if count == 1 else f"{count} times in a row"
        return now + wait, f"failed {times} ({finding.error}); next try in {format_duration(wait)}"
