"""The frontier in PostgreSQL: several scheduler processes on one database."""

from afresh.store.postgres.frontier.store import PostgresFrontier

__all__ = ["PostgresFrontier"]
