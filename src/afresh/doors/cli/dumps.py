"""URLFrontier's dump in and out: ``afresh import|export --format urlfrontier``, of the frontier's store."""

import gzip
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import IO, cast

import click

from afresh.base.errors import ParseError, UsageError
from afresh.base.records.frontier_store import FrontierStore
from afresh.base.records.queues import Taken
from afresh.base.settings import Settings
from afresh.doors.cli.context import frontier_settings_of
from afresh.doors.cli.output import print_json
from afresh.frontier.urlfrontier.dump import read_dump, write_item
from afresh.store.frontier import open_frontier

_PART = 5_000  # URLs read from the store at once


def import_dump(ctx: click.Context, file: str, *, as_json: bool) -> int:
    """Puts the URLs of a dump into the frontier; what it knows already is updated."""
    counts: Counter[Taken] = Counter()
    with _opened(file, "rb") as lines, _store(frontier_settings_of(ctx), makes=True) as store:
        try:
            for batch in read_dump(lines):
                for crawl, some in groupby(batch, key=attrgetter("crawl")):
                    counts.update(store.put(crawl, [one.put for one in some], now=time.time()))
        except (ParseError, OSError, EOFError) as error:
            raise UsageError(f"cannot import {file}: {error}; {sum(counts.values()):,} URLs were taken") from error
    told = {"new": counts[Taken.NEW], "updated": counts[Taken.UPDATED]}
    told |= {"known": counts[Taken.KNOWN], "refused": counts[Taken.REFUSED]}
    if as_json:
        return print_json(told)
    click.echo(", ".join(f"{count:,} {name}" for name, count in told.items()))
    return 0


def export_dump(ctx: click.Context, output: str) -> int:
    """Writes all that a frontier holds, crawl by crawl; beside one that runs, too."""
    count = 0
    with _store(frontier_settings_of(ctx), makes=False) as store, _opened(output, "wb") as file:
        for crawl in store.crawls():
            cursor: tuple[int, int] | None = (0, -1)
            while cursor is not None:
                part = store.stored_urls(crawl, after=cursor, limit=_PART)
                file.writelines(map(write_item, part.urls))
                count, cursor = count + len(part.urls), part.cursor
    click.echo(f"{count:,} URLs written", err=True)
    return 0


@contextmanager
def _store(settings: Settings, *, makes: bool) -> Iterator[FrontierStore]:
    options = settings.frontier
    store = open_frontier(options.url, hygiene=settings.hygiene, links=options.links, makes=makes)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def _opened(name: str, mode: str) -> Iterator[IO[bytes]]:
    """A file, packed if its name says so; ``-`` is standard input or output."""
    if name == "-":
        yield sys.stdin.buffer if mode == "rb" else sys.stdout.buffer
        return
    try:
        found = gzip.open(name, mode) if name.endswith(".gz") else Path(name).open(mode)  # noqa: SIM115 (closed below)
    except OSError as error:
        raise UsageError(f"cannot open {name}: {error.strerror}") from error
    with cast("IO[bytes]", found) as opened:
        yield opened
