"""What visits cost and what they have used: the price at which they are planned, and the accounts of a daemon.

Without a budget and without a target everything passes at the configured price. What is limited, or shall be reached,
is steered (``engine.steering``), from the moment on when there is something to steer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from afresh.base.models import Bounds, Entry, Lease, Outcome, Report, Request, Resource, Result, Trip
from afresh.base.settings.sections import BudgetSettings
from afresh.engine.budget_report import BudgetReport, KeptPrice, described, keep_budget, kept_price, kept_report
from afresh.engine.running_figures import Elastic, LastHour, Mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afresh.base.protocols import Fetcher, Store
    from afresh.engine.quality_targets import Wanted
    from afresh.engine.steering import Steering

USUAL = 20_000.0  # bytes of a usual visit: what a price is named for, and the guess before the first
_SIZES = 500.0  # visits that the mean size of an answer reaches back
_ENTRIES = 400.0  # entries that the mean delay reaches back
_MORE = 1.1  # times the budget for which is told what it would buy


class Budget:
    """The price of a visit and the accounts of what was used."""

    def __init__(self, settings: BudgetSettings, *, price: float | None = None) -> None:
        self.settings = settings
        self.price = settings.price if price is None else price  # of a visit of usual size, in entry-seconds
        self.by_byte = 0.0  # part of it that is paid by bytes
        self.held = described(settings)  # the budget that the price belongs to, in words; empty: none
        self.since: float | None = None  # when it began to be held
        self.goes_on = False  # whether an earlier run or another daemon has steered the price for this very budget
        self.told_prices: Mapping[str, float] = {}  # of targets, as the daemon before or beside us has them
        self.others = 0  # requests of other daemons in the last hour
        self.size = Mean(_SIZES, USUAL)  # bytes of a visit
        self.delays = Elastic(_ENTRIES)
        self.requests, self.bytes = LastHour(), LastHour()
        self.bounds: Callable[[Resource], Bounds] = lambda _: Bounds()  # of a resource's intervals; the planner knows
        self.is_priced: Callable[[Resource], bool] = lambda _: True  # whether its rule looks at the price
        self.is_governed: Callable[[Resource], bool] = lambda _: False  # whether a refresh strategy decides instead
        self.wanted: Callable[[Resource], Wanted | None] = lambda _: None  # the quality target of a resource
        self.own_price: Callable[[Resource], float | None] = lambda _: None  # that its rule names, if it does
        self.steering: Steering | None = None  # None: there is nothing to hold
        if self.held:
            self.steer()

    def steer(self) -> Steering:
        """From now on the price is moved, for what is limited or wanted."""
        if self.steering is None:
            from afresh.engine.steering import Steering  # noqa: PLC0415 (where there is a budget or a target)

            self.steering = Steering(self)
        return self.steering

    @classmethod
    def resumed(cls, settings: BudgetSettings, store: Store) -> Budget:
        """With the price at which the last run planned; without a budget, with the configured one."""
        kept = kept_price(store)
        if kept is None:
            return cls(settings)
        budget = cls(settings, price=kept.price if described(settings) else None)
        budget.told_prices = kept.targets
        if kept.held == budget.held:
            budget.since, budget.goes_on = kept.since, kept.is_steered
            budget.by_byte = kept.by_byte if kept.is_steered else budget.by_byte
        return budget

    @classmethod
    def last_seen(cls, settings: BudgetSettings, store: Store) -> Budget:
        """As the daemon of this store last left it, whatever our own settings say; ours where there was none."""
        kept = kept_price(store)
        if kept is None or kept.since is None:
            return cls.resumed(settings, store)
        budget = cls(settings, price=kept.price)
        budget.held = kept.held
        budget.follow(kept)
        return budget

    def follow(self, kept: KeptPrice) -> None:
        """Another daemon decides: its price is ours."""
        self.price = kept.price if self.steering is None else self.steering.take(kept.price)
        self.since, self.by_byte, self.told_prices = kept.since, kept.by_byte, kept.targets
        self.goes_on = kept.is_steered and kept.held == self.held

    def recall(self, store: Store, now: float) -> None:
        """What was used in the hour before: to begin anew brings no new budget, and the first request waits for none.

        Where daemons share a store, it has their account.
        """
        if self.steering is None or store.daemons.is_shared:
            return
        requests, read = _unrecorded(store, now)
        for minute in store.activity(since=now - 3_600.0, until=now, step=1):
            self.requests.add(minute.start, minute.visits * requests)
            self.bytes.add(minute.start, minute.bytes * read)
        latest = store.visits(limit=1)
        self.steering.resume(latest[0][1].finished if latest else None)

    def begin(self, now: float) -> None:
        """The price is this budget's from now on, unless it was already."""
        if self.since is None:
            self.since = now

    def price_for(self, resource: Resource) -> float:
        """What a visit of this resource costs; bytes count where they are budgeted.

        Without a budget a rule that names a price of its own has that.
        """
        if (wanted := self.wanted(resource)) is not None and (price := self._price_of(wanted)) is not None:
            return price
        own = None if self.held else self.own_price(resource)
        if own is not None:
            return own
        price = self.price
        if self.by_byte:
            price = price * (1.0 - self.by_byte) + price * self.by_byte / USUAL * self.expected(resource)
        return max(price, self.least_for(resource)) if self.settings.floor else price

    def least_for(self, resource: Resource) -> float:
        """What a visit of this resource would cost without the budget, where that is a ceiling only; 0: it is spent."""
        floor = self.settings.floor
        return max(floor, self.own_price(resource) or 0.0) if floor and self.wanted(resource) is None else 0.0

    def _price_of(self, wanted: Wanted) -> float | None:
        price = None if self.steering is None else self.steering.targets.price_of(wanted)
        return self.told_prices.get(wanted.scope) if price is None else price

    def expected(self, resource: Resource) -> float:
        """Bytes that a visit of this resource brings, as far as is known."""
        visits = resource.counters.ok + resource.counters.failed
        return max(1.0, resource.counters.bytes / visits if visits else self.size.value)

    def note_leased(self, leases: Sequence[Lease], now: float) -> None:
        """Requests that leave now."""
        self.requests.add(now, len(leases))
        if self.steering is not None:
            self.steering.note_leased(leases, now)

    def note_done(self, lease: Lease, outcome: Outcome, report: Report) -> None:
        """What a visit really cost, and the delays it ended."""
        trip = outcome.trip
        self.size.add(float(trip.bytes))
        self.bytes.add(trip.finished, trip.bytes + trip.robots_bytes)
        # The first was paid for when it left; robots.txt has its price, and may have kept the first back.
        self.requests.add(trip.finished, trip.requests + trip.robots_requests - 1)
        if self.wanted(lease.resource) is not None:
            self.steer()
        if self.steering is not None:
            self.steering.note_done(lease, outcome, report)
        interval = report.resource.due - trip.finished
        if lease.resource.last_ok is not None and 0.0 < interval < math.inf and not was_not_asked(report):
            self._note_delays(lease.resource, report, interval)

    def note_besides(self, trip: Trip) -> None:
        """Requests of no visit: somebody looks for feeds."""
        requests, read = trip.requests + trip.robots_requests, trip.bytes + trip.robots_bytes
        self.requests.add(trip.finished, requests)
        self.bytes.add(trip.finished, read)
        if self.steering is not None:
            self.steering.spend(requests, read)

    def _note_delays(self, before: Resource, report: Report, interval: float) -> None:
        """Delays as they will be under the new interval: they go with it, and the old one tells how.

        So a new price shows at once, and not after everything has been visited under it. A delay counts from the visit
        before at most: an entry that bears an older date was late before it could be found.
        """
        assert before.last_ok is not None
        bounds = self.bounds(report.resource)
        is_free = self.is_free(report) and 1.001 * bounds.shortest < interval < 0.999 * bounds.longest
        delays, price = self.delays, self.price
        if self.steering is not None:
            delays, price = self.steering.delays_of(before, report)
        for entry in report.entries:
            span = entry.found - before.last_ok
            if not entry.initial and span > 0:
                known = min(max(0.0, entry.found - entry.published), span)
                waited = 0.5 * span if is_undated(entry, report.resource) else known
                delays.note(waited / span * interval, price, is_free=is_free)

    def is_free(self, report: Report) -> bool:
        """Whether the price had a say in this interval."""
        return report.visit.result.is_success and self.may_move(report.resource)

    def may_move(self, resource: Resource) -> bool:
        """Whether a price can move the intervals of a resource: it is not pinned, and its rule looks at the price."""
        return resource.pinned is None and self.is_priced(resource)

    def keep(self, store: Store) -> None:
        """For the next run, and for whoever looks at the store from outside."""
        self.keeping()(store)

    def keeping(self) -> Callable[[Store], None]:
        """Writes what is true now, whenever that will be: no other thread looks at the budget itself."""
        steering = self.steering
        targets = {} if steering is None else steering.targets.prices()
        price = KeptPrice(
            price=self.price,
            held=self.held,
            since=self.since,
            by_byte=self.by_byte,
            targets=dict(targets or self.told_prices),
            is_steered=self.goes_on or (steering is not None and math.isfinite(steering.corrected)),
        )
        at = max(-math.inf if steering is None else steering.corrected, self.since or 0.0)
        return partial(keep_budget, price=price, report=self.report(at))

    def report(self, now: float) -> BudgetReport:
        delay, settings, steering = self.delays.mean_at(self.price), self.settings, self.steering
        # Delays go with the intervals, if more could be spent.
        sooner = None if delay is None or not (steering is None or steering.may_spend(_MORE)) else delay / _MORE
        saved = None if steering is None else steering.saved(now)
        return BudgetReport(
            at=now,
            price=self.price,
            requests_per_hour=settings.hourly or None,
            used_last_hour=round(self.requests.total(now)) + self.others,
            bytes_per_hour=settings.bytes_per_hour or None,
            bytes_last_hour=int(self.bytes.total(now)),
            target_delay=settings.mean_delay or None,
            mean_delay=delay,
            mean_lateness=0.0 if steering is None else steering.lateness,
            delay_with_ten_percent_more=sooner,
            settled=None if steering is None else steering.is_settled(now),
            since=self.since,
            targets=() if steering is None else steering.targets.reports(),
            spend=settings.spend,
            free_at=None if steering is None or not math.isfinite(free := steering.ready_at()) else free,
            saved=0.0 if saved is None else saved.tokens,
            saved_at_most=0.0 if saved is None else saved.size,
        )


class Counted:
    """A fetcher (``base.protocols.Fetcher``) for requests of no visit, which the budget counts and does not hold up."""

    def __init__(self, fetcher: Fetcher, budget: Budget) -> None:
        self._fetcher, self._budget = fetcher, budget

    async def fetch(self, request: Request) -> Outcome:
        outcome = await self._fetcher.fetch(request)
        self._budget.note_besides(outcome.trip)
        return outcome

    async def close(self) -> None:
        await self._fetcher.close()


def _unrecorded(store: Store, now: float) -> tuple[float, float]:
    """How many times as many requests and bytes were used as visits tell: hops of redirects and robots.txt are none.

    As the daemon of this store last said, if that was within the hour.
    """
    said = kept_report(store)
    if said is None or not now - 3_600.0 < said.at <= now:
        return 1.0, 1.0
    until = said.at + 60.0  # it is said some time after its account was corrected
    known = store.activity(since=said.at - 3_600.0, until=until, step=1)
    visits, read = sum(minute.visits for minute in known), sum(minute.bytes for minute in known)
    return (
        max(1.0, said.used_last_hour / visits) if visits else 1.0,
        max(1.0, said.bytes_last_hour / read) if read else 1.0,
    )


def is_undated(entry: Entry, resource: Resource) -> bool:
    """Whether its date does not say when it appeared: there is none, it is older than a visit that did not find it, or
    the server makes it at every request."""
    return resource.facts.request_time_dates or entry.published >= entry.found


def was_not_asked(report: Report) -> bool:
    """Whether the gate kept a visit back, or our own network was down: when it is tried again is no plan."""
    return report.visit.result is Result.OFFLINE or report.visit.was_kept_back
