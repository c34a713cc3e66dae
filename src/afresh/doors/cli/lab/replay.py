"""``afresh lab replay``: rules on a recorded history, compared."""

from collections.abc import Sequence
from typing import Any, cast

import click

from afresh.base.durations import format_duration
from afresh.base.errors import UsageError
from afresh.base.extras import need
from afresh.doors.cli.lab.options import Trial, scheduler_option, trace_option, trial_options, where_option
from afresh.doors.cli.output import json_option, print_json, print_table
from afresh.doors.cli.patience import tell_progress
from afresh.feeds.rules import load
from afresh.lab.compare import Compared, all_specs, compare, compare_on
from afresh.lab.metrics import EQUAL, Weights
from afresh.lab.on_dask import connected, stage_of
from afresh.lab.replay.period import Period
from afresh.lab.replay.trace import Trace
from afresh.lab.traces import read_trace
from afresh.lab.traces.parted import PartedTrace, is_parted, read_parted


@click.command("replay")
@trace_option
@click.option(
    "--rule",
    "specs",
    multiple=True,
    metavar="NAME[:k=v,…]",
    help="Rule to replay; may be repeated (default: all).",
)
@click.option(
    "--match-polls",
    "match",
    metavar="NAME",
    help="Priced rules spend no more polls than this rule does, whatever price they were given.",
)
@click.option("--delays", "distribution", is_flag=True, help="Also median, 95th percentile and maximum of the delay.")
@click.option(
    "--by-age",
    "ages",
    is_flag=True,
    help="Also the delay of what is published in the first hour, day, week and month after a feed's first poll.",
)
@where_option
@scheduler_option
@trial_options
@json_option
def replay_command(
    folder: str,
    specs: tuple[str, ...],
    match: str | None,
    distribution: bool,
    ages: bool,
    where: tuple[str, ...],
    scheduler: str | None,
    trial: Trial,
    as_json: bool,
) -> int:
    """Replay rules on a recorded history: what would each have polled, found, missed, and how late?"""
    need("lab", "afresh lab replay")
    chosen = list(specs) or all_specs()
    if scheduler and ages:
        raise UsageError("--by-age is computed in one process; leave out --scheduler")
    # of a trace in parts the workers of Dask read the entries; here its summary is enough
    trace = read_parted(folder) if scheduler and is_parted(folder) else read_trace(folder)
    period = trial.period(trace)
    if scheduler:
        with connected(scheduler) as client:
            rows = compare_parts(client, trace, chosen, match, where, trial, period, distribution=distribution)
    else:
        rows = compare(
            cast("Trace", trace),
            chosen,
            period=period,
            match=match,
            where=where,
            distribution=distribution,
            ages=ages,
            progress=_progress,
            **trial.how,
        )
    if as_json:
        print_json([row.as_dict() | days_of(period) for row in rows])
    else:
        ranked = sorted(rows, key=lambda row: -row.goodness)
        print_rows(ranked)
        used = feeds_told(ranked[0], len(trace))
        click.echo("\n".join((goodness_told(EQUAL), *prices_told(ranked), *used, trial.told(trace, period))))
        if ages:
            _print_ages(ranked)
    return 0


def compare_parts(
    client: Any,
    trace: Trace | PartedTrace,
    specs: list[str],
    match: str | None,
    where: Sequence[str],
    trial: Trial,
    period: Period,
    *,
    distribution: bool,
) -> list[Compared]:
    """The same on the workers of Dask."""
    rules = [load(spec, trial.bounds) for spec in specs]
    reference = load(match, trial.bounds) if match else None
    stage = stage_of(client, trace, period, where)
    return compare_on(
        stage,
        specs,
        rules,
        period=period,
        reference=reference,
        seed=trial.seed,
        distribution=distribution,
        progress=_progress,
    )


def days_of(period: Period) -> dict[str, float]:
    """When training began, when testing began and ended, for JSON."""
    return {"trained_from": period.start, "tested_from": period.test, "tested_to": period.end}


COLUMNS = [
    "rule",
    "goodness %",
    "polls",
    "found",
    "missed",
    "feed delay",
    "entry delay",
    "feed recall %",
    "entry recall %",
]
#: headings of the distribution of delays, and the field each shows
_DELAYS = {
    f"{mode} {word}": f"{name}_{field}"
    for mode, field in (("feed", "feeds"), ("entry", "entries"))
    for word, name in (("median", "median"), ("95 %", "p95"), ("max", "max"))
}


def print_rows(rows: Sequence[Compared]) -> None:
    """The table people read; with the distribution of delays where it was kept."""
    headings = list(_DELAYS) if any(row.delays is not None for row in rows) else []
    print_table([*COLUMNS, *headings], [(*cells(row), *_delay_cells(row)) for row in rows])


def cells(row: Compared) -> tuple[object, ...]:
    """A line of the table people read."""
    means = row.averages
    return (
        row.label,
        f"{100 * row.goodness:.1f}",
        f"{means.polls:,}",
        f"{means.found:,}",
        f"{means.missed:,}",
        format_duration(means.delay_feeds),
        format_duration(means.delay_entries),
        f"{100 * means.recall_feeds:.1f}",
        f"{100 * means.recall_entries:.1f}",
    )


def feeds_told(row: Compared, feeds: int) -> list[str]:
    """Which feeds of the trace the table is made of, where it is not all of them."""
    result, taken = row.result, row.averages.feeds
    silent = int((result.found + result.missed + result.open == 0).sum())
    said = []
    if taken < feeds:
        said.append(f"{taken:,} of {feeds:,} feeds: those that were listed throughout, and are as --where says.")
    if silent:
        which = f"{silent:,} of {taken:,} feeds published nothing while the rules were tested"
        said.append(f"{which}: their polls count, and they have no delay and no recall.")
    return said


def goodness_told(weights: Weights) -> str:
    """What the first number of the table is."""
    return f"goodness: one figure for delay, polls an entry and recall, {in_words(weights)}; 100 % is best"


def in_words(weights: Weights) -> str:
    """What the weights of delay and polls mean: goodness is a product of powers, so halves and multiples can be told.

    >>> in_words(Weights(ape=2.0)), in_words(Weights(delay=0.0))
    ('weighed so that half the polls make up for 4 times the delay', 'of which delay does not count')
    """
    if not weights.delay:
        return "of which delay does not count"
    if not weights.ape:
        return "of which polls do not count"
    times = 2.0 ** (weights.ape / weights.delay)
    return f"weighed so that half the polls make up for {times:.3g} times the delay"


def prices_told(rows: Sequence[Compared]) -> list[str]:
    """What became of the prices of rules that had to spend the polls of another, a line each."""
    return [
        f"{row.label}, asked for as {row.asked}: a price found on the training part for the polls of "
        f"{row.steered.reference}, then moved between {row.steered.least:.4g} and {row.steered.most:.4g} by what had "
        f"been spent; --rule {row.spec} without --match-polls keeps it."
        for row in rows
        if row.steered
    ]


def _print_ages(rows: Sequence[Compared]) -> None:
    """Delay by the age of our knowledge; every rule begins with nothing but the first window."""
    click.echo()
    spans = [age.span for age in rows[0].ages]
    headings = [f"first {span}" if span != "later" else span for span in spans]
    print_table(
        ["rule", *(f"{heading}: polls" for heading in headings), *(f"{heading}: entry delay" for heading in headings)],
        [
            (
                row.spec,
                *(f"{age.polls:,}" for age in row.ages),
                *(format_duration(age.delay_entries) for age in row.ages),
            )
            for row in rows
        ],
    )


def _delay_cells(row: Compared) -> tuple[str, ...]:
    if row.delays is None:
        return ()
    return tuple(format_duration(getattr(row.delays, field)) for field in _DELAYS.values())


def _progress(spec: str) -> None:
    tell_progress(f"replaying {spec}")
