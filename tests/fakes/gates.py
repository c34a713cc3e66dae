"""The real gate in front of a fake web, in virtual time."""

from afresh.base.executor import Executor, InPlace
from afresh.base.protocols import Clock, Store
from afresh.base.settings.sections import PolitenessSettings
from afresh.engine.gate import PATIENCE, Gate, manners_of
from afresh.engine.kept_robots import StoredRobots
from afresh.engine.site_ledger import Ledger, SiteLedger
from afresh.http.hop import Client
from afresh.http.robots import RobotsMemory
from afresh.parse.url import Sites


def gate_to(
    web: Client,
    clock: Clock,
    politeness: PolitenessSettings | None = None,
    *,
    store: Store | None = None,
    executor: Executor | InPlace | None = None,
    heeds_robots: bool = True,
    binds_feeds: bool = False,
    patience: float = PATIENCE,
    ledger: Ledger | None = None,
    asks_again: bool = True,
) -> Gate:
    """A gate as the settings would make it; with a store, shared with whoever else has it."""
    politeness = politeness or PolitenessSettings()
    archive = None
    if store is not None:
        ledger = SiteLedger(store, clock=clock, executor=executor or InPlace())
        archive = StoredRobots(store, executor=executor or InPlace())
    return Gate(
        web,
        clock=clock,
        site_of=Sites(politeness).of,
        manners=manners_of(politeness),
        robots=RobotsMemory(first_wait=politeness.trouble_wait) if heeds_robots else None,
        binds_feeds=binds_feeds,
        ledger=ledger,
        archive=archive,
        patience=patience,
        asks_again=asks_again,
    )
