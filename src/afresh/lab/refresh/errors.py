"""How wrong is a model? The divergence error, and the distance of a learnt profile from the true one.  [H12] §7.3."""

import numpy as np
from numpy.typing import ArrayLike

from afresh.base.errors import ModelError
from afresh.base.models import Row


def divergence_error(real: ArrayLike, estimated: ArrayLike) -> float:
    """Root of the mean squared difference over the sources at one moment.  [H12] Eq. 7.4.

    >>> round(divergence_error([1.0, 2.0], [1.0, 4.0]) ** 2, 9)
    2.0
    """
    difference = np.asarray(real, dtype=np.float64) - np.asarray(estimated, dtype=np.float64)
    if difference.ndim != 1 or not len(difference):
        raise ModelError("one divergence a source is needed, and at least one source")
    return float(np.sqrt(np.mean(difference**2)))


def profile_distance(learnt: Row, times: Row, end: float, *, days: int = 7, slots: int = 24) -> float:
    """Euclidean distance between a learnt daily profile (entries a slot) and the mean of the days before ``end``."""
    slot = 86_400.0 / slots
    inside = times[(times >= end - days * 86_400.0) & (times < end)]
    counts = np.bincount((inside // slot).astype(np.int64) % slots, minlength=slots)
    return float(np.linalg.norm(learnt - counts / days))
