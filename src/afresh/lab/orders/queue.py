"""A plain binary heap of (key, item) in two arrays, for orders that keep more than one queue."""

import numpy as np
from numpy.typing import NDArray

from afresh.base.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@compiled()
def push(keys: Floats, items: Ints, count: int, key: float, item: int) -> int:
    """Adds one to a heap of ``count``; returns the new count."""
    at = count
    while at > 0:
        parent = (at - 1) >> 1
        if keys[parent] < key or (keys[parent] == key and items[parent] <= item):
            break
        keys[at] = keys[parent]
        items[at] = items[parent]
        at = parent
    keys[at] = key
    items[at] = item
    return count + 1


@compiled()
def pop(keys: Floats, items: Ints, count: int) -> int:
    """Removes the first of a heap of ``count`` (read it before); returns the new count."""
    count -= 1
    key = keys[count]
    item = items[count]
    at = 0
    child = 1
    while child < count:
        if child + 1 < count and (
            keys[child + 1] < keys[child] or (keys[child + 1] == keys[child] and items[child + 1] < items[child])
        ):
            child += 1
        if key < keys[child] or (key == keys[child] and item <= items[child]):
            break
        keys[at] = keys[child]
        items[at] = items[child]
        at = child
        child = 2 * at + 1
    keys[at] = key
    items[at] = item
    return count
