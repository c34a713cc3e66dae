"""Companions of the loop: started again, counted, and given a last chance before the end."""

import asyncio
import logging
from itertools import pairwise

import pytest

from afresh.base.errors import StoreBusy
from afresh.engine import supervision
from afresh.engine.supervision import Supervision
from tests.fakes.clocks import StillClock


class Failing:
    """A companion that fails so many times, and then waits for ever."""

    def __init__(self, clock: StillClock, times: int, *, lasting: float = 0.0) -> None:
        self.clock, self.left, self.lasting = clock, times, lasting
        self.starts: list[float] = []
        self.works = asyncio.Event()

    async def run(self) -> None:
        self.starts.append(self.clock.now())
        self.clock.advance(self.lasting)
        if self.left:
            self.left -= 1
            raise StoreBusy("somebody else writes")
        self.works.set()
        await asyncio.Event().wait()


def test_what_fails_is_started_again_after_growing_pauses(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        clock = StillClock()
        failing = Failing(clock, 9)
        async with Supervision(clock) as beside:
            beside.start("housekeeping", failing.run)
            await failing.works.wait()
            known = beside.companions["housekeeping"]
            assert (known.is_running, known.failures, known.error) == (True, 9, "StoreBusy: somebody else writes")
        assert not known.is_running
        pauses = [later - earlier for earlier, later in pairwise(failing.starts)]
        assert pauses == [0.5, 1, 2, 4, 8, 16, 32, 60, 60]

    asyncio.run(scenario())
    assert "housekeeping failed and is started again in 0.5 s" in caplog.text
    assert "Traceback" in caplog.text


def test_what_had_worked_for_long_is_started_again_soon() -> None:
    async def scenario() -> None:
        clock = StillClock()
        failing = Failing(clock, 3, lasting=3600.0)
        async with Supervision(clock) as beside:
            beside.start("push", failing.run)
            await failing.works.wait()
        assert [later - earlier for earlier, later in pairwise(failing.starts)] == [3600.5] * 3

    asyncio.run(scenario())


def test_what_has_ended_by_itself_is_left_alone() -> None:
    async def scenario() -> None:
        starts: list[int] = []

        async def once() -> None:
            starts.append(1)

        async with Supervision(StillClock()) as beside:
            beside.start("once", once)
            assert await beside.finish("once", within=5.0)
        assert starts == [1]
        assert beside.companions["once"].failures == 0

    asyncio.run(scenario())


class NeverSleeps(StillClock):
    """A pause that nobody would see the end of."""

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.Event().wait()


def test_at_the_end_nobody_waits_for_a_long_pause() -> None:
    async def scenario() -> None:
        clock = NeverSleeps()
        tries: list[int] = []

        async def write() -> None:
            tries.append(1)
            if len(tries) < 3:
                raise StoreBusy("somebody else writes")

        async with Supervision(clock) as beside:
            beside.start("recording", write)
            while not clock.slept:
                await asyncio.sleep(0)
            assert await beside.finish("recording", within=20.0)
        assert len(tries) == 3

    asyncio.run(scenario())


def test_what_does_not_end_is_stopped_and_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "_HURRIED", 0.0)

    async def scenario() -> None:
        failing = Failing(StillClock(), 10**9)
        async with Supervision(StillClock()) as beside:
            beside.start("recording", failing.run)
            assert not await beside.finish("recording", within=0.01)
        assert beside.companions["recording"].failures >= 1

    logging.getLogger("afresh.supervision").disabled = True
    try:
        asyncio.run(scenario())
    finally:
        logging.getLogger("afresh.supervision").disabled = False


def test_an_error_of_the_block_ends_the_companions_and_comes_unwrapped() -> None:
    async def scenario() -> None:
        clock = StillClock()
        working, beside = Failing(clock, 0), Supervision(clock)

        async def block() -> None:
            async with beside:
                beside.start("push", working.run)
                await working.works.wait()
                raise StoreBusy("the loop itself")

        with pytest.raises(StoreBusy, match="the loop itself"):
            await block()
        assert not beside.companions["push"].is_running

    asyncio.run(scenario())
