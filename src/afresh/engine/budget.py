"""The operator's budget in the running loop: how much may leave now, and at which price visits are planned."""

import json
import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from afresh.base.models import Lease, Outcome, Report, Resource
from afresh.base.protocols import Bounds, Store
from afresh.base.settings.watching import BudgetSettings
from afresh.engine.price import Bucket, Demand, Elastic, PriceController, delay_with, hourly_bucket

_SETTING, _REPORT = "budget.price", "budget.report"
#: Share of what may be saved up that is plainly lying idle; the rest is for the time after a pause.
_IDLE = 0.25
_SLACK = 0.04  # of an hour's budget may be saved up
_USUAL = 20_000.0  # bytes of a usual visit: what a price is named for, and the guess before the first
#: How fast the part of the price that is paid by the byte follows what is scarce, per correction: slower than visits,
#: for the evidence of large resources, seldom visited, takes its time.
_SHIFT = 0.02
_SIZES = 500.0  # visits that the mean size of an answer reaches back
_ENTRIES = 400.0  # entries that the mean delay reaches back


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetReport:
    """For status pages: what is allowed, what was used, what more would buy."""

    at: float
    price: float
    requests_per_hour: float | None
    used_last_hour: int
    bytes_per_hour: float | None
    bytes_last_hour: int
    target_delay: float | None  # the quality target; None: there is none
    mean_delay: float | None
    mean_lateness: float  # in intervals; negative: served early
    delay_with_ten_percent_more: float | None


class Budget:
    """Meters the loop's requests and moves the price. Without a budget it lets everything pass at the default price."""

    def __init__(self, settings: BudgetSettings, *, price: float | None = None) -> None:
        self._settings = settings
        per_hour = settings.hourly
        slack = _SLACK * min(1.0, settings.every / 60.0)  # as much as some corrections of the price are late by
        self._requests = hourly_bucket(per_hour, slack=slack) if per_hour else None
        self._bytes = hourly_bucket(settings.bytes_per_hour, slack=slack) if settings.bytes_per_hour else None
        self._control = PriceController(
            settings.price if price is None else price, lowest=settings.lowest_price, highest=settings.highest_price
        )
        self._by_byte = 0.0 if self._bytes is None else 0.5 if per_hour or settings.mean_delay else 1.0  # part paid so
        self._size = _Mean(_SIZES, _USUAL)  # bytes of a visit
        self._reserved: dict[int, float] = {}  # bytes set aside for visits under way, by lease
        self._demand, self._byte_demand, self._delays = Demand(), Demand(), Elastic(_ENTRIES)
        self.bounds: Callable[[Resource], Bounds] = lambda _: Bounds()  # of a resource's intervals; the planner knows
        self._corrected = -math.inf
        self._late = _Mean(math.inf)
        self._lateness = 0.0
        # Bytes come in lumps, and so does what lies idle of them: only its mean says something.
        self._spare = _Mean(1.0 if self._bytes is None else 300.0)
        self._made, self._received = _LastHour(), _LastHour()

    @classmethod
    def resumed(cls, settings: BudgetSettings, store: Store) -> "Budget":
        """With the price the last run had come to."""
        kept = store.get_setting(_SETTING)
        return cls(settings, price=float(kept) if kept else None)

    @property
    def price(self) -> float:
        """What a visit of usual size costs, in entry-seconds."""
        return self._control.price

    @property
    def is_limited(self) -> bool:
        return self._requests is not None or self._bytes is not None

    def price_for(self, resource: Resource) -> float:
        """What a visit of this resource costs, in entry-seconds; bytes count where they are budgeted."""
        share = self._by_byte
        return self.price * (1.0 - share + share * max(1.0, self._expected(resource)) / _USUAL)

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

    def ready_at(self) -> float:
        """When the next request may be begun."""
        waits = [] if self._requests is None else [self._requests.ready_at()]
        if self._bytes is not None:
            waits.append(self._bytes.ready_at(self._needed(self._bytes)))
        return max(waits, default=-math.inf)

    def early(self) -> float:
        """How many seconds before its time a resource may be taken: more, the more of the budget lies idle.

        None where bytes are counted: small resources, the often visited ones, would take what the large ones wait for.
        """
        if self._requests is None or self._bytes is not None:
            return 0.0
        return self._settings.horizon * _idle(self._requests)

    def note_leased(self, leases: Sequence[Lease], now: float) -> None:
        """Requests that leave now, what they will bring if they are as usual, and how late they are."""
        if self._requests is not None:
            self._requests = self._requests.spent(len(leases))
        self._made.add(now, len(leases))
        for lease in leases:
            if self._bytes is not None:
                self._reserved[lease.id] = self._expected(lease.resource)
                self._bytes = self._bytes.spent(self._reserved[lease.id])
            interval = lease.resource.last_interval
            if interval and math.isfinite(interval) and interval > 0:
                self._late.add(max(-1.0, min(10.0, (now - lease.resource.due) / interval)))

    def note_done(self, lease: Lease, outcome: Outcome, report: Report) -> None:
        """What a visit really cost, and the delays it ended."""
        trip = outcome.trip
        self._size.add(float(trip.bytes))
        self._received.add(trip.finished, trip.bytes)
        more = trip.requests - 1  # the first was paid for when it left; robots.txt may have kept it back
        self._made.add(trip.finished, more)
        if self._requests is not None:
            self._requests = self._requests.spent(more)
        if self._bytes is not None:
            self._bytes = self._bytes.spent(trip.bytes - self._reserved.pop(lease.id, 0.0))
        interval = report.resource.due - trip.finished
        if report.is_guess:
            return
        if math.isfinite(interval) and interval > 0:
            is_free = self._is_free(report, interval)
            span = trip.finished - (lease.resource.last_visit or -math.inf)
            seen = {"span": span if 0.0 < span < math.inf else interval, "interval": interval, "price": self.price}
            seen["own"] = report.pace.own_price  # above the price of all: its site bears no more
            self._demand.note(**seen, is_free=is_free, cost=float(trip.requests))
            self._byte_demand.note(**seen, is_free=is_free, cost=float(trip.bytes))
            self._note_delays(lease.resource, report, interval, is_free=is_free)

    def _note_delays(self, before: Resource, report: Report, interval: float, *, is_free: bool) -> None:
        """Delays as they will be under the new interval: they go with it, and the old one tells how.

        So a new price shows at once, and not after everything has been visited under it. A delay counts from the visit
        before at most: an entry that bears an older date was late before it could be found.
        """
        since = before.last_ok
        if since is None:
            return
        for entry in report.entries:
            span = entry.found - since
            if not entry.initial and span > 0:
                waited = min(max(0.0, entry.found - entry.published), span)
                self._delays.note(waited / span * interval, self.price, is_free=is_free)

    def needs_correction(self, now: float) -> bool:
        """Whether there is something to hold and the last correction is long enough ago."""
        is_steered = self.is_limited or self._settings.mean_delay > 0
        return is_steered and now - self._corrected >= self._settings.every

    def correct(self, now: float, resources: int) -> None:
        """Move the price; ``resources`` are those that are visited at all."""
        self._corrected = now
        self._demand.memory = min(20_000.0, max(100.0, resources))
        self._byte_demand.memory = min(100_000.0, max(1_000.0, 6.0 * resources))  # few visits bring most of the bytes
        self._lateness = self._late.value
        self._spare.add(min((_idle(one) for one in (self._requests, self._bytes) if one is not None), default=0.0))
        self._late = _Mean(math.inf)  # of this span only: a queue shows its state at once
        for_requests, for_bytes = self._wanted(resources)
        known = [price for price in (for_requests, for_bytes) if price is not None]
        if known:  # the dearer one: a cap holds whatever the other end asks for
            evidence = 1.0 if self._settings.mean_delay else self._demand.evidence
            self._control.aim(max(known), gain=self._settings.gain, evidence=evidence)
        if for_requests is not None and for_bytes is not None:
            scarcity = math.log((for_bytes + 1e-9) / (for_requests + 1e-9)) if max(known) < math.inf else 0.0
            self._by_byte = max(0.0, min(1.0, self._by_byte + _SHIFT * max(-1.0, min(1.0, scarcity))))

    def _wanted(self, resources: int) -> tuple[float | None, float | None]:
        """The price that would do for requests, or for the quality target, and the one that would do for bytes."""
        for_requests = for_bytes = None
        late = self._lateness - self._spare.value
        if self._settings.mean_delay:
            for_requests = self._delays.price_at(self._settings.mean_delay)
        elif self._requests is not None:
            for_requests = self._demand.price_for(resources, self._requests.rate, lateness=late)
        if self._bytes is not None:
            for_bytes = self._byte_demand.price_for(resources, self._bytes.rate, lateness=late)
        return for_requests, for_bytes

    def _needed(self, bucket: Bucket) -> float:
        """Bytes that must be there for a visit to begin; a bucket too small for one is enough when it is full."""
        return min(bucket.size, max(1.0, self._size.value))

    def _expected(self, resource: Resource) -> float:
        """Bytes that a visit of this resource brings, as far as is known."""
        visits = resource.counters.ok + resource.counters.failed
        return resource.counters.bytes / visits if visits else self._size.value

    def _is_free(self, report: Report, interval: float) -> bool:
        """Whether the price had a say in this interval: a good visit, not pinned, not at a bound."""
        resource = report.resource
        if not report.visit.result.is_success or resource.pinned is not None:
            return False
        bounds = self.bounds(resource)
        return 1.001 * bounds.shortest < interval < 0.999 * bounds.longest

    def keep(self, store: Store) -> None:
        """For the next run, and for whoever looks at the store from outside."""
        store.put_setting(_SETTING, repr(self.price))
        store.put_setting(_REPORT, json.dumps(asdict(self.report(self._corrected))))

    def report(self, now: float) -> BudgetReport:
        delay = self._delays.mean_at(self.price)
        settings = self._settings
        return BudgetReport(
            at=now,
            price=self.price,
            requests_per_hour=settings.hourly or None,
            used_last_hour=int(self._made.total(now)),
            bytes_per_hour=settings.bytes_per_hour or None,
            bytes_last_hour=int(self._received.total(now)),
            target_delay=settings.mean_delay or None,
            mean_delay=delay,
            mean_lateness=self._lateness,
            delay_with_ten_percent_more=None if delay is None else delay_with(1.1, delay),
        )


def _idle(bucket: Bucket) -> float:
    """How plainly budget lies unused, from 0 to 1: a queue that is early, so to speak."""
    return max(0.0, min(1.0, bucket.tokens / (_IDLE * bucket.size)))


def kept_report(store: Store) -> BudgetReport | None:
    """What the daemon of this store last said about its budget; None: it never held one."""
    text = store.get_setting(_REPORT)
    return BudgetReport(**json.loads(text)) if text else None


class _Mean:
    """A running mean that reaches back about ``memory`` values; before the first it is the ``guess``."""

    __slots__ = ("_count", "_memory", "value")

    def __init__(self, memory: float, guess: float = 0.0) -> None:
        self._memory, self._count, self.value = memory, 0.0, guess

    def add(self, value: float) -> None:
        self._count = min(self._memory, self._count + 1.0)
        self.value += (value - self.value) / self._count


class _LastHour:
    """A sum over the last 3600 seconds."""

    __slots__ = ("_sum", "_values")

    def __init__(self) -> None:
        self._values: deque[tuple[float, float]] = deque()
        self._sum = 0.0

    def add(self, now: float, amount: float) -> None:
        if amount:
            self._values.append((now, amount))
            self._sum += amount
            self.total(now)

    def total(self, now: float) -> float:
        while self._values and self._values[0][0] <= now - 3600.0:
            self._sum -= self._values.popleft()[1]
        return self._sum
