"""A soak: the living web in this process, the daemon in another one that is killed, starved and misled."""

from __future__ import annotations

import asyncio
import random
import signal
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from afresh.base.settings import Settings
from afresh.engine.add import Wanted, add
from afresh.lab.demo import every_entry
from afresh.lab.soak.accounts import settle
from afresh.lab.soak.faults import Fault, Server, Shift, Victim, possible_faults
from afresh.lab.soak.memory import Memory
from afresh.lab.soak.process import DaemonProcess
from afresh.lab.web import DemoWeb
from afresh.store import opened_store

#: Settings of a daemon that has something to forget whenever it starts.
FORGETFUL: Mapping[str, object] = {"keep.visits": 20.0}
FLAT = 0.10  # by which memory may grow after its first minutes
_LASTING = (2.0, 12.0)  # seconds of a fault
_BETWEEN = (1.0, 8.0)  # seconds from one to the next
_PATIENCE = 60.0  # seconds a jump of the clock must stay to be believed, as in a daemon of somebody's own
_AGAIN = 1.0  # seconds until a daemon that ended by itself is started again, as a service manager does
_LOOK = 0.5  # seconds between two looks at its memory


@dataclass(frozen=True, slots=True)
class Hardship:
    """What a daemon has to go through."""

    seconds: float
    kill_every: float | None  # seconds; None: it is not killed
    with_faults: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SoakSummary:
    """What a soak ends with. The server counted, not the daemon."""

    seconds: float
    kills: int
    faults: Mapping[str, int]  # by name
    ended_by_itself: int  # daemons that gave up
    last_words: tuple[str, ...]  # of the last one that gave up, or of the end if that was not a good one
    end_code: int  # of the last daemon
    requests_served: int
    entries_acknowledged: int
    entries_stored: int
    lost: int
    doubled: int
    violations: int
    violations_by_kind: Mapping[str, int]
    memory_first_mb: float
    memory_later_mb: float
    memory_growth: float | None  # None: this system does not tell

    @property
    def is_good(self) -> bool:
        """Whether everything was as promised."""
        wrong = self.lost or self.doubled or self.violations or self.end_code
        return not wrong and (self.memory_growth is None or self.memory_growth <= FLAT)


class Soak:
    """One run. Every daemon is started with the same ``options``, which give it these ``settings``."""

    def __init__(
        self,
        web: DemoWeb,
        settings: Settings,
        options: Sequence[str],
        plan: Hardship,
        *,
        folder: Path,
        server: Server | None = None,
    ) -> None:
        self._web, self._settings, self._options = web, settings, options
        self._plan, self._server = plan, server
        self._faults: Mapping[str, Fault] = possible_faults(settings.store.url, server) if plan.with_faults else {}
        self._shift = Shift(folder)
        self._rng = random.Random(web.seed)
        self._births: list[float] = []
        self._kills = self._gave_up = 0
        self._last_words: tuple[str, ...] = ()
        self._counted: Counter[str] = Counter()
        self._memory = Memory(plan.seconds)
        self._daemon: DaemonProcess | None = None
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Before its time."""
        self._stopping.set()

    async def run(self) -> SoakSummary:
        """On a web that listens. The daemon is in good health when it is ended: the faults are over by then."""
        with opened_store(self._settings, makes=True) as store:
            add(store, [Wanted(url=feed.url) for feed in self._web.feeds], self._settings, now=self._web.clock())
        await (await self._start()).ready()
        began = time.monotonic()
        beside = [asyncio.create_task(self._keep_alive()), asyncio.create_task(self._watch_memory(began))]
        if self._faults:
            beside.append(asyncio.create_task(self._misbehave()))
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), self._plan.seconds)
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
        return await self._settle(time.monotonic() - began)

    async def _start(self) -> DaemonProcess:
        self._births.append(self._web.clock())
        starter = self._shift.starter(_PATIENCE) if self._faults else ()
        self._daemon = await DaemonProcess.started(self._options, starter=starter)
        return self._daemon

    async def _keep_alive(self) -> None:
        """Kills now and then, and starts whatever is no more."""
        assert self._daemon is not None
        while True:
            await self._daemon.ready()  # a life is counted from there, however long a slow machine takes to start
            await asyncio.wait({asyncio.ensure_future(self._daemon.ended())}, timeout=self._plan.kill_every)
            if self._daemon.code is None:
                await self._daemon.kill()
                self._kills += 1
            elif self._daemon.code == -signal.SIGKILL:  # as a part of a fault
                self._kills += 1
            else:
                self._gave_up += 1
                self._last_words = tuple(self._daemon.said)
                await asyncio.sleep(_AGAIN)
            await self._start()

    async def _misbehave(self) -> None:
        while True:
            await asyncio.sleep(self._rng.uniform(*_BETWEEN))
            daemon = self._daemon
            assert daemon is not None
            await daemon.ready()
            if daemon.code is not None:
                continue
            name = self._rng.choice(sorted(self._faults))
            self._counted[name] += 1
            victim = Victim(
                process=daemon,
                store=self._settings.store.url,
                shift=self._shift,
                rng=self._rng,
                begin_again=self._begin_again,
                server=self._server,
            )
            async with self._faults[name](victim):
                await asyncio.sleep(self._rng.uniform(*_LASTING))

    async def _begin_again(self) -> None:
        """Until the daemon after this one is there."""
        assert self._daemon is not None
        before = self._daemon
        await before.kill()
        while self._daemon is before:
            await asyncio.sleep(_LOOK)
        await self._daemon.ready()

    async def _watch_memory(self, began: float) -> None:
        while True:
            assert self._daemon is not None
            self._memory.note(time.monotonic() - began, self._daemon.megabytes())
            await asyncio.sleep(_LOOK)

    async def _settle(self, seconds: float) -> SoakSummary:
        assert self._daemon is not None
        await self._daemon.ready()
        code = await self._daemon.end()
        if code:
            self._last_words = tuple(self._daemon.said)
        with opened_store(self._settings) as store:
            stored = ((item.resource, item.entry.parsed.link) for item in every_entry(store))
            kept = settle(self._web, stored, self._births)
        ledger, memory = self._web.ledger, self._memory
        return SoakSummary(
            seconds=round(seconds, 1),
            kills=self._kills,
            faults=dict(sorted(self._counted.items())),
            ended_by_itself=self._gave_up,
            last_words=self._last_words,
            end_code=code,
            requests_served=ledger.requests,
            entries_acknowledged=kept.acknowledged,
            entries_stored=kept.entries,
            lost=kept.lost,
            doubled=kept.doubled,
            violations=sum(ledger.breaches.values()),
            violations_by_kind={str(kind): count for kind, count in ledger.breaches.items()},
            memory_first_mb=round(memory.first_mb, 1),
            memory_later_mb=round(memory.later_mb, 1),
            memory_growth=None if memory.growth is None else round(memory.growth, 3),
        )
