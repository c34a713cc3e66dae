"""Commands on what is watched: export, list, show, set, remove, entries."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from afresh.base.durations import format_duration, parse_duration
from afresh.base.errors import UsageError
from afresh.base.models import Kind, Resource, ResourceFilter, Status
from afresh.base.plain_numbers import amount
from afresh.base.records.searching import EntryFilter
from afresh.doors.cli.context import settings_of, with_store
from afresh.doors.cli.nothing import tell_nothing
from afresh.doors.cli.output import (
    clean,
    json_option,
    moment,
    output_option,
    print_json,
    print_table,
    print_told,
    tell_more,
    write_out,
)
from afresh.doors.cli.refresh import refresh_options, said_refresh
from afresh.doors.cli.watch_options import said_watch, watch_options
from afresh.doors.presenting.entries import view_entry
from afresh.doors.presenting.folders import view_resource_folders
from afresh.doors.presenting.resources import ResourceView, VisitView, view_resource, view_visit
from afresh.doors.presenting.times import from_iso, upcoming
from afresh.engine.choose_refresh import change_choice, scope_of
from afresh.engine.edit_resource import change
from afresh.engine.explaining import redirect_words
from afresh.engine.exporting import FORMATS, listed_all
from afresh.engine.searching import read_entries
from afresh.engine.watch_pages import change_watch, page_scope
from afresh.store import opened_store
from afresh.store.finding import find_one

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.base.records.history import StoredEntry

_TIMES = frozenset({"added", "due", "last_visit", "last_ok", "saved"})
_SPANS = frozenset({"pinned", "shortest", "longest", "standard", "last_interval", "max_age", "ttl", "update_period"})
_SECOND_NAMES = frozenset({"predictor", "alpha", "beta", "eta"})


@click.command("export")
@click.option("--format", "form", type=click.Choice([*FORMATS, "urlfrontier"]), default="opml", show_default=True)
@click.option(
    "--kind",
    type=click.Choice([str(kind) for kind in Kind]),
    help="What is watched so (default: link for bookmarks, else feed).",
)
@output_option
@json_option
@click.pass_context
def export_command(ctx: click.Context, form: str, kind: str | None, output: str, as_json: bool) -> int:
    """Write what is watched as OPML, bookmarks, CSV or JSON, with folders, tags, notes and dates; or as a plain list.

    `afresh import` reads each of them, and so do other programs. `urlfrontier` is all that the frontier's store holds,
    as URLFrontier dumps it: one JSON item a line.
    """
    if form == "urlfrontier":
        from afresh.doors.cli.dumps import export_dump  # noqa: PLC0415 (what is watched needs no frontier)

        return export_dump(settings_of(ctx).settings, output)
    wanted = Kind(kind or ("link" if form == "bookmarks" else "feed"))
    with opened_store(settings_of(ctx).settings) as store:
        found = list(listed_all(store, wanted))
        others = [] if found else [f"--kind {other}" for other in Kind if store.count(ResourceFilter(kind=other))]
    if others:
        click.echo(f"no {wanted} is watched; there is something with {', '.join(others)}", err=True)
    if as_json:
        return print_json(found)
    return write_out(FORMATS[form](found), output, f"{len(found)} {wanted}s")


@click.command("list")
@click.option("--kind", type=click.Choice([str(kind) for kind in Kind]))
@click.option("--status", type=click.Choice([str(status) for status in Status]))
@click.option("--folder", help="Only this folder, and those below it.")
@click.option("--tag", help="Only with this tag.")
@click.option("--failing", is_flag=True, help="Only those whose last visit failed.")
@click.option("--repaired", is_flag=True, help="Only those whose document had to be repaired to be read.")
@click.option("--search", default="", help="Only those with these words in URL, title, tags or folder.")
@click.option("--folders", "show_folders", is_flag=True, help="The folders there are instead, and how much is in each.")
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
    repaired: bool,
    search: str,
    show_folders: bool,
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
        repaired=True if repaired else None,
        text=search,
    )
    with opened_store(settings_of(ctx).settings) as store:
        if show_folders:
            return _print_folders(store.search.folders(where.kind), as_json=as_json)
        found = store.list_resources(where, after=after, limit=limit)
        more = _left(store, where, found, after=after, limit=limit)
        if not found and not after:
            tell_nothing(store, folder=folder, tag=tag)
    if as_json:
        print_json([view_resource(item) for item in found])
    else:
        _print_resources(found, with_reasons=failing)
    if more:
        tell_more(more, shown=len(found), last=found[-1].id)
    return 0


def _print_resources(found: Sequence[Resource], *, with_reasons: bool) -> None:
    """One line each; ``with_reasons``: also how often in a row it failed, and why the last time."""
    now, more = time.time(), ["failures #", "why"] if with_reasons else []
    print_table(
        ["#", "kind", "title", "folder", "url", "pattern", "entries", "last", "next", *more],
        [
            (
                item.id,
                item.kind,
                item.title[:40] or "-",
                item.folder or "-",
                item.url,
                item.pattern or "-",
                item.counters.entries,
                item.last_result or "-",
                upcoming(from_iso(item.due), now) if item.status is Status.ACTIVE else item.status,
                *((item.counters.failures, " ".join(item.error.split()) or "-") if with_reasons else ()),
            )
            for item in map(view_resource, found)
        ],
    )


def _left(store: Store, where: ResourceFilter, found: Sequence[Resource], *, after: int, limit: int) -> int:
    """How many there are behind those that were found; a page that is not full is the last one."""
    if not found or len(found) < limit:
        return 0
    if not after:
        return store.count(where) - len(found)
    return sum(one.id > found[-1].id for one in store.iterate(where))


def _print_folders(counts: Mapping[str, int], *, as_json: bool) -> int:
    folders = view_resource_folders(counts)
    if as_json:
        return print_json(folders)
    if not folders:
        click.echo("nothing is in a folder; `afresh set URL --folder news/local` puts something into one", err=True)
        return 0
    return print_table(["folder", "resources #"], [(folder.path, folder.resources) for folder in folders])


@click.command("show")
@click.argument("key", metavar="URL|NUMBER")
@click.option("--visits", "visit_limit", type=int, default=10, show_default=True, help="Visits to show.")
@json_option
@click.pass_context
def show_command(ctx: click.Context, key: str, visit_limit: int, as_json: bool) -> int:
    """Show everything known about a resource, and its last visits."""
    settings = settings_of(ctx).settings
    with opened_store(settings) as store:
        resource = store.get(find_one(store, key))
        visits = [view_visit(number, visit) for number, visit in store.visits(resource=resource.id, limit=visit_limit)]
        redirect = "" if resource.kind is Kind.LINK else redirect_words(store, resource, settings.errors)
    shown = view_resource(resource)
    if as_json:
        return print_json({**asdict(shown), "visits": visits})
    for name, text in _facts_for_people(replace(shown, moving=None) if redirect else shown):
        click.echo(f"{name:>16}  {text}")
    if redirect:
        click.echo(f"{'redirect':>16}  {clean(redirect)}")
    if visits:
        click.echo()
        print_table(
            ["visited", "result", "status", "new", "bytes", "next after", "why"],
            [(moment(v.started), v.result, v.status or "-", v.new, v.bytes, _wait(v), _remark(v)) for v in visits],
        )
    return 0


@click.command("set")
@click.argument("key", metavar="URL|NUMBER")
@click.option("--kind", type=click.Choice(["page", "link"]), help="Make a page a kept link, or back; versions stay.")
@click.option("--pin", metavar="DURATION", help="Visit at this interval; `none`: its rule decides again.")
@click.option("--rule", help="Rule that decides when to visit it; `none`: predict.rule of the settings.")
@click.option("--shortest", metavar="DURATION", help="Shortest interval of this resource; `none`: the settings'.")
@click.option("--longest", metavar="DURATION", help="Longest interval of this resource; `none`: the settings'.")
@click.option(
    "--weight", type=float, help="How much an entry is worth: at 2, a minute of waiting for it counts as two."
)
@click.option("--folder", help="Folder to put it in, like news/local; empty: none.")
@click.option("--tag", "tags", multiple=True, help="Tag to add; may be repeated.")
@click.option("--untag", "untags", multiple=True, metavar="TAG", help="Tag to take away; may be repeated.")
@click.option("--title", help="Title; empty: its own.")
@click.option("--note", help="What you want to remember about it.")
@click.option("--pause/--resume", "paused", default=None, help="Stop or go on visiting.")
@click.option("--now", "at_once", is_flag=True, help="Visit as soon as its site allows.")
@refresh_options
@watch_options
@json_option
@click.pass_context
def set_command(
    ctx: click.Context,
    /,
    key: str,
    kind: str | None,
    pin: str | None,
    rule: str | None,
    shortest: str | None,
    longest: str | None,
    weight: float | None,
    folder: str | None,
    tags: tuple[str, ...],
    untags: tuple[str, ...],
    title: str | None,
    note: str | None,
    paused: bool | None,
    at_once: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Change a resource: pin an interval, choose a rule or bounds, pause, visit now, say what of a page is watched."""
    visited = said_refresh(given)
    watched = said_watch(given)
    changes: dict[str, object] = {
        name: None if text == "none" else parse_duration(text)
        for name, text in (("pinned", pin), ("shortest", shortest), ("longest", longest))
        if text is not None
    }
    if rule is not None:
        changes["rule"] = None if rule == "none" else rule
    if kind is not None:
        changes["kind"] = Kind(kind)
    others = {"weight": weight, "folder": folder, "title": title, "note": note, "paused": paused}
    changes.update({name: value for name, value in others.items() if value is not None})
    if not (changes or watched or visited or at_once or tags or untags):
        raise UsageError("nothing to change; `afresh set --help` lists what can be")
    settings = settings_of(ctx).settings
    with opened_store(settings) as store:
        number = find_one(store, key)
        if tags or untags:
            changes["tags"] = _tagged(store.get(number).tags, tags, untags)
        if watched and changes.get("kind", store.get(number).kind) is not Kind.PAGE:
            raise UsageError("parts are watched of pages; this is none")
        if watched:
            change_watch(store, page_scope(number), watched)
        if visited:
            change_choice(store, scope_of(store, feed=number), visited)
        was_active = store.get(number).status is Status.ACTIVE
        resource = change(store, number, changes, now=time.time(), at_once=at_once)
    if paused is False and was_active:
        del changes["paused"]
    named = [f"{name} to {_in_words(name, value)}" for name, value in changes.items()]
    named += [name.replace("_", " ") for name in (*watched, *visited)]
    changed = ", ".join(named) or ("the next visit" if at_once else "nothing")
    words = f"changed {changed} of {resource.url}"
    if pin is not None and resource.kind is Kind.FEED:
        words += _pin_words(resource.pinned, settings.predict.shortest)
    if paused is False and was_active:
        words += "\nit was not paused"
    if at_once and resource.status is Status.ACTIVE:
        words += "\nit is visited as soon as its site allows"
    if at_once and resource.status is not Status.ACTIVE:
        words += f"\nbut it is {resource.status}, so it is not visited: `afresh set {number} --resume` begins again"
    return print_told(view_resource(resource), words, as_json=as_json)


def _pin_words(pinned: float | None, shortest: float) -> str:
    """What a pinned interval means that no rule would choose; empty: nothing unusual."""
    if pinned is None or pinned >= shortest:
        return ""
    return f": asked every {format_duration(pinned)}, shorter than predict.shortest ({format_duration(shortest)})"


def _tagged(known: Sequence[str], more: Sequence[str], less: Sequence[str]) -> tuple[str, ...]:
    """The tags it has, with these and without those."""
    return tuple(tag for tag in dict.fromkeys((*known, *more)) if tag not in less)


@click.command("remove")
@click.argument("keys", nargs=-1, required=True, metavar="URL|NUMBER…")
@json_option
@with_store
def remove_command(store: Store, keys: tuple[str, ...], as_json: bool) -> int:
    """Stop watching, and forget entries and visits too."""
    count = store.remove([find_one(store, key) for key in keys])
    return print_told({"removed": count}, f"{count} removed", as_json=as_json)


@click.command("entries")
@click.option("--after", type=int, help="Only entries behind this sequence number; oldest first.")
@click.option("--feed", "key", metavar="URL|NUMBER", help="Only of this feed.")
@click.option("--folder", help="Only of feeds in this folder, and in those below it.")
@click.option("--tag", help="Only of feeds with this tag.")
@click.option("--search", default="", metavar="WORDS", help="Only with these words.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True)
@json_option
@with_store
def entries_command(
    store: Store,
    after: int | None,
    key: str | None,
    folder: str | None,
    tag: str | None,
    search: str,
    limit: int,
    as_json: bool,
) -> int:
    """Read entries: the newest, or with --after all behind a sequence number, nothing skipped and nothing twice."""
    resource = find_one(store, key) if key else None
    where = EntryFilter(text=search, resource=resource, folder=folder, tag=tag)
    found, last = _read_entries(store, where, after=after, limit=limit)
    if not found:
        tell_nothing(store, folder=folder, tag=tag)
    if as_json:
        return print_json({"entries": [view_entry(item) for item in found], "next": last})
    return print_table(
        ["#", "published", "delay", "title", "link"],
        [
            (
                item.seq,
                moment(item.published),
                "-" if item.delay is None else format_duration(item.delay),
                item.title[:60] or "-",
                item.link,
            )
            for item in map(view_entry, found)
        ],
    )


def _read_entries(
    store: Store, where: EntryFilter, *, after: int | None, limit: int
) -> tuple[Sequence[StoredEntry], int]:
    """Entries, and the number to read on behind."""
    if where == EntryFilter(resource=where.resource):
        found = store.entries(after=after or 0, limit=limit, resource=where.resource, newest_first=after is None)
    else:
        read = read_entries(store, where, after=after, limit=limit)
        found = [offered.stored for offered in read.items]
        if after is not None:
            return found, read.next or after
    return found, max((item.seq for item in found), default=after or 0)


def _wait(visit: VisitView) -> str:
    """From a visit to the one that was planned after it."""
    began, due = from_iso(visit.started), from_iso(visit.next_due)
    return "-" if began is None or due is None else format_duration(due - began)


def _remark(visit: VisitView) -> str:
    repaired = f" (repaired: {', '.join(visit.repaired)})" if visit.repaired else ""
    return f"{visit.error or visit.reason}{repaired}"


def _facts_for_people(view: ResourceView) -> Iterator[tuple[str, str]]:
    """What is known, one fact a line; what is not set is left out, and so are second names."""
    known = asdict(view)
    counters, facts = known.pop("counters"), known.pop("facts")
    for name, value in {**known, **counters, **facts, "title": view.title}.items():
        if name in _SECOND_NAMES or value in (None, "", [], (), 0, {}, False):
            continue
        yield name, _in_words(name, value)


def _in_words(name: str, value: Any) -> str:
    """A fact by its name."""
    if value in (None, ""):
        return "none"
    if name in _TIMES:
        return moment(value)
    return format_duration(value) if name in _SPANS else clean(_said(value))


def _said(value: object) -> str:
    """A fact in words: a list with commas, names with their values."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_said(item)}" for name, item in value.items() if item not in (None, "", (), []))
    if isinstance(value, list | tuple):
        return ", ".join(map(_said, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return amount(value) if isinstance(value, float) else str(value)
