"""Update patterns: which of eight habits a feed has.

The classes describe; no prediction rule of the thesis uses them ([R12] §3.7.5, §3.7.6).
"""

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from afresh.base.models import Row

SECOND, HOUR, DAY, WEEK = 1.0, 3_600.0, 86_400.0, 604_800.0

ZOMBIE_AGE = 8 * WEEK
ZOMBIE_GAPS = 8.0  # median gaps of silence
CONSTANT_GAP = 2 * HOUR  # a constant feed is never silent for longer
# The thesis gives no number for these three; they are those of the program it was made with.
DISPERSION = 0.1  # standard deviation over median from which gaps count as widely dispersed
CONSTANT_SPREAD = 12.0  # longest over median gap
CONSTANT_PER_DAY = 4.0


class Pattern(StrEnum):
    """How a feed publishes."""

    EMPTY = "empty"  # no entry
    SINGLE_ENTRY = "single_entry"
    ON_THE_FLY = "on_the_fly"  # times are made when the document is asked for
    CHUNKED = "chunked"  # all at once
    ZOMBIE = "zombie"  # long silent, measured by its own habit
    SPONTANEOUS = "spontaneous"  # scattered, daily or rarer
    CONSTANT = "constant"  # around the clock
    SLICED = "sliced"  # busy and quiet times of day; whatever is left
    UNKNOWN = "unknown"  # never reached


def classify(
    times: Row, last_poll: float, *, http_date: float | None = None, strict_chunked: bool = False, reached: bool = True
) -> Pattern:
    """Pattern of a feed from all its known entries (ascending) and the last poll.

    The order of the tests is our reading: the thesis defines the classes, not a decision list. With more than half of
    the gaps 0 a feed counts as chunked; ``strict_chunked`` follows the text, which asks for one single time.

    >>> classify(np.array([0.0, 1.0, 2.0]) * 7_000, 15_000.0).value
    'constant'
    """
    if not reached:
        return Pattern.UNKNOWN
    if len(times) < 2:
        return Pattern.SINGLE_ENTRY if len(times) else Pattern.EMPTY
    gaps = np.diff(times)
    median, longest, newest = float(np.median(gaps)), float(gaps.max()), float(times[-1])
    if median == 0 and abs((last_poll if http_date is None else http_date) - newest) <= SECOND:
        return Pattern.ON_THE_FLY
    if longest == 0 if strict_chunked else median == 0:
        return Pattern.CHUNKED
    age = last_poll - newest
    if age >= ZOMBIE_AGE and age >= ZOMBIE_GAPS * median:
        return Pattern.ZOMBIE
    if median >= DAY and float(gaps.std()) >= DISPERSION * median:
        return Pattern.SPONTANEOUS
    per_day = len(times) * DAY / (newest - float(times[0]))
    if longest <= CONSTANT_GAP and longest < CONSTANT_SPREAD * median and per_day >= CONSTANT_PER_DAY:
        return Pattern.CONSTANT
    return Pattern.SLICED


def classify_all(
    times: Row, offsets: NDArray[np.int64], last_poll: float | Row, *, strict_chunked: bool = False
) -> list[Pattern]:
    """Patterns of many feeds; feed i owns ``times[offsets[i]:offsets[i + 1]]``.

    ``last_poll`` is one time for all or one per feed; entries after it are not known yet.
    """
    polls = np.broadcast_to(np.asarray(last_poll, dtype=np.float64), (len(offsets) - 1,))
    out = []
    for i, poll in enumerate(polls.tolist()):
        stream = times[offsets[i] : offsets[i + 1]]
        known = stream[: np.searchsorted(stream, poll, side="right")]
        out.append(classify(known, poll, strict_chunked=strict_chunked))
    return out
