"""How afresh itself is doing: totals, health, budget, settings."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated

from afresh.base.passwords import HIDDEN, hide_password
from afresh.base.records.daemons import DaemonRecord, spokesman
from afresh.base.troubles import Trouble, standing
from afresh.doors.presenting.daemons import DaemonView, view_daemons
from afresh.doors.presenting.fields import About, Time
from afresh.doors.presenting.lists import list_of
from afresh.doors.presenting.refreshing import TargetView, view_target
from afresh.doors.presenting.showing import shown
from afresh.doors.presenting.times import iso, numbers
from afresh.doors.presenting.troubles import TroubleView, view_troubles
from afresh.engine.budget_report import BudgetReport
from afresh.engine.supervision import Companion

_SECRET_NAME = re.compile(r"token|secret|passw|credential|api_?key", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatsView:
    """Totals of the store."""

    at: Time | None
    totals: Annotated[dict[str, float | None], About("", {"resources": 3.0, "entries": 120.0})]


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthView:
    """Whether afresh is at work."""

    status: Annotated[
        str,
        About("ok, degraded (something does not work and is tried again) or failing (nothing is watched).", "ok"),
    ]
    overall: Annotated[str, About("The worst of all daemons that share the store, as they last said.", "ok")]
    troubles: Annotated[tuple[TroubleView, ...], About("What does not work, the oldest first.")]
    daemons: Annotated[tuple[DaemonView, ...], About("All that share the store and have not stopped; this one first.")]
    loop_alive: bool
    last_turn: Annotated[str | None, About("Last turn of the loop.")]
    queue: Annotated[int, About("Visits under way or waiting.")]
    offline: Annotated[bool, About("Our own network is down.")]
    version: Annotated[str, About("", "0.1.0")]
    companions: Annotated[
        dict[str, Companion],
        About("What runs beside the loop (recording, notices …); one that failed is started again."),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetView:
    """The price of a request, what was used, and what more would buy."""

    at: Time | None
    price: Annotated[float, About("Entry-seconds that one request costs.")]
    requests_per_hour: Annotated[float | None, About("Requests allowed in an hour; null: no limit.")]
    used_last_hour: int
    bytes_per_hour: Annotated[float | None, About("Bytes allowed in an hour; null: no limit.")]
    bytes_last_hour: int
    target_delay: Annotated[float | None, About("The mean delay that is wanted, seconds; null: none.")]
    mean_delay: Annotated[float | None, About("Of entries found lately, seconds.")]
    mean_lateness: Annotated[float | None, About("Of visits, in intervals; negative: made early.")]
    delay_with_ten_percent_more: Annotated[float | None, About("Mean delay to be expected then, seconds.")]
    used_share: Annotated[float | None, About("Requests of the last hour as a share of the budget; null: no limit.")]
    spend: Annotated[str, About("all: the budget is used up; needed: it is a ceiling only.", "all")]
    settled: Annotated[
        bool | None,
        About("Whether the price stands still (5 % over ten corrections) and the use is within 5 %; null: no budget."),
    ]
    since: Annotated[Time | None, About("When this budget began to be held.")]
    free_at: Annotated[Time | None, About("When the next request may leave; null: no limit, or not known.")]
    targets: Annotated[tuple[TargetView, ...], About("Quality targets of some feeds, and what has become of them.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingView:
    """One option, its value and where it came from."""

    name: Annotated[str, About("", "fetch.timeout")]
    value: Annotated[str, About("Secrets are hidden.", "30s")]
    origin: Annotated[str, About("", "default")]
    help: str


SettingsView = list_of(SettingView, "SettingsView", "All options.")


def view_stats(totals: Mapping[str, float], now: float) -> StatsView:
    return StatsView(at=iso(now), totals=numbers(totals))


def view_health(facts: Mapping[str, object], version: str, now: float) -> HealthView:
    alive, offline = bool(facts.get("loop_alive")), bool(facts.get("offline"))
    last, queue, companions = facts.get("last_turn"), facts.get("queue"), facts.get("companions")
    found = facts.get("troubles")
    troubles: tuple[Trouble, ...] = found if isinstance(found, tuple) else ()
    known = facts.get("daemons")
    daemons: list[DaemonRecord] = known if isinstance(known, list) else []
    status, worst = standing(troubles, is_alive=alive), spokesman(daemons, now)
    return HealthView(
        status=status,
        overall=status if worst is None or not alive else worst.standing(now),
        troubles=view_troubles(troubles),
        daemons=view_daemons(daemons, now),
        loop_alive=alive,
        last_turn=iso(last) if isinstance(last, int | float) else None,
        queue=queue if isinstance(queue, int) else 0,
        offline=offline,
        version=version,
        companions=companions if isinstance(companions, dict) else {},
    )


def view_budget(report: BudgetReport | None) -> BudgetView | None:
    """What the loop last said of its budget; None: it has not said anything yet."""
    if report is None:
        return None
    share = report.used_last_hour / report.requests_per_hour if report.requests_per_hour else None
    return shown(BudgetView, report, used_share=share, targets=tuple(view_target(one) for one in report.targets))


def view_settings(options: Iterable[tuple[str, str, str, str]]) -> tuple[SettingView, ...]:
    """Name, value, origin and meaning of every option."""
    return tuple(
        SettingView(name=name, value=hide(name, value), origin=origin, help=words)
        for name, value, origin, words in options
    )


def hide(name: str, value: str) -> str:
    """The value as it may be shown: secrets are hidden a second time, should an option not be marked as one.

    >>> hide("service.tokens", "abc"), hide("store.url", "postgresql://me:pw@db/x")
    ('(hidden)', 'postgresql://me:(hidden)@db/x')
    """
    return HIDDEN if value and _SECRET_NAME.search(name) else hide_password(value)
