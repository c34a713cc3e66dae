"""Streams under construction: the events of many owners collected one by one, then packed into arrays."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def pack(streams: Sequence[Iterable[float]]) -> tuple[Ints, Floats]:
    """Offsets and times of streams given as one iterable each; each becomes ascending."""
    arrays = [np.sort(np.fromiter(stream, dtype=np.float64)) for stream in streams]
    counts = np.array([len(a) for a in arrays], dtype=np.int64)
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return offsets, np.concatenate([np.empty(0), *arrays])
