"""Commands on what is watched: export, list, show, set, remove, entries."""

import time
from pathlib import Path

import click

from afresh.base.durations import format_duration, parse_duration
from afresh.base.errors import UsageError
from afresh.base.models import Kind, Resource, Status, StoredEntry
from afresh.base.protocols import ResourceFilter
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.output import clean, distance, json_option, jsonable, moment, print_json, print_table
from afresh.engine.stores import opened_store
from afresh.feeds.rules import load as load_rule
from afresh.parse.listing import Listed, write_list
from afresh.parse.opml import write_opml
from afresh.store.finding import find_one


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
        ["#", "kind", "title", "url", "pattern", "entries", "last", "next"],
        [
            (
                item.id,
                item.kind,
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
@click.option("--shortest", metavar="DURATION", help="Shortest interval of this resource; `none`: the settings'.")
@click.option("--longest", metavar="DURATION", help="Longest interval of this resource; `none`: the settings'.")
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
    shortest: str | None,
    longest: str | None,
    weight: float | None,
    folder: str | None,
    title: str | None,
    paused: bool | None,
    at_once: bool,
    as_json: bool,
) -> int:
    """Change a resource: pin an interval, choose a rule or bounds, pause, visit now."""
    changes: dict[str, object] = {}
    for name, text in (("pinned", pin), ("alpha", shortest), ("beta", longest)):
        if text is not None:
            changes[name] = None if text == "none" else _positive_duration(text)
    if rule is not None:
        if rule != "none":
            load_rule(rule)
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
