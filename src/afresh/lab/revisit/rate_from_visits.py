"""Change rate from visits that found a page changed or not: interval I_j, bit c_j (spec §6; [CG03b]).

All functions take the intervals between visits in seconds and the bits as arrays of one length, and return changes a
second. X is the number of visits that found a change, n of all visits, T the sum of the intervals.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from afresh.base.errors import ModelError

Reals = NDArray[np.float64]
Bits = NDArray[np.bool_]


def observations(intervals: ArrayLike, changed: ArrayLike) -> tuple[Reals, Bits]:
    """Intervals and bits looked at; raises ModelError naming the first visit that makes no sense."""
    lengths = np.atleast_1d(np.asarray(intervals, dtype=np.float64))
    bits = np.atleast_1d(np.asarray(changed)).astype(np.bool_)
    if lengths.shape != bits.shape or lengths.ndim != 1:
        raise ModelError(f"{lengths.size} intervals, but {bits.size} observations")
    bad = np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0.0)))
    if len(bad):
        raise ModelError(f"visit {bad[0]}: interval is {lengths[bad[0]]}; it must be finite and above 0")
    return lengths, bits


def naive_rate(intervals: ArrayLike, changed: ArrayLike) -> float:
    """X/T: changes seen a second; too low by (1 - exp(-y))/y, y = rate * interval, since changes fall together.

    >>> naive_rate([1.0, 1.0], [True, False])
    0.5
    """
    lengths, bits = observations(intervals, changed)
    return float(bits.sum() / lengths.sum()) if len(lengths) else math.nan


def cho_rate(intervals: ArrayLike, changed: ArrayLike) -> float:
    """-ln((n - X + 1/2)/(n + 1/2))/I: bias-corrected, for regular visits; finite even if every visit found a change.

    Irregular intervals are replaced by their mean, which is wrong by as much as they vary.

    >>> round(cho_rate([1.0] * 10, [True] * 10), 3)
    3.045
    """
    lengths, bits = observations(intervals, changed)
    n, x = len(lengths), int(bits.sum())
    return -math.log((n - x + 0.5) / (n + 0.5)) / float(lengths.mean()) if n else math.nan


def _one_sided(bits: NDArray[np.bool_]) -> float:
    """The rate where no visit, or every one, found a change; NaN without a visit."""
    if not len(bits):
        return math.nan
    return math.inf if bits.all() else 0.0


def mle_rate(intervals: ArrayLike, changed: ArrayLike) -> float:
    """Maximum likelihood for any intervals: sum over changed of I/(exp(rate I) - 1) = sum of the unchanged I.

    0 if no visit found a change, infinite if every one did: regularise (``em_map_rate``) before using it to plan.
    """
    lengths, bits = observations(intervals, changed)
    if not (bits.any() and not bits.all()):
        return _one_sided(bits)
    quiet, found = float(lengths[~bits].sum()), lengths[bits]

    def excess(rate: float) -> float:
        return float((found / np.expm1(np.minimum(rate * found, 700.0))).sum()) - quiet

    return _falling_root(excess, 1.0 / float(lengths.mean()))


def moment_rate(intervals: ArrayLike, changed: ArrayLike) -> float:
    """Root of sum exp(-rate I) = n - X: the same as the likelihood's for regular visits.  Upadhyay et al. 2020."""
    lengths, bits = observations(intervals, changed)
    if not (bits.any() and not bits.all()):
        return _one_sided(bits)
    quiet = int((~bits).sum())
    return _falling_root(lambda rate: float(np.exp(-rate * lengths).sum()) - quiet, 1.0 / float(lengths.mean()))


def em_map_rate(
    intervals: ArrayLike,
    changed: ArrayLike,
    *,
    shape: float = 1.5,
    exposure: float | None = None,
    tolerance: float = 1e-10,
) -> float:
    """EM for the most probable rate under a Gamma(shape, exposure) prior; any intervals, always finite and above 0.

    rate <- (shape - 1 + sum over changed of y/(1 - exp(-y)))/(exposure + T), y = rate I. The likelihood rises with
    every step. The usual prior is half a change in half a mean interval.
    """
    lengths, bits = observations(intervals, changed)
    if shape <= 1.0:
        raise ModelError(f"shape of the prior is {shape}; above 1 it has a mode")
    if not len(lengths):
        return math.nan
    b = 0.5 * float(lengths.mean()) if exposure is None else exposure
    total, found = float(lengths.sum()), lengths[bits]
    rate = (shape - 1.0 + len(found)) / (b + total)
    for _ in range(10_000):
        y = rate * found
        better = (shape - 1.0 + float((y / -np.expm1(-y)).sum())) / (b + total)
        done = abs(better - rate) <= tolerance * rate
        rate = better
        if done:
            break
    return rate


def _falling_root(function: Callable[[float], float], start: float) -> float:
    """Root of a falling function of a positive number, by doubling and halving in the logarithm."""
    low = high = start
    while function(low) < 0.0 and low > 1e-300:
        low *= 0.25
    while function(high) > 0.0 and high < 1e300:
        high *= 4.0
    for _ in range(200):
        middle = math.sqrt(low) * math.sqrt(high)
        if high <= low * (1.0 + 1e-14):
            break
        if function(middle) > 0.0:
            low = middle
        else:
            high = middle
    return math.sqrt(low) * math.sqrt(high)
