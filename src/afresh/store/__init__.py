"""Keeps everything and hands out work: SQLite by default, PostgreSQL where several machines share the work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING
from urllib.parse import unquote

from afresh.base.errors import ConfigError
from afresh.base.extras import is_installed, missing
from afresh.base.passwords import hide_password
from afresh.base.settings import Settings
from afresh.store.sql.recording import DocumentLimits
from afresh.store.sql.store import SqlStore
from afresh.store.sqlite.connection import Database as SqliteDatabase

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.store.session import Database

__all__ = ["SqlStore", "database_path", "is_postgres", "open_store", "opened_store", "postgres_copying"]

KEEP_DOCUMENTS = 200
KEEP_DOCUMENT_BYTES = 64 * 1024 * 1024


def open_store(
    url: str,
    *,
    exclusive: bool = False,
    keep_documents: int = KEEP_DOCUMENTS,
    keep_document_bytes: int = KEEP_DOCUMENT_BYTES,
    full_sync: bool = False,
) -> Store:
    """The store at a path, ``sqlite:///path`` or ``postgresql://…``; its tables are made if they are not there.

    ``exclusive`` makes this process the only daemon on a SQLite store (``StoreBusy`` otherwise); commands work
    alongside. On PostgreSQL daemons share the store. ``full_sync`` waits for the disk at every commit: then even a
    power cut loses nothing that was recorded; PostgreSQL does so by itself (``synchronous_commit``). Keeps at most
    ``keep_documents`` raw answers of ``keep_document_bytes`` together, compressed.
    """
    database: Database
    if is_postgres(url):
        database = _postgres_database(url, shared=exclusive)
    else:
        database = SqliteDatabase(database_path(url), exclusive=exclusive, full_sync=full_sync)
    return SqlStore(database, DocumentLimits(keep_documents, keep_document_bytes))


@contextmanager
def opened_store(settings: Settings, *, exclusive: bool = False) -> Iterator[Store]:
    """The store of the settings, closed at the end; ``exclusive`` for the one daemon."""
    store = open_store(settings.store.url, exclusive=exclusive, keep_documents=settings.keep.unparsable)
    try:
        yield store
    finally:
        store.close()


def is_postgres(url: str) -> bool:
    """Whether a store URL names a PostgreSQL database."""
    return url.startswith(("postgresql://", "postgres://"))


def _postgres_database(url: str, *, shared: bool) -> Database:
    _check_driver()
    from afresh.store.postgres.database import StoreDatabase  # noqa: PLC0415 (needs the optional extra)

    return StoreDatabase(url, shared=shared)


def postgres_copying() -> ModuleType:
    """The module that copies a SQLite store into PostgreSQL."""
    _check_driver()
    from afresh.store.postgres import copying  # noqa: PLC0415 (needs the optional extra)

    return copying


def _check_driver() -> None:
    if not is_installed("postgres"):
        raise ConfigError(missing("postgres", "a PostgreSQL store"), option="store")


def database_path(url: str) -> Path:
    """The file that a store URL names.

    >>> str(database_path("sqlite:///feeds.db")), str(database_path("sqlite:////var/lib/feeds.db"))
    ('feeds.db', '/var/lib/feeds.db')
    """
    example = "write a path like feeds.db, sqlite:///feeds.db or postgresql://user@host/database"
    scheme, separator, rest = url.partition("://")
    if not separator:
        path = url
    elif scheme != "sqlite" or not rest.startswith("/"):
        raise ConfigError(f"not a store: {hide_password(url)!r}; {example}", option="store")
    else:
        path = unquote(rest[1:])
    if not path or path == ":memory:" or "\0" in path:
        raise ConfigError(f"a store needs a file, not {url!r}; {example}", option="store")
    return Path(path).expanduser()
