"""Sites taken from among all processes that share a store: for requests that no lease of the loop covers."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from typing import TYPE_CHECKING, Protocol, TypeVar

from afresh.base.errors import StoreAway, StoreBusy
from afresh.base.executor import Executor, InPlace
from afresh.base.models import TakenSite

if TYPE_CHECKING:
    from afresh.base.protocols import Clock, Store

log = logging.getLogger("afresh.gate")

T = TypeVar("T")

_LEASE = 300.0  # seconds until the site of a dead process is handed out again
_LOOK = 0.5  # seconds after which somebody who has the site is asked again


class Ledger(Protocol):
    """Who asks the same sites besides: a site is taken for each request, and left with when it may be asked again."""

    async def take(self, site: str) -> TakenSite | float: ...

    async def leave(self, taken: TakenSite, *, next_allowed: float) -> None: ...


class SiteLedger:
    """The store's account of sites: who has which, and when each may be asked again."""

    def __init__(self, store: Store, *, clock: Clock, executor: Executor | InPlace) -> None:
        self._store, self._clock, self._executor = store, clock, executor
        self._holder = f"{socket.gethostname()}:{os.getpid()}:gate"

    async def take(self, site: str) -> TakenSite | float:
        """The site, or the time at which it is worth trying again. Who is cancelled meanwhile has not taken it."""
        taking = asyncio.ensure_future(self._take(site))
        try:
            return await _to_its_end(taking)
        except asyncio.CancelledError:
            if taking.done() and not taking.cancelled() and isinstance(taken := taking.result(), TakenSite):
                await self.leave(taken, next_allowed=0.0)
            raise

    async def _take(self, site: str) -> TakenSite | float:
        now = self._clock.now()
        taken = await self._executor.write(
            self._store.take_site, site, holder=self._holder, now=now, until=now + _LEASE
        )
        if taken is not None:
            return taken
        known = await self._executor.read(self._store.site, site)
        return now + _LOOK if known is None else max(now + _LOOK, known.next_allowed)

    async def leave(self, taken: TakenSite, *, next_allowed: float) -> None:
        """After the request: nobody asks the site before then."""
        leaving = self._executor.write(self._store.leave_site, taken.lease, next_allowed=next_allowed)
        try:
            await _to_its_end(asyncio.ensure_future(leaving))
        except (StoreAway, StoreBusy) as error:  # the answer counts; to others the site is taken until the lease ends
            log.warning("a site is left late: %s", error)


async def _to_its_end(work: asyncio.Future[T]) -> T:
    """What it brings. Whoever is cancelled while waiting waits on: half-done, it would keep a site from everybody."""
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        if not work.done():
            await asyncio.wait((work,))
        raise
