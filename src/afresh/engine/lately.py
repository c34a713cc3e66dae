"""Running figures: a mean that forgets, and a sum over the last hour."""

from collections import deque


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
