"""Which sources: the largest few of many by a bounded heap, all above a threshold, and the cut at a hard cap."""

import numpy as np
from numpy.typing import NDArray

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.base.signatures import S, types
from afresh.feeds.strategies.round import STANDINGS, Marks, Singles, Standings

Indices = NDArray[np.int64]


@compiled()
def _sift(heap: Indices, keys: Row | Singles, ties: Singles, size: int) -> None:
    """Restores a heap whose root may be too large: the least (key, tie) on top."""
    at = 0
    while True:
        least = at
        for child in (2 * at + 1, 2 * at + 2):
            if child < size:
                a, b = heap[child], heap[least]
                if keys[a] < keys[b] or (keys[a] == keys[b] and ties[a] < ties[b]):
                    least = child
        if least == at:
            return
        heap[at], heap[least] = heap[least], heap[at]
        at = least


@compiled()
def _lift(heap: Indices, keys: Row | Singles, ties: Singles, at: int) -> None:
    """Restores a heap whose last element may be too small."""
    while at > 0:
        parent = (at - 1) // 2
        a, b = heap[at], heap[parent]
        if not (keys[a] < keys[b] or (keys[a] == keys[b] and ties[a] < ties[b])):
            return
        heap[at], heap[parent] = heap[parent], heap[at]
        at = parent


@compiled()
def _mark_largest(wanted: Marks, keys: Row | Singles, ties: Singles, limit: int, chosen: Marks) -> int:
    """Marks the wanted sources of the largest keys, ``limit`` at most."""
    heap = np.empty(min(limit, len(keys)), dtype=np.int64)
    size = 0
    for i in range(len(keys)):
        if wanted[i] == 0:
            continue
        if size < len(heap):
            heap[size] = i
            size += 1
            _lift(heap, keys, ties, size - 1)
            continue
        root = heap[0]
        if keys[i] > keys[root] or (keys[i] == keys[root] and ties[i] > ties[root]):
            heap[0] = i
            _sift(heap, keys, ties, size)
    for k in range(size):
        chosen[heap[k]] = 1
    return size


@compiled(types.int64(S, types.int64, STANDINGS))
def take_saturated(windows: Singles, limit: int, sources: Standings) -> int:
    """Marks at most ``limit`` saturated sources, the most still available first.  [H12] Alg. 4.1, step 1.

    Saturated: at least a window of entries has come, relevant or not; one that would bring nothing is left out.
    """
    if limit <= 0:
        return 0
    n = len(windows)
    wanted = np.zeros(n, dtype=np.uint8)
    for i in range(n):
        wanted[i] = sources.total[i] >= windows[i] and sources.available[i] > 0.0
    return _mark_largest(wanted, sources.available, sources.ties, limit, sources.chosen)


@compiled(types.int64(types.float64, types.int64, STANDINGS))
def take_above(threshold: float, limit: int, sources: Standings) -> int:
    """Marks sources whose utility reaches the threshold, the most useful first where ``limit`` cuts; counts new marks.

    A utility of 0 is never worth a request, however low the threshold has fallen.
    """
    utility, chosen = sources.utility, sources.chosen
    wanted = np.zeros(len(utility), dtype=np.uint8)
    count = 0
    for i in range(len(utility)):
        if utility[i] >= threshold and utility[i] > 0.0 and chosen[i] == 0:
            wanted[i] = 1
            count += 1
    if limit <= 0 or count == 0:
        return 0
    if count > limit:
        return _mark_largest(wanted, utility, sources.ties, limit, chosen)
    for i in range(len(utility)):
        chosen[i] |= wanted[i]
    return count
