"""The frontier in one SQLite file."""

from afresh.store.sqlite.frontier.store import SqliteFrontier

__all__ = ["SqliteFrontier"]
