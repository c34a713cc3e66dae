"""Windows that vary: some grow, some show the last days only, some are empty now and then."""

import numpy as np
from numpy.typing import NDArray

from afresh.lab.population.streams import Period
from afresh.lab.replay.trace import RecordedPolls

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

EVERY = 6 * 3_600.0  # the recorder's longest interval
DAY = 86_400.0
KINDS = ("growing", "last_days", "alternating")
KIND_SHARES = (0.4, 0.5, 0.1)


def varying_windows(
    windows: Ints, offsets: Ints, times: Floats, period: Period, share: float, rng: np.random.Generator
) -> RecordedPolls:
    """Recorded polls of the feeds whose window varies; all others have none and keep their constant one."""
    n = len(windows)
    varies = (rng.random(n) < share) & (windows > 0)
    kinds = rng.choice(len(KINDS), n, p=KIND_SHARES)
    grid = np.arange(period.start, period.end, EVERY)
    sizes = []
    for i in np.flatnonzero(varies):
        stream = times[offsets[i] : offsets[i + 1]]
        sizes.append(_sizes(KINDS[kinds[i]], int(windows[i]), stream, grid, rng))
    counts = np.where(varies, len(grid), 0)
    bounds = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return RecordedPolls(
        offsets=bounds,
        times=np.tile(grid, int(varies.sum())),
        windows=np.concatenate([np.empty(0, dtype=np.int64), *sizes]),
        sizes=np.full(int(bounds[-1]), np.nan),
    )


def _sizes(kind: str, window: int, stream: Floats, grid: Floats, rng: np.random.Generator) -> Ints:
    published = np.searchsorted(stream, grid, side="right")
    match kind:
        case "growing":
            return np.asarray(window + published - published[0], dtype=np.int64)
        case "last_days":
            days = float(rng.choice([1.0, 7.0, 14.0])) * DAY
            return np.asarray(published - np.searchsorted(stream, grid - days, side="right"), dtype=np.int64)
        case _:
            low = int(rng.integers(0, 2))
            return np.where(rng.random(len(grid)) < 0.5, window, low).astype(np.int64)
