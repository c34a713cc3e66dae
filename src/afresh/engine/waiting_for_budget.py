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
    from afresh.engine.budget_report import BudgetReport


def held_back(store: Store, settings: BudgetSettings, *, now: float) -> HeldBack | None:
    """What keeps requests waiting: as the daemon that asks has said, else as our settings have it; None: nothing."""
    report = kept_report(store)
    if report is not None and any(daemon.speaks(now) for daemon in store.daemons.list_daemons()):
        held = _with_saved(store, report, now=now)
        # In its first minute it has not said when a request is free: from its report on one is every so often.
        return held if held is None or held.free_at is not None else replace(held, free_at=report.at)
    budget = Budget(settings)
    budget.recall(store, now)
    held = _with_saved(store, budget.report(now), now=now)
    return held if held is None or report is None else replace(held, free_at=report.free_at)


def _with_saved(store: Store, report: BudgetReport, *, now: float) -> HeldBack | None:
    """With what has been saved up since the report, less the visits since."""
    held = report.held_back()
    if held is None or not (held.pace and report.saved_at_most):
        return held
    saved = min(report.saved_at_most, report.saved + max(0.0, now - report.at) / held.pace)
    made = sum(minute.visits for minute in store.activity(since=report.at, until=now, step=1)) if now > report.at else 0
    return replace(held, saved=max(0, int(saved - made)))
