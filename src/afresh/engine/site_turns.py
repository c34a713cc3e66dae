"""A site's turn for a request that no plan foresaw: the same lease and the same pause as every other request's."""

import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from afresh.base.durations import format_duration
from afresh.base.errors import UsageError
from afresh.base.executor import Executor, InPlace
from afresh.base.models import Outcome, Site
from afresh.base.pacing import Manners, next_allowed
from afresh.base.protocols import Clock, Store
from afresh.base.settings.watching import PolitenessSettings

_LEASE = 300.0  # seconds until the site of a dead process is handed out again
_LOOK = 0.5  # seconds after which somebody who has the site is asked again
_PATIENCE = 60.0  # seconds a person can be made to wait


@dataclass(slots=True)
class Turn:
    """A turn at a site; set ``outcome`` before it ends."""

    outcome: Outcome | None = None


class SiteTurns:
    """Sites taken one request at a time, from among all processes that share the store.

    async with turns.turn(site) as turn:
        turn.outcome = await fetcher.fetch(request)
    """

    def __init__(
        self,
        store: Store,
        politeness: PolitenessSettings,
        *,
        clock: Clock,
        executor: Executor | InPlace,
        patience: float = _PATIENCE,
    ) -> None:
        self._store, self._politeness, self._clock, self._executor = store, politeness, clock, executor
        self._patience = patience
        self._holder = f"{socket.gethostname()}:{os.getpid()}:example"

    @asynccontextmanager
    async def turn(self, site: str) -> AsyncIterator[Turn]:
        """Waits for the site, as long as a person would; UsageError where that is not long enough."""
        lease = await self._take(site)
        turn = Turn()
        try:
            yield turn
        finally:
            known = await self._executor.read(self._store.site, site)
            after = self._after(turn.outcome, known)
            await self._executor.write(self._store.leave_site, lease, next_allowed=after)

    async def _take(self, site: str) -> int:
        end = self._clock.now() + self._patience
        while True:
            now = self._clock.now()
            taken = await self._executor.write(
                self._store.take_site, site, holder=self._holder, now=now, until=now + _LEASE
            )
            if taken is not None:
                return taken
            known = await self._executor.read(self._store.site, site)
            ready = now + _LOOK if known is None else max(now + _LOOK, known.next_allowed)
            if ready > end:
                wait = format_duration(ready - now)
                raise UsageError(f"{site} may not be asked for another {wait}, or is being asked; try again then")
            await self._clock.sleep(ready - now)

    def _after(self, outcome: Outcome | None, site: Site | None) -> float:
        """When the site may be asked next; without an outcome a request may have been made all the same."""
        delay = None if site is None else site.delay
        if outcome is None:
            return self._clock.now() + max(self._politeness.delay, delay or 0.0)
        return next_allowed(
            outcome,
            manners=manners_of(self._politeness),
            delay=pause_of(outcome, site, delay),
            failures=0 if site is None else site.failures + 1,
        )


def manners_of(politeness: PolitenessSettings) -> Manners:
    """How much a site is spared, by the settings."""
    return Manners(
        delay=politeness.delay,
        duration_factor=politeness.load_factor,
        backoff_base=politeness.trouble_wait,
        max_retry_after=politeness.retry_after_cap,
    )


def pause_of(outcome: Outcome, site: Site | None, delay: float | None) -> float:
    """Seconds the site is left alone: the operator's wish or the Crawl-delay of its robots.txt, whichever is longer."""
    trip = outcome.trip
    asked = trip.crawl_delay if trip.robots_read else site.state.crawl_delay if site is not None else None
    return max(delay or 0.0, asked or 0.0)
