"""Shapes of a daily profile: peaks, uniform, waves.  [H12] Alg. 6.1."""

from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from afresh.base.errors import ModelError
from afresh.feeds.estimators.shapes import HIGH, LOW, RELAXED, extremes

__all__ = ["RELAXED", "Shape", "shape_of"]


class Shape(StrEnum):
    """How the entries of a feed are spread over the day."""

    PEAKS = "peaks"  # hours are busy or all but silent: robots
    UNIFORM = "uniform"  # all hours alike: aggregators
    WAVES = "waves"  # in between: people
    UNDEFINED = "undefined"  # silent


def shape_of(rates: ArrayLike, *, high: float = HIGH, low: float = LOW, majority: float = 1.0) -> Shape:
    """The shape of hourly rates. ``majority`` 1 is the printed form, 0.8 the relaxed one.

    >>> shape_of([0, 0, 0, 6] * 6).value
    'peaks'
    """
    if not low < 1.0 < high or not 0.5 < majority <= 1.0:
        raise ModelError("shapes need low < 1 < high and a majority above a half")
    values = np.asarray(rates, dtype=np.float64)
    if not len(values) or not values.sum() > 0.0:
        return Shape.UNDEFINED
    extreme = int(extremes(values, high, low))
    needed = majority * len(values)
    if extreme >= needed:
        return Shape.PEAKS
    if len(values) - extreme >= needed:
        return Shape.UNIFORM
    return Shape.WAVES
