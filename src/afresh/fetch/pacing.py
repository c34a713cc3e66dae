"""Politeness in numbers: when a site may be asked again, and how errors slow us down.

The store enforces ``next_allowed`` across processes and restarts; this module computes it. ``Pacer`` does the same job
inside one process, for commands that work without a store.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from afresh.core.models import Failed, Failure, Outcome, Rejected
from afresh.core.protocols import Clock

DAY = 86_400.0
_UNREACHABLE = frozenset((Failure.DNS, Failure.CONNECT, Failure.TLS, Failure.TIMEOUT))
_MAX_IDLE_SITES = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How much a site is spared; seconds."""

    delay: float = 1.0  # from the end of a request to the start of the next
    duration_factor: float = 0.0  # also wait this many times as long as the answer took (Mercator, Heritrix); 0: off
    max_duration_delay: float = 30.0  # but no longer than this on account of slowness
    backoff_base: float = 60.0  # after the first failure in a row
    backoff_cap: float = DAY  # one try a day, for ever
    max_retry_after: float = 7 * DAY  # wishes past this are mistakes or malice: asked again after a week


def backoff(failures: int, *, base: float = 60.0, cap: float = DAY, u: float = 0.5) -> float:
    """Seconds to wait after so many failures in a row: doubling from ``base`` to ``cap``, never giving up.

    ``u`` in [0, 1) spreads the waits over ±25 %, so that feeds that failed together do not come back together.

    >>> [backoff(n) for n in (0, 1, 2, 3, 50)]
    [0.0, 60.0, 120.0, 240.0, 86400.0]
    """
    if failures <= 0:
        return 0.0
    doubled = base * 2.0 ** min(failures - 1, 60)
    return min(cap, doubled) * (0.75 + 0.5 * u)


def next_allowed(
    outcome: Outcome,
    *,
    manners: Manners | None = None,
    delay: float | None = None,
    failures: int = 0,
    u: float = 0.5,
) -> float:
    """Earliest start of the next request to the site of this outcome.

    ``delay`` is the site's own (robots' Crawl-delay, the operator's wish) and replaces the manners' if longer;
    ``failures`` counts the site's failures in a row, this one included.
    """
    manners = manners or Manners()
    trip = outcome.trip
    wait = max(manners.delay, delay or 0.0)
    if manners.duration_factor > 0.0:
        slowness = manners.duration_factor * max(0.0, trip.finished - trip.started)
        wait = max(wait, min(slowness, manners.max_duration_delay))
    asked = retry_after_of(outcome, manners=manners)
    if asked is not None:
        wait = max(wait, asked)
    elif _is_sites_trouble(outcome):
        wait = max(wait, backoff(max(1, failures), base=manners.backoff_base, cap=manners.backoff_cap, u=u))
    return trip.finished + wait


def retry_after_of(outcome: Outcome, *, manners: Manners | None = None) -> float | None:
    """Seconds the server asked us to stay away, within reason; None if it did not."""
    if not isinstance(outcome, Rejected) or outcome.retry_after is None:
        return None
    return min(max(outcome.retry_after, 0.0), (manners or Manners()).max_retry_after)


def _is_sites_trouble(outcome: Outcome) -> bool:
    """Trouble that the site's other resources would meet as well; a 404 is one resource's own."""
    match outcome:
        case Rejected(status=status):
            return status == 429 or status >= 500
        case Failed(cause=cause):
            return cause in _UNREACHABLE
    return False


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

    @asynccontextmanager
    async def turn(self, site: str, *, delay: float | None = None) -> AsyncIterator["Turn"]:
        """Waits for the site's turn; what ``turn.outcome`` says then decides about the next one."""
        state = self._sites.get(site)
        if state is None:
            self._forget_idle()
            state = self._sites[site] = _SiteState(asyncio.Lock())
        state.waiting += 1
        try:
            async with state.lock:
                while (pause := state.next_allowed - self._clock.now()) > 0:
                    await self._clock.sleep(pause)
                turn = Turn()
                try:
                    yield turn
                finally:
                    self._learn(state, turn.outcome, delay)
        finally:
            state.waiting -= 1

    def ready_at(self, site: str) -> float:
        """When the site may be asked next; 0 if it is not known."""
        state = self._sites.get(site)
        return 0.0 if state is None else state.next_allowed

    def _learn(self, state: _SiteState, outcome: Outcome | None, delay: float | None) -> None:
        if outcome is None:  # cancelled, or the caller failed: a request may have been made
            state.next_allowed = self._clock.now() + max(self._manners.delay, delay or 0.0)
            return
        state.failures = state.failures + 1 if _is_sites_trouble(outcome) else 0
        state.next_allowed = next_allowed(outcome, manners=self._manners, delay=delay, failures=state.failures)

    def _forget_idle(self) -> None:
        if len(self._sites) < _MAX_IDLE_SITES:
            return
        now = self._clock.now()
        for site in [name for name, state in self._sites.items() if not state.waiting and state.next_allowed <= now]:
            del self._sites[site]


@dataclass(slots=True)
class Turn:
    """A turn at a site; set ``outcome`` before it ends."""

    outcome: Outcome | None = None
