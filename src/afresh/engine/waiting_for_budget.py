"""What the budget makes of a request that somebody wants now: by whose word, and when it may leave."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from afresh.engine.budget import Budget
from afresh.engine.budget_report import kept_report

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.base.records.explained import HeldBack
    from afresh.base.settings.sections import BudgetSettings


def held_back(store: Store, settings: BudgetSettings, *, now: float) -> HeldBack | None:
    """What keeps requests waiting: as the daemon that asks has said, else as our settings have it; None: nothing."""
    report = kept_report(store)
    if report is not None and any(daemon.speaks(now) for daemon in store.daemons.list_daemons()):
        held = report.held_back()
        # In its first minute it has not said when a request is free: from its report on one is every so often.
        return held if held is None or held.free_at is not None else replace(held, free_at=report.at)
    held = Budget(settings).report(now).held_back()
    return held if held is None or report is None else replace(held, free_at=report.free_at)
