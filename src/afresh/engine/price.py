"""Holding a budget: a pace that is never exceeded, and a price at which demand equals it; for daemon and lab alike.

Requests leave at the pace of the budget, the most overdue first, and a little early when there is time left: so the use
equals the budget whenever there is enough to do, whatever the price. The price decides *what* is due. It is computed
from the intervals that visits were given lately: what was served is a sample of the resources in which each appears as
often as it is visited, and intervals go with the square root of the price. What is left of the error shows as lateness
of the queue and is taken back with it.
"""

import math
from dataclasses import dataclass, replace

#: Largest factor by which one correction may move the price.
_MOST = 4.0
#: How much of the queue's lateness, in intervals, is worked off at a time.
_WORK_OFF = 0.15
#: Visits from which on demand is believed in full: the error of a mean of intervals is then about a fifth.
_ENOUGH = 50.0


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
class Elastic:
    """A running mean of which a part goes with the root of the price: delays, for they go with the intervals.

    Forgets the older values. What is at a bound, pinned, or followed an error is ``fixed``: no price moves it.
    """

    memory: float = 500.0  # values
    count: float = 0.0
    free: float = 0.0  # Σ value / sqrt(price)
    fixed: float = 0.0  # Σ value

    def note(self, value: float, price: float, *, is_free: bool, times: float = 1.0) -> None:
        """A value met with under a price; ``times``: the mean of so many values."""
        keep = (1.0 - 1.0 / self.memory) ** times
        self.count, self.free, self.fixed = self.count * keep + times, self.free * keep, self.fixed * keep
        if is_free:
            self.free += times * value / math.sqrt(price)
        else:
            self.fixed += times * value

    def mean_at(self, price: float) -> float | None:
        """The mean to expect under a price; None: nothing is known yet."""
        return (math.sqrt(price) * self.free + self.fixed) / self.count if self.count > 0 else None

    def price_at(self, mean: float) -> float | None:
        """The price under which the mean would be this; zero: none is low enough, infinity: none is high enough.

        >>> delays = Elastic()
        >>> delays.note(600.0, 400.0, is_free=True)
        >>> round(delays.price_at(1200.0))
        1600
        """
        if self.count <= 0:
            return None
        room = mean * self.count - self.fixed
        if room <= 0:
            return 0.0
        return math.inf if self.free <= 0 else (room / self.free) ** 2


@dataclass(slots=True)
class Demand:
    """What the resources ask for, in requests or in bytes a second, learnt from visits; forgets the older ones.

    A visit stands for its resource in proportion to the time since the visit before: whatever is visited twice as
    often appears twice as often and counts half. So the estimate holds while prices move, too.
    """

    memory: float = 500.0  # visits
    visits: float = 0.0
    spans: float = 0.0  # Σ span
    free: float = 0.0  # Σ span · cost · sqrt(price) / interval, of intervals that a price moves
    fixed: float = 0.0  # Σ cost · min(1, span / interval) of the others: at a bound, pinned, after an error
    capped: float = 0.0  # Σ span · cost / interval, of those whose site bears no more and has a price of its own
    relieved: float = 0.0  # Σ span · cost · sqrt(own price) / interval, of the same

    def note(
        self, *, span: float, interval: float, price: float, is_free: bool, cost: float = 1.0, own: float = 0.0
    ) -> None:
        """A visit ``span`` seconds after the one before; its resource was given an interval under a price.

        ``own``: the price of its site, where that is higher: then the price of all has no say until it is as high.
        """
        keep = 1.0 - 1.0 / self.memory
        self.visits = self.visits * keep + 1.0
        self.spans, self.free, self.fixed = self.spans * keep + span, self.free * keep, self.fixed * keep
        self.capped, self.relieved = self.capped * keep, self.relieved * keep
        if is_free and own > price:
            self.capped += span * cost / interval
            self.relieved += span * cost / interval * math.sqrt(min(own, 1e30))
        elif is_free:
            self.free += span * cost / interval * math.sqrt(price)
        else:
            self.fixed += cost * min(1.0, span / interval)  # a pause of its site may make it rarer than it asks for

    @property
    def evidence(self) -> float:
        """How far the estimate may be trusted: what the first few visits happen to show is no reason to leap."""
        return min(1.0, self.visits / _ENOUGH)

    def price_for(self, resources: int, rate: float, *, lateness: float = 0.0) -> float | None:
        """The price at which so many resources ask for ``rate`` a second; None: nothing is known yet.

        ``lateness`` of the queue in intervals, negative where budget lies idle, is worked off besides.

        Zero: even free requests would leave budget over. Infinity: what no price moves asks for more than the budget.

        >>> demand = Demand()
        >>> demand.note(span=200.0, interval=200.0, price=100.0, is_free=True)
        >>> round(demand.price_for(10, 0.1))  # the interval must halve: a quarter of the price
        25
        """
        if self.spans <= 0.0 or resources <= 0:
            return None
        stretch = 1.0 + _WORK_OFF * max(-1.0, min(1.0, lateness))
        room = rate / stretch * self.spans / resources - self.fixed
        if room <= 0.0:
            return math.inf
        if self.capped <= 0.0:
            return (self.free / room) ** 2
        own = (self.relieved / self.capped) ** 2
        wanted = (self.free / (room - self.capped)) ** 2 if room > self.capped else math.inf
        # Above the prices of the full sites their pages give way too.
        return wanted if wanted <= own else max(own, ((self.free + self.relieved) / room) ** 2)


class PriceController:
    """The one mover of a price, on a logarithmic scale, damped and bounded; daemon and lab hold one each.

    There are two kinds of evidence. Where the right price can be computed, from demand or from delays, ``aim`` goes a
    part of the way there and stays. Where only the account is known, ``settle`` spreads what is owed or saved over the
    time ahead: the whole correction acts at once, and a small part of it remains, for a price that is wrong throughout.
    """

    __slots__ = ("_base", "_exponent", "_highest", "_lowest", "price")

    def __init__(
        self, price: float, *, elasticity: float = -0.5, lowest: float = 1e-12, highest: float = math.inf
    ) -> None:
        """``elasticity``: requests follow the price as price^elasticity; −½ where intervals go with its root."""
        self.price = self._base = price
        self._exponent = -1.0 / min(-0.1, max(-1.0, elasticity))
        self._lowest, self._highest = lowest, highest

    def aim(self, wanted: float, *, gain: float, evidence: float = 1.0) -> float:
        """The new price: a step of the part ``gain`` towards the wanted one, at most by a factor of four.

        Little ``evidence`` shortens the step, however far away the wanted price is.

        >>> PriceController(100.0).aim(400.0, gain=0.5)
        200.0
        >>> PriceController(100.0).aim(math.inf, gain=0.5, evidence=0.5)
        200.0
        """
        self.price = self._base = self._stepped(self.price, wanted, gain, evidence)
        return self.price

    def settle(self, *, saved: float, planned: float, kept: float = 0.05) -> float:
        """The new price. ``saved``: requests that might have been made and were not (negative: owed); ``planned``:
        those that are due at the usual rate in the time over which the difference is to be spread.

        >>> PriceController(100.0).settle(saved=-100.0, planned=100.0) > 100.0
        True
        """
        share = min(2.0, max(0.5, 1.0 + saved / max(1e-9, planned)))
        self._base = self._stepped(self._base, self._base * share ** (-self._exponent), kept)
        self.price = self._bounded(self._base * share ** (-self._exponent))
        return self.price

    def _stepped(self, price: float, wanted: float, gain: float, evidence: float = 1.0) -> float:
        step = gain * math.log(self._bounded(wanted) / price)
        return price * math.exp(evidence * min(math.log(_MOST), max(-math.log(_MOST), step)))

    def _bounded(self, price: float) -> float:
        return min(self._highest, max(self._lowest, price))


def delay_with(budget_factor: float, delay: float) -> float:
    """The mean delay to expect from ``budget_factor`` times the requests: it goes with the intervals.

    >>> round(delay_with(1.1, 60.0), 1)
    54.5
    """
    return delay / budget_factor
