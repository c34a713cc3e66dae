"""The page heap of a site: four children a node, one cache line a family.

A node is 16 bytes: virtual time, period, page. Nodes of a site lie side by side. In sites of more than ``PACKED`` pages
the root is put where every family of four children fills one 64-byte line; smaller sites are packed and scanned.
Pages without visits stay in their site with an infinite key, after all others.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from afresh.base.compiled import compiled

NODE = np.dtype([("key", np.float64), ("period", np.float32), ("page", np.uint32)])
PACKED = 8
_LINE = 64

Nodes = NDArray[Any]
Ints = NDArray[np.int64]


def layout(offsets: Ints) -> tuple[Ints, int]:
    """Slot of each site's first node, and how many slots there are in all.

    >>> layout(np.array([0, 2, 22, 23]))[0].tolist()
    [0, 3, 24]
    """
    sizes = np.diff(offsets)
    starts = np.empty(len(sizes), dtype=np.int64)
    return starts, int(_place(sizes, starts))


@compiled()
def _place(sizes: Ints, starts: Ints) -> int:
    at = 0
    for s in range(len(sizes)):
        if sizes[s] <= PACKED:
            starts[s] = at
            at += sizes[s]
        else:
            starts[s] = (at // 4) * 4 + 3
            # whole families only, so that a sift never has to ask how many children there are
            at = starts[s] + 1 + ((sizes[s] - 1 + 3) // 4) * 4
    return at


def room(slots: int) -> Nodes:
    """Nodes that start on a cache line, none of them ever due."""
    raw = np.empty(slots * NODE.itemsize + _LINE, dtype=np.uint8)
    skip = -raw.ctypes.data % _LINE
    nodes = raw[skip : skip + slots * NODE.itemsize].view(NODE)
    nodes["key"] = np.inf
    return nodes


@compiled()
def sift_down(nodes: Nodes, root: int, size: int, at: int, key: float, period: float, page: int) -> None:
    """Puts a node into the hole at heap position ``at``, letting smaller keys rise."""
    child = 4 * at + 1
    while child < size:
        first = root + child
        best = first
        least = nodes[first].key
        for other in range(first + 1, first + 4):
            k = nodes[other].key
            if k < least or (k == least and nodes[other].page < nodes[best].page):
                least = k
                best = other
        if least > key or (least == key and nodes[best].page > page):
            break
        hole = root + at
        nodes[hole].key = least
        nodes[hole].period = nodes[best].period
        nodes[hole].page = nodes[best].page
        at = best - root
        child = 4 * at + 1
    slot = root + at
    nodes[slot].key = key
    nodes[slot].period = period
    nodes[slot].page = page


@compiled()
def heapify(nodes: Nodes, root: int, size: int) -> None:
    """Orders the nodes of a site."""
    if size <= PACKED:
        return
    for at in range((size - 2) // 4, -1, -1):
        slot = root + at
        sift_down(nodes, root, size, at, nodes[slot].key, nodes[slot].period, nodes[slot].page)


@compiled()
def top(nodes: Nodes, root: int, size: int) -> int:
    """Slot of the page with the smallest virtual time; ties go to the smaller page number."""
    if size > PACKED:
        return root
    best = root
    for slot in range(root + 1, root + size):
        k = nodes[slot].key
        if k < nodes[best].key or (k == nodes[best].key and nodes[slot].page < nodes[best].page):
            best = slot
    return best


@compiled()
def advance(nodes: Nodes, root: int, size: int, slot: int) -> None:
    """Moves the top page, found at ``slot``, one period on."""
    key = nodes[slot].key + np.float64(nodes[slot].period)
    if size > PACKED:
        sift_down(nodes, root, size, 0, key, nodes[slot].period, nodes[slot].page)
    else:
        nodes[slot].key = key
