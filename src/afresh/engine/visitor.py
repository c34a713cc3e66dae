"""One visit after the other, many at a time: a lease becomes an answer, an answer a report."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from afresh.base.errors import StoreBusy, StoreError
from afresh.base.executor import Executor
from afresh.base.models import Failed, Failure, Lease, Outcome, Report, Result, Trip
from afresh.base.out_of_descriptors import SHORT_WAIT, is_shortage
from afresh.base.politeness import site_rest_of
from afresh.base.troubles import NETWORK, Troubles
from afresh.base.visits import Answer
from afresh.engine.budget import Budget
from afresh.engine.recording import Recorder
from afresh.engine.store_away import Absence
from afresh.engine.supervision import LoopHealth

if TYPE_CHECKING:
    from afresh.base.protocols import Clock, Fetcher, Store
    from afresh.engine.visit import Concluder

log = logging.getLogger("afresh.loop")

_TRIES = 3  # of a conclusion, while the store is busy
_BROKEN = "internal error, see the log"
_BUSY = 1.0  # seconds between two of them


class Visitor:
    """Makes visits. Whatever goes wrong with one is logged with its URL, and becomes a report all the same."""

    def __init__(
        self,
        store: Store,
        fetcher: Fetcher,
        concluder: Concluder,
        *,
        clock: Clock,
        executor: Executor,
        rng: random.Random,
        budget: Budget,
        recorder: Recorder,
        absence: Absence,
        health: LoopHealth,
        troubles: Troubles,
        no_cache: bool,
    ) -> None:
        self._store, self._fetcher, self._concluder = store, fetcher, concluder
        self._clock, self._executor, self._rng = clock, executor, rng
        self._budget, self._recorder, self._absence = budget, recorder, absence
        self._health, self._troubles, self._no_cache = health, troubles, no_cache
        self.is_ending = False  # what only waits for its turn is not visited any more
        self.unconcluded = 0  # visits that have an answer and wait for the store
        self.on_done: Callable[[Lease, Outcome, Report], None] | None = (
            None  # who else learns of a visit; asks the store
        )
        self.has_asked = asyncio.Event()  # the first answer has come, or there is nothing to ask for yet

    async def visit(self, lease: Lease) -> Report | None:
        """None: it was given up because all of it ends; the lease is given back."""
        try:
            outcome = await self._fetch(lease)
            if self.is_ending and _is_given_up(outcome):
                with suppress(StoreError):  # it ends by itself
                    await self._give_back(lease, outcome)
                return None
            self._recorder.hold(lease)
            return await self._conclude(lease, outcome)
        except Exception:  # the outermost place that can go on: one resource must not end the loop
            log.exception("visit failed unexpectedly", extra={"url": lease.resource.url})
            return await self._conclude_broken(lease)

    async def _give_back(self, lease: Lease, outcome: Outcome) -> None:
        """Its site is free: at once, or where robots.txt or a first hop was asked after the pause that it wants."""
        if not outcome.trip.requests and not outcome.trip.robots_requests:
            await self._executor.write(self._store.release, [lease.id], now=self._clock.now())
            return
        rest = max(site_rest_of(outcome) or 0.0, lease.pause)
        await self._executor.write(self._store.leave_site, lease.id, next_allowed=self._clock.now() + rest)

    async def _conclude_broken(self, lease: Lease) -> Report:
        try:
            return await self._conclude(lease, self._failed(lease.resource.url, Failure.PROTOCOL, _BROKEN))
        except Exception:  # its lease runs out, and it is visited again
            self._recorder.let_go(lease.id)
            if self._budget.steering is not None:
                self._budget.steering.note_lost(lease)
            raise

    async def _fetch(self, lease: Lease) -> Outcome:
        """For want of our own means it is asked later, and nobody is to blame."""
        try:
            kind = self._concluder.kinds[lease.resource.kind]
            if kind.asks_store:
                request = await self._executor.read(kind.request, lease.resource, no_cache=self._no_cache)
            else:
                request = kind.request(lease.resource, no_cache=self._no_cache)
            outcome = await self._fetcher.fetch(replace(request, terms=lease.terms))
            self.has_asked.set()
            return outcome if kind.follow_up is None else await kind.follow_up(lease, outcome)
        except Exception as error:
            if not is_shortage(error):
                raise
            failed = self._failed(lease.resource.url, Failure.LATER, f"not asked for want of our own means: {error}")
            return replace(failed, trip=replace(failed.trip, requests=0), retry_after=SHORT_WAIT)

    async def _conclude(self, lease: Lease, outcome: Outcome) -> Report:
        """What was fetched must not be lost because the store is busy or, however long that takes, away.

        Nor because there is no descriptor to load what reads it with.
        """
        u = self._rng.random()
        self.unconcluded += 1
        try:
            report = await self._absence.outlast(lambda: self._concluded(lease, outcome, u))
        finally:
            self.unconcluded -= 1
        self._budget.note_done(lease, outcome, report)
        if self.on_done is not None:
            await self._executor.read(self.on_done, lease, outcome, report)
        self._tell(lease, report)
        return report

    async def _concluded(self, lease: Lease, outcome: Outcome, u: float) -> Report:
        tries = _TRIES
        while True:
            try:
                return await self._executor.judge(self._judged, lease, outcome, u)
            except StoreBusy:
                tries -= 1
                if not tries:
                    raise
            await self._clock.sleep(_BUSY)

    def _judged(self, lease: Lease, outcome: Outcome, u: float) -> Report:
        site = self._store.site(lease.site)
        return self._concluder.conclude(Answer(lease=lease, outcome=outcome, site=site, u=u))

    def _failed(self, url: str, cause: Failure, detail: str) -> Failed:
        now = self._clock.now()
        trip = Trip(url=url, final_url=url, started=now, finished=now, headers=MappingProxyType({}))
        return Failed(trip=trip, cause=cause, detail=detail)

    def _tell(self, lease: Lease, report: Report) -> None:
        result = report.visit.result
        self._health.visits += 1
        self._health.activity.note(report)
        self._health.is_offline = result is Result.OFFLINE
        if self._health.is_offline:
            self._troubles.report(NETWORK, f"our own network seems down ({report.visit.error})")
        else:
            self._troubles.over(NETWORK)
        self._health.results[result] = self._health.results.get(result, 0) + 1
        level = logging.DEBUG if result.is_success else logging.INFO
        extra = {"url": lease.resource.url, "result": str(result), "error": report.visit.error}
        if report.visit.was_kept_back:
            log.info("not visited yet: %s (%s)", lease.resource.url, report.visit.error, extra=extra)
            return
        log.log(
            level,
            "visited %s: %s%s",
            lease.resource.url,
            result,
            f" ({report.visit.error})" if report.visit.error else "",
            extra=extra,
        )


def _is_given_up(outcome: Outcome) -> bool:
    """Whether a visit waited for its turn, before its first request or on its way, and did not get it."""
    is_late = isinstance(outcome, Failed) and outcome.cause is Failure.LATER
    return is_late or not (outcome.trip.requests or outcome.trip.robots_requests)
