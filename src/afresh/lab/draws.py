"""Chance that repeats: random numbers that do not depend on the order in which they are drawn."""

import numpy as np

from afresh.base.compiled import compiled
from afresh.base.signatures import types


@compiled(types.float64(types.uint64, types.int64, types.int64))
def uniform(seed: int, stream: int, draw: int) -> float:
    """A number in [0, 1) that depends on its three arguments only (SplitMix64): nothing is stored, in no order."""
    z = np.uint64(seed) + np.uint64(stream) * np.uint64(0xD1342543DE82EF95)
    z += (np.uint64(draw) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.float64(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)
