"""Pacing within one process, for commands that work without a store (there, leases do the same across processes)."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from afresh.base.models import Outcome
from afresh.base.pacing import Manners, is_sites_trouble, next_allowed
from afresh.base.protocols import Clock

_MAX_IDLE_SITES = 10_000


@dataclass(slots=True)
class _SiteState:
    lock: asyncio.Lock
    next_allowed: float = 0.0
    failures: int = 0
    waiting: int = 0


class Pacer:
    """One request at a time to a site and a pause between two, within this process.

    async with pacer.turn(site) as turn:
        turn.outcome = await fetcher.fetch(request)
    """

    def __init__(self, clock: Clock, manners: Manners | None = None) -> None:
        self._clock = clock
        self._manners = manners or Manners()
        self._sites: dict[str, _SiteState] = {}

    def turn(self, site: str, *, delay: float | None = None) -> "Turn":
        """Waits for the site's turn; what ``turn.outcome`` says then decides about the next one."""
        return Turn(self, site, delay)

    def ready_at(self, site: str) -> float:
        """When the site may be asked next; 0 if it is not known."""
        state = self._sites.get(site)
        return 0.0 if state is None else state.next_allowed

    async def begin(self, site: str) -> _SiteState:
        """Returns when nobody else asks the site and its pause is over."""
        state = self._sites.get(site)
        if state is None:
            self._forget_idle()
            state = self._sites[site] = _SiteState(asyncio.Lock())
        state.waiting += 1
        try:
            await state.lock.acquire()
        except BaseException:
            state.waiting -= 1
            raise
        try:
            while (pause := state.next_allowed - self._clock.now()) > 0:
                await self._clock.sleep(pause)
        except BaseException:
            self._leave(state)
            raise
        return state

    def end(self, state: _SiteState, outcome: Outcome | None, delay: float | None) -> None:
        """Lets the next one in, as soon as the outcome allows."""
        try:
            self._learn(state, outcome, delay)
        finally:
            self._leave(state)

    def _leave(self, state: _SiteState) -> None:
        state.lock.release()
        state.waiting -= 1

    def _learn(self, state: _SiteState, outcome: Outcome | None, delay: float | None) -> None:
        if outcome is None:  # cancelled, or the caller failed: a request may have been made
            state.next_allowed = self._clock.now() + max(self._manners.delay, delay or 0.0)
            return
        state.failures = state.failures + 1 if is_sites_trouble(outcome) else 0
        state.next_allowed = next_allowed(outcome, manners=self._manners, delay=delay, failures=state.failures)

    def _forget_idle(self) -> None:
        if len(self._sites) < _MAX_IDLE_SITES:
            return
        now = self._clock.now()
        for site in [name for name, state in self._sites.items() if not state.waiting and state.next_allowed <= now]:
            del self._sites[site]


class Turn:
    """A turn at a site, waited for on entering; set ``outcome`` before it ends.

    A class rather than a generator: half the price, and every request of a check takes a turn.
    """

    __slots__ = ("_delay", "_pacer", "_site", "_state", "outcome")

    def __init__(self, pacer: Pacer, site: str, delay: float | None) -> None:
        self._pacer, self._site, self._delay = pacer, site, delay
        self.outcome: Outcome | None = None

    async def __aenter__(self) -> Self:
        self._state = await self._pacer.begin(self._site)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pacer.end(self._state, self.outcome, self._delay)


class HopPacer:
    """Spaces out the requests that redirects lead to a host.

    A lease covers the site a visit was planned for; a hundred feeds that all redirect to one service would press it
    all the same. Remembered in this process only.
    """

    def __init__(self, clock: Clock, pause: float) -> None:
        self._clock, self._pause = clock, pause
        self._free: OrderedDict[str, float] = OrderedDict()  # host to when it may be reached again

    async def wait(self, host: str) -> None:
        """Returns when it is this hop's turn; later ones queue behind it."""
        now = self._clock.now()
        at = max(now, self._free.get(host, 0.0))
        self._free[host] = at + self._pause
        self._free.move_to_end(host)
        while len(self._free) > _MAX_IDLE_SITES:
            self._free.popitem(last=False)
        if at > now:
            await self._clock.sleep(at - now)
