"""The operator's budget and targets in the running loop: how much may leave now, and how the price is moved.

Where there is neither, nothing of this is loaded (``engine.budget``).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from afresh.base.models import Lease, Outcome, Report, Resource, Result
from afresh.base.records.daemons import Draw, Drawn
from afresh.engine.budget import USUAL, was_not_asked
from afresh.engine.demand import Census, Prices
from afresh.engine.price import Bucket, PriceController, hourly_bucket
from afresh.engine.quality_targets import Target, Targets, Wanted, note_visit
from afresh.engine.running_figures import Elastic, Mean

if TYPE_CHECKING:
    from afresh.engine.budget import Budget

_REQUESTS, _BYTES = "requests", "bytes"
_STILL, _WITHIN = 10, 0.05  # settled: the last so many corrections and the use are within this share
#: Share of what may be saved up that is plainly lying idle; the rest is for the time after a pause.
_IDLE = 0.25
_SLACK = 0.04  # of an hour's budget may be saved up
_LEAST = 2.0  # visits may be saved up at least: what one comes late by must not be lost to the next
_LEAST_OF_TWO = 5.0  # the same where visits wait for two budgets: large and small ones come in no order
_SCARCE = 0.01  # part of its price that even a budget costs that would be lost
_FREE = 1e-300  # a price at which everybody asks as often as it may
_MOST_KNOWN = 0.9  # share of the resources whose plans are known, from which on a first correction goes all the way
_TOO_MANY = 1.02  # plans for each resource that is visited, from which on it is read anew who still is
_ENOUGH = 50.0  # plans from which on demand is believed in full


class Steering:
    """Meters the requests of a budget and moves its price."""

    def __init__(self, budget: Budget) -> None:
        self._budget, self._settings = budget, budget.settings
        settings, per_hour = budget.settings, budget.settings.hourly
        slack = _SLACK * min(1.0, settings.every / 60.0)  # as much as some corrections of the price are late by
        least = _LEAST_OF_TWO if per_hour and settings.bytes_per_hour else _LEAST  # visits for which there is room
        self._requests = hourly_bucket(per_hour, slack=slack, least=least) if per_hour else None
        self._bytes = _byte_bucket(settings.bytes_per_hour, slack=slack, least=least)
        lowest = max(settings.lowest_price, settings.floor)
        self._control = PriceController(budget.price, lowest=lowest, highest=settings.highest_price)
        if settings.floor:  # an earlier run may have spent all
            budget.price = self.take(budget.price)
        elif self._bytes is not None:
            budget.by_byte = 0.5 if per_hour or settings.mean_delay else 1.0
        self._reserved: dict[int, float] = {}  # bytes set aside for visits under way, by lease
        self._owed = {_REQUESTS: 0.0, _BYTES: 0.0}  # spent beyond what was drawn from what all daemons share
        self._census = Census()
        self.targets = Targets()
        self._aside = (0, 0.0)  # resources that strategies govern, and the requests a second that these have
        self._course: deque[float] = deque(maxlen=_STILL)  # prices after the last corrections
        self.corrected = self._begun = -math.inf  # the last correction, and the first
        self._read_to: int | None = 0
        self._seen: set[int] = set()  # resources met with while plans are read
        self._late, self.lateness = Mean(math.inf), 0.0  # of leases since the last correction, and before it

    # --- what may leave now ---

    @property
    def is_limited(self) -> bool:
        return self._requests is not None or self._bytes is not None

    @property
    def pace(self) -> float | None:
        """Requests a second that the budget allows; None: it sets no limit."""
        paces = [] if self._requests is None else [self._requests.rate]
        paces += [] if self._bytes is None else [self._bytes.rate / max(1.0, self._budget.size.value)]
        return min(paces, default=None)

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

    def saved(self, now: float) -> Bucket | None:
        """The requests that may leave at once; None: their account has not begun, or bytes have a say as well."""
        requests = self._requests
        is_known = requests is not None and math.isfinite(requests.at) and self._bytes is None
        return requests.filled(now) if requests is not None and is_known else None

    def ready_at(self) -> float:
        """When the next request may be begun."""
        waits = [] if self._requests is None else [self._requests.ready_at()]
        if self._bytes is not None:
            waits.append(self._bytes.ready_at(self._needed(self._bytes)))
        return max(waits, default=-math.inf)

    def ahead(self, now: float) -> list[int]:
        """Resources to visit before their time: what a target would have had visited by now, and where budget lies
        idle those whose next visit is worth most.

        None before its shortest interval is over, or where the budget is a ceiling, before it would be due without
        one; and none named twice before it is visited.
        """
        spare, is_lost = math.inf, False
        for bucket, unit in ((self._requests, 1.0), (self._bytes, self._bytes and self._needed(self._bytes))):
            if bucket is not None and unit:
                full = bucket.filled(now)
                spare = min(spare, (full.tokens - _IDLE * full.size) / unit)
                is_lost |= full.tokens >= full.size
        if is_lost and self.room(now):  # what is full cannot wait until the other budget is plentiful, too
            spare = max(1.0, spare)
        late = self.targets.overdue(now)
        return late if math.isinf(spare) else late + self._census.most_urgent(now, self._prices_now(now), int(spare))

    def _prices_now(self, now: float) -> Prices:
        """Of two budgets the fuller one is spent first: small documents while bytes are short, large ones after that.

        Else each would overflow while the other is waited for, unless more could be saved up, and left at once.
        """
        prices = self.prices
        if self._requests is None or self._bytes is None:
            return prices
        request, byte = (max(_SCARCE, 1.0 - max(0.0, one.filled(now).fill)) for one in (self._requests, self._bytes))
        return Prices(prices.request * request, prices.byte * byte)

    @property
    def prices(self) -> Prices:
        """The price of a visit as what a request costs and what a byte costs."""
        price, by_byte = self._budget.price, self._budget.by_byte
        return Prices(price * (1.0 - by_byte), price * by_byte / USUAL)

    def _needed(self, bucket: Bucket) -> float:
        """Bytes that must be there for a visit to begin; a bucket too small for one is enough when it is full."""
        return min(bucket.size, max(1.0, self._budget.size.value))

    def resume(self, spent: float | None) -> None:
        """Nothing was left when the last visit was made; before the first (None) there is enough for it."""
        if self._requests is not None:
            self._requests = _resumed(self._requests, 1.0, spent)
        if self._bytes is not None:
            self._bytes = _resumed(self._bytes, self._needed(self._bytes), spent)

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
        self.corrected = -math.inf

    def take(self, price: float) -> float:
        """The price that another daemon has come to, within our bounds."""
        self._control.take(price)
        return self._control.price

    # --- what visits cost ---

    def note_leased(self, leases: Sequence[Lease], now: float) -> None:
        """What visits will bring if they are as usual, and how late they are."""
        self._spend_requests(len(leases))
        for lease in leases:
            if self._bytes is not None:
                self._reserved[lease.id] = expected = self._budget.expected(lease.resource)
                self._spend_bytes(expected)
            interval = lease.resource.last_interval
            if interval and math.isfinite(interval) and interval > 0:
                self._late.add(max(-1.0, min(10.0, (now - lease.resource.due) / interval)))

    def note_done(self, lease: Lease, outcome: Outcome, report: Report) -> None:
        """What a visit really cost, and what it plans."""
        trip, resource = outcome.trip, lease.resource
        read = trip.bytes + trip.robots_bytes
        self.spend(trip.requests + trip.robots_requests - 1, read - self._reserved.pop(lease.id, 0.0))
        if was_not_asked(report):
            self._census.note_unasked(resource.id)
            return
        interval = report.resource.due - trip.finished
        if not (math.isfinite(interval) and interval > 0):
            self._census.forget(resource.id)
            self.targets.forget(resource.id)
        elif self._knows_plans(resource) and not report.is_guess:
            self._note_plan(resource, report, interval, requests=float(trip.requests))

    def note_lost(self, lease: Lease) -> None:
        """A visit whose answer could not be concluded: what was set aside for it is free again."""
        self._spend_bytes(-self._reserved.pop(lease.id, 0.0))

    def spend(self, requests: int, read: float) -> None:
        """Requests and bytes of no visit."""
        self._spend_requests(requests)
        self._spend_bytes(read)

    def _spend_requests(self, count: int) -> None:
        self._owed[_REQUESTS] += count
        if self._requests is not None:
            self._requests = self._requests.spent(count)

    def _spend_bytes(self, count: float) -> None:
        if self._bytes is not None:
            self._owed[_BYTES] += count
            self._bytes = self._bytes.spent(count)

    # --- what is planned ---

    def _knows_plans(self, resource: Resource) -> bool:
        return self.is_limited or len(self.targets) > 0 or self._budget.wanted(resource) is not None

    @property
    def plans_read(self) -> int | None:
        """Number of the resource up to which plans have been read from the store; None: all of them."""
        return self._read_to if self.is_limited or len(self.targets) else None

    def load(self, resources: Sequence[Resource], *, is_last: bool = True) -> None:
        """What is planned already, as the store has it: the plans of an earlier run, and who is still visited."""
        for resource in resources:
            self._seen.add(resource.id)
            if resource.id not in self._census:
                self._note_earlier(resource)
        self._read_to = None if is_last else resources[-1].id
        if is_last:
            self._census.keep_only(self._seen)
            self.targets.keep_only(self._seen)
            self._seen = set()

    def note_elsewhere(self, resources: Sequence[Resource]) -> None:
        """Visits that other daemons made."""
        for resource in resources:
            if resource.last_visit is not None and resource.last_visit > self._census.visited(resource.id):
                self._note_earlier(resource)

    def _note_earlier(self, resource: Resource) -> None:
        census, budget = self._census_of(resource), self._budget
        if census is None:
            return
        visited, result, bounds = resource.last_visit, resource.last_result, budget.bounds(resource)
        # The store does not tell a visit that was kept back from one that a server put off: neither is a plan, and the
        # seconds until the next try would be taken for an interval.
        if visited is None or result is None or result in (Result.THROTTLED, Result.OFFLINE):
            return
        if not 0.0 < resource.due - visited < math.inf:
            return
        interval = resource.due - visited
        if result.is_success and resource.last_interval:
            interval = resource.last_interval  # it may have been brought forward since
        census.note(
            resource.id,
            interval=interval,
            cost=budget.price_for(resource),
            bounds=(bounds.shortest, bounds.longest),
            visited=visited,
            is_free=result.is_success and budget.may_move(resource),
            size=budget.expected(resource),
            least=budget.least_for(resource),
        )

    def _note_plan(self, before: Resource, report: Report, interval: float, *, requests: float) -> None:
        after, budget = report.resource, self._budget
        census = self._census_of(after)
        if census is None:
            return
        bounds = budget.bounds(after)
        census.note(
            after.id,
            interval=interval,
            cost=budget.price_for(before),
            bounds=(bounds.shortest, bounds.longest),
            visited=report.visit.finished,
            is_free=budget.is_free(report),
            size=budget.expected(after),
            requests=max(1.0, requests),
            own=report.pace.own_price,
            least=budget.least_for(before),
        )

    def _census_of(self, resource: Resource) -> Census | None:
        """Where its plans are noted: with those of its target, with all others; None: a strategy decides about it."""
        is_governed = self._budget.is_governed(resource)
        target = self._target_of(resource, None if is_governed else self._budget.wanted(resource))
        if target is None and not is_governed:
            return self._census
        self._census.forget(resource.id)
        return None if target is None else target.census

    def _target_of(self, resource: Resource, wanted: Wanted | None) -> Target | None:
        return self.targets.of(resource.id, wanted, begin=self._begin_target)

    def _begin_target(self, wanted: Wanted) -> PriceController:
        control = self._control.another(lowest=self._settings.lowest_price)  # it says itself what it needs
        if (told := self._budget.told_prices.get(wanted.scope)) is not None:
            control.take(told)
        return control

    def delays_of(self, before: Resource, report: Report) -> tuple[Elastic, float]:
        """Where the delays of a resource are noted, and its price: with its target, which learns of the visit."""
        target = self._target_of(before, self._budget.wanted(before))
        if target is None:
            return self._budget.delays, self._budget.price
        note_visit(target, before, report)
        return target.delays, target.price

    def set_aside(self, resources: int, pace: float) -> None:
        """So many resources have requests of their own: the price is not theirs, and what they have not for others."""
        self._aside = (resources, pace)

    # --- how the price is moved ---

    def needs_correction(self, now: float) -> bool:
        """Whether there is something to hold and the last correction is long enough ago."""
        return bool(self._budget.held or len(self.targets)) and now - self.corrected >= self._settings.every

    def correct(self, now: float, resources: int) -> None:
        """Move the price; ``resources`` are those that are visited at all."""
        is_first, self.corrected = math.isinf(self.corrected), now
        self._begun = now if is_first else self._begun
        pace = self.pace
        self.targets.correct(gain=self._settings.gain, pace=None if pace is None else pace - self._aside[1])
        self._move(max(0, resources - self._aside[0] - self.targets.feeds), is_first=is_first)
        self._budget.price = self._control.price
        self._course.append(self._control.price)

    def _move(self, resources: int, *, is_first: bool) -> None:
        self.lateness, self._late = self._late.value, Mean(math.inf)  # of this span only
        self._census.end_calls()
        if len(self._census) > _TOO_MANY * resources:  # some were removed or paused: who is left?
            self._read_to = 0
        known = min(1.0, len(self._census) / max(1, resources))
        goes_on = self._budget.goes_on
        gain = 1.0 if is_first and known > _MOST_KNOWN and not goes_on else self._settings.gain
        if self._settings.mean_delay:
            delays = self._budget.delays
            wanted = delays.price_at(self._settings.mean_delay)
            if wanted is not None:
                self._control.aim(wanted, gain=gain * min(1.0, delays.count / _ENOUGH) if goes_on else gain)
            if self._bytes is None:
                return
        if goes_on:  # at which price an earlier run made its plans is not known: they do not tell which one is right
            gain *= self._census.share_since(self._begun, self.prices)
        evidence = min(1.0, len(self._census) / min(_ENOUGH, max(1, resources)))
        prices = self._census.prices_for(
            requests=None if self._requests is None else known * self._left * self._requests.rate,
            bytes_=None if self._bytes is None else known * self._left * self._bytes.rate,
        )
        if prices is None:
            return
        total = prices.of(USUAL)
        if total <= self._settings.floor:  # what is needed is within the budget: bytes are not scarce
            prices = Prices(self._settings.floor)
        if self._settings.mean_delay and total <= self._control.price:  # the cap on bytes is no matter at this price
            return
        self._control.aim(total, gain=gain, evidence=1.0 if is_first else evidence)
        if self._bytes is not None and total > 0.0:
            self._budget.by_byte += gain * (prices.byte * USUAL / total - self._budget.by_byte)

    def _most(self) -> tuple[float, float]:
        """Requests and bytes a second that are asked for at the lowest price."""
        return self._census.demand(Prices(self._settings.floor or _FREE))

    def may_spend(self, more: float) -> bool:
        """Whether so many times the budget would be spent, at the lowest price; while no plan is known: it would."""
        if not len(self._census):
            return True
        buckets = zip((self._requests, self._bytes), self._most(), strict=True)
        return all(bucket is None or most >= more * bucket.rate for bucket, most in buckets)

    @property
    def _left(self) -> float:
        """Share of the budget that strategies leave to others."""
        pace = self.pace
        return 1.0 if pace is None else max(1e-3, 1.0 - (self._aside[1] + self.targets.pace) / pace)

    def is_settled(self, now: float) -> bool | None:
        """Whether the price stands still and the use is the budget, or everything that may be asked; None: no budget.

        The last ten corrections moved the price by less than 5 %, and the use of the last hour, or since the start, is
        within 5 % of the budget. Above it cannot be by more than what is saved up.
        """
        budget = self._budget
        if not budget.held:
            return None
        if len(self._course) < _STILL or max(self._course) > (1.0 + _WITHIN) * min(self._course):
            return False
        span = budget.requests.span(now)
        may_ask = self._most()
        for bucket, made, most, unit in (
            (self._requests, budget.requests.total(now) + budget.others, may_ask[0], 1.0),
            (self._bytes, budget.bytes.total(now), may_ask[1], budget.size.value),
        ):
            if bucket is not None:
                wanted = (1.0 - _WITHIN) * min(bucket.rate, most) * span
                if span > 0.0 and made >= wanted - _LEAST * unit:
                    return True
        return not self.is_limited


def _draw(name: str, bucket: Bucket, wanted: float, owed: float) -> Draw:
    return Draw(name=name, rate=bucket.rate, size=bucket.size, wanted=wanted, owed=owed)


def _resumed(bucket: Bucket, first: float, spent: float | None) -> Bucket:
    return replace(bucket, tokens=first) if spent is None else replace(bucket, at=spent)


def _byte_bucket(per_hour: float, *, slack: float, least: float) -> Bucket | None:
    """Room for some visits of usual size: a bucket that is full before the next visit begins loses bytes."""
    if not per_hour:
        return None
    return hourly_bucket(per_hour, slack=slack, least=min(least * USUAL, 0.5 * per_hour))
