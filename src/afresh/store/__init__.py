"""Keeps everything and hands out work: SQLite by default, PostgreSQL where several machines share the work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING

from afresh.base.errors import ConfigError
from afresh.base.extras import is_installed, missing
from afresh.base.settings import Settings
from afresh.base.store_url import database_path, is_postgres
from afresh.store.sql.recording import DocumentLimits
from afresh.store.sql.store import SqlStore
from afresh.store.sqlite.connection import Database as SqliteDatabase

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.store.session import Database

__all__ = ["SqlStore", "cluster_distributing", "open_store", "opened_store", "postgres_copying"]

KEEP_DOCUMENTS = 200
KEEP_DOCUMENT_BYTES = 64 * 1024 * 1024


def open_store(
    url: str,
    *,
    makes: bool = True,
    exclusive: bool = False,
    purpose: str = "",
    keep_documents: int = KEEP_DOCUMENTS,
    keep_document_bytes: int = KEEP_DOCUMENT_BYTES,
    full_sync: bool = False,
) -> Store:
    """The store at a path, ``sqlite:///path`` or ``postgresql://…``; its tables are made if they are not there.

    ``makes`` False: a SQLite file that is not there is not made, but ``NoStore``.

    ``exclusive`` makes this process the only daemon on a SQLite store (``StoreBusy`` otherwise); commands work
    alongside. Others are told its ``purpose``, the command that will have ended soon; empty: the daemon. On PostgreSQL
    daemons share the store. ``full_sync`` waits for the disk at every commit: then even a power cut loses nothing that
    was recorded; PostgreSQL does so by itself (``synchronous_commit``). Keeps at most ``keep_documents`` raw answers of
    ``keep_document_bytes`` together, compressed.
    """
    database: Database
    if is_postgres(url):
        database = _postgres_database(url, shared=exclusive)
    else:
        database = SqliteDatabase(
            database_path(url), makes=makes, exclusive=exclusive, purpose=purpose, full_sync=full_sync
        )
    return SqlStore(database, DocumentLimits(keep_documents, keep_document_bytes))


@contextmanager
def opened_store(
    settings: Settings, *, makes: bool = False, exclusive: bool = False, purpose: str = ""
) -> Iterator[Store]:
    """The store of the settings, closed at the end; ``exclusive`` for the one daemon.

    Who puts something into it ``makes`` it, if it is not there; who looks does not.
    """
    store = open_store(
        settings.store.url,
        makes=makes,
        exclusive=exclusive,
        purpose=purpose,
        keep_documents=settings.keep.unparsable,
    )
    try:
        yield store
    finally:
        store.close()


def _postgres_database(url: str, *, shared: bool) -> Database:
    _check_driver()
    from afresh.store.postgres.database import StoreDatabase  # noqa: PLC0415 (needs the optional extra)

    database = StoreDatabase(url, shared=shared)
    if database.places is None:
        return database
    from afresh.store.postgres.divided import DividedDatabase  # noqa: PLC0415 (where there are several servers)

    return DividedDatabase(database, database.places)


def postgres_copying(*, frontier: bool = False) -> ModuleType:
    """The module that copies a SQLite store, or a frontier, into PostgreSQL."""
    _check_driver()
    if frontier:
        from afresh.store.frontier import copying as copying_frontier  # noqa: PLC0415 (needs the optional extra)

        return copying_frontier
    from afresh.store.postgres import copying  # noqa: PLC0415 (needs the optional extra)

    return copying


def cluster_distributing() -> ModuleType:
    """The module that divides stores and frontiers among the servers of a cluster."""
    _check_driver()
    from afresh.store import distributing  # noqa: PLC0415 (needs the optional extra)

    return distributing


def _check_driver() -> None:
    if not is_installed("postgres"):
        raise ConfigError(missing("postgres", "a PostgreSQL store"), option="store")
