"""The operator's budget in the running loop: how much may leave now, and at which price visits are planned."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from afresh.base.models import Bounds, Lease, Outcome, PriceOrigin, PriceSource, Report, Resource, Result, Site
from afresh.base.records.daemons import Draw, Drawn
from afresh.base.settings.watching import BudgetSettings
from afresh.engine.budget_report import PRICE, BudgetReport, KeptPrice, TargetReport, described, keep_budget, kept_price
from afresh.engine.census import Census, Prices
from afresh.engine.lately import LastHour, Mean
from afresh.engine.price import Bucket, Elastic, PriceController, delay_with, hourly_bucket
from afresh.engine.targets import Targets, Wanted, note_visit

if TYPE_CHECKING:
    from afresh.base.protocols import Store

_REQUESTS, _BYTES = "requests", "bytes"
_STILL, _WITHIN = 10, 0.05  # settled: the last so many corrections and the use are within this share
#: Share of what may be saved up that is plainly lying idle; the rest is for the time after a pause.
_IDLE = 0.25
_SLACK = 0.04  # of an hour's budget may be saved up
_LEAST = 2.0  # visits may be saved up at least: what one comes late by must not be lost to the next
_LEAST_OF_TWO = 5.0  # the same where visits wait for two budgets: large and small ones come in no order
_SCARCE = 0.01  # part of its price that even a budget costs that would be lost
_FREE = 1e-300  # a price at which everybody asks as often as it may
_USUAL = 20_000.0  # bytes of a usual visit: what a price is named for, and the guess before the first
_MOST_KNOWN = 0.9  # share of the resources whose plans are known, from which on a first correction goes all the way
_TOO_MANY = 1.02  # plans for each resource that is visited, from which on it is read anew who still is
_ENOUGH = 50.0  # plans from which on demand is believed in full
_SIZES = 500.0  # visits that the mean size of an answer reaches back
_ENTRIES = 400.0  # entries that the mean delay reaches back


class Budget:
    """Meters the loop's requests and moves the price. Without a budget it lets everything pass at the default price."""

    def __init__(self, settings: BudgetSettings, *, price: float | None = None) -> None:
        self._settings = settings
        per_hour = settings.hourly
        slack = _SLACK * min(1.0, settings.every / 60.0)  # as much as some corrections of the price are late by
        least = _LEAST_OF_TWO if per_hour and settings.bytes_per_hour else _LEAST  # visits for which there is room
        self._requests = hourly_bucket(per_hour, slack=slack, least=least) if per_hour else None
        self._bytes = _byte_bucket(settings.bytes_per_hour, slack=slack, least=least)
        self._control = PriceController(
            settings.price if price is None else price, lowest=settings.lowest_price, highest=settings.highest_price
        )
        self._by_byte = 0.0 if self._bytes is None else 0.5 if per_hour or settings.mean_delay else 1.0  # part paid so
        self._size = Mean(_SIZES, _USUAL)  # bytes of a visit
        self._reserved: dict[int, float] = {}  # bytes set aside for visits under way, by lease
        self._census, self._delays = Census(), Elastic(_ENTRIES)
        self.bounds: Callable[[Resource], Bounds] = lambda _: Bounds()  # of a resource's intervals; the planner knows
        self.is_priced: Callable[[Resource], bool] = lambda _: True  # whether its rule looks at the price
        self.is_governed: Callable[[Resource], bool] = lambda _: False  # whether a refresh strategy decides instead
        self._aside = (0, 0.0)  # resources that strategies govern, and the requests a second that these have
        self.wanted: Callable[[Resource], Wanted | None] = lambda _: None  # the quality target of a resource
        self._targets = Targets()
        self._told_prices: Mapping[str, float] = {}  # of targets, as the daemon before or beside us has them
        self.own_price: Callable[[Resource], float | None] = lambda _: None  # that its rule names, if it does
        self.held = described(settings)  # the budget that the price belongs to, in words; empty: none
        self.since: float | None = None  # when it began to be held
        self._course: deque[float] = deque(maxlen=_STILL)  # prices after the last corrections
        self._corrected = -math.inf
        self._read_to: int | None = 0
        self._seen: set[int] = set()  # resources met with while plans are read
        self._late = Mean(math.inf)
        self._lateness = 0.0
        self._made, self._received = LastHour(), LastHour()
        self._owed = {_REQUESTS: 0.0, _BYTES: 0.0}  # spent beyond what was drawn from what all daemons share
        self.others = 0  # requests of other daemons in the last hour

    @classmethod
    def resumed(cls, settings: BudgetSettings, store: Store) -> Budget:
        """With the price at which the last run planned; without a budget, with the configured one."""
        kept = kept_price(store)
        budget = cls(settings, price=kept.price if kept is not None and _is_steered(settings) else None)
        budget.since = kept.since if kept is not None and kept.held == budget.held else None
        budget._told_prices = {} if kept is None else kept.targets
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

    def begin(self, now: float) -> None:
        """The price is this budget's from now on, unless it was already."""
        if self.since is None:
            self.since = now

    @property
    def plans_read(self) -> int | None:
        """Number of the resource up to which plans have been read from the store; None: all of them."""
        return self._read_to if self.is_limited or len(self._targets) else None

    def load(self, resources: Sequence[Resource], *, is_last: bool = True) -> None:
        """What is planned already, as the store has it: the plans of an earlier run, and who is still visited."""
        for resource in resources:
            self._seen.add(resource.id)
            if resource.id not in self._census:
                self._note_earlier(resource)
        self._read_to = None if is_last else resources[-1].id
        if is_last:
            self._census.keep_only(self._seen)
            self._targets.keep_only(self._seen)
            self._seen = set()

    def _note_earlier(self, resource: Resource) -> None:
        census = self._census_of(resource)
        if census is None:
            return
        visited, result, bounds = resource.last_visit, resource.last_result, self.bounds(resource)
        if visited is None or result is None or not 0.0 < resource.due - visited < math.inf:
            return
        interval = resource.due - visited
        if result.is_success and resource.last_interval:
            interval = resource.last_interval  # it may have been brought forward since
        census.note(
            resource.id,
            interval=interval,
            cost=self.price_for(resource),
            bounds=(bounds.shortest, bounds.longest),
            visited=visited,
            is_free=result.is_success and self._may_move(resource),
            size=max(1.0, self._expected(resource)),
        )

    @property
    def price(self) -> float:
        """What a visit of usual size costs, in seconds of waiting summed over entries."""
        return self._control.price

    @property
    def prices(self) -> Prices:
        """The same as what a request costs and what a byte costs."""
        return Prices(self.price * (1.0 - self._by_byte), self.price * self._by_byte / _USUAL)

    def made(self, now: float) -> int:
        """Requests of this daemon in the last hour."""
        return int(self._made.total(now))

    @property
    def pace(self) -> float | None:
        """Requests a second that the budget allows; None: it sets no limit."""
        paces = [] if self._requests is None else [self._requests.rate]
        paces += [] if self._bytes is None else [self._bytes.rate / max(1.0, self._size.value)]
        return min(paces, default=None)

    def set_aside(self, resources: int, pace: float) -> None:
        """So many resources have requests of their own: the price is not theirs, and what they have not for others."""
        self._aside = (resources, pace)

    @property
    def is_limited(self) -> bool:
        return self._requests is not None or self._bytes is not None

    def price_for(self, resource: Resource) -> float:
        """What a visit of this resource costs; bytes count where they are budgeted.

        Without a budget a rule that names a price of its own has that.
        """
        if (wanted := self.wanted(resource)) is not None and (price := self._price_of(wanted)) is not None:
            return price
        own = None if self.held else self.own_price(resource)
        return self.prices.of(max(1.0, self._expected(resource))) if own is None else own

    def _price_of(self, wanted: Wanted) -> float | None:
        price = self._targets.price_of(wanted)
        return self._told_prices.get(wanted.scope) if price is None else price

    def _census_of(self, resource: Resource) -> Census | None:
        """Where its plans are noted: with those of its target, with all others; None: a strategy decides about it."""
        is_governed = self.is_governed(resource)
        wanted = None if is_governed else self.wanted(resource)
        target = self._targets.of(resource.id, wanted, begin=self._begin_target)
        if target is None and not is_governed:
            return self._census
        self._census.forget(resource.id)
        return None if target is None else target.census

    def _begin_target(self, wanted: Wanted) -> PriceController:
        control = self._control.another()
        if (told := self._told_prices.get(wanted.scope)) is not None:
            control.take(told)
        return control

    def origin_of(self, resource: Resource, site: Site | None) -> PriceOrigin:
        """What a visit of this resource costs and why; ``site`` may have a price of its own."""
        price = self.price_for(resource)
        bears = site.state.price if site is not None and resource.turn is not None else 0.0
        if bears > price:
            source, name = PriceSource.SITE, resource.site
        elif (wanted := self.wanted(resource)) is not None:
            source, name = PriceSource.TARGET, str(wanted)
        elif self.held:
            source, name = PriceSource.BUDGET, self.held
        elif self.own_price(resource) is not None:
            source, name = PriceSource.RULE, resource.rule or "predict.rule"
        else:
            source, name = PriceSource.SETTING, PRICE
        since = self.since if source is PriceSource.BUDGET else None
        return PriceOrigin(price=max(price, bears), weight=resource.weight, source=source, name=name, since=since)

    def room(self, now: float) -> int:
        """How many requests may be begun now."""
        room = math.inf
        if self._requests is not None:
            self._requests = self._requests.filled(now)
            room = self._requests.tokens
        if self._bytes is not None:
            self._bytes = self._bytes.filled(now)
            room = min(room, self._bytes.tokens / self._needed(self._bytes))
        return 1_000_000 if math.isinf(room) else max(0, int(room))

    # --- shared with other daemons: what is spent is drawn from the store ---

    def draws(self, room: int) -> list[Draw]:
        """What is owed, and what so many visits need."""
        draws = []
        if self._requests is not None:
            draws.append(_draw(_REQUESTS, self._requests, float(room), self._owed[_REQUESTS]))
        if self._bytes is not None:
            draws.append(_draw(_BYTES, self._bytes, math.ceil(room * self._needed(self._bytes)), self._owed[_BYTES]))
        return draws

    def note_drawn(self, draws: Sequence[Draw], drawn: Sequence[Drawn], now: float) -> int:
        """How many visits may be begun with what was granted; what is left is what all of them have."""
        room = math.inf
        for draw, got in zip(draws, drawn, strict=True):
            self._owed[draw.name] -= draw.owed + got.granted
            bucket = Bucket(draw.rate, draw.size, got.left + got.granted, now)
            if draw.name == _REQUESTS:
                self._requests, room = bucket, min(room, got.granted)
            else:
                self._bytes, room = bucket, min(room, got.granted / self._needed(bucket))
        return 1_000_000 if math.isinf(room) else int(room)

    @property
    def has_unspent(self) -> bool:
        """Whether something was drawn that nobody needed: others may."""
        return any(owed < 0.0 for owed in self._owed.values())

    def lead(self) -> None:
        """This daemon decides from now on: what is planned is read anew, for others have visited meanwhile."""
        self._census, self._read_to, self._seen = Census(), 0, set()
        self._corrected = -math.inf

    def follow(self, kept: KeptPrice) -> None:
        """Another daemon decides: its price is ours."""
        self._control.take(kept.price)
        self.since, self._by_byte, self._told_prices = kept.since, kept.by_byte, kept.targets

    def note_elsewhere(self, resources: Sequence[Resource]) -> None:
        """Visits that other daemons made."""
        for resource in resources:
            if resource.last_visit is not None and resource.last_visit > self._census.visited(resource.id):
                self._note_earlier(resource)

    def ready_at(self) -> float:
        """When the next request may be begun."""
        waits = [] if self._requests is None else [self._requests.ready_at()]
        if self._bytes is not None:
            waits.append(self._bytes.ready_at(self._needed(self._bytes)))
        return max(waits, default=-math.inf)

    def ahead(self, now: float) -> list[int]:
        """Resources to visit before their time: what a target would have had visited by now, and where budget lies
        idle those whose next visit is worth most.

        None before its shortest interval is over, and none named twice before it is visited.
        """
        spare, is_lost = math.inf, False
        for bucket, unit in ((self._requests, 1.0), (self._bytes, self._bytes and self._needed(self._bytes))):
            if bucket is not None and unit:
                full = bucket.filled(now)
                spare = min(spare, (full.tokens - _IDLE * full.size) / unit)
                is_lost |= full.tokens >= full.size
        if is_lost and self.room(now):  # what is full cannot wait until the other budget is plentiful, too
            spare = max(1.0, spare)
        late = self._targets.overdue(now)
        return late if math.isinf(spare) else late + self._census.most_urgent(now, self._prices_now(now), int(spare))

    def _prices_now(self, now: float) -> Prices:
        """Of two budgets the fuller one is spent first: small documents while bytes are short, large ones after that.

        Else each would overflow while the other is waited for, unless more could be saved up, and left at once.
        """
        if self._requests is None or self._bytes is None:
            return self.prices
        request, byte = (max(_SCARCE, 1.0 - max(0.0, one.filled(now).fill)) for one in (self._requests, self._bytes))
        return Prices(self.prices.request * request, self.prices.byte * byte)

    def note_leased(self, leases: Sequence[Lease], now: float) -> None:
        """Requests that leave now, what they will bring if they are as usual, and how late they are."""
        if self._requests is not None:
            self._requests = self._requests.spent(len(leases))
        self._owed[_REQUESTS] += len(leases)
        self._made.add(now, len(leases))
        for lease in leases:
            if self._bytes is not None:
                self._reserved[lease.id] = self._expected(lease.resource)
                self._bytes = self._bytes.spent(self._reserved[lease.id])
                self._owed[_BYTES] += self._reserved[lease.id]
            interval = lease.resource.last_interval
            if interval and math.isfinite(interval) and interval > 0:
                self._late.add(max(-1.0, min(10.0, (now - lease.resource.due) / interval)))

    def note_done(self, lease: Lease, outcome: Outcome, report: Report) -> None:
        """What a visit really cost, and the delays it ended."""
        trip = outcome.trip
        self._size.add(float(trip.bytes))
        received = trip.bytes + trip.robots_bytes
        self._received.add(trip.finished, received)
        # The first was paid for when it left; robots.txt has its price, and may have kept the first back.
        more = trip.requests + trip.robots_requests - 1
        self._made.add(trip.finished, more)
        self._owed[_REQUESTS] += more
        if self._requests is not None:
            self._requests = self._requests.spent(more)
        if self._bytes is not None:
            beyond = received - self._reserved.pop(lease.id, 0.0)
            self._owed[_BYTES] += beyond
            self._bytes = self._bytes.spent(beyond)
        if _was_not_asked(report):
            self._census.note_unasked(lease.resource.id)
            return
        interval = report.resource.due - trip.finished
        if not (math.isfinite(interval) and interval > 0):
            self._census.forget(lease.resource.id)
            self._targets.forget(lease.resource.id)
            return
        self._note_delays(lease.resource, report, interval)
        if (self.is_limited or len(self._targets) or self.wanted(lease.resource) is not None) and not report.is_guess:
            self._note_plan(lease.resource, report, interval, requests=float(trip.requests))

    def note_lost(self, lease: Lease) -> None:
        """A visit whose answer could not be concluded: what was set aside for it is free again."""
        if self._bytes is not None:
            unused = self._reserved.pop(lease.id, 0.0)
            self._owed[_BYTES] -= unused
            self._bytes = self._bytes.spent(-unused)

    def _note_plan(self, before: Resource, report: Report, interval: float, *, requests: float) -> None:
        after = report.resource
        census = self._census_of(after)
        if census is None:
            return
        bounds = self.bounds(after)
        census.note(
            after.id,
            interval=interval,
            cost=self.price_for(before),
            bounds=(bounds.shortest, bounds.longest),
            visited=report.visit.finished,
            is_free=self._is_free(report),
            size=max(1.0, self._expected(after)),
            requests=max(1.0, requests),
            own=report.pace.own_price,
        )

    def _note_delays(self, before: Resource, report: Report, interval: float) -> None:
        """Delays as they will be under the new interval: they go with it, and the old one tells how.

        So a new price shows at once, and not after everything has been visited under it. A delay counts from the visit
        before at most: an entry that bears an older date was late before it could be found.
        """
        since = before.last_ok
        if since is None:
            return
        bounds = self.bounds(report.resource)
        is_free = self._is_free(report) and 1.001 * bounds.shortest < interval < 0.999 * bounds.longest
        target = self._targets.of(before.id, self.wanted(before), begin=self._begin_target)
        if target is not None:
            note_visit(target, before, report)
        for entry in report.entries:
            span = entry.found - since
            if not entry.initial and span > 0:
                waited = min(max(0.0, entry.found - entry.published), span)
                if target is not None:
                    target.note_delay(waited / span * interval, is_free=is_free)
                else:
                    self._delays.note(waited / span * interval, self.price, is_free=is_free)

    def needs_correction(self, now: float) -> bool:
        """Whether there is something to hold and the last correction is long enough ago."""
        is_steered = _is_steered(self._settings) or len(self._targets) > 0
        return is_steered and now - self._corrected >= self._settings.every

    def correct(self, now: float, resources: int) -> None:
        """Move the price; ``resources`` are those that are visited at all."""
        is_first, self._corrected = math.isinf(self._corrected), now
        pace = self.pace
        self._targets.correct(gain=self._settings.gain, pace=None if pace is None else pace - self._aside[1])
        self._move(max(0, resources - self._aside[0] - self._targets.feeds), is_first=is_first)
        self._course.append(self.price)

    def _move(self, resources: int, *, is_first: bool) -> None:
        self._lateness, self._late = self._late.value, Mean(math.inf)  # of this span only
        self._census.end_calls()
        if len(self._census) > _TOO_MANY * resources:  # some were removed or paused: who is left?
            self._read_to = 0
        known = min(1.0, len(self._census) / max(1, resources))
        gain = 1.0 if is_first and known > _MOST_KNOWN else self._settings.gain
        if self._settings.mean_delay:
            wanted = self._delays.price_at(self._settings.mean_delay)
            if wanted is not None:
                self._control.aim(wanted, gain=gain)
            if self._bytes is None:
                return
        evidence = min(1.0, len(self._census) / min(_ENOUGH, max(1, resources)))
        prices = self._census.prices_for(
            requests=None if self._requests is None else known * self._left * self._requests.rate,
            bytes_=None if self._bytes is None else known * self._left * self._bytes.rate,
        )
        if prices is None:
            return
        total = prices.of(_USUAL)
        if self._settings.mean_delay and total <= self.price:  # the cap on bytes is no matter at this price
            return
        self._control.aim(total, gain=gain, evidence=1.0 if is_first else evidence)
        if self._bytes is not None and total > 0.0:
            self._by_byte += gain * (prices.byte * _USUAL / total - self._by_byte)

    @property
    def _left(self) -> float:
        """Share of the budget that strategies leave to others."""
        pace = self.pace
        return 1.0 if pace is None else max(1e-3, 1.0 - (self._aside[1] + self._targets.pace) / pace)

    def _needed(self, bucket: Bucket) -> float:
        """Bytes that must be there for a visit to begin; a bucket too small for one is enough when it is full."""
        return min(bucket.size, max(1.0, self._size.value))

    def _expected(self, resource: Resource) -> float:
        """Bytes that a visit of this resource brings, as far as is known."""
        visits = resource.counters.ok + resource.counters.failed
        return resource.counters.bytes / visits if visits else self._size.value

    def _is_free(self, report: Report) -> bool:
        """Whether the price had a say in this interval."""
        return report.visit.result.is_success and self._may_move(report.resource)

    def _may_move(self, resource: Resource) -> bool:
        """Whether a price can move the intervals of a resource: it is not pinned, and its rule looks at the price."""
        return resource.pinned is None and self.is_priced(resource)

    def keep(self, store: Store) -> None:
        """For the next run, and for whoever looks at the store from outside."""
        self.keeping()(store)

    def keeping(self) -> Callable[[Store], None]:
        """Writes what is true now, whenever that will be: no other thread looks at the budget itself."""
        targets = self._targets.prices() or self._told_prices
        price = KeptPrice(
            price=self.price, held=self.held, since=self.since, by_byte=self._by_byte, targets=dict(targets)
        )
        return partial(keep_budget, price=price, report=self.report(max(self._corrected, self.since or 0.0)))

    @property
    def targets(self) -> tuple[TargetReport, ...]:
        """What has become of each quality target."""
        return tuple(target.report() for target in self._targets.all)

    def report(self, now: float) -> BudgetReport:
        delay = self._delays.mean_at(self.price)
        settings = self._settings
        return BudgetReport(
            at=now,
            price=self.price,
            requests_per_hour=settings.hourly or None,
            used_last_hour=int(self._made.total(now)) + self.others,
            bytes_per_hour=settings.bytes_per_hour or None,
            bytes_last_hour=int(self._received.total(now)),
            target_delay=settings.mean_delay or None,
            mean_delay=delay,
            mean_lateness=self._lateness,
            delay_with_ten_percent_more=None if delay is None else delay_with(1.1, delay),
            settled=self.is_settled(now),
            since=self.since,
            targets=self.targets,
        )

    def is_settled(self, now: float) -> bool | None:
        """Whether the price stands still and the use is the budget, or everything that may be asked; None: no budget.

        The last ten corrections moved the price by less than 5 %, and the use of the last hour, or since the start, is
        within 5 % of the budget. Above it cannot be by more than what is saved up.
        """
        if not self.held:
            return None
        if len(self._course) < _STILL or max(self._course) > (1.0 + _WITHIN) * min(self._course):
            return False
        span = self._made.span(now)
        may_ask = self._census.demand(Prices(_FREE))
        for bucket, made, most, unit in (
            (self._requests, self._made, may_ask[0], 1.0),
            (self._bytes, self._received, may_ask[1], self._size.value),
        ):
            if bucket is not None:
                wanted = (1.0 - _WITHIN) * min(bucket.rate, most) * span
                used = made.total(now) + (self.others if made is self._made else 0.0)
                if span > 0.0 and used >= wanted - _LEAST * unit:
                    return True
        return not self.is_limited


def _draw(name: str, bucket: Bucket, wanted: float, owed: float) -> Draw:
    return Draw(name=name, rate=bucket.rate, size=bucket.size, wanted=wanted, owed=owed)


def _byte_bucket(per_hour: float, *, slack: float, least: float) -> Bucket | None:
    """Room for some visits of usual size: a bucket that is full before the next visit begins loses bytes."""
    if not per_hour:
        return None
    return hourly_bucket(per_hour, slack=slack, least=min(least * _USUAL, 0.5 * per_hour))


def _was_not_asked(report: Report) -> bool:
    """Whether the gate kept a visit back, or our own network was down: when it is tried again is no plan."""
    result, status = report.visit.result, report.visit.status
    return result is Result.OFFLINE or (result is Result.THROTTLED and status is None)


def _is_steered(settings: BudgetSettings) -> bool:
    """Whether there is something that the price has to hold."""
    return bool(settings.hourly or settings.bytes_per_hour or settings.mean_delay)
