"""Stores and frontiers on the servers of a cluster: dividing them, moving their parts, and what stands where."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass

from afresh.base.errors import SchemaMismatch, UsageError
from afresh.base.timekeeping import SKEW
from afresh.store import open_store
from afresh.store.buckets import said_buckets
from afresh.store.frontier import open_frontier
from afresh.store.frontier.distributed import LAYOUT
from afresh.store.postgres.citus import (
    Layout,
    NotDistributable,
    check_alone,
    check_cluster,
    clocks,
    current_schema,
    distribute,
    is_divided,
    lost_workers,
    rebalance,
    shards,
)
from afresh.store.postgres.connection import Connection, Database
from afresh.store.postgres.layout import layout
from afresh.store.postgres.schema import found_parts


@dataclass(frozen=True, slots=True)
class Divisible:
    """What a database may hold of ours."""

    called: str
    layout: Callable[[Connection], Layout]
    make: Callable[[str], None]  # its tables, if they are not there
    settings: Mapping[str, str]

    @contextmanager
    def connected(self, url: str) -> Iterator[tuple[Connection, str]]:
        database = Database(url, pool=1, settings=self.settings)
        with closing(database), database.asking() as connection:
            yield connection, database.name

    def is_divided(self, connection: Connection) -> bool:
        return is_divided(connection, self.layout(connection))


#: By the name that their tables have in the schema's list of versions.
PARTS: Mapping[str, Divisible] = {
    "store": Divisible(
        "the store of `afresh run`",
        lambda connection: layout(current_schema(connection)),
        lambda url: open_store(url).close(),
        {},
    ),
    "frontier": Divisible(
        "the frontier",
        lambda _: LAYOUT,
        lambda url: open_frontier(url).close(),
        {"search_path": f"{LAYOUT.schema}, public"},
    ),
}


def distribute_parts(url: str, *, only: str | None = None, count: int | None = None) -> list[str]:
    """Divides what is there, or ``only`` one of both, which is made if it is not; answers what was done.

    Into ``count`` parts, or as many as there are workers: every part that a statement touches costs one more.
    """
    some = PARTS[only or "store"]
    with some.connected(url) as (connection, name):
        workers = check_cluster(connection, name)
        check_alone(connection, name)
    told: list[str] = []
    for part in _chosen(url, only):
        try:
            part.make(url)
        except SchemaMismatch:
            with part.connected(url) as (connection, _):
                if not _is_half_divided(part, connection):
                    raise
        with part.connected(url) as (connection, _):
            told += distribute(connection, part.layout(connection), count=count or len(workers))
    return told


def _chosen(url: str, only: str | None) -> Sequence[Divisible]:
    if only is not None:
        return [PARTS[only]]
    with PARTS["store"].connected(url) as (connection, name):
        there = found_parts(connection)
    if not there:
        raise UsageError(f"{name} is empty; say what it is for: --of store (`afresh run`) or --of frontier")
    return [part for key, part in PARTS.items() if key in there]


def _is_half_divided(part: Divisible, connection: Connection) -> bool:
    try:
        part.is_divided(connection)
    except SchemaMismatch:
        return True
    return False


def move_parts(url: str) -> list[str]:
    """Moves parts to servers that have room; answers which went where."""
    with PARTS["store"].connected(url) as (connection, name):
        check_cluster(connection, name)
        there = [part for key, part in PARTS.items() if key in found_parts(connection)]
        if not any(part.is_divided(connection) for part in there):
            raise NotDistributable(f"nothing in {name} is divided; `afresh store distribute` does that first")
        return rebalance(connection)


def standing(url: str, part: str) -> tuple[str, list[str]]:
    """Where the buckets are, in words; and what is wrong: servers that do not answer, clocks that differ."""
    with PARTS[part].connected(url) as (connection, name):
        if not PARTS[part].is_divided(connection):
            return "one server", []
        buckets = said_buckets(lambda text: connection.execute(text.encode()).fetchone(), name)
        found = shards(connection, PARTS[part].layout(connection), buckets)
        places = [(f"{node}:{port}", bucket) for bucket, _, node, port in found]
        counts = Counter(node for node, _ in places)
        words = ", ".join(f"{count} on {node}" for node, count in sorted(counts.items()))
        wrong = [
            f"{lost} does not answer; buckets {', '.join(str(bucket) for node, bucket in places if node == lost)} wait"
            for lost in lost_workers(connection)
        ]
        wrong += [
            f"the clock of {node} differs by {ahead:+.0f} s from the coordinator's"
            for node, ahead in clocks(connection)
            if abs(ahead) > SKEW
        ]
        return f"{buckets} buckets: {words}", wrong
