"""The stores there are, each empty and for one test: what a contract is checked against."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from afresh.store import open_store
from tests.fakes.postgres import drop_database, postgres_url
from tests.laws.store_material import Open

CLUSTER = os.environ.get("CITUS_URL", "")  # named by ``make test-citus URL=postgresql://…``
#: Those of a store, whoever others point to last.
_TABLES = """
SELECT relname FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    AND relname <> 'afresh_schema'
ORDER BY relname IN ('site', 'query'), relname = 'site', oid DESC
"""
_RESTART = """
SELECT setval(oid::regclass, 1, false) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'S'
"""
#: Emptying tables is ten times quicker than making them. Foreign keys rest meanwhile.
_EMPTY = """
SET session_replication_role = replica;
DO $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT oid::regclass FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
            AND relname <> 'afresh_schema'
    LOOP
        EXECUTE format('DELETE FROM %s', name);
    END LOOP;
    INSERT INTO setting (key, value) VALUES ('buckets', '64');
    PERFORM setval(oid::regclass, 1, false) FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'S';
END $$;
"""
_idle: list[str] = []


def new_postgres_store() -> str:
    """The URL of a PostgreSQL store with nothing in it; to be given back with ``reuse`` or dropped."""
    if not _idle:
        url = postgres_url()
        open_store(url).close()
        return url
    import psycopg

    with psycopg.connect(_idle[-1], autocommit=True) as connection:
        connection.execute(_EMPTY)
    return _idle.pop()


def reuse(url: str, *, clean: bool = True) -> None:
    """Keeps a store for the next test, unless something may have been left behind."""
    if clean:
        _idle.append(url)
    else:
        drop_database(url)


def new_cluster_store() -> str:
    """The URL of a store with nothing in it that is divided among the servers of the cluster that somebody named."""
    from afresh.store.distributing import distribute_parts

    if not _idle:
        distribute_parts(CLUSTER, only="store")
        _idle.append(CLUSTER)
    import psycopg

    with psycopg.connect(CLUSTER, autocommit=True) as connection:
        tables = connection.execute(_TABLES).fetchall()
        for (name,) in tables:
            connection.execute(f"DELETE FROM {name}".encode())
        connection.execute("INSERT INTO setting (key, value) VALUES ('buckets', '64')")
        connection.execute(_RESTART)
    return _idle.pop()


BACKENDS: dict[str, Callable[[Path], str]] = {
    "sqlite": lambda folder: f"sqlite:///{folder}/store.db",
    "postgres": lambda _: new_postgres_store(),
}
if CLUSTER:
    BACKENDS = {"citus": lambda _: new_cluster_store()}


@pytest.fixture
def postgres_store() -> Iterator[str]:
    """The URL of a PostgreSQL store with nothing in it."""
    url = new_postgres_store()
    yield url
    reuse(url)


@pytest.fixture(params=BACKENDS)
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens an empty store; again: the same one."""
    url = BACKENDS[request.param](tmp_path)
    yield lambda: open_store(url)
    if request.param != "sqlite":
        reuse(url)
