"""The store in PostgreSQL, for several machines at once. Needs the driver: ``pip install 'afresh[postgres]'``."""

from afresh.store.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
