"""``afresh status``: totals of the store, and what the budget came to."""

import time
from collections.abc import Iterator, Mapping

import click

from afresh.base.durations import format_duration
from afresh.base.models import ResourceFilter, Result
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.output import clean, json_option, print_json
from afresh.doors.presenting.system import view_budget
from afresh.engine.budget import BudgetReport, kept_report
from afresh.store import opened_store


@click.command("status")
@json_option
@click.pass_context
def status_command(ctx: click.Context, as_json: bool) -> int:
    """Totals: what is watched, what was found, what went wrong."""
    settings = settings_of(ctx).settings
    with opened_store(settings) as store:
        stats = store.stats(now=time.time())
        failing = store.list_resources(ResourceFilter(failing=True), limit=5)
        budget = kept_report(store)
    if as_json:
        print_json({"store": settings.store.shown, **stats, "budget": view_budget(budget)})
        return 0
    for line in status_lines(settings.store.shown, stats):
        click.echo(line)
    if budget is not None:
        click.echo(budget_line(budget))
    for item in failing:
        click.echo(f"failing   {item.url}  {clean(item.error)}")
    return 0


def status_lines(store: str, stats: Mapping[str, float]) -> Iterator[str]:
    """The totals a person looks for first; ``--json`` has them all."""

    def number(name: str) -> str:
        return f"{stats.get(name, 0):,.0f}"

    yield f"store     {store} ({stats.get('database_bytes', 0) / 1e6:,.1f} MB)"
    yield f"watching  {number('resources_active')} of {number('resources')} resources on {number('sites')} sites"
    yield f"due now   {number('due_now')}, the longest for {format_duration(stats.get('overdue_seconds', 0.0))}"
    for span, words in (("last_hour", "hour"), ("last_day", "day"), ("total", "ever")):
        results = ", ".join(
            f"{result.value.replace('_', ' ')} {number(f'visits_{result}_{span}')}"
            for result in Result
            if stats.get(f"visits_{result}_{span}")
        )
        yield f"{words:<9} {number(f'visits_{span}')} visits" + (f" ({results})" if results else "")
        delay = stats.get(f"mean_delay_seconds_{span}")
        late = f", {format_duration(delay)} after publication on average" if delay is not None else ""
        yield f"          {number(f'entries_{span}')} entries found{late}"
    yield f"failing   {number('failing')}"


def budget_line(report: BudgetReport) -> str:
    """Price, use, and what a tenth more would buy, as the daemon last said."""
    parts = [f"a request costs {report.price:.4g} entry-seconds"]
    if report.requests_per_hour:
        parts.append(f"{report.used_last_hour:,} of {report.requests_per_hour:,.0f} requests used in the last hour")
    if report.bytes_per_hour:
        parts.append(f"{report.bytes_last_hour / 1e6:,.1f} of {report.bytes_per_hour / 1e6:,.1f} MB")
    if report.target_delay:
        parts.append(f"a mean delay of {format_duration(report.target_delay)} is wanted")
    if report.mean_delay is not None and report.delay_with_ten_percent_more is not None:
        now, then = format_duration(report.mean_delay), format_duration(report.delay_with_ten_percent_more)
        parts.append(f"10 % more requests would bring the mean delay from {now} to {then}")
    return f"budget    {'; '.join(parts)}"
