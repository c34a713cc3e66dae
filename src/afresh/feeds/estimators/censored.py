"""Maximum likelihood of a Poisson rate, a full window counted as "at least so many".  [H12] §7.4."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import compiled
from afresh.base.errors import ModelError
from afresh.base.models import Row
from afresh.base.signatures import F, types
from afresh.feeds.estimators.model import (
    BELIEF,
    FLOOR,
    LONGEST_RING,
    MOST,
    PRIOR,
    UPDATE,
    Estimator,
    Expect,
    Update,
)
from afresh.feeds.estimators.poisson import hazard
from afresh.feeds.estimators.single import expect

# state: the rate, how many refreshes were noted, then the publication profile: (interval, count, window or 0) each
_RATE, _NOTED, _PROFILE = 0, 1, 2


@compiled(types.float64(F, F, F, types.float64, types.float64))
def gradient(intervals: Row, counts: Row, full: Row, rate: float, belief_time: float) -> float:
    """Slope of the log-likelihood. ``full``: the window where it came full, else 0.

    Σ (x/λ − Δ) over what was counted; the printed x·Δ/λ is a misprint, with which the ascent would never stop. For a
    full window Δ·P(N = W − 1)/P(N ≥ W).
    """
    slope = -belief_time
    for k in range(len(counts)):
        if full[k] > 0.0:
            slope += intervals[k] * hazard(rate * intervals[k], full[k])
        else:
            slope += counts[k] / rate - intervals[k]
    return slope


@compiled(types.float64(F, F, F, types.float64, types.float64, types.float64))
def most_likely(intervals: Row, counts: Row, full: Row, floor: float, belief: float, belief_time: float) -> float:
    """The rate at which the slope is 0, by bisection: the likelihood is concave.

    ``belief`` entries in ``belief_time`` seconds are imagined besides; 0 for the thesis's estimate. If every window
    came full no finite maximum exists, and the rate that would have filled them four times is the limit.
    """
    seen = belief
    elapsed = belief_time
    is_open = False
    for k in range(len(counts)):
        seen += counts[k]
        elapsed += intervals[k]
        is_open = is_open or full[k] > 0.0
    if not elapsed > 0.0:
        return floor
    low = max(floor, seen / elapsed)
    if not is_open or not seen > 0.0:
        return low
    high = 4.0 * low
    if gradient(intervals, counts, full, high, belief_time) + belief / high >= 0.0:
        return high
    for _ in range(60):
        middle = 0.5 * (low + high)
        if gradient(intervals, counts, full, middle, belief_time) + belief / middle > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@compiled(UPDATE)
def update(params: Row, state: Row, last: float, now: float, count: float, censored: float, window: float) -> None:
    """Note the refresh in the profile, the oldest falls out, and solve again."""
    if not now > last:
        return
    most = int(params[MOST])
    noted = int(state[_NOTED])
    at = noted % most
    state[_PROFILE + at] = now - last
    state[_PROFILE + most + at] = count
    state[_PROFILE + 2 * most + at] = window if censored != 0.0 else 0.0
    state[_NOTED] = noted + 1.0
    n = min(noted + 1, most)
    state[_RATE] = most_likely(
        state[_PROFILE : _PROFILE + n],
        state[_PROFILE + most : _PROFILE + most + n],
        state[_PROFILE + 2 * most : _PROFILE + 2 * most + n],
        params[FLOOR],
        params[BELIEF],
        params[BELIEF] / params[PRIOR],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CensoredPoisson(Estimator):
    """Unbiased by windows that overflow, where a plain mean of x/Δ is far too low.

    ``belief``: imagined entries at the prior rate, so that a silent source keeps a rate worth a look.
    """

    name: ClassVar[str] = "censored"
    expect: ClassVar[Expect] = staticmethod(expect)
    update: ClassVar[Update] = staticmethod(update)

    observations: int = 16
    belief: float = 0.5

    def __post_init__(self) -> None:
        Estimator.__post_init__(self)
        if not 1 <= self.observations <= LONGEST_RING:
            raise ModelError(f"{self.name}: observations must lie in 1 … {LONGEST_RING}, not {self.observations}")
        if not self.belief >= 0.0:
            raise ModelError(f"{self.name}: belief must not be negative, not {self.belief:g}")

    @property
    def state_size(self) -> int:
        return _PROFILE + 3 * self.observations

    @property
    def reach(self) -> int:
        return self.observations

    def params(self) -> Row:
        row = Estimator.params(self)
        row[MOST], row[BELIEF] = self.observations, self.belief
        return row
