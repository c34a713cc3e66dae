"""One of many daemons leads, and all of them draw from one budget."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path
from typing import Self

import pytest

from afresh.base.errors import StoreBusy
from afresh.base.executor import InPlace
from afresh.base.models import Kind, Lease, Resource, Result
from afresh.base.protocols import Clock, Store
from afresh.base.records.daemons import DaemonRecord
from afresh.base.settings.sections import BudgetSettings
from afresh.base.timekeeping import tell_apart
from afresh.base.troubles import CLOCKS, Troubles
from afresh.engine.budget import Budget
from afresh.engine.budget_report import kept_price
from afresh.engine.leader import Sharing
from afresh.store import open_store
from tests.fakes.clocks import StillClock
from tests.fakes.stores import postgres_store

__all__ = ["postgres_store"]

NOW = 1e6


def sharing(store: Store, name: str, clock: Clock | None = None, troubles: Troubles | None = None) -> Sharing:
    clock = clock or StillClock(NOW)
    budget = Budget(BudgetSettings())
    budget.requests.add(clock.now(), 7)
    troubles = troubles or Troubles(clock.now)
    return Sharing(store, budget, name=name, clock=clock, executor=InPlace(), troubles=troubles)  # type: ignore[arg-type]


def test_the_one_daemon_of_a_file_leads(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "s.db"), exclusive=True)
    alone = sharing(store, "a:1")
    asyncio.run(alone.begin())
    assert (alone.is_leading, alone.is_shared, alone.others) == (True, False, [])
    [told] = store.daemons.list_daemons()
    assert told == DaemonRecord(name="a:1", since=NOW, seen=NOW, requests=7, leads_since=NOW)
    asyncio.run(alone.end())
    asyncio.run(alone.beat())
    assert [one.status for one in store.daemons.list_daemons()] == ["stopped"], "a beat under way takes nothing back"
    after = sharing(store, "b:2", StillClock(NOW + 1.0))
    asyncio.run(after.begin())
    assert [one.name for one in store.daemons.list_daemons()] == ["b:2"], "who has a file for itself comes after all"
    store.close()


def test_a_file_that_cannot_be_written_does_not_take_the_lead_away(tmp_path: Path) -> None:
    class Locked:
        is_shared = False

        @property
        def daemons(self) -> Self:
            return self

        def lead(self) -> bool:
            return True

        def beat(self, _: DaemonRecord) -> None:
            raise StoreBusy("locked")

    alone = sharing(Locked(), "a:1")  # type: ignore[arg-type]
    asyncio.run(alone.begin())
    assert alone.is_leading


def test_one_leads_and_another_takes_over_when_it_ends(postgres_store: str) -> None:
    first, second = (open_store(postgres_store, exclusive=True) for _ in range(2))
    one, two = sharing(first, "a:1"), sharing(second, "b:2")
    asyncio.run(one.begin())
    asyncio.run(two.begin())
    asyncio.run(one.beat())
    assert (one.is_leading, two.is_leading) == (True, False)
    assert ([other.name for other in one.others], [other.name for other in two.others]) == (["b:2"], ["a:1"])
    assert [known.name for known in one.known] == ["a:1", "b:2"]
    first.close()
    asyncio.run(two.beat())
    assert two.is_leading
    known = second.daemons.list_daemons()
    assert [(one.name, one.leads_since) for one in known] == [("b:2", NOW), ("a:1", None)]
    second.close()


def test_a_command_beside_the_daemons_never_leads(postgres_store: str) -> None:
    store = open_store(postgres_store)
    assert store.daemons.lead() is False
    store.close()


def test_two_daemons_spend_one_budget_together(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "s.db"))
    settings = BudgetSettings(requests_per_hour=3600.0)
    budgets, spent = [Budget(settings), Budget(settings)], 0
    for step in range(600):
        now = NOW + 0.5 * step
        budget = budgets[step % 2]
        steering = budget.steer()
        room = min(9, steering.room(now))
        draws = steering.draws(room)
        granted = steering.note_drawn(draws, store.daemons.draw(draws, now=now), now)
        leases = [lease(number) for number in range(min(granted, 3))]  # of what is granted not all is needed
        budget.note_leased(leases, now)
        spent += len(leases)
        if steering.has_unspent:
            back = steering.draws(0)
            steering.note_drawn(back, store.daemons.draw(back, now=now), now)
    assert 298 <= spent <= 300, "a request a second, however many draw"
    store.close()


def lease(number: int) -> Lease:
    feed = Resource(id=number, url="u", site="s", kind=Kind.FEED, added=0.0, due=0.0)
    return Lease(id=number, site="s", until=NOW, resource=feed)


def test_the_others_have_the_leaders_price(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "s.db"))
    settings = BudgetSettings(requests_per_hour=60.0)
    leading = Budget(settings, price=123.0)
    leading.begin(NOW)
    leading.keep(store)
    following = Budget(settings)
    kept = kept_price(store)
    assert kept is not None
    following.follow(kept)
    assert (following.price, following.since) == (123.0, NOW)
    store.close()


def test_the_leader_hears_of_visits_that_others_made() -> None:
    steering = Budget(BudgetSettings(requests_per_hour=60.0)).steer()
    feed = lease(4).resource
    seen = replace(feed, last_visit=NOW, last_interval=100.0, due=NOW + 100.0, last_result=None)
    steering.load([seen])
    assert len(steering._census) == 0, "a visit without a result is no plan"
    steering.note_elsewhere([replace(seen, last_result=Result.SAME)])
    assert steering._census.visited(4) == NOW
    steering.note_elsewhere([replace(seen, last_result=Result.SAME, last_visit=NOW - 50.0)])
    assert steering._census.visited(4) == NOW, "older news are none"


@pytest.mark.parametrize(
    ("ahead", "words"),
    [(300.0, "this machine's clock is 5m ahead of the database server's"), (-7200.0, "is 2h behind"), (20.0, "")],
)
def test_a_clock_that_disagrees_with_the_servers_is_told(postgres_store: str, ahead: float, words: str) -> None:
    class Wrong:
        def now(self) -> float:
            return time.time() + ahead

        async def sleep(self, seconds: float) -> None:
            raise NotImplementedError

    store = open_store(postgres_store, exclusive=True)
    clock = Wrong()
    troubles = Troubles(clock.now)
    one = sharing(store, "a:1", clock, troubles)
    asyncio.run(one.begin())
    assert words in troubles.why(CLOCKS)
    assert bool(words) is (CLOCKS in troubles)
    tell_apart(troubles, 1.0)
    assert CLOCKS not in troubles
    store.close()
