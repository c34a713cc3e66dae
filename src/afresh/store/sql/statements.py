"""The named statements of this backend, read once."""

from afresh.store.named_sql import as_set, load_named

__all__ = ["SQL", "as_set"]

SQL = load_named("afresh.store.sql", "queries.sql")
