"""Dividing a frontier among the servers of a cluster."""

from contextlib import closing

from afresh.store.frontier import open_frontier
from afresh.store.frontier.distributed import LAYOUT
from afresh.store.postgres.citus import check_alone, check_cluster, distribute
from afresh.store.postgres.connection import Database

SHARDS = 8  # of a frontier that is divided: four for each of two workers, and room for four times as many of them


def distribute_frontier(url: str, *, count: int = SHARDS) -> list[str]:
    """Makes the tables if they are not there, and divides them; answers what was done."""
    with closing(Database(url, pool=1)) as database, database.asking() as connection:
        check_cluster(connection, database.name)
    open_frontier(url).close()
    with closing(Database(url, pool=1)) as database, database.asking() as connection:
        check_alone(connection, database.name)
        return distribute(connection, LAYOUT, count=count)
