"""Bytes moved: what each poll costs, and the sum over time."""

import numpy as np
from numpy.typing import NDArray

from afresh.base.models import Row


def poll_volume(size: Row, header: Row, *, conditional: NDArray[np.bool_], changed: NDArray[np.bool_]) -> Row:
    """Bytes of polls: the header alone where the server answers 304, else the document.

    A server answers 304 when it honours conditional requests and nothing changed since our last poll. Compression is
    ignored.  [R12] §3.5.7, §4.3.4.
    """
    return np.where(conditional & ~changed, header, size).astype(np.float64)


def cumulative_volume(times: Row, volume: Row, edges: Row) -> Row:
    """Bytes moved up to each edge (Fig. 4.15); ``times`` in any order.

    >>> cumulative_volume(np.array([5.0, 1.0]), np.array([10.0, 1.0]), np.array([0.0, 1.0, 9.0])).tolist()
    [0.0, 1.0, 11.0]
    """
    order = np.argsort(times, kind="stable")
    running = np.concatenate(([0.0], np.cumsum(volume[order])))
    result: Row = running[np.searchsorted(times[order], edges, side="right")]
    return result
