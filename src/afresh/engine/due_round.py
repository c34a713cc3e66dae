"""How long it takes until all that is due was visited once, as far as that can be said before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.base.records.explained import DueRound
    from afresh.base.settings import Settings


def due_round(store: Store, settings: Settings, *, now: float) -> DueRound:
    """What is due, what has to be asked besides, and what its busiest site takes."""
    ahead = store.due_round(now=now, delay=settings.politeness.delay)
    fetch = settings.fetch
    return ahead if fetch.respect_robots or fetch.respect_robots_for_feeds else replace(ahead, robots=0)
