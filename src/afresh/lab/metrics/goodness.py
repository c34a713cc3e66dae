"""Goodness: delay, polls per entry and recall of several algorithms joined into one comparable number.

The geometric mean of values normalised to the best keeps order and ratios when further algorithms join the
comparison; the arithmetic and harmonic means and the normalisation to the worst do not, and are here to show it
([R12] §4.3.6, Tables 4.1-4.4).
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from afresh.base.errors import ModelError
from afresh.base.models import Row

# Eq. 4.16 divides by delay and polls per entry: a perfect algorithm is taken to need this much.
SHORTEST_DELAY = 1.0  # seconds
SMALLEST_APE = 1e-6


class Mean(StrEnum):
    """How the three normalised values become one; geometric is the one to use."""

    GEOMETRIC = "geometric"
    ARITHMETIC = "arithmetic"
    HARMONIC = "harmonic"


class Normalisation(StrEnum):
    """What a value is compared with."""

    BEST = "best"  # of the reference set: the comparison itself, all evaluations, or one baseline
    WORST = "worst"  # linear; one outlier compresses all others


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each of the three matters; doubling one gives the thesis's D², APE², R².  [R12] Eq. 5.1, 5.2."""

    delay: float = 1.0
    ape: float = 1.0
    recall: float = 1.0

    def __post_init__(self) -> None:
        values = (self.delay, self.ape, self.recall)
        if not all(0 <= w < np.inf for w in values) or not any(values):
            raise ModelError(f"weights must be 0 or more, finite and not all 0: {values}")

    def row(self) -> Row:
        return np.array([self.delay, self.ape, self.recall], dtype=np.float64)


EQUAL = Weights()


@dataclass(frozen=True, slots=True)
class Qualities:
    """Averages of several algorithms in one mode; NaN where undefined."""

    delay: Row
    ape: Row
    recall: Row

    @classmethod
    def of(cls, delay: ArrayLike, ape: ArrayLike, recall: ArrayLike) -> Self:
        rows = [np.atleast_1d(np.asarray(x, dtype=np.float64)) for x in (delay, ape, recall)]
        if len({row.shape for row in rows}) != 1 or rows[0].ndim != 1:
            raise ModelError(f"delay, ape and recall differ in length: {[len(row) for row in rows]}")
        if any((row < 0).any() for row in rows) or (rows[2] > 1 + 1e-9).any():
            raise ModelError("delay and ape cannot be negative, recall lies between 0 and 1")
        return cls(*rows)

    def floored(self) -> "Qualities":
        """With delay and polls per entry kept above 0, so that a quotient exists."""
        return Qualities(np.maximum(self.delay, SHORTEST_DELAY), np.maximum(self.ape, SMALLEST_APE), self.recall)


@dataclass(frozen=True, slots=True, kw_only=True)
class Goodness:
    """One number per algorithm; higher is better."""

    hats: Row  # (algorithms, 3): delay, polls per entry, recall, normalised
    raw: Row  # their mean, G
    value: Row  # raw over the best raw of the reference set, Ĝ


def _best(values: Row, *, largest: bool) -> float:
    known = values[~np.isnan(values)]
    if not len(known):
        return np.nan
    return float(known.max() if largest else known.min())


def normalise_to_best(q: Qualities, reference: Qualities | None = None) -> Row:
    """Best over value for delay and polls, value over best for recall; (n, 3).  [R12] Eq. 4.16, 4.17."""
    q, ref = q.floored(), (reference or q).floored()
    top = _best(ref.recall, largest=True)
    recall = q.recall / top if top > 0 else np.where(np.isnan(q.recall), np.nan, 0.0)
    best_delay, best_ape = _best(ref.delay, largest=False), _best(ref.ape, largest=False)
    return np.column_stack((best_delay / q.delay, best_ape / q.ape, recall))


def normalise_to_worst(q: Qualities, reference: Qualities | None = None) -> Row:
    """1 - value/worst, the rejected variant; (n, 3).  [R12] Eq. 4.18, and Eq. 4.19 with its lost "1 -"."""
    ref = reference or q
    columns = ((q.delay, ref.delay), (q.ape, ref.ape), (1 - q.recall, 1 - ref.recall))
    out = [1 - x / worst if (worst := _best(r, largest=True)) > 0 else np.ones_like(x) for x, r in columns]
    return np.column_stack(out)


def mean_of_hats(hats: Row, *, weights: Weights = EQUAL, mean: Mean = Mean.GEOMETRIC) -> Row:
    """Weighted mean of each row; a harmonic mean with a 0 is undefined (NaN)."""
    w = weights.row()
    match mean:
        case Mean.GEOMETRIC:
            return np.asarray(np.prod(hats**w, axis=1) ** (1 / w.sum()))
        case Mean.ARITHMETIC:
            return np.asarray(hats @ w / w.sum())
        case Mean.HARMONIC:
            inverse = np.divide(1.0, hats, out=np.full(hats.shape, np.nan), where=hats > 0)
            return np.asarray(w.sum() / (inverse @ w))


def goodness(
    q: Qualities,
    *,
    weights: Weights = EQUAL,
    reference: Qualities | None = None,
    mean: Mean = Mean.GEOMETRIC,
    normalisation: Normalisation = Normalisation.BEST,
) -> Goodness:
    """Goodness of algorithms evaluated on the same feeds in the same mode.  [R12] Eq. 4.20, 4.21, 5.1.

    ``reference`` is the set the best is taken from: None, the comparison itself (best = 1); all evaluations ever made;
    or a single baseline (then 1 means "as good as it"). The choice changes neither order nor ratios. An algorithm that
    finds nothing has goodness 0; one with an undefined value has none (NaN) and does not set the mark for others.

    >>> q = Qualities.of(delay=[1800.0, 6000.0], ape=[3.2, 1.6], recall=[0.95, 0.95])
    >>> goodness(q).value.round(3).tolist()
    [1.0, 0.843]
    """
    normalise = normalise_to_best if normalisation is Normalisation.BEST else normalise_to_worst
    hats = normalise(q, reference)
    raw = _raw(hats, q, weights, mean)
    ref_raw = raw if reference is None else _raw(normalise(reference, reference), reference, weights, mean)
    best = _best(ref_raw, largest=True)
    value = raw / best if best > 0 else np.where(np.isnan(raw), np.nan, 0.0)
    return Goodness(hats=hats, raw=raw, value=value)


def _raw(hats: Row, q: Qualities, weights: Weights, mean: Mean) -> Row:
    raw = mean_of_hats(hats, weights=weights, mean=mean)
    if mean is Mean.GEOMETRIC:
        raw = np.where(q.recall == 0, 0.0, raw)
    return raw


def combine_modes(feeds: Row, entries: Row, *, feeds_weight: float = 1.0, entries_weight: float = 1.0) -> Row:
    """Goodness over both modes: their weighted geometric mean, best = 1.  [R12] §5.3.2.

    >>> combine_modes(np.array([1.0, 0.25]), np.array([0.25, 1.0])).tolist()
    [1.0, 1.0]
    """
    total = feeds_weight + entries_weight
    if min(feeds_weight, entries_weight) < 0 or not 0 < total < np.inf:
        raise ModelError(f"mode weights must be 0 or more and not both 0: {feeds_weight}, {entries_weight}")
    raw = (np.asarray(feeds) ** feeds_weight * np.asarray(entries) ** entries_weight) ** (1 / total)
    best = _best(raw, largest=True)
    return np.asarray(raw / best if best > 0 else np.where(np.isnan(raw), np.nan, 0.0))
