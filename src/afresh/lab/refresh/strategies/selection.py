"""Which sources: the largest few of many by a bounded heap, all above a threshold, and the cut at a hard cap."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.lab.refresh.strategies.round import Marks, Singles

Indices = NDArray[np.int64]

_F = types.Array(types.float64, 1, "C", readonly=True)
_S = types.Array(types.float32, 1, "C", readonly=True)
_M = types.Array(types.uint8, 1, "C")


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


@compiled(types.int64(_F, _S, _S, _S, types.int64, _M))
def take_saturated(total: Row, available: Singles, windows: Singles, ties: Singles, limit: int, chosen: Marks) -> int:
    """Marks at most ``limit`` saturated sources, the most still available first.  [H12] Alg. 4.1, step 1.

    Saturated: at least a window of entries has come, relevant or not; one that would bring nothing is left out.
    """
    if limit <= 0:
        return 0
    n = len(total)
    heap = np.empty(min(limit, n), dtype=np.int64)
    size = 0
    for i in range(n):
        if total[i] < windows[i] or available[i] <= 0.0:
            continue
        if size < len(heap):
            heap[size] = i
            size += 1
            _lift(heap, available, ties, size - 1)
            continue
        root = heap[0]
        if available[i] > available[root] or (available[i] == available[root] and ties[i] > ties[root]):
            heap[0] = i
            _sift(heap, available, ties, size)
    for k in range(size):
        chosen[heap[k]] = 1
    return size


@compiled(types.int64(_F, types.float64, types.int64, _S, _M))
def take_above(utility: Row, threshold: float, limit: int, ties: Singles, chosen: Marks) -> int:
    """Marks sources whose utility reaches the threshold, the most useful first where ``limit`` cuts; counts new marks.

    A utility of 0 is never worth a request, however low the threshold has fallen.
    """
    n = len(utility)
    count = 0
    for i in range(n):
        if utility[i] >= threshold and utility[i] > 0.0 and chosen[i] == 0:
            count += 1
    if limit <= 0 or count == 0:
        return 0
    if count <= limit:
        for i in range(n):
            if utility[i] >= threshold and utility[i] > 0.0:
                chosen[i] = 1
        return count
    heap = np.empty(limit, dtype=np.int64)
    size = 0
    for i in range(n):
        if not (utility[i] >= threshold and utility[i] > 0.0) or chosen[i] != 0:
            continue
        if size < limit:
            heap[size] = i
            size += 1
            _lift(heap, utility, ties, size - 1)
            continue
        root = heap[0]
        if utility[i] > utility[root] or (utility[i] == utility[root] and ties[i] > ties[root]):
            heap[0] = i
            _sift(heap, utility, ties, size)
    for k in range(size):
        chosen[heap[k]] = 1
    return size
