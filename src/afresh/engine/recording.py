"""Recording: reports are written in batches, in the order they came, as long as there are any or may come."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING

from afresh.base.errors import StoreAway, StoreError
from afresh.base.executor import Executor
from afresh.base.models import Report
from afresh.base.settings.watching import LoopSettings
from afresh.base.shortage import is_shortage
from afresh.engine.absence import Absence
from afresh.engine.following import Following
from afresh.engine.held_leases import HeldLeases
from afresh.engine.loop_health import LoopHealth

if TYPE_CHECKING:
    from afresh.base.protocols import Store

log = logging.getLogger("afresh.loop")


class Recorder:
    """What was fetched stays here until it is in the store; ``wake`` tells the loop that some of it is."""

    def __init__(
        self,
        store: Store,
        executor: Executor,
        following: Following,
        *,
        settings: LoopSettings,
        held: HeldLeases,
        absence: Absence,
        health: LoopHealth,
        wake: Callable[[], None],
    ) -> None:
        self._store, self._executor, self._following = store, executor, following
        self._settings, self._held, self._absence = settings, held, absence
        self._health, self._wake = health, wake
        self._reports: deque[Report] = deque()
        self._reported = asyncio.Event()
        self._is_hurried = self._is_last = False

    def __len__(self) -> int:
        """Reports that wait to be recorded."""
        return len(self._reports)

    def add(self, report: Report) -> None:
        self._reports.append(report)
        self._reported.set()

    def hurry(self) -> None:
        """The end is near: nobody waits for a batch to be full."""
        self._is_hurried = True

    def finish(self) -> None:
        """Nothing lands any more: what is there is the last."""
        self._is_last = True
        self._reported.set()

    async def run(self) -> None:
        """Until all is recorded after ``finish``. What cannot be written stays for later."""
        self._reported.set()  # something may have been left when this was last begun
        await self._following.match()
        while True:
            await self._reported.wait()
            if not self._is_hurried and len(self._reports) < self._settings.batch:
                await asyncio.sleep(self._settings.flush)
            self._reported.clear()
            batch = list(islice(self._reports, self._settings.batch))
            if batch:
                await self._take(batch)
            if self._reports:
                self._reported.set()
            elif self._is_last:  # nothing that is being leased now lands, either
                return

    async def _take(self, batch: list[Report]) -> None:
        applied = await self._write(batch)
        for report in batch:
            self._held.let_go(report.lease)
            self._reports.popleft()
        self._wake()
        self._health.recorded += sum(applied)
        self._health.refused += len(applied) - sum(applied)
        recorded = [report for report, is_applied in zip(batch, applied, strict=True) if is_applied]
        await self._following.tell_all(batch, recorded)

    async def _write(self, batch: list[Report]) -> list[bool]:
        """Apply a batch. What no store takes, by a fault of ours, is given up alone: it must not keep the others."""
        try:
            return await self._recorded(batch)
        except StoreError:  # busy: the same again later
            raise
        except Exception:
            if len(batch) > 1:
                return [is_applied for report in batch for is_applied in await self._write([report])]
            log.exception("a report cannot be recorded", extra={"url": batch[0].resource.url})
            return [False]

    async def _recorded(self, batch: list[Report]) -> list[bool]:
        while True:
            try:
                return await self._executor.write(self._store.record, batch)
            except StoreAway as error:
                await self._absence.wait(error)
            except Exception as error:
                if not is_shortage(error):
                    raise
                await self._absence.want(error)
