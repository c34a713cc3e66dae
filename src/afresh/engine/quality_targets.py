"""Quality targets: a mean delay, or a share of entries that is found, for some feeds and as few requests as it takes.

[H12] (Conclusion) names it as future work, without an algorithm. It is the budget turned round: all feeds of a target
have one price, which is moved until delays and losses are what is wanted. One price for all is what makes it cheap: at
another sharing of the same requests some feed would wait longer than what its visits save elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from afresh.base.durations import format_duration
from afresh.base.models import Report, Resource
from afresh.engine.budget import is_undated
from afresh.engine.budget_report import TargetReport
from afresh.engine.demand import Census, Prices
from afresh.engine.price import PriceController
from afresh.engine.running_figures import Elastic
from afresh.feeds.stream import lost_between

Floats = NDArray[np.float64]

_ENTRIES = 400.0  # entries that the mean delay reaches back
_FOUND = 4_000.0  # the same for completeness: losses are rare
_TRUST = 2.0  # entries lost as expected that are imagined besides those that were
_STEPS = 40
_SAMPLE = 2_000  # feeds by which losses are foreseen
CLOSE = 1.1  # times the target, up to which it counts as met: a mean of some hundred entries is no more exact
_DEAREST = 1e9  # times the price of a target that the want of requests may make it
_FREE = 1e-300  # a price at which everybody asks as often as it may


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody wants of the feeds of a scope."""

    scope: str  # who it holds for, as "folder:news"
    mean_delay: float | None = None  # seconds, at most
    completeness: float | None = None  # share of entries found, at least

    def __str__(self) -> str:
        parts = [] if self.mean_delay is None else [f"a mean delay of {format_duration(self.mean_delay)}"]
        parts += [] if self.completeness is None else [f"completeness {self.completeness:g}"]
        return f"{' and '.join(parts)} for {self.scope.replace(':', ' ', 1)}"


@dataclass(slots=True)
class Target:
    """One target and the price that is moved for it; the daemon and the lab hold theirs with it."""

    wanted: Wanted
    control: PriceController
    delays: Elastic = field(default_factory=lambda: Elastic(_ENTRIES))
    census: Census = field(default_factory=lambda: Census(remembers=True))
    trouble: str = ""
    dearer: float = 1.0  # times its price, because the budget of all is not enough for all targets
    _limits: tuple[float, float] = (0.0, math.inf)  # prices beyond which none of its intervals would move
    _feeds: dict[int, tuple[float, float]] = field(default_factory=dict)  # entries a second, and the window, of each
    _found: float = 0.0
    _lost: float = 0.0
    _foreseen: float = 0.0  # losses that were to be expected by the intervals as they were

    @property
    def price(self) -> float:
        return min(self._limits[1], self.control.price * self.dearer)

    def note_delay(self, delay: float, *, is_free: bool = True, times: float = 1.0) -> None:
        """A delay that was met with, or the mean of so many."""
        self.delays.note(delay, self.price, is_free=is_free, times=times)

    def note_feed(self, feed: int, *, rate: float, window: float) -> None:
        """How much a feed publishes, and how many entries its document shows."""
        self._feeds[feed] = (rate, max(1.0, window))

    def note_found(self, feed: int, *, found: float, lost: float, span: float) -> None:
        """What a visit found, and what was lost before it, as far as can be told, in the time since the one before."""
        rate, window = self._feeds.get(feed, (0.0, 1.0))
        keep = (1.0 - 1.0 / _FOUND) ** (found + lost)
        foreseen = float(_lost(np.array([rate * span]), np.array([window]))[0])
        self._found, self._lost = self._found * keep + found, self._lost * keep + lost
        self._foreseen = self._foreseen * keep + foreseen

    def forget(self, feed: int) -> None:
        self.census.forget(feed)
        self._feeds.pop(feed, None)

    @property
    def mean_delay(self) -> float | None:
        return self.delays.mean_at(self.price)

    @property
    def completeness(self) -> float | None:
        total = self._found + self._lost
        return self._found / total if total > 0.0 else None

    def pace(self, dearer: float = 1.0) -> float:
        """Requests a second that its feeds ask for at so many times the price that meets it."""
        return self.census.demand(Prices(self.control.price * dearer))[0] if len(self.census) else 0.0

    def overdue(self, now: float) -> list[int]:
        """Feeds that were planned at another price, and at this one should have been visited by now."""
        return self.census.overdue(now, Prices(self.price)) if len(self.census) else []

    def correct(self, *, gain: float) -> float:
        """The new price, as if there were requests enough.

        It stays where it moves something: one that has gone on falling would make the want of requests, which makes all
        targets as many times dearer, drive the others' prices away.
        """
        self.census.end_calls()
        self.trouble, self.dearer = "", 1.0
        self._limits = lowest, highest = self.census.limits()
        prices = []
        if self.wanted.mean_delay is not None:
            prices += self._price_for_delay(self.wanted.mean_delay)
        if self.wanted.completeness is not None:
            prices += self._price_for_completeness(self.wanted.completeness)
        if prices:
            self.control.aim(min(highest, max(lowest, min(prices))), gain=gain)
        return self.price

    def hold_back(self, dearer: float, *, needed: float, there_are: float) -> None:
        """The budget is not enough: so many times the price, and that is told."""
        self.dearer = dearer
        self.trouble = (
            f"all targets together would take {3_600.0 * needed:,.0f} requests an hour, and there are "
            f"{3_600.0 * there_are:,.0f}"
        )

    def _price_for_delay(self, target: float) -> list[float]:
        price = self.delays.price_at(target)
        if price == 0.0:
            least = format_duration(self.delays.mean_at(0.0) or 0.0)
            self.trouble = f"even at their shortest intervals, with all failures, entries would be {least} late"
        return [] if price is None else [price]

    def _price_for_completeness(self, target: float) -> list[float]:
        """The price at which the losses to expect, as many times as they have proved to be, are what is allowed."""
        rows = [(feed, *self._feeds[feed]) for feed in list(self._feeds)[:_SAMPLE] if feed in self.census]
        if not rows:
            return []
        ids, rates, windows = (np.array(column, dtype=np.float64) for column in zip(*rows, strict=True))
        total = float(rates.sum())
        if not total > 0.0:
            return []
        times = (self._lost + _TRUST) / (self._foreseen + _TRUST)
        numbers = [int(one) for one in ids]

        def complete(price: float) -> float:
            spans = self.census.intervals(numbers, Prices(price))
            means = rates * spans
            return 1.0 - times * float((_lost(means, windows) / spans).sum()) / total

        if complete(_FREE) < target:
            self.trouble = "even at their shortest intervals windows would overflow more often than that"
            return [0.0]
        low, high = math.log(1e-6), math.log(1e12)
        for _ in range(_STEPS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if complete(math.exp(middle)) >= target else (low, middle)
        return [math.exp(low)]

    def report(self) -> TargetReport:
        delay, complete = self.mean_delay, self.completeness
        met = []
        if self.wanted.mean_delay is not None:
            met.append(None if delay is None else delay <= CLOSE * self.wanted.mean_delay)
        if self.wanted.completeness is not None:
            allowed = CLOSE * (1.0 - self.wanted.completeness)
            met.append(None if complete is None else 1.0 - complete <= allowed)
        is_met = False if self.trouble or False in met else None if None in met else True
        return TargetReport(
            scope=self.wanted.scope,
            target_delay=self.wanted.mean_delay,
            target_completeness=self.wanted.completeness,
            mean_delay=delay,
            completeness=complete,
            price=self.price,
            feeds=len(self.census),
            requests_per_hour=3_600.0 * self.pace(self.dearer),
            is_met=is_met,
            trouble=self.trouble,
        )


def note_visit(target: Target, before: Resource, report: Report) -> None:
    """What a visit shows of a feed's rate, its window, and what was lost before it.

    Of a window that does not overlap the one before, what lies between the last visit and its oldest entry is lost: as
    many entries as it shows in as much time.
    """
    after, now = report.resource, report.visit.finished
    times = after.window.times
    if before.last_ok is None or not now > before.last_ok or not len(times):
        return
    oldest, span = float(times[0]), now - before.last_ok
    new = [entry for entry in report.entries if not entry.initial]
    if any(is_undated(entry, after) for entry in new):  # nobody knows since when: as many in as much time
        rate, lost = len(new) / span, 1.0
    else:
        rate = len(times) / max(1.0, now - oldest)
        newest = float(before.window.times[-1]) if len(before.window.times) else before.last_ok
        lost = lost_between(times, now=now, previous_poll=before.last_ok, newest_before=newest)
    target.note_feed(after.id, rate=rate, window=float(max(after.capacity, len(times))))
    target.note_found(after.id, found=float(len(new)), lost=lost if report.visit.missed else 0.0, span=span)


def _lost(means: Floats, windows: Floats) -> Floats:
    """Entries that windows are expected to lose when Poisson numbers of them with these means arrive."""
    room = np.zeros(len(means))
    chance = np.exp(-means)
    for k in range(int(windows.max(initial=0.0))):
        room += np.maximum(windows - k, 0.0) * chance
        chance = chance * means / (k + 1.0)
    return np.maximum(0.0, means - windows + room)


class Targets:
    """All targets of a daemon, each with its feeds and its price."""

    def __init__(self) -> None:
        self._targets: dict[str, Target] = {}
        self._homes: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._targets)

    def of(self, feed: int, wanted: Wanted | None, *, begin: Callable[[Wanted], PriceController]) -> Target | None:
        """The target of a feed; None: it has none. ``begin``: the price of one that is new."""
        home = self._homes.get(feed)
        if home is not None and (wanted is None or wanted.scope != home):
            self._targets[home].forget(feed)
            del self._homes[feed]
            if not len(self._targets[home].census) and home not in self._homes.values():
                del self._targets[home]
        if wanted is None:
            return None
        target = self._targets.get(wanted.scope)
        if target is None:
            target = self._targets[wanted.scope] = Target(wanted, begin(wanted))
        target.wanted = wanted
        self._homes[feed] = wanted.scope
        return target

    def price_of(self, wanted: Wanted) -> float | None:
        """The price of a target; None: none of its feeds was visited yet."""
        target = self._targets.get(wanted.scope)
        return None if target is None else target.price

    def forget(self, feed: int) -> None:
        home = self._homes.get(feed)
        if home is not None:
            self._targets[home].forget(feed)

    def keep_only(self, known: set[int]) -> None:
        """Feeds that are watched no more ask for nothing."""
        for feed in [one for one in self._homes if one not in known]:
            self._targets[self._homes.pop(feed)].forget(feed)

    def correct(self, *, gain: float, pace: float | None) -> None:
        """Move every price. ``pace``: requests a second that there are; where they are short, all pay as much more."""
        for target in self._targets.values():
            target.correct(gain=gain)
        needed = self._asked(1.0)
        if pace is None or needed <= pace:
            return
        low, high = 0.0, math.log(_DEAREST)
        if self._asked(_DEAREST) > pace:  # no price helps: even at their longest intervals they ask for more
            high = 0.0
        for _ in range(_STEPS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self._asked(math.exp(middle)) > pace else (low, middle)
        for target in self._targets.values():
            target.hold_back(math.exp(high), needed=needed, there_are=pace)

    def overdue(self, now: float) -> list[int]:
        """Feeds that their prices would have had visited by now."""
        return [feed for target in self._targets.values() for feed in target.overdue(now)]

    def _asked(self, dearer: float) -> float:
        return sum(target.pace(dearer) for target in self._targets.values())

    @property
    def feeds(self) -> int:
        return sum(len(target.census) for target in self._targets.values())

    @property
    def pace(self) -> float:
        return sum(target.pace(target.dearer) for target in self._targets.values())

    def reports(self) -> tuple[TargetReport, ...]:
        """What has become of each."""
        return tuple(target.report() for target in self._targets.values())

    def prices(self) -> dict[str, float]:
        """To begin with in the next run, by scope."""
        return {scope: target.price for scope, target in self._targets.items()}
