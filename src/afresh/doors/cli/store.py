"""``afresh store``: is it whole? And: move everything from SQLite to PostgreSQL, and see that it arrived."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from afresh.base.errors import UsageError
from afresh.base.passwords import hide_password
from afresh.base.store_url import database_path, is_postgres
from afresh.doors.cli.context import frontier_settings_of, settings_of
from afresh.doors.cli.lazy import PlainGroup
from afresh.doors.cli.main import EXIT_WRONG
from afresh.doors.cli.output import clean, console, json_option, print_json, print_table, print_told
from afresh.doors.presenting.damage import damage_line
from afresh.store import cluster_distributing, open_store, postgres_copying
from afresh.store.frontier import open_frontier
from afresh.store.frontier.sqlite import VERSION as FRONTIER_VERSION
from afresh.store.frontier.sqlite import is_frontier
from afresh.store.sqlite.backup import back_up
from afresh.store.sqlite.checking import Looked, check_file, version_of_other


@click.group("store", cls=PlainGroup)
def store_command() -> None:
    """Check a store, back it up; move everything from SQLite to PostgreSQL, and onto several servers."""


@store_command.command("check")
@click.argument("file", required=False)
@json_option
@click.pass_context
def check_command(ctx: click.Context, file: str | None, as_json: bool) -> int:
    """Look through a SQLite file; exit 1 if anything is wrong. Changes nothing, and may run beside a daemon.

    FILE is that of a store or a frontier (default: the store of the settings). Looked at are the file itself, rows that
    belong to nothing, totals that do not add up, resources not found by their address, and rows that cannot be read.
    """
    url = file or settings_of(ctx).settings.store.url
    if is_postgres(url):
        raise UsageError("a PostgreSQL server checks itself; damaged rows are told by `afresh doctor`")
    path = database_path(url)
    looked = [*check_file(path)]
    if all(item.ok for item in looked if item.name in ("file", "integrity", "schema")):
        version = version_of_other(path)
        looked += [_damage(url)] if version is None else _frontier_rows(url, version)
    if as_json:
        wrong = [{"name": item.name, "ok": item.ok, "wrong": item.wrong} for item in looked]
        print_json({"store": str(path), "ok": all(item.ok for item in looked), "checks": wrong})
    else:
        for item in looked:
            click.echo(f"{'ok  ' if item.ok else 'FAIL'}  {item.name}")
            for line in item.wrong:
                click.echo(f"      {clean(line)}")
    return 0 if all(item.ok for item in looked) else EXIT_WRONG


def _damage(url: str) -> Looked:
    store = open_store(url)
    try:
        return Looked("rows", tuple(damage_line(item) for item in store.damage.find_damage()))
    finally:
        store.close()


def _frontier_rows(url: str, version: int) -> list[Looked]:
    if version < FRONTIER_VERSION:
        words = f"version {version}, this afresh knows {FRONTIER_VERSION}; `afresh serve` brings it up to date"
        return [Looked("schema", (words,))]
    with closing(open_frontier(url)) as store:
        sums = tuple(f"{name}: {count} differ from a recount" for name, count in store.recount().items() if count)
        return [
            Looked("counters", sums),
            Looked("rows", tuple(damage_line(item) for item in store.find_damage())),
        ]


@store_command.command("backup")
@click.argument("file", type=click.Path())
@json_option
@click.pass_context
def backup_command(ctx: click.Context, file: str, as_json: bool) -> int:
    """Copy the whole store, as it is at one moment, into a new file; a daemon may go on meanwhile.

    Everything is in it: feeds, entries, what was learnt, query feeds, notices, links. `afresh --store FILE run` goes on
    with it, here or on another machine.
    """
    url = settings_of(ctx).settings.store.url
    if is_postgres(url):
        raise UsageError("a PostgreSQL database is backed up by its own means: `pg_dump`")
    size = back_up(database_path(url), Path(file))
    words = f"{file}: {size:,} bytes, everything that {database_path(url)} holds now"
    return print_told({"file": file, "bytes": size}, words, as_json=as_json)


@store_command.command("copy")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@json_option
def copy_command(source: str, target: str, as_json: bool) -> int:
    """Copy a SQLite store, or a frontier, into an empty PostgreSQL database, and compare.

    FROM is a file, TO a URL like postgresql://user@host/database. Neither may be in use (`afresh run`, `afresh serve`).
    All or nothing: if anything fails or differs, TO stays empty.
    """
    copying = _copying(source, target)
    notes = console(stderr=True)

    def tell(table: str, rows: int) -> None:
        if rows and not as_json:
            notes.print(f"copied {rows:,} rows of {table}")

    return _show(copying.copy_store(database_path(source), target, progress=tell), source, target, as_json)


@store_command.command("verify")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@json_option
def verify_command(source: str, target: str, as_json: bool) -> int:
    """Compare a SQLite store, or a frontier, with its copy in PostgreSQL; exit 1 if they differ.

    Neither may be in use.
    """
    copying = _copying(source, target)
    return _show(copying.verify_stores(database_path(source), target), source, target, as_json)


@store_command.command("distribute")
@click.argument("url", required=False)
@click.option(
    "--of",
    "only",
    type=click.Choice(["store", "frontier"]),
    help="Only the store of `afresh run`, or the frontier; made if it is not there (default: what is there).",
)
@click.option(
    "--shards",
    type=click.IntRange(1, 1024),
    help="How many parts the tables are divided into (default: one for each worker).",
)
@json_option
@click.pass_context
def distribute_command(ctx: click.Context, url: str | None, only: str | None, shards: int | None, as_json: bool) -> int:
    """Divide a store or a frontier among the servers of a PostgreSQL cluster (Citus); exit 3 if it is none.

    URL is that of the coordinator (default: the store of the settings, with --of frontier the frontier). Tables that
    grow are divided by bucket, all in the same way. Versions and settings of the workers are looked at first.
    Nobody may use the database meanwhile. What is divided already stays as it is.
    """
    place = _coordinator(ctx, url, only)
    done = cluster_distributing().distribute_parts(place, only=only, count=shards)
    return _tell(place, done, "everything was divided before", as_json)


@store_command.command("move")
@click.argument("url", required=False)
@json_option
@click.pass_context
def move_command(ctx: click.Context, url: str | None, as_json: bool) -> int:
    """Move parts of a divided store or frontier to servers with room, such as new ones, by the cluster's own means.

    URL is that of the coordinator (default: the store of the settings). Who writes to a part waits while it moves.
    """
    place = _coordinator(ctx, url, None)
    return _tell(place, cluster_distributing().move_parts(place), "nothing to move", as_json)


def _coordinator(ctx: click.Context, url: str | None, only: str | None) -> str:
    place = url or (
        frontier_settings_of(ctx).frontier.url if only == "frontier" else settings_of(ctx).settings.store.url
    )
    if not is_postgres(place):
        raise UsageError(
            "only PostgreSQL has several servers: afresh store distribute postgresql://user@coordinator/db"
        )
    return place


def _tell(url: str, done: Sequence[str], nothing: str, as_json: bool) -> int:
    if as_json:
        print_json({"database": hide_password(url), "done": list(done)})
    else:
        for line in done or [nothing]:
            click.echo(line)
    return 0


def _copying(source: str, target: str) -> ModuleType:
    """The module that copies what is there: a store or a frontier."""
    if is_postgres(source) or not is_postgres(target):
        raise UsageError(
            "a store is copied from SQLite to PostgreSQL: afresh store copy afresh.db postgresql://user@host/db"
        )
    return postgres_copying(frontier=is_frontier(database_path(source)))


def _show(compared: Sequence[Any], source: str, target: str, as_json: bool) -> int:
    names = ("table", "rows", "sum", "target_rows", "target_sum", "is_equal")
    tables = [{name: getattr(item, name) for name in names} for item in compared]
    equal = all(table["is_equal"] for table in tables)
    if as_json:
        print_json({"from": source, "to": hide_password(target), "equal": equal, "tables": tables})
    else:
        print_table(
            ["table", "rows #", "in the copy #", ""],
            [(t["table"], t["rows"], t["target_rows"], "equal" if t["is_equal"] else "DIFFERENT") for t in tables],
        )
    return 0 if equal else EXIT_WRONG
