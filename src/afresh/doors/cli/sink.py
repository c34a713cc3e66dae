"""``afresh sink``: where entries and results are written to besides the store, and how far each sink is."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from typing import Any

import click

from afresh.base.errors import NoStore, UsageError
from afresh.base.records.sinks import DOCUMENTS, CursorStore, Stream
from afresh.base.store_url import database_path, is_postgres
from afresh.doors.cli.context import frontier_settings_of, settings_of
from afresh.doors.cli.lazy import PlainGroup
from afresh.doors.cli.output import clean, json_option, print_json, print_table, print_told
from afresh.doors.presenting.streams import ENTRIES, RESULTS, DocumentStream, EntryStream, ResultStream
from afresh.doors.presenting.times import iso
from afresh.sinks import cursors
from afresh.store import opened_store
from afresh.store.frontier import open_frontier

_frontier_option = click.option(
    "--frontier", "of_frontier", is_flag=True, help="Those of the frontier (`afresh serve`)."
)


@click.group("sink", cls=PlainGroup)
def sink_command() -> None:
    """Sinks: where entries and results are written to besides the store."""


@sink_command.command("list")
@_frontier_option
@json_option
@click.pass_context
def list_command(ctx: click.Context, of_frontier: bool, as_json: bool) -> int:
    """Show how far each sink is. They are named when a daemon or a frontier is started with --sink."""
    with _store(ctx, of_frontier) as store:
        found = cursors.all_cursors(store)
    told = [{**asdict(cursor), "at": iso(cursor.at or None)} for cursor in found]
    if as_json:
        return print_json({"items": told})
    columns = ["sink", "stream", "lines taken", "last"]
    rows = [[clean(item["name"]), item["stream"], f"{item['lines']:,}", item["at"] or "never"] for item in told]
    if not rows:
        click.echo("nothing is written anywhere; start `afresh run --sink ndjson:out`, say")
        return 0
    return print_table(columns, rows)


@sink_command.command("forget")
@click.argument("name")
@_frontier_option
@json_option
@click.pass_context
def forget_command(ctx: click.Context, name: str, of_frontier: bool, as_json: bool) -> int:
    """Forget a sink that is not to be written to any more: what waits for it alone is dropped."""
    with _store(ctx, of_frontier) as store:
        stream = cursors.cursor(store, name).stream
        cursors.forget(store, name)
        left = [cursor for cursor in cursors.all_cursors(store) if cursor.stream == stream]
        _stream(store, stream).passed(cursors.slowest(left, stream) if left else None)
    return print_told({"forgotten": name}, f"forgotten: {clean(name)}", as_json=as_json)


def _stream(store: Any, name: str) -> Stream:
    kinds: dict[str, Callable[[Any], Stream]] = {
        ENTRIES: EntryStream,
        DOCUMENTS: DocumentStream,
        RESULTS: ResultStream,
    }
    return kinds[name](store)


@contextmanager
def _store(ctx: click.Context, of_frontier: bool) -> Iterator[CursorStore]:
    if of_frontier:
        with closing(open_frontier(frontier_settings_of(ctx).frontier.url, makes=False)) as frontier:
            yield frontier
    else:
        settings = settings_of(ctx).settings
        try:
            with opened_store(settings) as store:
                yield store
        except NoStore as error:
            where = settings.frontier.url
            if is_postgres(where) or not database_path(where).is_file():
                raise
            raise UsageError(f"{error}. For the sinks of the frontier at {where} add --frontier") from error
