"""Commands on what is watched: add, import, export, list, show, set, remove, entries, why, status."""

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from afresh.app.add import AddResult, Wanted, add, find_one
from afresh.app.budget import BudgetReport, kept_report
from afresh.cli.context import settings_of
from afresh.cli.main import EXIT_WRONG
from afresh.cli.output import clean, distance, json_option, jsonable, moment, print_json, print_table
from afresh.config import Settings
from afresh.core.durations import format_duration, parse_duration
from afresh.core.models import Kind, Resource, Result, Status, StoredEntry
from afresh.core.predictors import load as load_predictor
from afresh.core.protocols import ResourceFilter
from afresh.errors import ParseError, UsageError
from afresh.parse.listing import Listed, read_list, write_list
from afresh.parse.opml import read_opml, write_opml
from afresh.parse.sitemap import parse_sitemap
from afresh.wiring.stores import opened_store


@click.command("add")
@click.argument("urls", nargs=-1, metavar="URL…")
@click.option(
    "--kind",
    type=click.Choice(["feed", "page", "sitemap"]),
    default="feed",
    show_default=True,
    help="What to watch for.",
)
@click.option(
    "--sitemap",
    "sitemaps",
    multiple=True,
    metavar="URL",
    help="Watch the pages this sitemap names, now and later; a bare site means the sitemaps of its robots.txt.",
)
@click.option("--folder", default="", help="Folder to put them in, like news/local.")
@click.option("--tag", "tags", multiple=True, help="Tag; may be repeated.")
@click.option("--rule", help="Rule to predict them with (default: the settings').")
@click.option("--pin", metavar="DURATION", help="Poll at this interval instead of predicting.")
@click.option("--weight", type=float, default=1.0, show_default=True, help="Worth of an entry.")
@json_option
@click.pass_context
def add_command(
    ctx: click.Context,
    urls: tuple[str, ...],
    kind: str,
    sitemaps: tuple[str, ...],
    folder: str,
    tags: tuple[str, ...],
    rule: str | None,
    pin: str | None,
    weight: float,
    as_json: bool,
) -> int:
    """Watch feeds for new entries, or pages for changes of their text.

    Sitemaps are read by the daemon, at its pace and again every day; their pages are watched as pages.
    """
    if not urls and not sitemaps:
        raise UsageError("nothing to add; name a URL, or a sitemap with --sitemap")
    settings = settings_of(ctx).settings
    if rule:
        load_predictor(rule)  # an unknown rule is better refused now than at the first visit
    pinned = parse_duration(pin) if pin else None
    wanted = [
        Wanted(url=url, kind=Kind(kind), folder=folder, tags=tags, predictor=rule, pinned=pinned, weight=weight)
        for url in urls
    ]
    wanted += [Wanted(url=url, kind=Kind.SITEMAP, folder=folder, tags=tags, weight=weight) for url in sitemaps]
    with opened_store(settings) as store:
        results = add(store, wanted, settings.politeness, now=time.time())
    return _tell_added(results, as_json=as_json)


@click.command("import")
@click.argument("file", type=click.Path())
@click.option("--folder", default="", help="Put all of them below this folder.")
@json_option
@click.pass_context
def import_command(ctx: click.Context, file: str, folder: str, as_json: bool) -> int:
    """Watch all feeds of an OPML file or a plain list, or the pages of a sitemap; `-` reads standard input.

    The address of a sitemap may stand for a file: the daemon reads it, and again every day.
    """
    settings = settings_of(ctx).settings
    if file.lower().startswith(("http://", "https://")):
        with opened_store(settings) as store:
            asked = [Wanted(url=file, kind=Kind.SITEMAP, folder=folder)]
            return _tell_added(add(store, asked, settings.politeness, now=time.time()), as_json=as_json)
    body = _read(file)
    head = body.lstrip()[:300].lower()
    try:
        if b"<urlset" in head or b"<sitemapindex" in head or body[:2] == b"\x1f\x8b":
            return _import_sitemap(settings, body, file, folder, as_json=as_json)
        listed = read_opml(body) if head.startswith(b"<") or b"<opml" in head else read_list(body)
    except ParseError as error:
        raise UsageError(f"cannot import {file}: {error}") from error
    wanted = [
        Wanted(url=item.url, title=item.title, folder="/".join(part for part in (folder, item.folder) if part))
        for item in listed
    ]
    with opened_store(settings) as store:
        results = add(store, wanted, settings.politeness, now=time.time())
    return _tell_added(results, as_json=as_json, brief=True)


def _import_sitemap(settings: Settings, body: bytes, file: str, folder: str, *, as_json: bool) -> int:
    """The pages of a sitemap; an index names further sitemaps, which the daemon will read."""
    sitemap = parse_sitemap(body)
    if not sitemap.sitemaps and not sitemap.urls:
        raise UsageError(f"{file} names no pages")
    wanted = [Wanted(url=item.url, kind=Kind.PAGE, folder=folder) for item in sitemap.urls]
    wanted += [Wanted(url=item.url, kind=Kind.SITEMAP, folder=folder) for item in sitemap.sitemaps]
    with opened_store(settings) as store:
        results = add(store, wanted, settings.politeness, now=time.time())
    return _tell_added(results, as_json=as_json, brief=True)


@click.command("export")
@click.option("--format", "form", type=click.Choice(["opml", "list"]), default="opml", show_default=True)
@click.option("--output", "-o", type=click.Path(), default="-", help="File to write (default: standard output).")
@json_option
@click.pass_context
def export_command(ctx: click.Context, form: str, output: str, as_json: bool) -> int:
    """Write what is watched as OPML (with folders) or as a plain list."""
    with opened_store(settings_of(ctx).settings) as store:
        listed = [
            Listed(url=item.url, title=item.title, folder=item.folder)
            for item in store.iterate(ResourceFilter(kind=Kind.FEED))
        ]
    if as_json:
        print_json(listed)
        return 0
    text = write_opml(listed) if form == "opml" else write_list(listed)
    if output == "-":
        click.echo(text, nl=False)
        return 0
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror}") from error
    click.echo(f"{len(listed)} feeds written to {output}", err=True)
    return 0


@click.command("list")
@click.option("--kind", type=click.Choice([str(kind) for kind in Kind]))
@click.option("--status", type=click.Choice([str(status) for status in Status]))
@click.option("--folder", help="Only this folder.")
@click.option("--tag", help="Only with this tag.")
@click.option("--failing", is_flag=True, help="Only those whose last visit failed.")
@click.option("--search", default="", help="Only those with this text in URL or title.")
@click.option("--limit", type=int, default=100, show_default=True)
@click.option("--after", type=int, default=0, help="Only numbers above this one (paging).")
@json_option
@click.pass_context
def list_command(
    ctx: click.Context,
    kind: str | None,
    status: str | None,
    folder: str | None,
    tag: str | None,
    failing: bool,
    search: str,
    limit: int,
    after: int,
    as_json: bool,
) -> int:
    """List what is watched."""
    where = ResourceFilter(
        kind=Kind(kind) if kind else None,
        status=Status(status) if status else None,
        folder=folder,
        tag=tag,
        failing=True if failing else None,
        text=search,
    )
    with opened_store(settings_of(ctx).settings) as store:
        found = store.list_resources(where, after=after, limit=limit)
        total = store.count(where)
    if as_json:
        print_json([summary_of(item) for item in found])
        return 0
    now = time.time()
    print_table(
        ["#", "title", "url", "pattern", "entries", "last", "next"],
        [
            (
                item.id,
                item.title[:40] or "-",
                item.url,
                item.pattern or "-",
                item.counters.entries,
                item.last_result or "-",
                distance(item.due, now) if item.status is Status.ACTIVE else item.status,
            )
            for item in found
        ],
    )
    if total > len(found):
        click.echo(
            f"{len(found)} of {total}; --after {found[-1].id} shows more" if found else f"0 of {total}", err=True
        )
    return 0


@click.command("show")
@click.argument("key", metavar="URL|NUMBER")
@click.option("--visits", "visit_limit", type=int, default=10, show_default=True, help="Visits to show.")
@json_option
@click.pass_context
def show_command(ctx: click.Context, key: str, visit_limit: int, as_json: bool) -> int:
    """Show everything known about a resource, and its last visits."""
    with opened_store(settings_of(ctx).settings) as store:
        resource = store.get(find_one(store, key))
        visits = [visit for _, visit in store.visits(resource=resource.id, limit=visit_limit)]
    if as_json:
        print_json({**summary_of(resource), "visits": visits})
        return 0
    for name, value in summary_of(resource).items():
        if value not in (None, "", [], 0, {}):
            click.echo(f"{name:>16}  {_shown(name, value)}")
    if visits:
        click.echo()
        print_table(
            ["visited", "result", "status", "new", "bytes", "next", "why"],
            [
                (moment(v.started), v.result, v.status or "-", v.new, v.bytes, moment(v.next_due), v.error or v.reason)
                for v in visits
            ],
        )
    return 0


@click.command("set")
@click.argument("key", metavar="URL|NUMBER")
@click.option("--pin", metavar="DURATION", help="Poll at this interval; `none` predicts again.")
@click.option("--rule", help="Rule to predict with; `none` goes back to the settings'.")
@click.option("--alpha", metavar="DURATION", help="Shortest interval of this resource; `none`: the settings'.")
@click.option("--beta", metavar="DURATION", help="Longest interval of this resource; `none`: the settings'.")
@click.option("--weight", type=float, help="Worth of an entry.")
@click.option("--folder")
@click.option("--title")
@click.option("--pause/--resume", "paused", default=None, help="Stop or go on visiting.")
@click.option("--now", "at_once", is_flag=True, help="Visit as soon as its site allows.")
@json_option
@click.pass_context
def set_command(
    ctx: click.Context,
    key: str,
    pin: str | None,
    rule: str | None,
    alpha: str | None,
    beta: str | None,
    weight: float | None,
    folder: str | None,
    title: str | None,
    paused: bool | None,
    at_once: bool,
    as_json: bool,
) -> int:
    """Change a resource: pin an interval, choose a rule or bounds, pause, visit now."""
    changes: dict[str, object] = {}
    for name, text in (("pinned", pin), ("alpha", alpha), ("beta", beta)):
        if text is not None:
            changes[name] = None if text == "none" else _positive_duration(text)
    if rule is not None:
        if rule != "none":
            load_predictor(rule)
        changes["predictor"] = None if rule == "none" else rule
    if weight is not None:
        if not 0 < weight < float("inf"):
            raise UsageError(f"weight must be a positive number, not {weight}")
        changes["weight"] = weight
    changes.update({name: value for name, value in (("folder", folder), ("title", title)) if value is not None})
    if paused is not None:
        changes["status"] = Status.PAUSED if paused else Status.ACTIVE
    if at_once or paused is False or pin or rule:
        changes["due"] = time.time()
    if not changes:
        raise UsageError("nothing to change; `afresh set --help` lists what can be")
    with opened_store(settings_of(ctx).settings) as store:
        resource = store.update(find_one(store, key), **changes)
    if as_json:
        print_json(summary_of(resource))
    else:
        click.echo(f"changed {', '.join(changes)} of {resource.url}")
    return 0


@click.command("remove")
@click.argument("keys", nargs=-1, required=True, metavar="URL|NUMBER…")
@json_option
@click.pass_context
def remove_command(ctx: click.Context, keys: tuple[str, ...], as_json: bool) -> int:
    """Stop watching, and forget entries and visits too."""
    with opened_store(settings_of(ctx).settings) as store:
        count = store.remove([find_one(store, key) for key in keys])
    if as_json:
        print_json({"removed": count})
    else:
        click.echo(f"{count} removed")
    return 0


@click.command("entries")
@click.option("--after", type=int, help="Only entries behind this sequence number; oldest first.")
@click.option("--feed", "key", metavar="URL|NUMBER", help="Only of this feed.")
@click.option("--limit", type=int, default=20, show_default=True)
@json_option
@click.pass_context
def entries_command(ctx: click.Context, after: int | None, key: str | None, limit: int, as_json: bool) -> int:
    """Read entries: the newest, or with --after all behind a sequence number, nothing skipped and nothing twice."""
    with opened_store(settings_of(ctx).settings) as store:
        resource = find_one(store, key) if key else None
        found = store.entries(after=after or 0, limit=limit, resource=resource, newest_first=after is None)
    if as_json:
        rows = [entry_of(item) for item in found]
        print_json({"entries": rows, "next": max((item.seq for item in found), default=after or 0)})
        return 0
    print_table(
        ["#", "published", "delay", "title", "link"],
        [
            (
                item.seq,
                moment(item.entry.published),
                "-" if item.entry.initial else format_duration(item.entry.found - item.entry.published),
                item.entry.parsed.title[:60] or "-",
                item.entry.parsed.link,
            )
            for item in found
        ],
    )
    return 0


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
        print_json({"store": settings.store.shown, **stats, "budget": budget})
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


def summary_of(resource: Resource) -> dict[str, object]:
    """A resource for people and programs: without the rule's numbers and the window's identifiers."""
    plain: dict[str, object] = {
        name: jsonable(getattr(resource, name))
        for name in Resource.__slots__
        if name not in ("state", "window", "counters", "facts", "validators", "moving")
    }
    plain["window_size"] = len(resource.window)
    plain.update(jsonable(resource.counters))
    plain["validators"] = jsonable(resource.validators)
    plain["moving"] = jsonable(resource.moving) if resource.moving.target else None
    plain["facts"] = {
        name: value for name, value in jsonable(resource.facts).items() if value not in (None, "", [], False)
    }
    return plain


def entry_of(item: StoredEntry) -> dict[str, object]:
    """An entry for programs."""
    entry, parsed = item.entry, item.entry.parsed
    return {
        "seq": item.seq,
        "feed": item.url,
        "resource": item.resource,
        "uid": entry.uid.hex(),
        "published": entry.published,
        "published_raw": entry.published_raw,
        "found": entry.found,
        "initial": entry.initial,
        "after_gap": entry.after_gap,
        "title": parsed.title,
        "link": parsed.link,
        "author": parsed.author,
        "categories": list(parsed.categories),
        "summary": parsed.summary,
    }


def _tell_added(results: Sequence[AddResult], *, as_json: bool, brief: bool = False) -> int:
    bad = [item for item in results if item.error]
    if as_json:
        print_json(results)
        return EXIT_WRONG if bad else 0
    new = sum(item.is_new for item in results)
    if not brief:
        for item in results:
            if not item.error:
                click.echo(f"{'added' if item.is_new else 'known'}  #{item.id}  {item.url}")
    else:
        click.echo(f"{new} added, {len(results) - new - len(bad)} already known, {len(bad)} refused")
    for item in bad:
        click.echo(f"refused {item.wanted!r}: {item.error}", err=True)
    return EXIT_WRONG if bad else 0


def _read(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error


def _positive_duration(text: str) -> float:
    seconds = parse_duration(text)
    if seconds <= 0:
        raise UsageError(f"the interval must be greater than 0, not {text}")
    return seconds


def _shown(name: str, value: object) -> str:
    if name in ("added", "due", "last_visit", "last_ok") and isinstance(value, float):
        return f"{moment(value)} UTC"
    if name in ("pinned", "alpha", "beta", "eta", "last_interval", "max_age") and isinstance(value, float):
        return format_duration(value)
    return clean(str(value))
