"""Holding a budget: a pace that is never exceeded, and a price at which demand equals it.

Requests leave at the pace of the budget, the most overdue first, and a little early when there is time left: so the use
equals the budget whenever there is enough to do, whatever the price. The price decides *what* is due. It is computed
from the intervals that visits were given lately: served resources are a sample weighted by frequency, in which the
mean interval is the number of resources over the demand; and intervals go with the square root of the price. What is
left of the error shows as lateness of the queue and is taken back with it.
"""

import math
from dataclasses import dataclass, replace

#: Largest factor by which one correction may move the price.
_MOST = 4.0
#: How much of the queue's lateness, in intervals, is worked off at a time.
_WORK_OFF = 0.15


@dataclass(frozen=True, slots=True)
class Bucket:
    """A token bucket: ``rate`` tokens a second, at most ``size`` saved up. Spending more than there is makes a debt."""

    rate: float
    size: float
    tokens: float = 0.0
    at: float = -math.inf  # when ``tokens`` was true

    def filled(self, now: float) -> "Bucket":
        """The bucket at a later time; a clock that goes back adds nothing."""
        if math.isinf(self.at):
            return replace(self, at=now)
        gained = max(0.0, now - self.at) * self.rate
        return replace(self, tokens=min(self.size, self.tokens + gained), at=max(now, self.at))

    def spent(self, amount: float) -> "Bucket":
        return replace(self, tokens=self.tokens - amount)

    def ready_at(self, amount: float = 1.0) -> float:
        """When that many tokens will be there."""
        return self.at if self.tokens >= amount else self.at + (amount - self.tokens) / self.rate


def hourly_bucket(per_hour: float, *, slack: float = 0.04) -> Bucket:
    """A bucket that lets at most ``1 + slack`` times the hourly amount pass in any hour.

    >>> hourly_bucket(3600.0).size
    144.0
    """
    return Bucket(rate=per_hour / 3600.0, size=max(1.0, slack * per_hour))


@dataclass(slots=True)
class Demand:
    """What the resources ask for, learnt from the intervals given to them; forgets the older ones."""

    memory: float = 500.0  # visits
    count: float = 0.0
    free: float = 0.0  # Σ interval / sqrt(price), of intervals that a price moves
    fixed: float = 0.0  # Σ interval, of those at a bound, pinned, or after an error

    def note(self, interval: float, price: float, *, is_free: bool) -> None:
        """An interval given under a price."""
        keep = 1.0 - 1.0 / self.memory
        self.count, self.free, self.fixed = self.count * keep + 1.0, self.free * keep, self.fixed * keep
        if is_free:
            self.free += interval / math.sqrt(price)
        else:
            self.fixed += interval

    def price_for(self, resources: int, rate: float, *, lateness: float = 0.0) -> float | None:
        """The price at which so many resources ask for ``rate`` visits a second; None: nothing is known yet.

        mean interval = resources / rate, hence sqrt(price) = (resources / rate · count - fixed) / free. Zero means that
        even free requests would leave budget over.

        >>> demand = Demand()
        >>> demand.note(200.0, 100.0, is_free=True)
        >>> round(demand.price_for(10, 0.1))  # the mean interval must halve: a quarter of the price
        25
        """
        if self.count <= 0 or resources <= 0:
            return None
        stretch = 1.0 + _WORK_OFF * max(-1.0, min(1.0, lateness))
        room = resources / rate * self.count * stretch - self.fixed
        if room <= 0:
            return 0.0
        return math.inf if self.free <= 0 else (room / self.free) ** 2


def moved_price(price: float, wanted: float, *, gain: float, lowest: float, highest: float) -> float:
    """A step from the price towards the wanted one, on a logarithmic scale; damped, bounded.

    >>> moved_price(100.0, 400.0, gain=0.5, lowest=1.0, highest=1e9)
    200.0
    """
    aim = min(highest, max(lowest, wanted))
    step = gain * math.log(aim / price)
    return price * math.exp(min(math.log(_MOST), max(-math.log(_MOST), step)))


def price_for_delay(price: float, delay: float, target: float) -> float:
    """The price at which the mean delay would be the wanted one: it goes with the intervals, they with its root.

    >>> price_for_delay(400.0, 600.0, 1200.0)
    1600.0
    """
    return price * (target / max(delay, 1e-9)) ** 2


def delay_with(budget_factor: float, delay: float) -> float:
    """The mean delay to expect from ``budget_factor`` times the requests: it goes with the intervals.

    >>> round(delay_with(1.1, 60.0), 1)
    54.5
    """
    return delay / budget_factor
