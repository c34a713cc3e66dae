"""``afresh doctor``: check that everything needed is there and works."""

import asyncio
import errno
import os
import shutil
import socket
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import click

from afresh.base.errors import AfreshError, NoFrontier, NoStore
from afresh.base.extras import EXTRAS, PURPOSES, installing, is_installed
from afresh.base.models import Failed, Failure, Request
from afresh.base.records.damage import Damaged
from afresh.base.settings import Settings
from afresh.base.store_url import database_path, has_frontier, is_postgres
from afresh.doors.cli.context import frontier_settings_of, settings_of
from afresh.doors.cli.main import EXIT_WRONG
from afresh.doors.cli.output import clean, json_option, print_json
from afresh.doors.listening import kept_address
from afresh.doors.presenting.damage import damage_line
from afresh.engine.fetching import make_gate
from afresh.feeds.rules import load
from afresh.store import cluster_distributing, opened_store
from afresh.store.frontier import open_frontier
from afresh.store.frontier.sqlite import is_frontier

_LOW_DISK = 200_000_000
_REMOVING = {"resource": "remove", "notice": "notice drop"}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at; ``advice`` says what to do if it is not well."""

    name: str
    ok: bool | None  # None: it is not there, and need not be
    found: str
    advice: str = ""


@click.command("doctor")
@click.option("--repair", is_flag=True, help="Mend what is damaged in the store, and say what was lost.")
@json_option
@click.pass_context
def doctor_command(ctx: click.Context, repair: bool, as_json: bool) -> int:
    """Check that everything needed is there and works.

    Rows of the store, and of a frontier where there is one, that cannot be read are told; with --repair a neutral value
    is put into each damaged column and the totals are counted anew. What was set aside for it is visited again.
    """
    named = ctx.obj["store"]
    is_frontiers = bool(named) and not is_postgres(named) and is_frontier(database_path(named))
    may_be_frontiers = is_frontiers or is_postgres(named or "")  # a server may have both
    settings = frontier_settings_of(ctx) if may_be_frontiers else settings_of(ctx).settings
    checks = list(_checks(settings, repair=repair, has_store=not is_frontiers))
    if as_json:
        print_json(checks)
    else:
        for check in checks:
            mark = {True: "ok", False: "FAIL", None: "-"}[check.ok]
            click.echo(f"{mark:<4}  {check.name:<18} {clean(check.found)}")
            if check.ok is False:
                click.echo(f"      try: {check.advice}")
    return EXIT_WRONG if any(check.ok is False for check in checks) else 0


def _checks(settings: Settings, *, repair: bool, has_store: bool) -> Iterator[Check]:
    """``has_store``: False if a frontier's file was named instead."""
    yield Check("python", sys.version_info >= (3, 11), sys.version.split()[0], "install Python 3.11 or newer")
    yield Check(
        "sqlite", sqlite3.sqlite_version_info >= (3, 38), sqlite3.sqlite_version, "a Python built with SQLite 3.38+"
    )
    if has_store:
        store = _store(settings)
        yield store
        if store.ok is not None:
            yield from _damage(settings, repair=repair)
            yield from _losses(settings)
    if has_frontier(settings.frontier.url):
        yield from _frontier_damage(settings, repair=repair)
    for part, url in (("store", settings.store.url), ("frontier", settings.frontier.url)):
        if is_postgres(url):
            yield _servers(url, part)
    if not is_postgres(settings.store.url):  # its disk is on another machine
        yield _disk(settings)
    yield _try("rule", lambda: load(settings.predict.rule).name, "predict.rule in the settings")
    yield _try("address guard", lambda: asyncio.run(_guard(settings)), "set fetch.allow_private = false")
    yield _port(settings)
    for extra in EXTRAS:
        if is_installed(extra):
            yield Check(f"extra {extra}", True, "installed")
        else:
            said = f"not installed (needed for {PURPOSES[extra]}: {installing(extra)})"
            yield Check(f"extra {extra}", None, said)


def _try(name: str, action: Callable[[], str], advice: str) -> Check:
    try:
        return Check(name, True, action())
    except AfreshError as error:
        return Check(name, False, str(error), advice)


def _store(settings: Settings) -> Check:
    """One that nobody has made yet need not be there."""
    try:
        with opened_store(settings) as store:
            return Check("store", True, f"{settings.store.shown}: {store.count():,} resources")
    except NoStore as error:
        return Check("store", None, str(error))
    except AfreshError as error:
        return Check("store", False, str(error), "another --store")


def _damage(settings: Settings, *, repair: bool) -> Iterator[Check]:
    """The rows of the store; one check for each that is damaged, or was."""
    try:
        with opened_store(settings) as store:
            found = store.damage.repair_damage() if repair else store.damage.find_damage()
    except AfreshError as error:
        yield Check("rows", False, str(error), "what the check of the store says")
        return
    yield from _rows("rows", found, repair=repair)


def _losses(settings: Settings) -> Iterator[Check]:
    """Entries that feeds did not show any more when they were visited; nothing is broken, and somebody may care."""
    with suppress(AfreshError), opened_store(settings) as store:
        lost = store.stats(now=time.time()).get("missed_last_day", 0.0)
        if lost:
            said = f"about {lost:,.0f} of the last day's came and went between two visits"
            yield Check("entries", None, f"{said}; `misses` in `afresh list --json` tells of which feeds")


def _rows(name: str, found: Sequence[Damaged], *, repair: bool) -> Iterator[Check]:
    for item in found:
        is_mended = repair and item.can_be_mended
        line = damage_line(item)
        advice = "afresh doctor --repair"
        if not item.can_be_mended:
            removing = _REMOVING.get(item.table)
            advice = f"afresh {removing} {item.id}" if removing else "nothing: it stays set aside, the others go on"
        yield Check(name, is_mended, f"mended: {line}" if is_mended else line, advice)
    if not found:
        yield Check(name, True, "all can be read, and the totals add up")


def _frontier_damage(settings: Settings, *, repair: bool) -> Iterator[Check]:
    """The rows of a frontier, where there is one."""
    try:
        with closing(open_frontier(settings.frontier.url, makes=False)) as store:
            found = store.repair_damage() if repair else store.find_damage()
    except NoFrontier:
        return
    except AfreshError as error:
        yield Check("frontier", False, str(error), "another frontier.url")
        return
    yield from _rows("frontier", found, repair=repair)


def _servers(url: str, part: str) -> Check:
    """Where the rows of a store or a frontier are, and what is wrong with its servers."""
    name = f"{part} servers"
    try:
        words, wrong = cluster_distributing().standing(url, part)
    except AfreshError as error:
        return Check(name, False, str(error), f"afresh store distribute --of {part}")
    return Check(name, not wrong, "; ".join(wrong) or words, "start the worker, or set its clock")


def _disk(settings: Settings) -> Check:
    folder = Path(settings.store.url).expanduser().absolute().parent
    where = folder if folder.exists() else Path(tempfile.gettempdir())
    free = shutil.disk_usage(where).free
    return Check(
        "disk",
        free > _LOW_DISK and os.access(where, os.W_OK),
        f"{free / 1e9:.1f} GB free in {where}",
        "free some space",
    )


async def _guard(settings: Settings) -> str:
    fetcher = make_gate(settings)
    try:
        outcome = await fetcher.fetch(Request(url="http://127.0.0.1:9/"))
    finally:
        await fetcher.close()
    if isinstance(outcome, Failed) and outcome.cause is Failure.ADDRESS:
        allowed = settings.fetch.allowed_networks
        return "private addresses are refused" + (f" but for {', '.join(allowed)}" if allowed else "")
    raise AfreshError("private addresses can be reached")


def _port(settings: Settings) -> Check:
    """Whether the service can be reached: where the daemon of this store is, else where one would be."""
    daemon = _own_daemon(settings)
    if address := _address(settings, daemon):
        return _look_at(daemon, address)
    where = (settings.service.host, settings.service.port)
    try:
        with socket.create_server(where):
            return Check("port", True, f"{where[0]}:{where[1]} is free")
    except OSError as error:
        if error.errno == errno.EADDRINUSE and daemon:  # which may have been given another
            return Check("port", True, f"{where[0]}:{where[1]} is in use; the daemon of this store runs, {daemon}")
        return Check(
            "port", False, f"{where[0]}:{where[1]}: {error.strerror}", "another service.port, or stop what uses it"
        )


def _look_at(daemon: str, address: str) -> Check:
    """Whether somebody listens where the daemon said that it is; it is not asked for anything."""
    parts, who = urlsplit(address), f"the daemon of this store, {daemon},"
    try:
        with socket.create_server((parts.hostname or "", parts.port or 80)):
            return Check("port", False, f"{who} no longer listens at {address}", "start it again")
    except OSError:
        return Check("port", True, f"{who} listens at {address}")


def _address(settings: Settings, daemon: str) -> str:
    """Where a daemon said that it is; empty: it did not."""
    with suppress(AfreshError), opened_store(settings) as store:
        return kept_address(store, daemon) if daemon else ""
    return ""


def _own_daemon(settings: Settings) -> str:
    """The daemon of this store that runs on this machine; empty: none does."""
    now, here = time.time(), f"{socket.gethostname()}:"
    with suppress(AfreshError), opened_store(settings) as store:
        names = [daemon.name for daemon in store.daemons.list_daemons() if daemon.speaks(now)]
        return next((name for name in names if name.startswith(here)), "")
    return ""
