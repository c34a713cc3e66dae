"""``afresh lab refresh``: refresh strategies under a budget, on a recorded history."""

import os
from collections.abc import Mapping
from typing import Any

import click

from afresh.base.calendar import HOUR
from afresh.base.durations import format_duration
from afresh.base.errors import UsageError
from afresh.base.extras import need
from afresh.base.models import Bounds
from afresh.doors.cli.lab.options import Duration, period_options, scheduler_option, trace_option
from afresh.doors.cli.output import json_option, print_json, print_table
from afresh.doors.cli.patience import tell_progress
from afresh.engine.quality_targets import CLOSE
from afresh.lab.on_dask import connected, in_turn
from afresh.lab.refresh.target import meet_delay
from afresh.lab.refresh.traces import (
    DEFAULT_FAIRNESS,
    ONLINE,
    STRATEGIES,
    Refreshed,
    check_strategies,
    refresh,
    setting_of,
)
from afresh.lab.replay.period import period_of
from afresh.lab.replay.trace import Trace
from afresh.lab.traces import read_trace


@click.command("refresh")
@trace_option
@click.option(
    "--strategy",
    "strategies",
    multiple=True,
    metavar="NAME",
    help=f"{', '.join(STRATEGIES)}; may be repeated (default: all).",
)
@click.option("--budget", type=float, help="Polls per entry of the training part.")
@click.option(
    "--mean-delay", type=Duration(), help="Instead of a budget: the mean delay to reach with the fewest polls (priced)."
)
@click.option(
    "--estimator",
    default=ONLINE,
    show_default=True,
    metavar="NAME",
    help="What the strategies know: online (hybrid), single, periodic, hybrid, censored, moving_average learn while "
    "they poll; known: the hourly rates of the test part; true: what is unseen now. priced learns by itself unless "
    "it is told. docs/howto/choose-a-strategy.md explains each.",
)
@click.option(
    "--fairness",
    type=click.FloatRange(0.0, 1.0),
    default=DEFAULT_FAIRNESS,
    show_default=True,
    help="What is judged, and what priced spends on: 0 all entries alike, 1 all feeds alike.",
)
@period_options
@click.option("--shortest", type=Duration(), default="1m", show_default=True, help="Shortest interval; a cycle.")
@click.option("--longest", type=Duration(), default="28d", show_default=True, help="Longest interval of priced.")
@scheduler_option
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, help="Threads (default: all cores).")
@click.option("--seed", type=int, default=0, show_default=True)
@json_option
def refresh_command(
    folder: str,
    strategies: tuple[str, ...],
    budget: float | None,
    mean_delay: float | None,
    estimator: str,
    fairness: float,
    start: float | None,
    train: float | None,
    test: float | None,
    shortest: float,
    longest: float,
    scheduler: str | None,
    jobs: int,
    seed: int,
    as_json: bool,
) -> int:
    """Spend a budget of polls on a recorded history: how complete and how fresh does each strategy keep it?

    Strategies are listed by timeliness: of the time until it counts as lost (two rounds of all feeds), an entry loses
    the part that it waited.
    """
    need("lab", "afresh lab refresh")
    if not 0 < shortest <= longest:
        raise UsageError("0 < --shortest ≤ --longest must hold")
    if (budget is None) == (mean_delay is None):
        raise UsageError("give either --budget (polls per entry, like 1) or --mean-delay (like 20m)")
    trace = read_trace(folder)
    period = period_of(trace, start=start, train=train, test=test)
    bounds = Bounds(shortest, longest, min(max(HOUR, shortest), longest))
    if mean_delay is not None:
        if set(strategies) - {"priced"} or estimator != ONLINE:
            raise UsageError("only priced with what it learns itself can hold a delay; give the others its --budget")
        where = setting_of(trace, period=period, budget=1.0, bounds=bounds, fairness=fairness, seed=seed, jobs=jobs)
        rows = [meet_delay(where, mean_delay, progress=tell_progress)]
    else:
        given: dict[str, Any] = {
            "period": period,
            "budget": budget,
            "knowledge": estimator,
            "bounds": bounds,
            "fairness": fairness,
        }
        names = strategies or STRATEGIES
        if scheduler:
            check_strategies(names, budget or 0.0, estimator, period)
            with connected(scheduler) as client:
                rows = in_turn(client, _refreshed, trace, [(name, {**given, "seed": seed}) for name in names])
        else:
            rows = refresh(trace, names, **given, seed=seed, jobs=jobs, progress=_progress)
    tell_progress("")
    if as_json:
        print_json([row.as_dict() for row in rows])
    else:
        print_table(COLUMNS, [_cells(row) for row in sorted(rows, key=lambda row: -row.timeliness)])
        click.echo("\n".join((*(target_told(row) for row in rows if row.target is not None), f"{period}.")))
    return 0


def target_told(row: Refreshed) -> str:
    """Whether the mean delay that was wanted was held, in words."""
    wanted = row.target or 0.0
    over = row.delay_entries / wanted - 1.0
    how = f"{abs(over):.1%} {'above' if over > 0 else 'below'}"
    verdict = f"met (up to {CLOSE - 1:.0%} above counts, as in the daemon)" if row.is_met else "not met"
    return (
        f"a mean delay of {format_duration(wanted)} was wanted: {format_duration(row.delay_entries)}, {how}: {verdict}."
    )


def _refreshed(trace: Trace, name: str, given: Mapping[str, Any]) -> Refreshed:
    """One strategy, on a worker."""
    [row] = refresh(trace, [name], **given)
    return row


COLUMNS = [
    "strategy",
    "goes by",
    "requests",
    "allowed",
    "timely %",
    "complete %",
    "freshness %",
    "feed delay",
    "entry delay",
]


def _cells(row: Refreshed) -> tuple[object, ...]:
    return (
        row.strategy,
        row.model,
        f"{row.requests:,}",
        f"{row.allowed:,.0f}",
        f"{100 * row.timeliness:.2f}",
        f"{100 * row.completeness:.2f}",
        f"{100 * row.freshness:.2f}",
        format_duration(row.delay_feeds),
        format_duration(row.delay_entries),
    )


def _progress(name: str) -> None:
    tell_progress(f"replaying {name}")
