"""The store in one SQLite file."""

from afresh.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
