"""Replays of feed rules on recorded or synthetic histories.

period = period_of(trace, start=start, train=28 * DAY, test=56 * DAY)
feeds = trace.select(population(trace, period))
result = replay(feeds, load("mavsync"), period=period)
equal = replay_within(feeds, load("priced"), load("mavsync"), period=period)

The module can be called itself, for notebooks: ``afresh.lab.replay(trace, rules=["mavsync"])`` gives columns, ready for
pandas (``lab.columns.replay_rules``).
"""

import sys
from types import ModuleType
from typing import Any

from afresh.lab.replay.matched import Calibration, calibrate, has_price, replay_matched, replay_within
from afresh.lab.replay.period import Period, period_of, population
from afresh.lab.replay.playback import Keep, Playback
from afresh.lab.replay.result import ReplayResult, Series
from afresh.lab.replay.run import replay
from afresh.lab.replay.trace import RecordedPolls, Trace

__all__ = [
    "Calibration",
    "Keep",
    "Period",
    "Playback",
    "RecordedPolls",
    "ReplayResult",
    "Series",
    "Trace",
    "calibrate",
    "has_price",
    "period_of",
    "population",
    "replay",
    "replay_matched",
    "replay_within",
]


class _Callable(ModuleType):
    def __call__(self, *args: Any, **options: Any) -> Any:
        from afresh.lab.columns import replay_rules  # noqa: PLC0415 (it needs this package)

        return replay_rules(*args, **options)


sys.modules[__name__].__class__ = _Callable
