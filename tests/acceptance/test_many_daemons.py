"""Three daemons on one PostgreSQL, one of them killed every few seconds: one leader, one budget, nothing twice."""

import asyncio

import pytest

from tests.bench.daemons import watch
from tests.fakes.stores import postgres_store

__all__ = ["postgres_store"]


@pytest.mark.slow
def test_daemons_on_one_store_are_one_system(postgres_store: str) -> None:
    """A budget that no price can hold: were it not shared, three daemons would spend three times as much.

    The five-minute run is a bench: ``python -m tests.bench daemons``.
    """
    rule = {"predict.rule": "fix:interval=2s"}  # no compiled code: who is killed soon must get somewhere
    figures = asyncio.run(
        watch(postgres_store, 30.0, kill_every=6.0, per_minute=60.0, least_kills=2, least_entries=50, **rule)
    )
    assert figures["violations"] == 0, figures
    assert figures["most_above"] <= 5.0, "redirects are paid for afterwards, nothing else"
    assert figures["entries"] > 50, figures
    assert figures["entries_doubled"] == 0, figures
    assert figures["tokens_replaced"] == 0, figures
    assert figures["kills"] >= 2, figures
    assert figures["takeovers"] >= 1, figures
