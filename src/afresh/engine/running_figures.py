"""Running figures: means that forget, one of which goes with the price, and a sum over the last hour."""

import math
from collections import deque
from dataclasses import dataclass


class Mean:
    """A running mean that reaches back about ``memory`` values; before the first it is the ``guess``."""

    __slots__ = ("_count", "_memory", "value")

    def __init__(self, memory: float, guess: float = 0.0) -> None:
        self._memory, self._count, self.value = memory, 0.0, guess

    def add(self, value: float) -> None:
        self._count = min(self._memory, self._count + 1.0)
        self.value += (value - self.value) / self._count


class LastHour:
    """A sum over the last 3600 seconds."""

    __slots__ = ("_begun", "_sum", "_values")

    def __init__(self) -> None:
        self._values: deque[tuple[float, float]] = deque()
        self._begun: float | None = None
        self._sum = 0.0

    def add(self, now: float, amount: float) -> None:
        if amount:
            self._begun = now if self._begun is None else self._begun
            self._values.append((now, amount))
            self._sum += amount
            self.total(now)

    def span(self, now: float) -> float:
        """Seconds of the last hour in which something was counted at all."""
        return min(3600.0, now - self._begun) if self._begun is not None else 0.0

    def total(self, now: float) -> float:
        while self._values and self._values[0][0] <= now - 3600.0:
            self._sum -= self._values.popleft()[1]
        return self._sum


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
