"""Commands that show what is watched: export, list, show, entries."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import click

from afresh.base.durations import format_duration
from afresh.base.errors import UsageError
from afresh.base.iso_times import from_iso
from afresh.base.models import Kind, Resource, ResourceFilter, Status
from afresh.base.page_numbers import host_of
from afresh.base.plain_numbers import counted
from afresh.doors.cli.context import settings_of, with_store
from afresh.doors.cli.empty_answers import tell_nothing
from afresh.doors.cli.output import (
    clean,
    json_option,
    moment,
    output_option,
    print_json,
    print_table,
    tell_more,
    write_out,
)
from afresh.doors.cli.resource_facts import facts_for_people
from afresh.doors.presenting.entries import view_found_entry
from afresh.doors.presenting.folders import view_resource_folders
from afresh.doors.presenting.resources import ResourceView, VisitView, view_resource, view_visit
from afresh.doors.presenting.times import upcoming
from afresh.engine.explaining import redirect_words
from afresh.engine.exporting import FORMATS, listed_all
from afresh.engine.searching import entry_filter, read_entries
from afresh.store import opened_store
from afresh.store.finding import find_one

if TYPE_CHECKING:
    from afresh.base.protocols import Store

_MANY = 10_000  # query feeds or notices that are counted


@click.command("export")
@click.option("--format", "form", type=click.Choice([*FORMATS, "urlfrontier"]), default="opml", show_default=True)
@click.option(
    "--kind",
    type=click.Choice([*(str(kind) for kind in Kind), "all"]),
    help="What is watched so, or all (default: link for bookmarks, else feed).",
)
@output_option
@json_option
@click.pass_context
def export_command(ctx: click.Context, form: str, kind: str | None, output: str, as_json: bool) -> int:
    """Write what is watched as OPML, bookmarks, CSV or JSON, with folders, tags, notes, dates and what was set for each
    (pauses, pins, weights, rules); or as a plain list.

    `afresh import` reads each of them, and so do other programs. `urlfrontier` is all that the frontier's store holds,
    as URLFrontier dumps it: one JSON item a line.
    """
    if form == "urlfrontier":
        from afresh.doors.cli.dumps import export_dump  # noqa: PLC0415 (what is watched needs no frontier)

        return export_dump(ctx, output)
    kind = kind or ("link" if form == "bookmarks" else "feed")
    wanted = None if kind == "all" else Kind(kind)
    with opened_store(settings_of(ctx).settings) as store:
        found = list(listed_all(store, wanted))
        left = list(_not_exported(store, wanted))
    if not found and wanted is not None:
        click.echo(f"no {wanted} is watched", err=True)
    if left:
        click.echo(f"not in this list: {', '.join(left)}; a copy of the database has everything", err=True)
    if as_json:
        return print_json(found)
    return write_out(FORMATS[form](found), output, counted(len(found), wanted or "resource"))


def _not_exported(store: Store, wanted: Kind | None) -> Iterator[str]:
    """What there is beside what a list of that kind holds, in words."""
    for other in Kind:
        if wanted not in (None, other) and (count := store.count(ResourceFilter(kind=other))):
            yield f"{counted(count, str(other))} (--kind {other}, or all)"
    if queries := len(store.queries.list_queries(limit=_MANY)):
        yield counted(queries, "query feed")
    if notices := len(store.notices.list_notices(limit=_MANY)):
        yield counted(notices, "notice")


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
                _last(item),
                upcoming(from_iso(item.due), now) if item.status is Status.ACTIVE else item.status,
                *((item.counters.failures, " ".join(item.error.split()) or "-") if with_reasons else ()),
            )
            for item in map(view_resource, found)
        ],
    )


def _last(item: ResourceView) -> str:
    """What the last visit came to, and what is wrong although it went well: nothing on a page matches its selector."""
    if item.last_result is None:
        return "-"
    is_odd = item.last_result.is_success and item.error
    return (
        f"{item.last_result}, but {textwrap.shorten(item.error, 60, placeholder=' …')}" if is_odd else item.last_result
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
        watched = _watched(store, resource) if resource.kind is Kind.PAGE else ""
    shown = view_resource(resource)
    if as_json:
        return print_json({**asdict(shown), **({"watched": watched} if watched else {}), "visits": visits})
    for name, text in facts_for_people(replace(shown, moving=None) if redirect else shown):
        click.echo(f"{name:>16}  {text}")
    for name, words in (("watched", watched), ("redirect", redirect)):
        if words:
            click.echo(f"{name:>16}  {clean(words)}")
    if visits:
        click.echo()
        print_table(
            ["visited", "result", "status", "new", "bytes", "next after", "why"],
            [(moment(v.started), v.result, v.status or "-", v.new, v.bytes, _wait(v), _remark(v)) for v in visits],
        )
    return 0


def _watched(store: Store, resource: Resource) -> str:
    from afresh.pages.comparing import watched_words  # noqa: PLC0415 (for pages alone, with what reads them)

    return watched_words(store, resource)


@click.command("entries")
@click.option("--after", type=int, help="Only entries behind this sequence number; oldest first.")
@click.option("--feed", "key", metavar="URL|NUMBER", help="Only of this feed.")
@click.option("--folder", default="", help="Only of feeds in this folder, and in those below it.")
@click.option("--tag", default="", help="Only of feeds with this tag.")
@click.option("--search", default="", metavar="WORDS", help="Only with these words.")
@click.option(
    "--since", default="", metavar="TIME", help="Only found since then: 2026-01-31, today, or 2h for that long ago."
)
@click.option("--until", default="", metavar="TIME", help="Only found before then, written in the same ways.")
@click.option(
    "--published", default="", metavar="TIME", help="Only published since then, and in that order: today, 2h."
)
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True)
@json_option
@with_store
def entries_command(
    store: Store,
    after: int | None,
    key: str | None,
    folder: str,
    tag: str,
    search: str,
    since: str,
    until: str,
    published: str,
    limit: int,
    as_json: bool,
) -> int:
    """Read entries: the newest, or with --after all behind a sequence number, nothing skipped and nothing twice."""
    resource = find_one(store, key) if key else None
    if published and after is not None:
        raise UsageError("--after goes by the order of finding, --published by that of publication; give one of them")
    where = entry_filter(
        store,
        now=time.time(),
        text=search,
        resource=resource,
        folder=folder,
        tag=tag,
        since=since,
        until=until,
        published=published,
    )
    found = read_entries(store, where, after=after, limit=limit)
    shown = [view_found_entry(item) for item in found.items]
    if not shown:
        tell_nothing(store, folder=where.folder, tag=where.tag)
    if as_json:
        newest = max((item.seq for item in shown), default=0)
        return print_json({"entries": shown, "next": newest if after is None else found.next or after})
    return print_table(
        ["#", "published", "delay", "feed", "title", "link"],
        [
            (
                item.seq,
                moment(item.published),
                "-" if item.delay is None else format_duration(item.delay),
                item.feed_title[:30] or host_of(item.feed_url),
                textwrap.shorten(item.title, 60, placeholder=" …") or "-",
                item.link,
            )
            for item in shown
        ],
    )


def _wait(visit: VisitView) -> str:
    """From a visit to the one that was planned after it."""
    began, due = from_iso(visit.started), from_iso(visit.next_due)
    return "-" if began is None or due is None else format_duration(due - began)


def _remark(visit: VisitView) -> str:
    repaired = f" (repaired: {', '.join(visit.repaired)})" if visit.repaired else ""
    missed = "missed: nothing of the visit before is left, entries may be lost; " if visit.missed else ""
    return f"{missed}{visit.error or visit.reason}{repaired}"
