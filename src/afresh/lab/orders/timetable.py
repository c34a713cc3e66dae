"""Orders of one site's visits over a horizon, to compare MERGE with: one signature, found by name.

    order(frequency, phase, first_tick, gap, delay, until, seed, times, pages) -> how many visits

``frequency`` and ``phase`` (uniform in [0, 1)) are per page, all frequencies positive; the site ticks every ``gap``
from ``first_tick`` on, and must never be asked twice within ``delay``. The arrays must have ``room_needed`` places.
"""

from collections.abc import Callable

import numpy as np
from numba import types
from numpy.typing import NDArray

from afresh.base.registry import Registry

Floats = NDArray[np.float64]
Numbers = NDArray[np.uint32]

_F = types.Array(types.float64, 1, "C", readonly=True)
ORDER = types.int64(
    _F,
    _F,
    types.float64,
    types.float64,
    types.float64,
    types.float64,
    types.int64,
    types.Array(types.float64, 1, "C"),
    types.Array(types.uint32, 1, "C"),
)
Order = Callable[[Floats, Floats, float, float, float, float, int, Floats, Numbers], int]

TIMETABLES: Registry[Order] = Registry(
    "order",
    {
        "buddy": "buddy:buddy",
        "delayed": "delayed:delayed",
        "delayed_reanchored": "delayed:delayed_reanchored",
        "eevdf": "eevdf:eevdf",
        "golden": "golden:golden",
        "iepp": "iepp:iepp",
        "random": "chance:chance",
    },
    package="afresh.lab.orders",
    group="afresh.orders",
)


def room_needed(frequency: Floats, gap: float, horizon: float) -> int:
    """Places enough for the visits of a site over a horizon, whatever the order."""
    return int(frequency.sum() * horizon) + int(horizon / gap) + 2 * len(frequency) + 8
