"""A first guess of the price from one pass over the pages.

A page's frequency is its rate times a function of price * rate / weight (for age, price * rate^2 / weight), so the sum
of the rates in 2^14 buckets of that ratio gives total demand at any price, caps aside, to a bucket's width: 2 % of the
price. Buckets are powers of two cut into 32, read from the number's own bits. Histograms of shards add up.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from afresh.base.compiled import compiled
from afresh.base.marginals import AGE, ALWAYS, BELIEF, FRESHNESS, NEVER, POISSON, frequency
from afresh.lab.allocation.prices import LOWEST, next_log_price

Reals = NDArray[np.floating[Any]]
Floats = NDArray[np.float64]

BUCKETS = 1 << 14
_CUT = 5  # 2^5 buckets between two powers of two
_BASE = (1023 - (BUCKETS >> (_CUT + 1))) << _CUT


@dataclass(frozen=True, slots=True)
class Histogram:
    """Sums of rates, and of shapes times rates, by ratio of rate to weight."""

    objective: int
    scale: Floats
    shape: Floats

    def __add__(self, other: "Histogram") -> "Histogram":
        return Histogram(self.objective, self.scale + other.scale, self.shape + other.shape)

    def log_price(self, target: float) -> float:
        """Logarithm of the price at which the pages would demand ``target`` if no site had a cap; NaN if no page can.

        >>> import numpy as np
        >>> pages = histogram_of(0, np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.ones(1), np.ones(1))
        >>> round(pages.log_price(5.0), 2)
        -1.54
        """
        used = np.flatnonzero(self.scale)
        if not target > 0.0 or not len(used):
            return math.nan
        return float(_solve(self.objective, target, used, self.scale[used], self.shape[used] / self.scale[used]))


def histogram_of(objective: int, rate: Reals, weight: Reals, shape: Reals) -> Histogram:
    """The histogram of some pages; ``weight`` and ``shape`` of length 1 hold for all."""
    scales, shapes = np.zeros(BUCKETS), np.zeros(BUCKETS)
    _fill(objective, rate, weight, shape, scales, shapes)
    return Histogram(objective, scales, shapes)


@compiled()
def _fill(objective: int, rate: Reals, weight: Reals, shape: Reals, scales: Floats, shapes: Floats) -> None:
    ws = 1 if len(weight) > 1 else 0
    ss = 1 if len(shape) > 1 else 0
    for i in range(len(rate)):
        r = float(rate[i])
        w = float(weight[i * ws])
        if w <= 0.0 or r <= NEVER:
            continue
        a = float(shape[i * ss])
        if r >= ALWAYS:
            if objective in (FRESHNESS, BELIEF, POISSON):
                continue
            r = ALWAYS
        ratio = r / w
        scale = r
        if objective == AGE:
            ratio *= r
        elif objective == BELIEF:
            ratio /= a
            scale /= a
        bucket = int((np.float64(ratio).view(np.int64) >> (52 - _CUT)) - _BASE)
        bucket = min(max(bucket, 0), BUCKETS - 1)
        scales[bucket] += scale
        shapes[bucket] += scale * a


@compiled()
def _solve(objective: int, target: float, used: NDArray[np.int64], scale: Floats, shape: Floats) -> float:
    low = -math.inf
    high = math.inf
    at = 0.0
    for turn in range(1, 120):
        total = 0.0
        slope = 0.0
        price = math.exp(at)
        for j in range(len(used)):
            bucket = used[j]
            power = (bucket >> _CUT) - (BUCKETS >> (_CUT + 1))
            ratio = 2.0**power * (1.0 + ((bucket & ((1 << _CUT) - 1)) + 0.5) / (1 << _CUT))
            rate = shape[j] if objective == BELIEF else 1.0
            f, df = frequency(objective, price, rate, shape[j], 1.0 / ratio, 0.02)
            total += scale[j] * f
            slope += scale[j] * df
        if abs(total - target) <= 1e-6 * target or high - low < 1e-9 or at < LOWEST:
            break
        if total > target:
            low = at
        else:
            high = at
        at = next_log_price(low, high, at, total, slope, target, turn % 8 > 5)
    return at
