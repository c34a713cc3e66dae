"""Quality targets in virtual time: the price is found, several at once, and what cannot be met is told.

Random feeds publish at steady rates and are visited when their price says so, as the loop visits them. Delays and
losses are counted by who knows all entries, not by the budget.
"""

import heapq
import math
import random
from dataclasses import dataclass, replace

import numpy as np
import pytest

from afresh.base.models import (
    Bounds,
    Counters,
    Entry,
    Kind,
    Lease,
    NotModified,
    ParsedEntry,
    Report,
    Resource,
    Result,
    Trip,
    Visit,
    Window,
)
from afresh.base.settings.sections import BudgetSettings
from afresh.engine.budget import Budget
from afresh.engine.budget_report import TargetReport
from afresh.engine.quality_targets import Wanted

HOUR = 3_600.0
DAY = 86_400.0
BOUNDS = Bounds(60.0, 2 * DAY)
POPULATIONS = 4


@dataclass
class Feed:
    rate: float
    folder: str
    window: int
    entries: list[float]  # the last ones it has published
    seen: int = 0  # of all
    total: int = 0


class World:
    """Feeds in folders, a budget or none, and what is wanted of each folder."""

    def __init__(self, feeds: list[Feed], wanted: dict[str, Wanted], settings: BudgetSettings, seed: int) -> None:
        self.rng, self.feeds, self.now = random.Random(seed), feeds, 1e9
        self.budget = Budget(settings)
        self.budget.bounds = lambda _: BOUNDS
        self.budget.wanted = lambda resource: wanted.get(resource.folder)
        self.known = [
            Resource(
                id=n, url=f"https://h{n}.example/", site=f"h{n}", added=0.0, kind=Kind.FEED,
                due=self.now + self.rng.uniform(0.0, HOUR),
                folder=feed.folder, last_ok=self.now, last_visit=self.now, counters=Counters(ok=1, bytes=1_000),
                capacity=feed.window, last_result=Result.SAME,
            )
            for n, feed in enumerate(feeds)
        ]  # fmt: skip
        self.queue = [(one.due, one.id) for one in self.known]
        heapq.heapify(self.queue)
        self.delays: list[tuple[float, str, float]] = []  # when, where, delay
        self.lost: list[tuple[float, str, int]] = []
        self.visits: list[tuple[float, str]] = []

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self.now = max(
                self.now + 1e-6, min(end, self.now + 30.0, max(self.queue[0][0], self.budget.steer().ready_at()))
            )
            if self.budget.steer().needs_correction(self.now):
                self.budget.steer().correct(self.now, len(self.known))
            for number in self.budget.steer().ahead(self.now):
                if self.known[number].due > self.now:
                    self.known[number] = replace(self.known[number], due=self.now)
                    heapq.heappush(self.queue, (self.now, number))
            while self.budget.steer().room(self.now) and self.queue[0][0] <= self.now:
                due, number = heapq.heappop(self.queue)
                if due == self.known[number].due:  # else it was visited ahead of this time
                    self.visit(number)

    def visit(self, number: int) -> None:
        feed, before = self.feeds[number], self.known[number]
        assert before.last_ok is not None
        span = self.now - before.last_ok
        count = _poisson(self.rng, feed.rate * span)
        new = sorted(before.last_ok + self.rng.uniform(0.0, span) for _ in range(count))
        kept = new[-feed.window :]
        feed.entries = (feed.entries + new)[-feed.window :]
        lost = count - len(kept)
        self.delays += [(self.now, feed.folder, self.now - at) for at in kept]
        self.lost.append((self.now, feed.folder, lost))
        self.visits.append((self.now, feed.folder))
        lease = Lease(id=len(self.visits), site=before.site, until=self.now + 300.0, resource=before)
        self.budget.note_leased([lease], self.now)
        interval = math.sqrt(2.0 * self.budget.price_for(before) / max(feed.rate, 1e-9))
        interval = min(max(interval, BOUNDS.shortest), BOUNDS.longest)
        after = replace(
            before, due=self.now + interval, last_interval=interval, last_ok=self.now, last_visit=self.now,
            last_result=Result.SAME, window=Window(times=np.array(feed.entries), uids=()),
        )  # fmt: skip
        visit = Visit(
            resource=number, started=self.now, finished=self.now, result=Result.NEW, new=len(kept), missed=lost > 0
        )
        entries = tuple(
            Entry(
                uid=b"", parsed=ParsedEntry(title="t"), published=at, published_raw=None, found=self.now,
                initial=False, after_gap=False,
            )
            for at in kept
        )  # fmt: skip
        report = Report(lease=lease.id, visit=visit, resource=after, next_allowed=self.now, entries=entries)
        trip = Trip(url=before.url, final_url=before.url, started=self.now, finished=self.now, bytes=1_000)
        self.budget.note_done(lease, NotModified(trip=trip), report)
        self.known[number] = after
        heapq.heappush(self.queue, (after.due, number))

    def mean_delay(self, folder: str, since: float) -> float:
        found = [delay for at, where, delay in self.delays if where == folder and at > since]
        return sum(found) / len(found)

    def completeness(self, folder: str, since: float) -> float:
        found = sum(1 for at, where, _ in self.delays if where == folder and at > since)
        lost = sum(count for at, where, count in self.lost if where == folder and at > since)
        return found / (found + lost)

    def pace(self, folder: str, since: float) -> float:
        """Requests an hour."""
        return HOUR * sum(1 for at, where in self.visits if where == folder and at > since) / (self.now - since)

    def told(self, folder: str) -> TargetReport:
        return next(one for one in self.budget.report(self.now).targets if one.scope == f"folder:{folder}")


def _poisson(rng: random.Random, mean: float) -> int:
    count, product, limit = 0, rng.random(), math.exp(-min(mean, 500.0))
    while product > limit:
        product *= rng.random()
        count += 1
    return count


def feeds_of(rng: random.Random, folder: str, count: int, *, window: int = 20) -> list[Feed]:
    return [Feed(min(0.02, rng.lognormvariate(-7.5, 1.2)), folder, window, []) for _ in range(count)]


@pytest.mark.parametrize("seed", range(POPULATIONS))
def test_a_mean_delay_and_completeness_are_met_at_once(seed: int) -> None:
    rng = random.Random(seed)
    delay, complete = rng.choice([5, 20, 60]) * 60.0, rng.choice([0.97, 0.99])
    people = feeds_of(rng, "quick", 25) + feeds_of(rng, "whole", 25, window=5) + feeds_of(rng, "rest", 10)
    wanted = {
        "quick": Wanted("folder:quick", mean_delay=delay),
        "whole": Wanted("folder:whole", completeness=complete),
    }
    world = World(people, wanted, BudgetSettings(price=rng.choice([10.0, 1_000.0, 1e5])), seed)
    world.run(6 * HOUR)
    since = world.now
    world.run(12 * HOUR)
    assert world.mean_delay("quick", since) == pytest.approx(delay, rel=0.12)
    assert 1.0 - world.completeness("whole", since) <= 1.35 * (1.0 - complete)
    assert 1.0 - world.completeness("whole", since) >= 0.3 * (1.0 - complete), "bought with more than it takes"
    quick, whole = world.told("quick"), world.told("whole")
    assert (quick.trouble, whole.trouble) == ("", "")
    assert quick.is_met
    assert quick.requests_per_hour == pytest.approx(world.pace("quick", since), rel=0.15)


def test_the_same_requests_shared_evenly_come_later() -> None:
    """The fewest requests: round robin with as many would have entries wait longer."""
    people = feeds_of(random.Random(1), "quick", 40)
    world = World(people, {"quick": Wanted("folder:quick", mean_delay=1_200.0)}, BudgetSettings(), 1)
    world.run(6 * HOUR)
    since = world.now
    world.run(12 * HOUR)
    interval = HOUR * len(people) / world.pace("quick", since)
    assert world.mean_delay("quick", since) < 0.9 * 0.5 * interval


def test_what_no_interval_can_do_is_told() -> None:
    busy = [Feed(0.5, "whole", 5, []) for _ in range(5)]
    slow = [Feed(0.01, "quick", 20, []) for _ in range(5)]
    wanted = {
        "whole": Wanted("folder:whole", completeness=0.99),
        "quick": Wanted("folder:quick", mean_delay=10.0),
    }
    world = World(busy + slow, wanted, BudgetSettings(), 1)
    world.run(2 * HOUR)
    for folder in wanted:
        report = world.told(folder)
        assert report.is_met is False
        assert "shortest intervals" in report.trouble


def test_what_the_budget_has_no_requests_for_is_told_and_the_budget_is_kept() -> None:
    people = feeds_of(random.Random(2), "quick", 40) + feeds_of(random.Random(3), "rest", 20)
    wanted = {"quick": Wanted("folder:quick", mean_delay=300.0)}
    free = World([replace(one) for one in people], wanted, BudgetSettings(), 1)
    free.run(12 * HOUR)
    needed = free.told("quick").requests_per_hour
    short = World(people, wanted, BudgetSettings(requests_per_hour=0.5 * needed), 1)
    short.run(12 * HOUR)
    report = short.told("quick")
    assert report.is_met is False
    assert "requests an hour" in report.trouble
    since = short.now
    short.run(6 * HOUR)
    assert short.pace("quick", since) + short.pace("rest", since) <= 0.5 * needed * 1.05
    assert short.mean_delay("quick", since) > 400.0


def test_a_want_of_requests_does_not_drive_the_price_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds close to each other, half of the feeds at one of them: demand at other prices is still known."""
    monkeypatch.setattr("tests.property.test_targets.BOUNDS", Bounds(60.0, 1_200.0))
    people = feeds_of(random.Random(2), "quick", 30) + feeds_of(random.Random(3), "whole", 30, window=3)
    wanted = {
        "quick": Wanted("folder:quick", mean_delay=60.0),
        "whole": Wanted("folder:whole", completeness=0.999),
    }
    world = World(people, wanted, BudgetSettings(requests_per_hour=400.0), 1)
    for _ in range(3):
        world.run(2 * HOUR)
        for folder in wanted:
            report = world.told(folder)
            assert report.is_met is False
            assert report.price < 1e7
    since = world.now
    world.run(2 * HOUR)
    assert 0.9 * 400.0 <= world.pace("quick", since) + world.pace("whole", since) <= 1.05 * 400.0
