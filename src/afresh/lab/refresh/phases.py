"""Phases of learning: a model learns for a while, with requests of its own, then stays as it is.  [H12] §7.3.4."""

import math
from dataclasses import dataclass

from afresh.base.errors import ModelError


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """When models learn. ``length`` seconds at the beginning of every ``every``; infinite: always, or only once.

    ``budget``: how many times the usual requests a learning phase may use.

    >>> Learning(length=7.0, every=28.0).is_learning(start=0.0, now=30.0)
    True
    """

    length: float = math.inf
    every: float = math.inf
    budget: float = 1.0

    def __post_init__(self) -> None:
        if not self.length >= 0.0 or not self.every > 0.0 or not 0.0 < self.budget < math.inf:
            raise ModelError("learning: length must not be negative, every and budget must be positive")

    def is_learning(self, *, start: float, now: float) -> bool:
        """Whether ``now`` lies in a phase of learning."""
        since = now - start
        return (since if math.isinf(self.every) else since % self.every) < self.length

    def next_change(self, *, start: float, now: float) -> float:
        """When the phase that ``now`` lies in ends; infinite if it does not."""
        if math.isinf(self.every):
            return start + self.length if now < start + self.length else math.inf
        turn = start + math.floor((now - start) / self.every) * self.every
        return turn + self.length if now - turn < min(self.length, self.every) < self.every else turn + self.every
