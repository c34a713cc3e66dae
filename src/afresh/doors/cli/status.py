"""``afresh status``: totals of the store, and what the budget came to."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

import click

from afresh.base.durations import format_duration
from afresh.base.models import ResourceFilter, Result, Status
from afresh.base.passwords import hide_password
from afresh.base.plain_numbers import counted, must_save
from afresh.base.records.daemons import SILENT, STOPPED, DaemonRecord, spokesman
from afresh.base.settings import Settings
from afresh.base.store_url import has_frontier, in_use
from afresh.base.troubles import Trouble
from afresh.doors.cli.context import settings_file, settings_of
from afresh.doors.cli.output import clean, json_option, moment, print_json
from afresh.doors.presenting.daemons import DaemonView, view_daemons, view_overall
from afresh.doors.presenting.refreshing import view_group
from afresh.doors.presenting.system import BudgetView, view_budget
from afresh.engine.budget_report import counted_by, kept_report
from afresh.engine.choose_refresh import kept_groups
from afresh.store import opened_store


@click.command("status")
@json_option
@click.pass_context
def status_command(ctx: click.Context, as_json: bool) -> int:
    """Totals: what is watched, what was found, what went wrong."""
    settings = settings_of(ctx).settings
    now, frontier = time.time(), frontier_of(settings)
    if frontier is not None and not as_json and not in_use(settings.store.url):
        click.echo(frontier_line(frontier))
    with opened_store(settings) as store:
        stats = store.stats(now=now)
        failing = store.list_resources(ResourceFilter(failing=True), limit=5)
        more = store.count(ResourceFilter(failing=True)) - len(failing)
        damaged = store.list_resources(ResourceFilter(status=Status.DAMAGED), limit=5)
        found = store.daemons.list_daemons()
        budget = view_budget(counted_by(found, kept_report(store), now))
        groups = kept_groups(store)
    daemons = view_daemons(found, now)
    if as_json:
        strategies = [view_group(group) for group in groups]
        known = {"health": view_overall(found, now), "budget": budget, "daemons": daemons, "strategies": strategies}
        return print_json({"store": settings.store.shown, "frontier": frontier, **stats, **known})
    for line in (*health_lines(found, now), *status_lines(settings.store.shown, stats)):
        click.echo(line)
    if budget is not None:
        click.echo(budget_line(budget))
    for group in groups:
        click.echo(f"strategy  {clean(group.words)}")
    for target in budget.targets if budget is not None else ():
        click.echo(f"target    {clean(target.words)}")
    alone = len(daemons) == 1 and daemons[0].status == STOPPED  # then the first line has said so
    for record, daemon in () if alone else zip(found, daemons, strict=True):
        click.echo(daemon_line(daemon, is_alone=len(daemons) == 1))
        for line in trouble_lines(record.troubles, now) if len(daemons) > 1 else ():
            click.echo(line)
    file = settings_file(ctx)
    if file is not None and any(one.speaks(now) and one.since < file.stat().st_mtime for one in found):
        click.echo(f"settings  {file} was changed since the daemon began; it counts when that is started again")
    if frontier is not None:
        click.echo(frontier_line(frontier))
    for item in failing:
        click.echo(f"failing   {item.url}  {clean(item.error)}")
    if more > 0:
        click.echo(f"          and {more:,} more: `afresh list --failing`")
    for item in damaged:
        click.echo(f"damaged   {clean(item.url)}  {clean(item.error)}")
    return 0


def health_lines(daemons: Sequence[DaemonRecord], now: float) -> Iterator[str]:
    """The worst that a daemon last said of itself; nothing if there was none."""
    speaker = spokesman(daemons, now)
    if speaker is None:
        return
    ago, status = format_duration(max(0.0, now - speaker.seen)), speaker.standing(now)
    if status == STOPPED:
        yield f"health    no daemon is running; the last one stopped {ago} ago"
    elif speaker.is_gone:
        yield (
            f"health    no daemon is running; the last one was seen {ago} ago: it was killed, or this is a copy of its"
            " store; `afresh run` starts one"
        )
    elif status == SILENT:
        before = f"before that {speaker.status}"
        yield f"health    silent for {ago}: it was killed, or it cannot write to the store; {before}"
    else:
        yield f"health    {status}, said {ago} ago"
    yield from trouble_lines(speaker.troubles, now)


def frontier_of(settings: Settings) -> str | None:
    """Where a frontier is kept beside the store, as it may be shown; None: there is none."""
    url = settings.frontier.url
    return hide_password(url) if has_frontier(url) else None


def frontier_line(url: str) -> str:
    """That there is one, and how to look at it."""
    return f"frontier  {url}: `afresh serve` runs it, with a page that shows it"


def trouble_lines(troubles: Iterable[Trouble], now: float) -> Iterator[str]:
    for trouble in troubles:
        lasting = format_duration(max(0.0, now - trouble.since))
        yield f"          {trouble.what}: {clean(trouble.why)} (since {lasting})"


def status_lines(store: str, stats: Mapping[str, float]) -> Iterator[str]:
    """The totals a person looks for first; ``--json`` has them all."""

    def number(name: str) -> str:
        return f"{stats.get(name, 0):,.0f}"

    yield f"store     {store} ({stats.get('database_bytes', 0) / 1e6:,.1f} MB)"
    sites = counted(int(stats.get("sites", 0)), "site")
    yield f"watching  {number('resources_active')} of {number('resources')} resources on {sites}"
    longest = f", the longest for {format_duration(stats.get('overdue_seconds', 0.0))}" if stats.get("due_now") else ""
    yield f"due now   {number('due_now')}{longest}"
    for span, words in (("last_hour", "hour"), ("last_day", "day"), ("total", "ever")):
        results = ", ".join(
            f"{result.value.replace('_', ' ')} {number(f'visits_{result}_{span}')}"
            for result in Result
            if stats.get(f"visits_{result}_{span}")
        )
        yield f"{words:<9} {number(f'visits_{span}')} visits" + (f" ({results})" if results else "")
        delay = stats.get(f"mean_delay_seconds_{span}")
        late = f", {format_duration(delay)} after publication on average" if delay is not None else ""
        lost = f", about {number(f'missed_{span}')} lost between two visits" if stats.get(f"missed_{span}") else ""
        yield f"          {number(f'entries_{span}')} entries found{late}{lost}"
    yield f"failing   {number('failing')}"
    if stats.get("resources_damaged"):
        yield f"damaged   {number('resources_damaged')}, set aside; `afresh doctor --repair` mends them"


def daemon_line(daemon: DaemonView, *, is_alone: bool) -> str:
    """Who is there since when, who leads, and what each does; of several, also which share of it."""
    share = "" if daemon.share is None or is_alone else f" ({100 * daemon.share:.0f} %)"
    leads = ", leads" if daemon.leads_since else ""
    return (
        f"daemon    {clean(daemon.name)} {daemon.status}, since {moment(daemon.since)}, last seen"
        f" {moment(daemon.seen)}{leads}; {daemon.requests:,} requests in the last hour{share}"
    )


def budget_line(report: BudgetView) -> str:
    """Price, use, whether it has settled, and what a tenth more would buy, as the daemon last said."""
    parts = [must_save(report.price)]
    if report.settled is not None:
        parts[0] += ", settled" if report.settled else ", settling"
    if report.requests_per_hour and report.used_share is not None:
        parts.append(
            f"{report.used_last_hour:,} of {report.requests_per_hour:,.0f} requests used in the last hour"
            f" ({100 * report.used_share:.0f} %)"
        )
    if report.spend == "needed":
        parts.append("no more than is needed is spent")
    if report.bytes_per_hour:
        parts.append(f"{report.bytes_last_hour / 1e6:,.1f} of {report.bytes_per_hour / 1e6:,.1f} MB")
    if report.target_delay:
        parts.append(f"a mean delay of {format_duration(report.target_delay)} is wanted")
    if report.mean_delay is not None and report.delay_with_ten_percent_more is not None:
        now, then = format_duration(report.mean_delay), format_duration(report.delay_with_ten_percent_more)
        parts.append(f"10 % more requests would bring the mean delay from {now} to {then}")
    return f"budget    {'; '.join(parts)}"
