"""How well does a crawl find what matters first? Cumulative PageRank and Kendall's τ.

[BCMR05], [G20] §4.2.4.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from afresh.base.errors import ModelError


def cumulative_share(values: ArrayLike) -> NDArray[np.float64]:
    """The share of all importance found after each page, for the importance of the pages in the order they came.

    >>> cumulative_share([3.0, 1.0]).tolist()
    [0.75, 1.0]
    """
    found = np.cumsum(np.asarray(values, dtype=np.float64))
    if len(found) == 0 or found[-1] <= 0.0:
        return np.zeros(len(found))
    return np.asarray(found / found[-1])


def mean_cumulative_share(values: ArrayLike) -> float:
    """Its mean over the crawl: near 1 if all importance comes at once, ½ in random order; 0 for an empty crawl.

    >>> mean_cumulative_share([1.0, 1.0, 1.0, 1.0])
    0.625
    """
    curve = cumulative_share(values)
    return float(curve.mean()) if len(curve) else 0.0


def kendall_tau(one: ArrayLike, other: ArrayLike) -> float:
    """Kendall's τ-b of two lists of numbers, ties allowed: 1 same order, −1 reversed, 0 unrelated (or all tied).

    By counting the exchanges of a merge sort: O(n log n). [K66]

    >>> kendall_tau([1, 2, 3], [1, 2, 3]), kendall_tau([1, 2, 3], [3, 2, 1])
    (1.0, -1.0)
    """
    a, b = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 1:
        raise ModelError(f"two lists of the same length are compared, got {a.shape} and {b.shape}")
    if np.isnan(a).any() or np.isnan(b).any():
        raise ModelError("a rank cannot be missing")
    count = len(a)
    order = np.lexsort((b, a))
    a, b = a[order], b[order]
    pairs = count * (count - 1) // 2
    tied_a, tied_b = _ties(a), _ties(np.sort(b))
    same = np.flatnonzero(np.append((a[1:] != a[:-1]) | (b[1:] != b[:-1]), True))
    tied_both = _pairs(np.diff(same, prepend=-1))
    apart_a, apart_b = pairs - tied_a, pairs - tied_b
    if apart_a == 0 or apart_b == 0:
        return 0.0
    against = _exchanges(b)
    return float((pairs - tied_a - tied_b + tied_both - 2 * against) / np.sqrt(float(apart_a) * float(apart_b)))


def _pairs(sizes: NDArray[np.int64]) -> int:
    return int((sizes * (sizes - 1) // 2).sum())


def _ties(ordered: NDArray[np.float64]) -> int:
    if len(ordered) == 0:
        return 0
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    return _pairs(np.diff(ends, prepend=-1))


def _exchanges(values: NDArray[np.float64]) -> int:
    """How many pairs stand in the wrong order: merge sort from below, each level in one sweep of numpy."""
    ranks = np.unique(values, return_inverse=True)[1].astype(np.int64)
    count, width, wrong = len(ranks), 1, 0
    top = int(ranks.max()) + 1 if count else 1
    places = np.arange(count)
    while width < count:
        block = places // (2 * width)
        right = (places // width) % 2 == 1
        keyed = ranks + block * top  # ascending within each sorted half, halves of one block share their offset
        order = np.lexsort((right, keyed))  # of equals the left one first: they are in order
        rights_before = np.cumsum(right[order]) - right[order]
        first = np.searchsorted(block, block[order])  # where the block begins; rights of earlier blocks do not count
        earlier = np.concatenate([[0], np.cumsum(right)])[first]
        wrong += int((rights_before - earlier)[~right[order]].sum())
        ranks = ranks[order]
        width *= 2
    return wrong
