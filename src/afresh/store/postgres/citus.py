"""A PostgreSQL of several servers (Citus): what is there, which tables are divided, and dividing and moving them.

Only questions and functions of the engine itself; which tables there are is their owner's business.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg.rows import tuple_row

from afresh.base.errors import SchemaMismatch, StoreBusy, StoreError
from afresh.store.postgres.connection import Connection

KEY = "bucket"  # the column that says where a row lives
#: What plans on workers should be like, too: rows are found by their keys, whatever the statistics say.
_WORKER_SETTINGS = ("enable_seqscan", "enable_hashjoin", "enable_mergejoin", "jit")


class NotDistributable(StoreError):
    """The database is not one of several servers, or not one that can be used as such."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Tables of one owner: divided by bucket all in the same way, or small and the same on every server."""

    schema: str
    divided: Sequence[str]  # the first is the one the others lie with
    copied: Sequence[str]
    functions: Sequence[str] = ()  # with their arguments

    def named(self, table: str) -> str:
        return f"{self.schema}.{table}"


@dataclass(frozen=True, slots=True)
class Worker:
    name: str
    port: int
    is_active: bool


def ask(connection: Connection, text: str, *values: Any) -> list[tuple[Any, ...]]:
    return connection.cursor(row_factory=tuple_row).execute(text.encode(), values or None).fetchall()


def current_schema(connection: Connection) -> str:
    """Where tables are made and found first."""
    ((name,),) = ask(connection, "SELECT current_schema()")
    return str(name)


def has_extension(connection: Connection) -> bool:
    return bool(ask(connection, "SELECT 1 FROM pg_extension WHERE extname = 'citus'"))


def workers(connection: Connection) -> list[Worker]:
    """Servers that hold shards."""
    rows = ask(
        connection,
        "SELECT nodename, nodeport, isactive FROM pg_dist_node WHERE noderole = 'primary' AND shouldhaveshards"
        " ORDER BY nodeid",
    )
    return [Worker(*row) for row in rows]


def divided_tables(connection: Connection, layout: Layout) -> dict[str, tuple[str, int]]:
    """Tables of the layout that are divided or copied, with the column they are divided by and whom they lie with."""
    if not has_extension(connection):
        return {}
    rows = ask(
        connection,
        "SELECT c.relname,"
        " CASE p.partmethod WHEN 'n' THEN '' ELSE column_to_column_name(p.logicalrelid, p.partkey) END, p.colocationid"
        " FROM pg_dist_partition AS p JOIN pg_class AS c ON c.oid = p.logicalrelid"
        " WHERE c.relnamespace = to_regnamespace(%s)",
        layout.schema,
    )
    wanted = {*layout.divided, *layout.copied}
    return {name: (column, group) for name, column, group in rows if name in wanted}


def is_divided(connection: Connection, layout: Layout) -> bool:
    """Whether the tables are divided; one of which only a part is, is refused."""
    found = divided_tables(connection, layout)
    if not found:
        return False
    groups = {found[table][1] for table in layout.divided if table in found}
    wrong = [table for table in layout.divided if found.get(table, ("", 0))[0] != KEY]
    wrong += [table for table in layout.copied if found.get(table, ("none", 0))[0] != ""]
    if wrong or len(groups) != 1:
        raise SchemaMismatch(
            f"only a part of the tables of {layout.schema!r} is distributed, or not in the same way"
            f" ({', '.join(wrong) or 'several groups'}); `afresh store distribute` does the rest"
        )
    return True


def shards(connection: Connection, layout: Layout, buckets: int) -> list[tuple[int, int, str, int]]:
    """Bucket, shard, server and its port."""
    table = layout.named(layout.divided[0])
    return [
        (bucket, shard, node, port)
        for bucket, shard, node, port in ask(
            connection,
            "SELECT bucket, s.shardid, n.nodename, n.nodeport FROM generate_series(0, %s) AS bucket"
            " CROSS JOIN LATERAL (SELECT get_shard_id_for_distribution_column(%s, bucket) AS shardid) AS s"
            " JOIN pg_dist_placement AS p ON p.shardid = s.shardid JOIN pg_dist_node AS n ON n.groupid = p.groupid"
            " WHERE n.noderole = 'primary' ORDER BY bucket",
            buckets - 1,
            table,
        )
    ]


def check_cluster(connection: Connection, name: str) -> list[Worker]:
    """The workers; raises ``NotDistributable`` where tables cannot be divided, and says why."""
    if not has_extension(connection):
        raise NotDistributable(
            f"{name} has no extension `citus`: it is one server, and everything works as it is."
            " For several, see docs/howto/move-to-postgresql.md"
        )
    found = workers(connection)
    if not found:
        raise NotDistributable(f"{name} has the extension `citus` but no workers; add some with citus_add_node()")
    if away := [f"{one.name}:{one.port}" for one in found if not one.is_active]:
        raise NotDistributable(f"workers are not active: {', '.join(away)}")
    _check_versions(connection)
    return found


def _check_versions(connection: Connection) -> None:
    question = (
        "SELECT current_setting('server_version_num')::int / 10000 || ' ' || extversion FROM pg_extension"
        " WHERE extname = 'citus'"
    )
    ((ours,),) = ask(connection, question)
    for node, port, success, theirs in ask(
        connection, "SELECT nodename, nodeport, success, result FROM run_command_on_workers(%s)", question
    ):
        if not success:
            raise NotDistributable(f"worker {node}:{port} does not answer: {theirs}")
        if theirs != ours:
            raise NotDistributable(
                f"worker {node}:{port} has PostgreSQL and citus {theirs}, the coordinator {ours}; make them the same"
            )


def check_alone(connection: Connection, name: str) -> None:
    """Nobody else of ours may be at work while tables move."""
    rows = ask(
        connection,
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'afresh'"
        " AND pid <> pg_backend_pid()",
    )
    if rows[0][0]:
        raise StoreBusy(f"{rows[0][0]} connections of afresh are open on {name}; stop `afresh run` and `afresh serve`")


def distribute(connection: Connection, layout: Layout, *, count: int) -> list[str]:
    """Divides the tables into ``count`` shards; answers what was done, nothing if it had been done before."""
    done = divided_tables(connection, layout)
    told: list[str] = []
    first = layout.named(layout.divided[0])
    with connection.transaction():
        connection.execute("SET LOCAL citus.multi_shard_modify_mode TO 'sequential'")
        for function in layout.functions:
            connection.execute(f"SELECT create_distributed_function('{layout.named(function)}')".encode())
        for table in _missing(layout.copied, done):
            connection.execute("SELECT create_reference_table(%s)", (layout.named(table),))
            told.append(f"{layout.named(table)}: the same on every server")
        for table in _missing(layout.divided, done):
            if layout.named(table) == first:
                connection.execute(
                    "SELECT create_distributed_table(%s, %s, shard_count => %s, colocate_with => 'none')",
                    (first, KEY, count),
                )
            else:
                connection.execute(
                    "SELECT create_distributed_table(%s, %s, colocate_with => %s)", (layout.named(table), KEY, first)
                )
            told.append(f"{layout.named(table)}: divided by {KEY}")
    is_divided(connection, layout)
    set_up_workers(connection)
    return told


def _missing(tables: Iterable[str], done: dict[str, tuple[str, int]]) -> list[str]:
    return [table for table in tables if table not in done]


def set_up_workers(connection: Connection) -> None:
    """Gives plans on workers the settings that ours have; those of our sessions end at the coordinator."""
    rows = ask(connection, "SELECT quote_ident(current_user), quote_ident(current_database())")
    role, database = rows[0]
    for setting in _WORKER_SETTINGS:
        command = f"ALTER ROLE {role} IN DATABASE {database} SET {setting} TO off"
        ask(connection, "SELECT run_command_on_workers(%s)", command)


def rebalance(connection: Connection) -> list[str]:
    """Moves shards to where there is room, by the engine's own means; answers which went where."""
    before = _placements(connection)
    connection.execute("SELECT rebalance_table_shards(shard_transfer_mode => 'block_writes')")
    after = _placements(connection)
    return [
        f"shard {shard}: {before[shard]} -> {node}"
        for shard, node in sorted(after.items())
        if before.get(shard) != node
    ]


def _placements(connection: Connection) -> dict[int, str]:
    return dict(
        ask(
            connection,
            "SELECT p.shardid, n.nodename || ':' || n.nodeport FROM pg_dist_placement AS p"
            " JOIN pg_dist_node AS n ON n.groupid = p.groupid JOIN pg_dist_shard AS s ON s.shardid = p.shardid"
            " JOIN pg_dist_partition AS t ON t.logicalrelid = s.logicalrelid"
            " WHERE n.noderole = 'primary' AND t.partmethod = 'h'",
        )
    )


def lost_workers(connection: Connection) -> list[str]:
    """Workers that do not answer."""
    return [
        f"{node}:{port}"
        for node, port, success in ask(
            connection, "SELECT nodename, nodeport, success FROM run_command_on_workers('SELECT 1')"
        )
        if not success
    ]


def clocks(connection: Connection) -> list[tuple[str, float]]:
    """By how many seconds the clocks of workers that answer are ahead of the coordinator's."""
    question = "SELECT extract(epoch FROM clock_timestamp())::float8"
    found = ask(
        connection,
        f"SELECT nodename, nodeport, success, result, ({question}) FROM run_command_on_workers(%s)",
        question,
    )
    return [(f"{node}:{port}", float(theirs) - ours) for node, port, success, theirs, ours in found if success]
