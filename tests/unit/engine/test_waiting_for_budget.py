"""What the budget makes of a request that somebody wants now."""

from pathlib import Path
from types import SimpleNamespace

import pytest

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
