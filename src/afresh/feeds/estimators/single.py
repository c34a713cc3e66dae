"""One rate a source, smoothed exponentially.  [H12] §7.2.1."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.feeds.estimators.model import EXPECT, FLOOR, NAIVE, PRIOR, UPDATE, Expect, Smoothed, Update
from afresh.feeds.estimators.poisson import expected_above
from afresh.feeds.estimators.smoothing import follow, smoothing


@compiled(EXPECT, _nrt=False)
def expect(params: Row, state: Row, last: float, now: float) -> tuple[float, float]:
    """λ·x, and its moment λ·x²/2."""
    rate = state[0] if state[0] > 0.0 else params[PRIOR]
    elapsed = max(0.0, now - last)
    return rate * elapsed, 0.5 * rate * elapsed * elapsed


@compiled(UPDATE)
def update(params: Row, state: Row, last: float, now: float, count: float, censored: float, window: float) -> None:
    """λ ← α·x/Δ + (1 − α)·λ.  [H12] Eq. 7.2."""
    elapsed = now - last
    if not elapsed > 0.0:
        return
    rate = state[0] if state[0] > 0.0 else params[PRIOR]
    if censored != 0.0 and params[NAIVE] == 0.0:
        count = expected_above(rate * elapsed, window)
    alpha = smoothing(params, state, 1)
    follow(params, state, 1, abs(count - rate * elapsed))
    state[0] = max(params[FLOOR], alpha * count / elapsed + (1.0 - alpha) * rate)


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleVariable(Smoothed):
    """Cheapest model, and the best for sources without a rhythm."""

    name: ClassVar[str] = "single"
    expect: ClassVar[Expect] = staticmethod(expect)
    update: ClassVar[Update] = staticmethod(update)

    @property
    def state_size(self) -> int:
        return 1 + self._ring


@dataclass(frozen=True, slots=True, kw_only=True)
class LastInterval(SingleVariable):
    """Remembers nothing but the last interval: its rate is taken for the rate."""

    name: ClassVar[str] = "last_interval"

    alpha: float = 1.0
