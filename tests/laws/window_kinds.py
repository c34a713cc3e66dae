"""How the number of entries in a feed's document varies, by what consecutive polls saw of it."""

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray


class WindowKind(StrEnum):
    """How the number of entries in a document varies.  [R12] §3.7.2."""

    UNSEEN = "unseen"  # no document
    FIXED = "fixed"
    GROWING = "growing"  # one more with each entry, nothing is removed
    ALTERNATING = "alternating"  # between two sizes, one of them usually 0 or 1
    FLUCTUATING = "fluctuating"  # shows the last day or week, say


def window_kind(sizes: NDArray[np.int64], new: NDArray[np.int64] | None = None) -> WindowKind:
    """Kind of variation of the window sizes that consecutive polls saw.

    ``new`` holds the number of new entries of each poll, where known; a window that only ever grows by them never
    drops an entry.

    >>> window_kind(np.array([10, 0, 10, 10, 0])).value
    'alternating'
    """
    if not len(sizes):
        return WindowKind.UNSEEN
    steps = np.diff(sizes)
    if not steps.any():
        return WindowKind.FIXED
    if (steps >= 0).all() and (new is None or np.array_equal(steps, new[1:])):
        return WindowKind.GROWING
    if len(np.unique(sizes)) == 2 and (steps > 0).any() and (steps < 0).any():
        return WindowKind.ALTERNATING
    return WindowKind.FLUCTUATING
