"""Resources that ask to be visited, in virtual time, served as the loop serves them: to see whether a budget settles.

A resource wants the interval ``(cost / rate)^elasticity`` within its bounds: ½ is the square root law, other values are
rules that follow the price more or less than the controller believes. Some fail, some are pinned.
"""

import heapq
import math
import random
from dataclasses import dataclass, field, replace

from afresh.base.models import (
    Bounds,
    Counters,
    Kind,
    Lease,
    NotModified,
    Outcome,
    Rejected,
    Report,
    Resource,
    Result,
    Trip,
    Visit,
)
from afresh.base.settings.sections import BudgetSettings
from afresh.engine.budget import Budget

HOUR = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """How one resource behaves."""

    rate: float
    elasticity: float = 0.5
    size: int = 10_000
    is_failing: bool = False
    pinned: float | None = None
    is_page: bool = False  # its wait is stretched whenever the price moves
    bounds: Bounds = field(default_factory=lambda: Bounds(60.0, 86_400.0))

    def interval(self, cost: float) -> float:
        if self.pinned is not None:
            return self.pinned
        if self.is_failing:
            return 3_600.0
        wanted = (2.0 * cost / self.rate) ** self.elasticity
        return min(max(wanted, self.bounds.shortest), self.bounds.longest)


class Population:
    """A budget and those it is spent on. ``planned_at``: the price at which the store's due times were once planned."""

    def __init__(self, sources: list[Source], settings: BudgetSettings, *, planned_at: float | None, seed: int) -> None:
        self.rng = random.Random(seed)
        self.settings, self.now = settings, 1e9
        self.sources: list[Source] = []
        self.known: list[Resource] = []
        self.queue: list[tuple[float, int]] = []
        self.callable: list[float] = []  # when shortest intervals will be over
        self.served: list[tuple[float, int, int]] = []  # when, who, bytes
        self.due: list[float] = []  # of each that was served
        self.prices: list[tuple[float, float]] = []
        self.start(settings, price=None)
        self.add(sources, planned_at=planned_at)

    def start(self, settings: BudgetSettings, *, price: float | None) -> None:
        """The daemon is started, perhaps again and with another budget; what was planned stays."""
        self.settings, self.budget = settings, Budget(settings, price=price)
        self.planned_at = self.budget.price  # the price at which sites were last planned
        self.budget.bounds = lambda resource: self.sources[resource.id].bounds
        self.budget.steer().load(self.known)

    def add(self, sources: list[Source], *, planned_at: float | None) -> None:
        """More of them: new ones that are due at once, or ones that were visited before."""
        for source in sources:
            number = len(self.sources)
            self.sources.append(source)
            due, last, interval = self.now, None, None
            if planned_at is not None:
                interval = source.interval(planned_at)
                last = self.now - self.rng.uniform(0.0, interval)
                due = last + interval
            result = None if last is None else Result.HTTP_ERROR if source.is_failing else Result.SAME
            self.known.append(
                Resource(
                    id=number, url=f"https://h{number}.example/", site=f"h{number}", added=0.0, due=due,
                    kind=Kind.PAGE if source.is_page else Kind.FEED, turn=0.0 if source.is_page else None,
                    last_visit=last, last_ok=last, last_interval=interval, last_result=result, pinned=source.pinned,
                    counters=Counters(ok=0 if last is None else 1, bytes=0 if last is None else source.size),
                )
            )  # fmt: skip
            heapq.heappush(self.queue, (due, number))
        if planned_at is not None:
            self.budget.steer().load(self.known)

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        step = 0.4 * HOUR / self.settings.hourly if self.settings.hourly else 1.0
        step = min(max(step, 0.05), 0.5 * self.settings.every)
        while self.now < end:
            self.now = self._next_look(step)
            if self.budget.steer().needs_correction(self.now):
                self.budget.steer().correct(self.now, len(self.known))
                self.prices.append((self.now, self.budget.price))
                self._replan()
            for number in self.budget.steer().ahead(self.now):
                if self.known[number].due > self.now:
                    self.known[number] = replace(self.known[number], due=self.now)
                    heapq.heappush(self.queue, (self.now, number))
            for _ in range(self.budget.steer().room(self.now)):
                while self.queue and self.queue[0][0] != self.known[self.queue[0][1]].due:
                    heapq.heappop(self.queue)  # it was visited ahead of this time
                if not self.queue or self.queue[0][0] > self.now:
                    break
                self._visit(heapq.heappop(self.queue)[1])

    def _replan(self) -> None:
        """The price has moved: the time of sites runs faster or slower, and so the waits of pages are stretched."""
        if abs(self.budget.price - self.planned_at) <= 0.05 * self.planned_at:
            return
        self.planned_at = self.budget.price
        for number, source in enumerate(self.sources):
            page = self.known[number]
            if source.is_page and source.pinned is None and page.last_interval and page.due > self.now:
                interval = source.interval(self.budget.price_for(page))
                due = self.now + (page.due - self.now) * interval / page.last_interval
                self.known[number] = replace(page, due=due, last_interval=interval)
                heapq.heappush(self.queue, (due, number))

    def _next_look(self, step: float) -> float:
        """The loop naps a second at most; here it wakes when something becomes possible, and every ``step`` anyway.

        A grid of steps alone would round every interval up to its next point, which the loop does not.
        """
        wake = self.now + step
        while self.callable and self.callable[0] <= self.now:
            heapq.heappop(self.callable)
        if self.callable:
            wake = min(wake, self.callable[0])
        due = max(self.queue[0][0], self.budget.steer().ready_at()) + 1e-6 if self.queue else math.inf
        return min(wake, due) if due > self.now else wake

    def _visit(self, number: int) -> None:
        source, before = self.sources[number], self.known[number]
        lease = Lease(id=len(self.served), site=before.site, until=self.now + 300.0, resource=before)
        self.budget.note_leased([lease], self.now)
        trip = Trip(url=before.url, final_url=before.url, started=self.now, finished=self.now, bytes=source.size)
        interval = source.interval(self.budget.price_for(before))
        counters = replace(before.counters, ok=before.counters.ok + 1, bytes=before.counters.bytes + trip.bytes)
        result = Result.HTTP_ERROR if source.is_failing else Result.SAME
        after = replace(
            before, due=self.now + interval, last_interval=interval, last_ok=self.now, last_visit=self.now,
            last_result=result, counters=counters,
        )  # fmt: skip
        visit = Visit(resource=number, started=self.now, finished=self.now, result=result)
        report = Report(lease=lease.id, visit=visit, resource=after, next_allowed=self.now)
        outcome: Outcome = Rejected(trip=trip, status=500) if source.is_failing else NotModified(trip=trip)
        self.budget.note_done(lease, outcome, report)
        self.known[number] = after
        self.served.append((self.now, number, trip.bytes))
        self.due.append(before.due)
        heapq.heappush(self.queue, (after.due, number))
        heapq.heappush(self.callable, self.now + source.bounds.shortest + 1e-6)

    def used(self, since: float, until: float) -> int:
        return sum(since < at <= until for at, _, _ in self.served)

    def received(self, since: float, until: float) -> int:
        return sum(size for at, _, size in self.served if since < at <= until)

    def excess(self, rate: float, since: int = 0, *, in_bytes: bool = False) -> float:
        """The most that left beyond ``rate`` a second in any stretch of time since that many visits."""
        worst = balance = 0.0
        last = math.inf
        for at, _, size in self.served[since:]:
            balance = max(0.0, balance - rate * max(0.0, at - last)) + (size if in_bytes else 1.0)
            worst, last = max(worst, balance), at
        return worst

    def starved(self) -> float:
        """The longest that one was kept waiting beyond its time while another was asked twice."""
        worst, again = 0.0, -math.inf  # the latest first visit of those that were asked twice by now
        last: dict[int, float] = {}
        for (at, number, _), due in zip(self.served, self.due, strict=True):
            if again > due:
                worst = max(worst, again - due)
            again = max(again, last.get(number, -math.inf))
            last[number] = at
        return worst

    def capacity(self) -> float:
        """Requests an hour at which nothing may be asked more often: everybody at its shortest interval."""
        return HOUR * sum(1.0 / one.interval(1e-300) for one in self.sources)

    def shortest_gap(self) -> float:
        """The smallest gap between two visits of a resource, in its shortest intervals."""
        last: dict[int, float] = {}
        least = math.inf
        for at, number, _ in self.served:
            if number in last:
                source = self.sources[number]
                shortest = min(source.interval(1e-300), source.bounds.shortest)
                least = min(least, (at - last[number]) / shortest)
            last[number] = at
        return least
