"""Holding a budget: a pace that is never exceeded, and a price that is moved with care; for daemon and lab alike.

Requests leave at the pace of the budget, the most overdue first, and before their time when budget lies idle: so the
use equals the budget whenever there is enough to do, whatever the price. The price decides *what* is due; where demand
is known it is computed (``engine.demand``), where only an account is known it follows that.
"""

import math
from dataclasses import dataclass, replace

#: Largest factor by which one correction may move the price.
_MOST = 4.0


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

    @property
    def fill(self) -> float:
        """How full it is: 1 when more would be lost, negative in debt."""
        return self.tokens / self.size

    def spent(self, amount: float) -> "Bucket":
        return replace(self, tokens=self.tokens - amount)

    def ready_at(self, amount: float = 1.0) -> float:
        """When that many tokens will be there."""
        return self.at if self.tokens >= amount else self.at + (amount - self.tokens) / self.rate


def hourly_bucket(per_hour: float, *, slack: float = 0.04, least: float = 2.0) -> Bucket:
    """A bucket that lets at most ``1 + slack`` times the hourly amount pass in any hour, or ``least`` more.

    >>> hourly_bucket(3600.0).size
    144.0
    """
    return Bucket(rate=per_hour / 3600.0, size=max(least, slack * per_hour))


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

    def another(self, *, lowest: float | None = None) -> "PriceController":
        """One of its own at the price as it is, with the same limits or another lowest one."""
        least = self._lowest if lowest is None else lowest
        return PriceController(self.price, elasticity=-1.0 / self._exponent, lowest=least, highest=self._highest)

    def take(self, price: float) -> None:
        """The price that another controller of the same budget came to."""
        self.price = self._base = self._bounded(price)

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
