"""The way to the web of the settings: the one place that makes an HTTP client, and hands it to nobody but the gate.

Apart from the daemon, so that a command that only fetches starts quickly.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from afresh.base.clock import SystemClock
from afresh.base.executor import Executor, InPlace
from afresh.base.politeness import Manners
from afresh.base.settings import Settings
from afresh.base.value_class import dataclass
from afresh.engine.gate import PATIENCE, Gate, manners_of
from afresh.engine.kept_robots import StoredRobots
from afresh.engine.site_ledger import Ledger, SiteLedger
from afresh.http.client import HttpFetcher
from afresh.http.health import NetworkHealth
from afresh.http.robots import RobotsMemory
from afresh.parse.url import Sites

if TYPE_CHECKING:
    from afresh.base.models import Outcome, Request
    from afresh.base.protocols import Clock, Store
    from afresh.http.access import Access
    from afresh.http.hop import Hop
    from afresh.http.rendering import RenderingClient

_AT_ONCE = 10.0  # seconds: the longest wait for a site in trouble where somebody waits; well within PATIENCE


def make_gate(
    settings: Settings,
    *,
    store: Store | None = None,
    executor: Executor | InPlace | None = None,
    clock: Clock | None = None,
    manners: Manners | None = None,
    patience: float = PATIENCE,
    on_shortage: Callable[[str], None] | None = None,
    access: Access | None = None,
    ledger: Ledger | None = None,
    asks_again: bool = True,
    keep_robots: KeepRobots | None = None,
) -> Gate:
    """The gate: limits and guard, a sense for our own outages, pauses, robots.txt; ``access`` to some hosts.

    ``on_shortage`` is told what we lack ourselves.

    With a ``store`` sites and what robots.txt says are shared with every other process on it; without, only this
    process asks, and who ``ledger`` knows of. ``asks_again`` as in ``Gate``. ``keep_robots`` is given the answers that
    the gate gets for robots.txt.
    """
    clock = clock or SystemClock()
    fetch, politeness = settings.fetch, settings.politeness
    manners = manners or manners_of(politeness)
    robots = RobotsMemory(agent=fetch.user_agent.partition("/")[0].strip(), first_wait=max(manners.backoff_base, 0.1))
    archive = None
    if store is not None:
        executor = executor or InPlace()
        ledger = SiteLedger(store, clock=clock, executor=executor)
        archive = StoredRobots(store, executor=executor)
    if fetch.passwords or fetch.headers:
        from afresh.http.access import of_settings  # noqa: PLC0415 (most let everybody in)

        access = of_settings(fetch, access)
    client = HttpFetcher(fetch, clock=clock, health=NetworkHealth(), on_shortage=on_shortage, access=access)
    return Gate(
        _Clients(client, settings, clock) if keep_robots is None else _Keeping(client, settings, clock, keep_robots),
        clock=clock,
        site_of=Sites(politeness).of,
        manners=manners,
        robots=robots if fetch.respect_robots or fetch.respect_robots_for_feeds else None,
        binds_feeds=fetch.respect_robots_for_feeds,
        ledger=ledger,
        archive=archive,
        patience=patience,
        asks_again=asks_again,
    )


class _Clients:
    """A client (``http.hop.Client``): for a page that is to be rendered one with a browser, loaded with the first."""

    def __init__(self, plain: HttpFetcher, settings: Settings, clock: Clock) -> None:
        self._plain, self._settings, self._clock = plain, settings, clock

    def fetch(self, request: Request, *, hop: Hop | None = None) -> Coroutine[Any, Any, Outcome]:
        return (self._rendering if request.render else self._plain).fetch(request, hop=hop)

    async def close(self) -> None:
        await self._plain.close()

    @cached_property
    def _rendering(self) -> RenderingClient:
        from afresh.http.rendering import RenderingClient  # noqa: PLC0415 (few pages are made by scripts)

        return RenderingClient(self._plain, self._settings.browser, self._settings.fetch, clock=self._clock)


@dataclass(frozen=True, slots=True)
class KeepRobots:
    """Who archives answers for robots.txt, and how much of the body of an error."""

    keep: Callable[[Outcome], Awaitable[None]]
    error_bytes: int = 0


class _Keeping(_Clients):
    """The same, with robots.txt archived: whoever asks for anything else says so, and archives it where it is read."""

    def __init__(self, plain: HttpFetcher, settings: Settings, clock: Clock, keeping: KeepRobots) -> None:
        super().__init__(plain, settings, clock)
        self._keeping = keeping

    async def fetch(self, request: Request, *, hop: Hop | None = None) -> Outcome:
        if request.is_archived or not request.url.endswith("/robots.txt"):
            return await super().fetch(request, hop=hop)
        wanted = replace(request, is_archived=True, error_bytes=max(request.error_bytes, self._keeping.error_bytes))
        outcome = await super().fetch(wanted, hop=hop)
        if outcome.trip.requests:
            await self._keeping.keep(outcome)
        return outcome


def prompt_manners(settings: Settings) -> Manners:
    """For a command that ends: it does not wait long for a site in trouble, but as long as the site asks for."""
    manners = manners_of(settings.politeness)
    return replace(manners, backoff_base=manners.delay, backoff_cap=_AT_ONCE)
