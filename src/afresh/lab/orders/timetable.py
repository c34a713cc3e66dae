"""Orders of one site's visits over a horizon, to compare MERGE with: one signature, found by name.

    order(frequency, phase, pace, seed, times, pages) -> how many visits

``frequency`` and ``phase`` (uniform in [0, 1)) are per page, all frequencies positive. The arrays must have
``room_needed`` places.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from afresh.base.registry import Registry
from afresh.base.signatures import WF, F, types

Floats = NDArray[np.float64]
Numbers = NDArray[np.uint32]


class Pace(NamedTuple):
    """How a site may be asked; compiled code takes the four together."""

    first_tick: float
    gap: float  # from tick to tick
    delay: float  # never two requests within it
    until: float


ORDER = types.int64(
    F, F, types.NamedUniTuple(types.float64, 4, Pace), types.int64, WF, types.Array(types.uint32, 1, "C")
)
Order = Callable[[Floats, Floats, Pace, int, Floats, Numbers], int]

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
