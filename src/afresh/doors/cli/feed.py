"""``afresh feed``: query feeds, new feeds composed from old ones."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from afresh.base.errors import ParseError, UsageError
from afresh.base.plain_numbers import counted
from afresh.base.records.notices import Topic
from afresh.base.records.queries import KeptQuery
from afresh.doors.cli.context import settings_of, with_store
from afresh.doors.cli.lazy import PlainGroup
from afresh.doors.cli.main import EXIT_USAGE, EXIT_WRONG
from afresh.doors.cli.output import clean, json_option, moment, print_json, print_table, print_told
from afresh.doors.presenting.queries import view_query, view_shares
from afresh.doors.presenting.times import iso
from afresh.doors.presenting.times import relative as distance
from afresh.feeds.queries.creating import create, drop
from afresh.feeds.queries.language import MAX_TEXT
from afresh.feeds.queries.publishing import find_leaf, read_leaf
from afresh.feeds.queries.sources import shares
from afresh.notices.outbox import all_notices
from afresh.parse.render_feed import FORMATS
from afresh.store import opened_store

if TYPE_CHECKING:
    from afresh.base.protocols import Store


@click.group("feed", cls=PlainGroup)
def feed_command() -> None:
    """Query feeds: new feeds composed from old ones."""


@feed_command.command("create")
@click.argument("query", required=False, metavar="[QUERY]")
@click.option("--file", "-f", type=click.Path(), help="Read the query from a file; - is standard input.")
@click.option("--replace", is_flag=True, help="Take the place of a query feed of the same name; its archive stays.")
@json_option
@click.pass_context
def create_command(ctx: click.Context, query: str | None, file: str | None, replace: bool, as_json: bool) -> int:
    """Make a query feed.

    \b
    afresh feed create 'CREATE FEED solar AS
        RETURN FOLDER "science" | "https://example.org/feed"
        WHERE TITLE CONTAINS "solar power" AND NOT CATEGORY = "ads"'
    """
    settings = settings_of(ctx).settings
    text = _query_text(query, file)
    with opened_store(settings, makes=True) as store:
        try:
            made = create(store, text, now=time.time(), replace=replace)
        except ParseError as error:
            click.echo(f"afresh: {clean(str(error))}", err=True)
            for line in error.excerpt.splitlines():
                click.echo(f"    {line}", err=True)
            return EXIT_USAGE
    if as_json:
        return print_json({**asdict(view_query(made.query)), "is_new": made.is_new})
    kept = made.query
    click.echo(f"{'made' if made.is_new else 'replaced'} query feed {kept.name}: {_counts(kept)}")
    click.echo(f"`afresh run` serves it at /feeds/q/{kept.name}.atom (.rss, .json)")
    for warning in made.warnings:
        click.echo(f"warning: {clean(warning)}", err=True)
    return 0


@feed_command.command("list")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True)
@click.option("--after", default="", help="Only names behind this one (paging).")
@json_option
@with_store
def list_command(store: Store, limit: int, after: str, as_json: bool) -> int:
    """List query feeds with what they took."""
    found = store.queries.list_queries(after=after, limit=limit)
    if as_json:
        return print_json([view_query(kept) for kept in found])
    if not found:
        click.echo("no query feeds yet: `afresh feed create --help` shows how to make one", err=True)
        return 0
    now = time.time()
    rows = [
        (kept.name, kept.title, len(kept.sources), kept.places, _share(kept.selectivity), distance(kept.modified, now))
        for kept in found
    ]
    return print_table(["name", "title", "sources #", "entries", "selectivity %", "changed"], rows)


@feed_command.command("show")
@click.argument("name")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), help="Print the feed itself in this format.")
@click.option("--page", type=click.IntRange(1), help="An archived page instead of the newest entries.")
@click.option("--sources", type=click.IntRange(0, 10_000), default=50, show_default=True, help="Sources to list.")
@json_option
@click.pass_context
def show_command(ctx: click.Context, name: str, form: str | None, page: int | None, sources: int, as_json: bool) -> int:
    """Show a query feed: its statement, its sources and how selective they are, its newest entries."""
    settings = settings_of(ctx).settings
    with opened_store(settings) as store:
        leaf = find_leaf(store, name, page)
        host = f"[{settings.service.host}]" if ":" in settings.service.host else settings.service.host
        base = f"http://{host}:{settings.service.port}/feeds/q/{name}.{form or 'atom'}"
        made = read_leaf(store, leaf, lambda number: base if number is None else f"{base}?page={number}")
        found = shares(store, name, limit=sources) if sources and not form else []
    if form:
        sys.stdout.buffer.write(FORMATS[form][0](made))
        return 0
    kept = leaf.query
    if as_json:
        entries = [{"id": i.id, "title": i.title, "link": i.link, "published": iso(i.published)} for i in made.items]
        by_source = view_shares(found, sources).items
        return print_json({**asdict(view_query(kept)), "by_source": by_source, "items": entries})
    click.echo(f"{kept.name}: {clean(kept.title or kept.name)}; {_counts(kept)}")
    for line in kept.text.splitlines():
        click.echo(f"    {clean(line)}")
    rows = [
        (s.label if s.selector else f"{s.label} (gone)", s.seen, s.matched, _share(s.selectivity)) for s in kept.sources
    ]
    print_table(["source", "seen #", "matched #", "selectivity %"], rows)
    if len(found) > len(rows):
        each = [(one.label[:60], one.seen, one.matched, _share(one.selectivity)) for one in found]
        print_table(["that is", "found #", "taken #", "share %"], each)
        if len(found) == sources:
            click.echo(f"the first {sources}; --sources shows more", err=True)
    for item in made.items[:10]:
        click.echo(f"  {moment(item.published)}  {clean(item.title) or '(untitled)'}  {clean(item.link)}")
    return 0


@feed_command.command("drop")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@with_store
def drop_command(store: Store, name: str, yes: bool, as_json: bool) -> int:
    """Forget a query feed, its archive and the notices that tell of it; refused while another builds on it.

    On a terminal it asks before.
    """
    notices = [one.id for one in all_notices(store) if (one.topic, one.subject) == (Topic.QUERY, name)]
    also = f" with {counted(len(notices), 'notice')} that told of it" if notices else ""
    places = store.queries.query(name).places
    question = f"Drop query feed {name} and its archive of {counted(places, 'entry', 'entries')}{also}?"
    if not (yes or as_json) and sys.stdin.isatty() and not click.confirm(question, err=True):
        click.echo("nothing is dropped", err=True)
        return EXIT_WRONG
    drop(store, name)
    return print_told({"dropped": name, "notices": notices}, f"dropped query feed {name}{also}", as_json=as_json)


def _query_text(query: str | None, file: str | None) -> str:
    if (query is None) == (file is None):
        raise UsageError("give either a query or --file FILE")
    if query is not None:
        return query
    assert file is not None
    try:
        # One character too many is enough to be refused: a huge file is not read.
        if file == "-":
            return sys.stdin.read(MAX_TEXT + 1)
        with Path(file).open(encoding="utf-8") as source:
            return source.read(MAX_TEXT + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {file}: {getattr(error, 'strerror', None) or 'not UTF-8 text'}") from error


def _counts(kept: KeptQuery) -> str:
    if not kept.seen:
        return f"{kept.places} entries; its sources have offered none yet"
    return f"{kept.places} entries; {kept.matched} of {kept.seen} offered passed ({_share(kept.selectivity)} %)"


def _share(selectivity: float | None) -> str:
    return "-" if selectivity is None else f"{100 * selectivity:.3g}"
