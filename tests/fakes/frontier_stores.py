"""An empty frontier of each kind; PostgreSQL's is made once a process and emptied for every test."""

import os
from functools import cache
from pathlib import Path

from tests.fakes.postgres import postgres_url

_TABLES = (
    "site, page, big_page, address, lease, fetcher, receipt, result, edge, round_trip, setting, set_aside, total"
    ", crawl, page_lock, page_metadata, page_depth, failure, last_site, late_link"
)


#: Where the laws are checked: on a cluster, too, if somebody names one (``make test-citus URL=postgresql://…``).
CLUSTER = os.environ.get("CITUS_URL", "")
KINDS = ["citus"] if CLUSTER else ["sqlite", "postgres"]


def empty_frontier(kind: str, folder: Path) -> str:
    """The URL of an empty frontier."""
    if kind == "sqlite":
        return f"sqlite:///{folder}/frontier.db"
    import psycopg

    url = _database() if kind == "postgres" else _cluster()
    with psycopg.connect(url, autocommit=True) as connection:
        if connection.execute("SELECT to_regclass('frontier.total')").fetchone() != (None,):
            tables = [f"frontier.{name}" for name in _TABLES.split(", ")]
            if kind == "postgres":
                connection.execute(f"TRUNCATE {', '.join(tables)} RESTART IDENTITY")
            else:  # quicker there, since every table is many
                for table in tables:
                    connection.execute(f"DELETE FROM {table}")
            for table in ("total", "last_site"):
                connection.execute(f"INSERT INTO frontier.{table} (bucket) SELECT generate_series(0, 63)")
            connection.execute("INSERT INTO frontier.setting (key, value) VALUES ('buckets', '64')")
            connection.execute("INSERT INTO frontier.crawl (id, name) VALUES (1, 'DEFAULT')")
    return url


@cache
def _database() -> str:
    return postgres_url()


@cache
def _cluster() -> str:
    """The cluster's database, with a frontier that is divided among its servers."""
    from afresh.store.distributing import distribute_parts

    distribute_parts(CLUSTER, only="frontier")
    return CLUSTER
