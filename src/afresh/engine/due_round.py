"""How long it takes until all that is due was visited once, as far as that can be said before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from afresh.base.records.explained import DueRound

if TYPE_CHECKING:
    from afresh.base.models import Resource
    from afresh.base.protocols import Store
    from afresh.base.settings import Settings


def due_round(store: Store, settings: Settings, *, now: float) -> DueRound:
    """What is due, what has to be asked besides, and what its busiest site takes."""
    ahead = store.due_round(now=now, delay=settings.politeness.delay)
    fetch = settings.fetch
    return ahead if fetch.respect_robots or fetch.respect_robots_for_feeds else replace(ahead, robots=0)


def asked_round(resources: Sequence[Resource], settings: Settings) -> DueRound:
    """What it takes to visit those that somebody asks for, which go before whatever else is due.

    The pauses that sites want themselves, and robots.txt that were not read yet, are not looked up: at least so long.
    """
    most = max(Counter(one.site for one in resources).values(), default=0)
    return DueRound(visits=len(resources), busiest=most * settings.politeness.delay)
