"""An empty frontier of each kind; PostgreSQL's is made once a process and emptied for every test."""

from functools import cache
from pathlib import Path

from tests.fakes.postgres import postgres_url

_TABLES = (
    "site, page, big_page, address, lease, fetcher, receipt, edge, round_trip, setting, set_aside, total"
    ", crawl, page_lock, page_metadata, last_site"
)


def empty_frontier(kind: str, folder: Path) -> str:
    """The URL of an empty frontier."""
    if kind == "sqlite":
        return f"sqlite:///{folder}/frontier.db"
    import psycopg

    url = _database()
    with psycopg.connect(url, autocommit=True) as connection:
        if connection.execute("SELECT to_regclass('frontier.total')").fetchone() != (None,):
            tables = ", ".join(f"frontier.{name}" for name in _TABLES.split(", "))
            connection.execute(f"TRUNCATE {tables} RESTART IDENTITY")
            for table in ("total", "last_site"):
                connection.execute(f"INSERT INTO frontier.{table} (bucket) SELECT generate_series(0, 63)")
            connection.execute("INSERT INTO frontier.setting (key, value) VALUES ('buckets', '64')")
            connection.execute("INSERT INTO frontier.crawl (id, name) VALUES (1, 'DEFAULT')")
    return url


@cache
def _database() -> str:
    return postgres_url()
