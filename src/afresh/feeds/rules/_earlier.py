"""Rows that earlier versions of the default rule kept, read as the row of today: nothing that was learnt is lost."""

import math

import numpy as np

from afresh.base.models import Row
from afresh.feeds.rules import _intensity as known

# The row of 179 floats: rates came from counts with memories of 230 and 144 days, and the rhythm's sum was kept.
_SIZE = 179
_LONG, _MIDDLE, _TOTAL, _PACE = 3, 4, 7, 15
_LONG_DAYS, _MIDDLE_DAYS = 230.0, 144.0
_LONG_BELIEF, _MIDDLE_BELIEF, _RATE = 0.5, 0.8, 0.08 / known.DAY


def renewed(kept: Row, params: Row) -> Row:
    """The row as it is kept now, with as many entries as its rate has brought; one of no known version as it is."""
    if len(kept) == _SIZE - 1:  # before days had a unit: all that was learnt is in days of 24 hours
        kept = np.insert(kept, _PACE, 1.0)
    if len(kept) == known.DAY_KINDS:  # before feeds were of kinds: their kind is weighed at the next poll
        return np.append(kept, np.zeros(known.SIZE - known.DAY_KINDS))
    if len(kept) != _SIZE:
        return kept
    state = np.append(np.delete(kept, [_LONG, _TOTAL]), np.zeros(known.SIZE - known.DAY_KINDS))
    state[known.ENTRIES] = _rate(kept) * _seen(kept, float(params[known.MEMORY])) if kept[known.POLLED] > 0.0 else 0.0
    return state


def _rate(kept: Row) -> float:
    """The usual rate, entries a second, as that version computed it."""
    rate = (kept[_LONG] + _LONG_BELIEF) / (_seen(kept, _LONG_DAYS) + _LONG_BELIEF / _RATE)
    return float((kept[_MIDDLE] + _MIDDLE_BELIEF) / (_seen(kept, _MIDDLE_DAYS) + _MIDDLE_BELIEF / rate))


def _seen(kept: Row, days: float) -> float:
    """Seconds that a count with this memory had seen at the last poll."""
    memory = days * known.DAY
    return memory * (1.0 - math.exp(-max(0.0, float(kept[known.POLLED] - kept[known.SINCE])) / memory))
