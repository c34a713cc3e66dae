"""The forwarder: carries the lines of a stream to one sink, in order, each at least once.

The cursor in the store moves when the sink has said that it holds the lines. A crash between the two makes us send them
again: a sink that knows its last line is asked for it first, and all others can tell by the key. A sink that is away
holds its own cursor and nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from afresh.base.clock import first_of
from afresh.base.errors import UsageError
from afresh.base.passwords import hide_password
from afresh.base.politeness import backoff
from afresh.base.records.sinks import Line, Sink, SinkAway, Stream
from afresh.base.settings.sections import SinkSettings
from afresh.sinks import cursors, make_sink
from afresh.sinks.cursors import Cursor

if TYPE_CHECKING:
    from afresh.base.executor import Executor, InPlace
    from afresh.base.protocols import Clock
    from afresh.base.records.sinks import CursorStore
    from afresh.base.troubles import Troubles

_FOLLOWING = 1.0  # seconds between two questions whether we lead now
_PATIENCE = 60.0  # seconds for one write; who takes longer is away


class Forwarder:
    """One sink and how far it is; ``run`` carries lines there until ``stop``."""

    def __init__(
        self,
        sink: Sink,
        stream: Stream,
        store: CursorStore,
        *,
        name: str,
        settings: SinkSettings,
        clock: Clock,
        executor: Executor | InPlace,
        troubles: Troubles,
        leads: Callable[[], Awaitable[bool]],
    ) -> None:
        self._sink, self._stream, self._store, self.name = sink, stream, store, name
        self._settings, self._clock, self._executor = settings, clock, executor
        self._troubles, self._leads = troubles, leads
        self._cursor: Cursor | None = None  # None: it has to be opened first
        self._stopping = asyncio.Event()
        self._waiting_since: float | None = None  # since when the first line waits to be written with others
        self.trouble = f"sink {name}"

    def begin(self) -> Cursor:
        """The cursor, made before anything happens that the sink wants to hear of; a call of the store."""
        cursor = cursors.begin(self._store, self.name, self._stream.name)
        self._tell_stream()
        return cursor

    def stop(self) -> None:
        """What is there is carried over once more, then ``run`` returns."""
        self._stopping.set()

    async def run(self) -> None:
        """Until ``stop``. A sink that is away is tried again after growing pauses."""
        failures = 0
        try:
            while True:
                is_last = self._stopping.is_set()
                try:
                    has_more = await self._turn(hurried=is_last) if await self._leads() else await self._follow()
                    failures = 0
                except SinkAway as error:
                    failures += 1
                    await self._wait_for_it(error, failures)
                    has_more = False
                if is_last:
                    return
                if not has_more and not failures:
                    await self._rest(self._settings.every)
        finally:
            await self._shut()

    async def _turn(self, *, hurried: bool) -> bool:
        """Carries some lines over; whether there may be more."""
        cursor = self._cursor or await self._open()
        limit = self._sink.most
        lines = await self._executor.read(self._stream.read, after=cursor.after, limit=limit)
        if not lines or not (hurried or len(lines) >= limit or self._waited_enough()):
            self._note_well()
            return False
        await self._write(lines)
        self._cursor = replace(
            cursor, after=lines[-1].number, lines=cursor.lines + len(lines), at=round(self._clock.now(), 3)
        )
        self._waiting_since = None
        await self._executor.write(self._keep, self._cursor)
        self._note_well()
        return hurried or len(lines) >= limit

    async def _write(self, lines: list[Line]) -> None:
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._sink.write(lines)
        except TimeoutError:
            raise SinkAway(f"it did not take {len(lines)} lines within {_PATIENCE:.0f} s") from None

    async def _open(self) -> Cursor:
        mark = await self._executor.write(cursors.store_mark, self._store)
        cursor = await self._executor.write(self.begin)
        try:
            async with asyncio.timeout(_PATIENCE):
                held = await self._sink.open(mark)
        except TimeoutError:
            raise SinkAway(f"it could not be opened within {_PATIENCE:.0f} s") from None
        self._cursor = replace(cursor, after=max(cursor.after, held))
        return self._cursor

    def _keep(self, cursor: Cursor) -> None:
        cursors.move(self._store, cursor)
        self._tell_stream()

    def _tell_stream(self) -> None:
        self._stream.passed(cursors.slowest(cursors.all_cursors(self._store), self._stream.name))

    def _waited_enough(self) -> bool:
        """Whether lines that wait for company have waited as long as the sink wishes."""
        now = self._clock.now()
        if self._waiting_since is None:
            self._waiting_since = now
        return now - self._waiting_since >= self._sink.patience

    async def _follow(self) -> bool:
        """Another process leads, and writes."""
        await self._shut()
        await self._rest(_FOLLOWING)
        return False

    async def _wait_for_it(self, error: SinkAway, failures: int) -> None:
        await self._shut()
        self._troubles.report(self.trouble, f"{error}; its lines wait in the store")
        settings = self._settings
        await self._rest(backoff(failures, base=settings.first_wait, cap=settings.longest_wait))

    def _note_well(self) -> None:
        if self.trouble in self._troubles:
            self._troubles.over(self.trouble)

    async def _shut(self) -> None:
        self._cursor = self._waiting_since = None
        await self._sink.close()

    async def _rest(self, seconds: float) -> None:
        if not self._stopping.is_set():
            await first_of(self._stopping.wait(), self._clock.sleep(seconds))


def make_forwarders(
    settings: SinkSettings,
    streams: Sequence[Stream],
    store: CursorStore,
    *,
    clock: Clock,
    executor: Executor | InPlace,
    troubles: Troubles,
    leads: Callable[[], Awaitable[bool]],
) -> list[Forwarder]:
    """One for each address of the settings; the first stream is the main one. UsageError: an address is none."""
    by_name = {"": streams[0], **{stream.name: stream for stream in streams}}
    forwarders = []
    for address in dict.fromkeys(settings.to):
        sink = make_sink(address, columns=streams[0].columns)
        stream = by_name.get(sink.stream)
        if stream is None:
            raise UsageError(f"{hide_password(address)} takes {sink.stream}, of which there are none here")
        forwarders.append(
            Forwarder(
                sink,
                stream,
                store,
                name=hide_password(address),
                settings=settings,
                clock=clock,
                executor=executor,
                troubles=troubles,
                leads=leads,
            )
        )
    return forwarders
