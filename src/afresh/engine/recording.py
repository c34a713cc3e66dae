"""Recording: reports are written in batches, in the order they came, as long as there are any or may come.

A lease outlasts a request, not what follows from its answer: a site that is leased again meanwhile is asked again, and
the first answer is refused. So leases of answers that are being judged or wait to be recorded are renewed.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING

from afresh.base.errors import StoreError
from afresh.base.executor import Executor
from afresh.base.models import Lease, Report
from afresh.base.settings.sections import LoopSettings
from afresh.engine.companions import Companions
from afresh.engine.store_away import Absence
from afresh.engine.supervision import LoopHealth

if TYPE_CHECKING:
    from afresh.base.protocols import Store

log = logging.getLogger("afresh.loop")

_EARLY = 0.5  # of a lease's time is left when it is renewed


class Recorder:
    """What was fetched stays here until it is in the store; ``wake`` tells the loop that some of it is."""

    def __init__(
        self,
        store: Store,
        executor: Executor,
        companions: Companions,
        *,
        settings: LoopSettings,
        absence: Absence,
        health: LoopHealth,
        wake: Callable[[], None],
    ) -> None:
        self._store, self._executor, self._companions = store, executor, companions
        self._settings, self._absence, self._health, self._wake = settings, absence, health, wake
        self._reports: deque[Report] = deque()
        self._held: dict[int, float] = {}  # leases of answers not recorded yet, and until when each lasts
        self._reported = asyncio.Event()
        self._is_hurried = self._is_last = False

    def __len__(self) -> int:
        """Reports that wait to be recorded."""
        return len(self._reports)

    def hold(self, lease: Lease) -> None:
        """Its answer has come: it lasts until that is recorded, or ``let_go``."""
        self._held[lease.id] = lease.until

    def let_go(self, lease: int) -> None:
        self._held.pop(lease, None)

    async def renew(self, now: float) -> None:
        """Leases that would run out soon, or have. One that somebody else has by now stays theirs.

        Done before anything is leased, so that a daemon never takes a site from itself.
        """
        lasting = self._settings.lease
        late = [lease for lease, until in self._held.items() if until - now < _EARLY * lasting]
        if late:
            await self._executor.write(self._store.renew, late, until=now + lasting)
            self._held.update({lease: now + lasting for lease in late if lease in self._held})

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
        await self._companions.match()
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
        answers = list(zip(batch, applied, strict=True))
        done = [report for report, said in answers if said is not None]
        waiting = [report for report, said in answers if said is None]
        for report in done:
            self.let_go(report.lease)
        for _ in batch:
            self._reports.popleft()
        self._reports.extend(waiting)  # behind the others: a server that is away keeps nobody but its own
        self._wake()
        recorded = [report for report, said in answers if said]
        self._health.recorded += len(recorded)
        self._health.refused += len(done) - len(recorded)
        if done:
            await self._companions.follow(done, recorded)
        else:
            await self._absence.pause()

    async def _write(self, batch: list[Report]) -> list[bool | None]:
        """Apply a batch. What no store takes, by a fault of ours, is given up alone: it must not keep the others."""
        try:
            return await self._absence.outlast(lambda: self._executor.write(self._store.record, batch))
        except StoreError:  # busy: the same again later
            raise
        except Exception:
            if len(batch) > 1:
                return [is_applied for report in batch for is_applied in await self._write([report])]
            log.exception("a report cannot be recorded", extra={"url": batch[0].resource.url})
            return [False]
