"""The operator's budget in the running loop: how much may leave now, and at which price visits are planned."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from afresh.app.settings import BudgetSettings
from afresh.core.budget import Bucket, Demand, delay_with, hourly_bucket, moved_price, price_for_delay
from afresh.core.models import Lease, Outcome, Report, Resource
from afresh.core.protocols import Bounds, Store

_SETTING = "budget.price"
#: How far ahead of its time a resource may be served, as a share of its interval, when budget is left.
_EARLY = 0.5
_FORGET = 0.9  # weight of the past in the mean delay, per correction


@dataclass(slots=True)
class BudgetReport:
    """For status pages: what is allowed, what was used, what more would buy."""

    price: float
    requests_per_hour: float | None
    used_last_hour: int
    mean_delay: float | None
    mean_lateness: float  # in intervals; negative: served early
    delay_with_ten_percent_more: float | None


class Budget:
    """Meters the loop's requests and moves the price. Without a budget it lets everything pass at the default price."""

    def __init__(self, settings: BudgetSettings, *, price: float | None = None) -> None:
        self._settings = settings
        self.price = settings.price if price is None else price
        per_hour = settings.hourly
        self._requests: Bucket | None = hourly_bucket(per_hour) if per_hour else None
        self._bytes: Bucket | None = hourly_bucket(settings.bytes_per_hour) if settings.bytes_per_hour else None
        self._byte_price = 0.0
        self._demand = Demand()
        self.bounds: Callable[[Resource], Bounds] = lambda _: Bounds()  # of a resource's intervals; the planner knows
        self._corrected = -math.inf
        self._late_sum = self._late_count = 0.0
        self._delay_sum = self._delay_count = 0.0
        self._lateness = 0.0
        self._made: list[float] = []

    @classmethod
    def resumed(cls, settings: BudgetSettings, store: Store) -> "Budget":
        """With the price the last run had come to."""
        kept = store.get_setting(_SETTING)
        return cls(settings, price=float(kept) if kept else None)

    @property
    def is_limited(self) -> bool:
        return self._requests is not None or self._bytes is not None

    def price_for(self, resource: Resource) -> float:
        """What a visit of this resource costs, in entry-seconds; bytes count where they are budgeted."""
        visits = resource.counters.ok + resource.counters.failed
        size = resource.counters.bytes / visits if visits else 0.0
        return self.price + self._byte_price * size

    def room(self, now: float) -> int:
        """How many requests may be begun now."""
        room = math.inf
        if self._requests is not None:
            self._requests = self._requests.filled(now)
            room = self._requests.tokens
        if self._bytes is not None:
            self._bytes = self._bytes.filled(now)
            if self._bytes.tokens <= 0:
                room = 0
        return 1_000_000 if math.isinf(room) else max(0, int(room))

    def ready_at(self) -> float:
        """When the next request may be begun."""
        waits = [bucket.ready_at() for bucket in (self._requests, self._bytes) if bucket is not None]
        return max(waits, default=-math.inf)

    def early(self) -> float:
        """How many seconds before its time a resource may be taken: more, the more of the budget lies idle."""
        if self._requests is None or self._bytes is not None:
            return 0.0
        idle = self._requests.tokens / self._requests.size
        return _EARLY * self._settings.horizon * max(0.0, idle - 0.25)

    def note_leased(self, leases: Sequence[Lease], now: float) -> None:
        """Requests that leave now, and how late they are."""
        if self._requests is not None:
            self._requests = self._requests.spent(len(leases))
        self._made = [at for at in self._made if at > now - 3600.0] + [now] * len(leases)
        for lease in leases:
            interval = lease.resource.last_interval
            if interval and math.isfinite(interval) and interval > 0:
                self._late_sum += max(-1.0, min(10.0, (now - lease.resource.due) / interval))
                self._late_count += 1

    def note_done(self, outcome: Outcome, report: Report) -> None:
        """What a visit really cost, and the delays it ended."""
        if self._requests is not None:
            self._requests = self._requests.spent(len(outcome.trip.redirects))
        if self._bytes is not None:
            self._bytes = self._bytes.spent(outcome.trip.bytes)
        interval = report.resource.due - outcome.trip.finished
        if math.isfinite(interval) and interval > 0:
            self._demand.note(interval, self.price, is_free=self._is_free(report, interval))
        for entry in report.entries:
            if not entry.initial:
                self._delay_sum += entry.found - entry.published
                self._delay_count += 1

    def needs_correction(self, now: float) -> bool:
        """Whether there is something to hold and the last correction is long enough ago."""
        is_steered = self.is_limited or self._settings.mean_delay > 0
        return is_steered and now - self._corrected >= self._settings.every

    def correct(self, now: float, resources: int) -> None:
        """Move the price; ``resources`` are those that are visited at all."""
        settings = self._settings
        self._corrected = now
        self._demand.memory = min(20_000.0, max(300.0, resources))
        limits = {"gain": settings.gain, "lowest": settings.lowest_price, "highest": settings.highest_price}
        self._lateness = self._late_sum / self._late_count if self._late_count else 0.0
        wanted = None
        if settings.mean_delay and self._delay_count:
            wanted = price_for_delay(self.price, self._delay_sum / self._delay_count, settings.mean_delay)
        elif self._requests is not None:
            wanted = self._demand.price_for(resources, self._requests.rate, lateness=self._lateness)
        if wanted is not None:
            self.price = moved_price(self.price, wanted, **limits)
        if self._bytes is not None:
            scarcity = 2.0 - 2.0 * self._bytes.tokens / self._bytes.size  # 1 where the bucket is half full
            start = self._byte_price or self.price / 1e5
            aim = start * max(0.1, scarcity)
            self._byte_price = moved_price(start, aim, gain=settings.gain, lowest=1e-12, highest=1e6)
        self._late_sum, self._late_count = 0.0, 0.0  # of this span only: a queue shows its state at once
        self._delay_sum, self._delay_count = self._delay_sum * _FORGET, self._delay_count * _FORGET

    def _is_free(self, report: Report, interval: float) -> bool:
        """Whether the price had a say in this interval: a good visit, not pinned, not at a bound."""
        resource = report.resource
        if not report.visit.result.is_success or resource.pinned is not None:
            return False
        bounds = self.bounds(resource)
        return 1.001 * bounds.alpha < interval < 0.999 * bounds.beta

    def keep(self, store: Store) -> None:
        store.put_setting(_SETTING, repr(self.price))

    def report(self, now: float) -> BudgetReport:
        delay = self._delay_sum / self._delay_count if self._delay_count else None
        return BudgetReport(
            price=self.price,
            requests_per_hour=self._settings.hourly or None,
            used_last_hour=sum(at > now - 3600.0 for at in self._made),
            mean_delay=delay,
            mean_lateness=self._lateness,
            delay_with_ten_percent_more=None if delay is None else delay_with(1.1, delay),
        )
