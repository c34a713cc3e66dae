"""Belief about a rate of which not even the order of magnitude is known: odds of rates an octave apart.

A Gamma belief worth one change at the mean rate of all pages takes a page that is a thousand times as fast for a slow
one that was lucky, change after change. Here no octave is ruled out at first, each 1.4 times as likely as the one
that is twice as fast (about as recorded pages have it), and what a visit shows multiplies the odds of each rate by
its likelihood, exactly:

    nothing changed in I: exp(-rate I)     changed: 1 - exp(-rate I)     an announced change: rate exp(-rate I)

A rate does not stay what it was: before a visit teaches, part of the odds is drawn anew (a hidden Markov chain whose
states are the octaves). So a page that falls silent is believed to be slow after a look or two, whatever it was.
"""

import math

import numpy as np

from afresh.base.compiled import compiled
from afresh.base.models import Row

OCTAVES = 18  # from a change in five minutes to one in fifteen months
QUICKEST = 1.0 / 300.0  # changes a second
_LEAST = 1e-12  # odds of a rate that is ruled out: it can come back
_FIRST = (math.sqrt(2.0) - 1.0) / (2.0 ** (OCTAVES / 2) - 1.0)  # odds of the quickest, where nothing is known
_OWN = 0.04  # relative variance of a rate within its octave

QUIET, CHANGED, ANNOUNCED = 0, 1, 2  # what a visit showed


def first_odds() -> Row:
    """Nothing is known, except that more pages are slow than fast."""
    return np.array(_FIRST * np.sqrt(2.0) ** np.arange(OCTAVES))


@compiled()
def learn_octaves(odds: Row, interval: float, shown: int, anew: float) -> None:
    """A visit so long after the one before, in place; ``anew``: share of the odds that is drawn anew before."""
    total = 0.0
    for i in range(OCTAVES):
        rate = QUICKEST * 2.0**-i
        y = rate * interval
        likelihood = math.exp(-y)
        if shown == CHANGED:
            likelihood = -math.expm1(-y)
        elif shown == ANNOUNCED:
            likelihood *= rate / QUICKEST
        odds[i] = ((1.0 - anew) * odds[i] + anew * _FIRST * 2.0 ** (0.5 * i)) * likelihood
        total += odds[i]
    for i in range(OCTAVES):  # where none of the rates can be, all is open again
        odds[i] = max(_LEAST, odds[i] / total) if total > 0.0 else _FIRST * 2.0 ** (0.5 * i)


@compiled()
def gamma_of(odds: Row) -> tuple[float, float]:
    """Evidence and exposure of the Gamma belief with the same mean and variance.

    >>> a, b = gamma_of(first_odds())
    >>> round(a / b * 86_400, 1)  # changes a day: the mean of all octaves lies with the fast ones
    0.8
    """
    total = first = second = 0.0
    for i in range(OCTAVES):
        rate = QUICKEST * 2.0**-i
        total += odds[i]
        first += odds[i] * rate
        second += odds[i] * rate * rate
    mean = first / total
    variance = max(0.0, second / total - mean * mean) + _OWN * mean * mean
    return mean * mean / variance, mean / variance
