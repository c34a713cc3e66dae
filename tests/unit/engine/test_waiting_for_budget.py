"""What the budget makes of a request that somebody wants now."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from afresh.base.records.explained import DueRound
from afresh.base.settings.sections import BudgetSettings
from afresh.engine.budget import Budget
from afresh.engine.waiting_for_budget import held_back
from afresh.store import open_store

NOW = 1_700_000_000.0
NONE, HOURLY = BudgetSettings(), BudgetSettings(requests_per_hour=60.0)


def test_a_daemon_that_has_just_begun_takes_a_request_every_so_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(str(tmp_path / "held.db"))
    budget = Budget(HOURLY)
    budget.begin(NOW)
    budget.keep(store)
    alone = held_back(store, HOURLY, now=NOW + 90.0)
    assert alone is not None
    assert alone.next_free(NOW + 90.0) == NOW + 90.0, "nobody else draws on it"
    assert held_back(store, NONE, now=NOW) is None
    monkeypatch.setattr(store.daemons, "list_daemons", lambda: [SimpleNamespace(speaks=lambda _: True)])
    beside = held_back(store, NONE, now=NOW + 90.0)
    assert beside is not None
    assert beside.next_free(NOW + 90.0) == NOW + 120.0
    store.close()


def test_what_was_saved_up_may_leave_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = BudgetSettings(requests_per_hour=1800.0, spend="needed")
    store = open_store(str(tmp_path / "saved.db"))
    budget = Budget(settings)
    budget.begin(NOW)
    budget.steer().resume(NOW - 100.0)  # the last visit: 50 requests ago
    budget.keep(store)
    monkeypatch.setattr(store.daemons, "list_daemons", lambda: [SimpleNamespace(speaks=lambda _: True)])
    assert [held.saved for wait in (0.0, 20.0, 600.0) if (held := held_back(store, settings, now=NOW + wait))] == [
        50,
        60,
        72,
    ]
    assert DueRound(visits=80).takes(2.0, saved=72) == 16.0
    made = [SimpleNamespace(visits=10)]
    monkeypatch.setattr(store, "activity", lambda **_: made)
    held = held_back(store, settings, now=NOW + 20.0)
    assert held is not None
    assert held.saved == 50, "ten visits since"
    store.close()
