"""The timekeeper: what a start long after the last work must not do."""

import asyncio
import time
from collections.abc import Callable

from afresh.base.clock import WatchedClock
from afresh.base.executor import InPlace
from afresh.base.timekeeping import SeenTimes, TimeBounds, Timekeeper
from afresh.base.troubles import Troubles

DAY = 86_400.0


class _Times:
    """A store that was last worked with at some time."""

    def __init__(self, worked: float | None) -> None:
        self.worked, self.is_ahead = worked, False
        self.kept: dict[str, str] = {}
        self.resumed: list[float] = []
        self.pulled = 0

    def seen_times(self) -> SeenTimes:
        due = time.time() + 30 * DAY if self.is_ahead else None
        return SeenTimes(visited=self.worked, added=None, due=due, ready=None, worked=self.worked)

    def bounds(self) -> TimeBounds:
        return TimeBounds(intervals={"feed": DAY}, pause=DAY, delay=1.0, lease=60.0)

    def pull_back(self, now: float) -> int:
        self.pulled += 1
        return 3

    def resume_pauses(self, now: float, *, since: float) -> None:
        self.resumed.append(since)

    def get_setting(self, key: str) -> str | None:
        return self.kept.get(key)

    def put_setting(self, key: str, value: str) -> None:
        self.kept[key] = value


def _keeper(times: _Times, begin_anew: Callable[[], None] | None = None) -> Timekeeper:
    clock = WatchedClock(patience=0.0)
    return Timekeeper(clock, times, executor=InPlace(), troubles=Troubles(clock.now), begin_anew=begin_anew)


def test_after_an_implausible_gap_pauses_go_on_and_nothing_is_forgotten() -> None:
    for worked, is_usual in ((None, True), (time.time() - 100.0, True), (time.time() - 30 * DAY, False)):
        times = _Times(worked)
        keeper = _keeper(times)
        keeper.begin()
        assert (keeper.may_prune(), times.resumed) == (is_usual, [] if is_usual else [worked])


def test_who_does_not_begin_anew_looks_at_the_store_again_after_a_step_backward() -> None:
    times = _Times(time.time())
    begun: list[bool] = []
    for keeper in (_keeper(times), _keeper(times, lambda: begun.append(True))):
        times.is_ahead = True
        asyncio.run(keeper._follow(-30 * DAY))
    assert (times.pulled, begun) == (1, [True])
