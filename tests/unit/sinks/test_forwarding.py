"""The forwarder: every line reaches the sink in order, and a sink that is away is waited for."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

import pytest

from afresh.base.clock import SystemClock
from afresh.base.errors import UsageError
from afresh.base.executor import InPlace
from afresh.base.records.sinks import Column, Line, SinkAway
from afresh.base.settings.sections import SinkSettings
from afresh.base.troubles import Troubles
from afresh.sinks import cursors
from afresh.sinks.forwarding import Forwarder, make_forwarders

QUICK = SinkSettings(every=0.001, first_wait=0.001, longest_wait=0.002)
WITHIN = 30.0  # seconds


class Notes(dict[str, str]):
    """A store of settings alone."""

    def get_setting(self, key: str) -> str | None:
        return self.get(key)

    def put_setting(self, key: str, value: str) -> None:
        self[key] = value


class Numbers:
    """A stream of as many lines as somebody has added."""

    name, columns = "numbers", (Column("n", "whole"),)

    def __init__(self, mark: str) -> None:
        self.mark, self.last = mark, 0
        self.taken: int | None = 0

    def read(self, *, after: int, limit: int) -> list[Line]:
        found = range(after + 1, min(self.last, after + limit) + 1)
        return [Line(n, cursors.key_of(self.mark, n), {"n": n}) for n in found]

    def passed(self, number: int | None) -> None:
        self.taken = number


class Shelf:
    """A sink that does as it is told."""

    stream: ClassVar[str] = ""

    def __init__(self, *, most: int = 10, patience: float = 0.0) -> None:
        self.most, self.patience = most, patience
        self.held: list[int] = []
        self.batches: list[int] = []
        self.is_away = self.forgets = False
        self.opened = 0

    async def open(self, mark: str) -> int:
        assert mark
        if self.is_away:
            raise SinkAway("nobody there")
        self.opened += 1
        return 0 if self.forgets or not self.held else self.held[-1]

    async def write(self, lines: Sequence[Line]) -> None:
        if self.is_away:
            raise SinkAway("nobody there any more")
        self.held += [line.number for line in lines]
        self.batches.append(len(lines))

    async def close(self) -> None:
        return None


class Desk:
    """A forwarder with all it needs."""

    def __init__(self, sink: Shelf, *, leads: Callable[[], bool] = lambda: True) -> None:
        self.store, self.sink, self.clock = Notes(), sink, SystemClock()
        self.stream = Numbers(cursors.store_mark(self.store))
        self.troubles = Troubles(self.clock.now)
        self.is_leading = leads

    def forwarder(self) -> Forwarder:
        return Forwarder(
            self.sink,
            self.stream,
            self.store,
            name="shelf",
            settings=QUICK,
            clock=self.clock,
            executor=InPlace(),
            troubles=self.troubles,
            leads=self._leads,
        )

    async def _leads(self) -> bool:
        return self.is_leading()

    def run(self, scenario: Callable[[], Awaitable[None]]) -> None:
        """With a forwarder beside, which is stopped at the end."""

        async def both() -> None:
            forwarder = self.forwarder()
            task = asyncio.create_task(forwarder.run())
            try:
                async with asyncio.timeout(WITHIN):
                    await scenario()
            finally:
                forwarder.stop()
                await asyncio.wait_for(task, WITHIN)

        asyncio.run(both())


async def until(is_so: Callable[[], bool]) -> None:
    while not is_so():
        await asyncio.sleep(0.001)


def test_lines_go_in_order_and_the_cursor_follows() -> None:
    desk = Desk(Shelf())

    async def scenario() -> None:
        for last in (3, 25):
            desk.stream.last = last
            await until(lambda last=last: desk.stream.taken == last)

    desk.run(scenario)
    assert desk.sink.held == list(range(1, 26))
    assert max(desk.sink.batches) == 10
    [cursor] = cursors.all_cursors(desk.store)
    assert (cursor.name, cursor.stream, cursor.after, cursor.lines) == ("shelf", "numbers", 25, 25)
    assert cursor.at > 0


def test_a_new_process_goes_on_where_the_last_one_was() -> None:
    desk = Desk(Shelf())
    for last in (4, 9):
        desk.stream.last = last
        desk.run(lambda last=last: until(lambda: desk.stream.taken == last))
    assert desk.sink.held == list(range(1, 10))


def test_what_a_sink_holds_already_is_not_sent_again() -> None:
    desk = Desk(Shelf())
    desk.stream.last, desk.sink.held = 5, [1, 2, 3]  # a crash came before the cursor was moved
    desk.run(lambda: until(lambda: desk.stream.taken == 5))
    assert desk.sink.held == [1, 2, 3, 4, 5]


def test_a_sink_that_is_away_is_waited_for_and_told_of() -> None:
    desk = Desk(Shelf())

    async def scenario() -> None:
        desk.stream.last = 3
        await until(lambda: desk.stream.taken == 3)
        desk.sink.is_away = True
        desk.stream.last = 8
        await until(lambda: "sink shelf" in desk.troubles)
        await until(lambda: desk.troubles.current()[0].times > 3)
        assert "nobody there" in desk.troubles.why("sink shelf")
        assert desk.stream.taken == 3
        desk.sink.is_away = False
        await until(lambda: desk.stream.taken == 8)
        await until(lambda: "sink shelf" not in desk.troubles)

    desk.run(scenario)
    assert desk.sink.held == list(range(1, 9))


def test_lines_wait_for_company_and_leave_at_the_end() -> None:
    desk = Desk(Shelf(most=4, patience=3_600.0))

    async def scenario() -> None:
        desk.stream.last = 9
        await until(lambda: desk.stream.taken == 8)

    desk.run(scenario)
    assert desk.sink.batches == [4, 4, 1]


def test_who_does_not_lead_writes_nothing() -> None:
    leading = [False]
    desk = Desk(Shelf(), leads=lambda: leading[0])

    async def scenario() -> None:
        desk.stream.last = 3
        await asyncio.sleep(0.05)
        assert not desk.sink.opened
        leading[0] = True
        await until(lambda: desk.stream.taken == 3)

    desk.run(scenario)


def test_the_slowest_sink_says_what_is_passed() -> None:
    desk = Desk(Shelf())
    cursors.begin(desk.store, "other", "numbers")
    desk.stream.last, desk.stream.taken = 5, -1
    desk.run(lambda: until(lambda: len(desk.sink.held) == 5))
    assert desk.stream.taken == 0
    cursors.forget(desk.store, "other")
    desk.stream.last = 6
    desk.run(lambda: until(lambda: desk.stream.taken == 6))
    with pytest.raises(cursors.SinkNotFound, match="afresh sink list"):
        cursors.forget(desk.store, "other")


def test_a_sink_of_a_stream_that_is_not_there_is_refused() -> None:
    desk = Desk(Shelf())
    with pytest.raises(UsageError, match="takes documents"):
        make_forwarders(
            SinkSettings(to=("documents:out",)),
            [desk.stream],
            desk.store,
            clock=desk.clock,
            executor=InPlace(),
            troubles=desk.troubles,
            leads=desk._leads,
        )
