"""Keeps everything and hands out work: SQLite by default."""

from pathlib import Path
from urllib.parse import unquote

from afresh.core.protocols import Store
from afresh.errors import ConfigError
from afresh.store.sqlite import SqliteStore

__all__ = ["SqliteStore", "database_path", "open_store"]

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
    """The store at a path or ``sqlite:///path``, made if it is not there.

    ``exclusive`` makes this process the only daemon on it (``StoreBusy`` otherwise); commands work alongside.
    ``full_sync`` waits for the disk at every commit: then even a power cut loses nothing that was recorded.
    """
    return SqliteStore(
        database_path(url),
        exclusive=exclusive,
        keep_documents=keep_documents,
        keep_document_bytes=keep_document_bytes,
        full_sync=full_sync,
    )


def database_path(url: str) -> Path:
    """The file that a store URL names.

    >>> str(database_path("sqlite:///feeds.db")), str(database_path("sqlite:////var/lib/feeds.db"))
    ('feeds.db', '/var/lib/feeds.db')
    """
    example = "write a path like feeds.db, or sqlite:///feeds.db"
    scheme, separator, rest = url.partition("://")
    if not separator:
        path = url
    elif scheme in ("postgresql", "postgres"):
        raise ConfigError(f"PostgreSQL is not supported by this version; {example}", option="store")
    elif scheme != "sqlite" or not rest.startswith("/"):
        raise ConfigError(f"not a store: {url!r}; {example}", option="store")
    else:
        path = unquote(rest[1:])
    if not path or path == ":memory:" or "\0" in path:
        raise ConfigError(f"a store needs a file, not {url!r}; {example}", option="store")
    return Path(path).expanduser()
