"""Many daemons on one store are one system: one of them leads, and every one says that it is there.

The leader plans sites, moves the price, brings idle budget to resources, asks hubs and keeps house; the others visit,
record and tell, at the leader's price. Leading is a lock that goes with the process (decision 0019): who dies leads no
more, and another does at its next beat. On SQLite there is one daemon, and it leads.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afresh.base.errors import StoreAway, StoreError
from afresh.base.executor import Executor
from afresh.base.records.daemons import HEARTBEAT, STOPPED, DaemonRecord
from afresh.base.troubles import Trouble, standing

if TYPE_CHECKING:
    from afresh.base.protocols import Clock, Store

log = logging.getLogger("afresh.leader")

BEAT = 1.0  # seconds between two
#: Seconds for which a leader believes what the store last said. The server gives the lock of a machine it hears nothing
#: of to another after ten (``store.postgres``), so there are never two, whatever becomes of the network.
BELIEVED = 6.0
COMPARED = 30.0  # seconds between two looks at the store's clock


@dataclass(slots=True)
class Leader:
    """What one daemon knows of all: whether it leads, and who else is there."""

    store: Store
    clock: Clock
    executor: Executor
    name: str
    requests: Callable[[float], int]  # that it made in the hour before a time
    after_beat: Callable[[], Awaitable[None]] | None = None  # to read what others have written
    troubles: Callable[[], tuple[Trouble, ...]] = tuple  # of this one
    on_away: Callable[[StoreAway], None] | None = None  # told that nothing can be written
    on_clock: Callable[[float], None] | None = None  # told by how much our clock is ahead of the store's
    since: float = 0.0
    leads_since: float | None = None  # None: another one does
    others: list[DaemonRecord] = field(default_factory=list)  # that have not stopped
    has_ended: bool = False
    _asked: float = -math.inf  # when the lock was last asked about; of a clock that nobody can set
    _compared: float = -math.inf  # when our clock was last compared with the store's

    @property
    def is_leading(self) -> bool:
        has_lead = self.leads_since is not None
        return has_lead and (not self.is_shared or time.monotonic() - self._asked < BELIEVED)

    @property
    def is_shared(self) -> bool:
        """Whether there may be others at all."""
        return self.store.daemons.is_shared

    @property
    def known(self) -> list[DaemonRecord]:
        """All of them, as they last said; this one as it would say now."""
        return [self._here(), *self.others]

    async def run(self) -> None:
        """Until cancelled. A store that cannot be asked leaves us what we were, for as long as a lead is believed."""
        while True:
            await asyncio.sleep(BEAT if self.is_shared else HEARTBEAT)
            await self._try_beat()

    async def begin(self) -> None:
        """The first beat. Where nobody else can be, we lead whatever the store says."""
        self.since = self.clock.now()
        if not self.is_shared:
            self.leads_since = self.since
        await self._try_beat()

    async def _try_beat(self) -> None:
        try:
            await self.beat()
        except StoreAway as error:
            if self.on_away is not None:
                self.on_away(error)
        except StoreError as error:
            log.warning("the store could not be told that we are there", extra={"outcome": str(error)})

    async def beat(self) -> None:
        """Say that we are there, lead if nobody does, and hear what the others say."""
        now, asked = self.clock.now(), time.monotonic()
        leads = await self.executor.read(self.store.daemons.lead)
        self._asked = asked
        if leads is (self.leads_since is None):
            log.info("leads from now on" if leads else "another daemon leads", extra={"daemon": self.name})
        self.leads_since = (self.leads_since or now) if leads else None
        await self.say()
        if self.is_shared:
            known = await self.executor.read(self.store.daemons.list_daemons)
            self.others = [one for one in known if one.name != self.name and one.status != STOPPED]
            await self._compare_clocks(asked)
        if self.after_beat is not None:
            await self.after_beat()

    async def _compare_clocks(self, now: float) -> None:
        """Daemons whose clocks differ do not mean the same by a due time or a pause."""
        if self.on_clock is not None and now - self._compared >= COMPARED:
            self._compared = now
            before = self.clock.now()
            theirs = await self.executor.read(self.store.daemons.clock)
            self.on_clock((before + self.clock.now()) / 2.0 - theirs)

    async def say(self) -> None:
        """Say that we are there and how we are doing. Also how a daemon finds out that nothing can be written."""
        if not self.has_ended:
            await self.executor.write(self.store.daemons.beat, self._here())

    def _here(self) -> DaemonRecord:
        now, troubles = self.clock.now(), self.troubles()
        return DaemonRecord(
            name=self.name,
            since=self.since,
            seen=now,
            requests=self.requests(now),
            leads_since=self.leads_since,
            status=standing(troubles, is_alive=True),
            troubles=troubles,
        )

    async def end(self) -> None:
        """We are gone; who died without saying so is forgotten after an hour."""
        self.has_ended = True  # a beat under way must not take it back
        try:
            await self.executor.write(self.store.daemons.leave, self.name, now=self.clock.now())
        except StoreError as error:
            log.warning("the store could not be told that we end", extra={"outcome": str(error)})
