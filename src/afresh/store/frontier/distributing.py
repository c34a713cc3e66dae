"""A frontier on the servers of a cluster: dividing it among them, moving its parts, and what stands where."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager

from afresh.base.errors import SchemaMismatch
from afresh.store.frontier import open_frontier
from afresh.store.frontier.distributed import LAYOUT
from afresh.store.frontier.numbering import said_buckets
from afresh.store.postgres.citus import (
    NotDistributable,
    check_alone,
    check_cluster,
    distribute,
    is_divided,
    lost_workers,
    rebalance,
    shards,
)
from afresh.store.postgres.connection import Connection, Database


@contextmanager
def _connected(url: str) -> Iterator[tuple[Connection, str]]:
    database = Database(url, pool=1, settings={"search_path": f"{LAYOUT.schema}, public"})
    with closing(database), database.asking() as connection:
        yield connection, database.name


def distribute_frontier(url: str, *, count: int | None = None) -> list[str]:
    """Makes the tables if they are not there, and divides them; answers what was done.

    Into ``count`` parts, or as many as there are workers: every part that a list touches costs a statement more.
    """
    with _connected(url) as (connection, name):
        workers = check_cluster(connection, name)
        check_alone(connection, name)
    try:
        open_frontier(url).close()
    except SchemaMismatch:
        with _connected(url) as (connection, _):
            if not _is_half_divided(connection):
                raise
    with _connected(url) as (connection, _):
        return distribute(connection, LAYOUT, count=count or len(workers))


def _is_half_divided(connection: Connection) -> bool:
    try:
        is_divided(connection, LAYOUT)
    except SchemaMismatch:
        return True
    return False


def move_frontier(url: str) -> list[str]:
    """Moves parts to servers that have room; answers which went where."""
    with _connected(url) as (connection, name):
        check_cluster(connection, name)
        if not is_divided(connection, LAYOUT):
            raise NotDistributable(f"the frontier in {name} is not divided; `afresh store distribute` does that first")
        return rebalance(connection)


def standing(url: str) -> tuple[str, list[str]]:
    """Where the buckets of a frontier are, in words; and servers that do not answer, with the buckets that wait."""
    with _connected(url) as (connection, name):
        if not is_divided(connection, LAYOUT):
            return "one server", []
        buckets = said_buckets(lambda text: connection.execute(text.encode()).fetchone(), name)
        places = [(f"{node}:{port}", bucket) for bucket, _, node, port in shards(connection, LAYOUT, buckets)]
        counts = Counter(node for node, _ in places)
        words = ", ".join(f"{count} on {node}" for node, count in sorted(counts.items()))
        away = [
            f"{lost} does not answer; buckets {', '.join(str(bucket) for node, bucket in places if node == lost)} wait"
            for lost in lost_workers(connection)
        ]
        return f"{buckets} buckets: {words}", away
