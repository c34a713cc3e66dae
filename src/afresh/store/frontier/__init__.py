"""Opens the frontier's store: SQLite by default, PostgreSQL by its URL."""

from pathlib import Path

from afresh.base.records.frontier_store import FrontierStore
from afresh.base.records.hygiene import Hygiene
from afresh.store import database_path
from afresh.store.sqlite.frontier import SqliteFrontier

__all__ = ["open_frontier"]


def open_frontier(
    url: str | Path, *, links: bool = False, hygiene: Hygiene | None = None, full_sync: bool = False
) -> FrontierStore:
    """The frontier at a path, ``sqlite:///path``, ``:memory:`` or ``postgresql://…``, made if it is not there.

    ``links`` keeps the link graph and with it in-degree and OPIC cash. ``full_sync`` (SQLite; PostgreSQL does so by
    itself) waits for the disk at every commit: then even a power cut loses nothing that was answered.
    """
    text = str(url)
    if text in (":memory:", "sqlite://:memory:", "sqlite:///:memory:"):
        return SqliteFrontier(None, links=links, hygiene=hygiene)
    if text.startswith(("postgresql://", "postgres://")):
        from afresh.store.postgres.frontier import PostgresFrontier  # noqa: PLC0415 (optional extra)

        return PostgresFrontier(text, links=links, hygiene=hygiene)
    return SqliteFrontier(database_path(text), links=links, hygiene=hygiene, full_sync=full_sync)
