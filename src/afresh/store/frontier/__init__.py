"""Opens the frontier's store: SQLite by default, PostgreSQL by its URL."""

from pathlib import Path

from afresh.base.records.frontier_store import FrontierStore
from afresh.base.settings.sections import Hygiene
from afresh.base.store_url import IN_MEMORY, database_path, is_postgres
from afresh.store.buckets import BUCKETS
from afresh.store.frontier.session import Database
from afresh.store.frontier.sqlite import SqliteDatabase
from afresh.store.frontier.store import SqlFrontier
from afresh.store.frontier.store_part import BIG

__all__ = ["open_frontier"]


def open_frontier(
    url: str | Path,
    *,
    links: bool = False,
    hygiene: Hygiene | None = None,
    full_sync: bool = False,
    big: int = BIG,
    seed: int | None = None,
    exclusive: bool = False,
    buckets: int = BUCKETS,
    makes: bool = True,
) -> FrontierStore:
    """The frontier at a path, ``sqlite:///path``, ``:memory:`` or ``postgresql://…``, made if it is not there and
    whoever opens it ``makes`` one (NoFrontier otherwise).

    ``links`` keeps the link graph and with it in-degree and OPIC cash. ``full_sync`` (SQLite; PostgreSQL does so by
    itself) waits for the disk at every commit: then even a power cut loses nothing that was answered. The pages of a
    site of more than ``big`` are kept by due time. ``seed`` makes the random orders of a frontier in memory repeat.
    ``exclusive`` is for whoever serves it: of a SQLite file one process, StoreBusy for a second. A new frontier has
    ``buckets``; one that is there keeps its own.
    """
    database = _open_database(
        str(url), full_sync=full_sync, seed=seed, exclusive=exclusive, buckets=buckets, makes=makes
    )
    return SqlFrontier(database, links=links, hygiene=hygiene, big=big)


def _open_database(
    url: str, *, full_sync: bool, seed: int | None, exclusive: bool, buckets: int, makes: bool
) -> Database:
    if url in IN_MEMORY:
        return SqliteDatabase(None, seed=seed, buckets=buckets)
    if is_postgres(url):
        from afresh.store.frontier.postgresql import PostgresDatabase  # noqa: PLC0415 (optional extra)

        return PostgresDatabase(url, buckets=buckets, makes=makes)
    return SqliteDatabase(database_path(url), full_sync=full_sync, exclusive=exclusive, buckets=buckets, makes=makes)
