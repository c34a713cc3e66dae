"""Every named statement of a divided store stays within a bucket: no lock, join, upsert or change by key without it.

Read from the texts, since no cluster can be had where the tests run. Statements that only count or list over all
buckets are answered by the coordinator; what they join must still lie together.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import product

import pytest

from afresh.base.models import Kind, ResourceFilter, Status
from afresh.store.buckets import BUCKETS
from afresh.store.frontier.distributed import LAYOUT as FRONTIER
from afresh.store.frontier.postgresql_session import SQL as FRONTIER_SQL
from afresh.store.named_sql import Statement, read_sql
from afresh.store.postgres.citus import Layout
from afresh.store.postgres.layout import layout
from afresh.store.sql import filters
from afresh.store.sql.statements import SQL, names
from tests.fakes.sql_texts import inserts_in, locks_rows, tables_in, upsert_in

STORE = layout("public")
_TIES = re.compile(r"(\w+)\.bucket\s*=\s*(?!:)")
_SAYS_WHICH = re.compile(r"\{here_\w+\}|\bbucket\s*=\s*:|\{among\}")
_ONE_BUCKET = re.compile(r"\bbucket\s*=\s*:")
_BY_KEY = re.compile(
    r"\b(?:site|page|address|page_lock|resource|snapshot|link)\.(?:id|resource_id)\s*=\s*(?:new|wanted|picked|held|given)\."
    r"|\b(?:id|resource_id)\s*=\s*:(?:site|id|version|check|resource)\b"
)
#: What stands by itself: a value of one row that is found by its number.
_ONE_ROW = re.compile(r"\(SELECT [^()]* FROM resource AS last WHERE last\.id = :after\)")
_CHANGES = re.compile(r"\b(?:UPDATE|DELETE FROM)\s+(\w+)", re.IGNORECASE)
_MOVES = re.compile(r"UPDATE (\w+) SET (?:(?!\bWHERE\b|\bFROM\b)[^;])*\bbucket\s*=", re.IGNORECASE)


def texts(statements: Mapping[str, Statement]) -> dict[str, str]:
    """As a database of several servers is told."""
    return {name: statement.divided or statement.postgres for name, statement in statements.items()}


STORE_SQL = {name: SQL[name] for name in names()}
STATEMENTS = [
    *((FRONTIER, name, text) for name, text in texts(FRONTIER_SQL).items()),
    *((STORE, name, text) for name, text in texts(STORE_SQL).items()),
]


def problems(text: str, layout: Layout) -> list[str]:
    """What would have to cross buckets."""
    wrong = []
    text = _ONE_ROW.sub("", text)
    tables = tables_in(text, layout.divided)
    names = {name for _, name in tables} - {table for table, columns in inserts_in(text) if "bucket" in columns}
    if tables and locks_rows(text) and not _SAYS_WHICH.search(text):
        wrong.append("locks rows without saying in which bucket")
    if _joined(text, names) and (loose := _loose(text, names)):
        wrong.append(f"joins {', '.join(sorted(loose))} without the bucket")
    wrong += [
        f"inserts into {table} without the bucket"
        for table, columns in inserts_in(text)
        if table in layout.divided and "bucket" not in columns
    ]
    if (upsert := upsert_in(text)) and upsert[0] in layout.divided and upsert[2] and "bucket" not in upsert[2]:
        wrong.append("resolves a conflict by a key without the bucket")
    changed = {table for table in _CHANGES.findall(text) if table in layout.divided}
    if changed and _BY_KEY.search(text) and "bucket" not in text:
        wrong.append("changes rows by a key without the bucket")
    if (moved := _MOVES.search(text)) and moved[1] in layout.divided:
        wrong.append(f"moves rows of {moved[1]} to another bucket")
    return wrong


def _joined(text: str, names: set[str]) -> bool:
    """Whether two divided tables meet row by row; what is counted first, and then put side by side, does not."""
    return len(names) > 1 and not re.search(r"CROSS JOIN (?:\(|counted\b)", text)


def _loose(text: str, names: set[str]) -> set[str]:
    """Tables that nothing ties to another by bucket, or to the one that is asked about; one may stand alone."""
    tied = set(_TIES.findall(text)) | set(re.findall(r"=\s*(\w+)\.bucket", text))
    loose = names - tied
    if len(_ONE_BUCKET.findall(text)) >= len(loose):
        return set()
    return loose if len(loose) > 1 or (loose and len(names) - len(tied & names) > 1) else set()


@pytest.mark.parametrize(
    ("layout", "text"),
    [pytest.param(owner, text, id=f"{owner.schema}-{name}") for owner, name, text in STATEMENTS],
)
def test_a_statement_stays_within_a_bucket(layout: Layout, text: str) -> None:
    assert problems(text, layout) == []


def joins_whole(text: str) -> list[str]:
    """Tables that lie whole with the coordinator and are joined with divided ones; a subquery of them may be."""
    script = read_sql("afresh.store.postgres", "schema.sql")
    whole = set(re.findall(r"CREATE TABLE (\w+)", script)).difference(STORE.divided, STORE.copied)
    return [table for table in re.findall(r"\bJOIN (\w+)", text) if table in whole] if _divides(text) else []


def _divides(text: str) -> bool:
    return bool(tables_in(text, STORE.divided))


@pytest.mark.parametrize("name", names())
def test_what_is_divided_is_not_joined_with_what_is_whole(name: str) -> None:
    assert joins_whole(STORE_SQL[name].postgres) == []


def test_such_a_join_would_be_seen() -> None:
    assert joins_whole("SELECT 1 FROM resource LEFT JOIN setting ON setting.key = resource.url") == ["setting"]
    assert joins_whole("SELECT 1 FROM notice JOIN outbox ON outbox.notice_id = notice.id") == []


def searches() -> list[ResourceFilter]:
    """Every kind of filter by itself, and some together."""
    single = [
        ResourceFilter(kind=Kind.LINK),
        ResourceFilter(status=Status.ACTIVE),
        ResourceFilter(site="a.example"),
        ResourceFilter(folder="f", tag="t"),
        ResourceFilter(text="x", status=Status.ACTIVE),
        ResourceFilter(failing=True),
        ResourceFilter(repaired=True),
    ]
    return [ResourceFilter(), *single]


def put_together() -> Sequence[Statement]:
    """Texts that are made of pieces: lists that people ask for."""
    made = [
        filters.listing(where, after=7, limit=5, order=order) for where, order in product(searches(), filters.ORDERS)
    ]
    made += [filters.lately(where, after=7, limit=5) for where in searches()]
    made += [found for where in searches() if (found := filters.glimpse(where, limit=5)) is not None]
    return [statement for statement, _ in made]


@pytest.mark.parametrize("statement", put_together())
def test_a_list_that_people_ask_for_stays_within_a_bucket(statement: Statement) -> None:
    assert problems(statement.postgres, STORE) == []


@pytest.mark.parametrize(
    ("layout", "script", "prefix"),
    [
        pytest.param(FRONTIER, ("afresh.store.frontier", "schema_postgresql.sql"), r"frontier\.", id="frontier"),
        pytest.param(STORE, ("afresh.store.postgres", "schema.sql"), "", id="store"),
    ],
)
def test_every_table_that_grows_has_the_bucket_in_its_key(layout: Layout, script: tuple[str, str], prefix: str) -> None:
    text = read_sql(*script)
    for table in layout.divided:
        body = re.search(rf"CREATE TABLE {prefix}{table} \((.*?)\)(?: PARTITION| WITH|;)", text, re.DOTALL)
        assert body is not None, table
        assert re.search(r"PRIMARY KEY \([^)]*\bbucket\b|bucket integer PRIMARY KEY", body[1]), table
        for key in re.findall(r"UNIQUE \(([^)]*)\)", body[1]):
            assert "bucket" in key, table
    for table, columns in re.findall(rf"CREATE UNIQUE INDEX \w+ ON {prefix}(\w+) \(([^)]*)\)", text):
        assert table not in layout.divided or "bucket" in columns, table


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id FROM site WHERE state = 0 FOR UPDATE SKIP LOCKED",
        "SELECT * FROM lease JOIN site ON site.id = lease.site",
        "INSERT INTO page_lock (site, id) SELECT 1, 2 ON CONFLICT (site, id) DO UPDATE SET until = excluded.until",
        "UPDATE site SET rank = 0 FROM unnest(:sites::integer[]) AS wanted (id) WHERE site.id = wanted.id",
        "UPDATE site SET lease = 0 WHERE id = :site",
        "SELECT 1 FROM page WHERE NOT EXISTS (SELECT 1 FROM page_lock WHERE page_lock.id = page.id)",
    ],
)
def test_it_would_be_seen_of_a_frontier(text: str) -> None:
    assert problems(text, FRONTIER)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id FROM site WHERE ready <= :now ORDER BY ready LIMIT 5 FOR NO KEY UPDATE SKIP LOCKED",
        "SELECT 1 FROM visit JOIN resource ON resource.id = visit.resource_id",
        "INSERT INTO site (id, name) VALUES (:id, :name)",
        "COPY resource (id, site_id, url) FROM STDIN",
        "INSERT INTO link (bucket, resource_id) VALUES (:bucket, :id) ON CONFLICT (resource_id) DO NOTHING",
        "UPDATE resource SET url = :url, site_id = :site WHERE id = :id",
        "DELETE FROM subscription WHERE resource_id = :resource",
        "UPDATE visit SET bucket = :there WHERE bucket = :bucket AND resource_id = :id",
        "DELETE FROM snapshot WHERE NOT EXISTS (SELECT 1 FROM snapshot AS later WHERE later.base_id = snapshot.id)",
    ],
)
def test_it_would_be_seen_of_a_store(text: str) -> None:
    assert problems(text, STORE)


def test_the_statements_are_read() -> None:
    counted = {
        owner.schema: sum(bool(tables_in(text, owner.divided)) for of, _, text in STATEMENTS if of is owner)
        for owner in (FRONTIER, STORE)
    }
    assert counted["frontier"] > 120
    assert counted["public"] > 110
    assert "{" not in "".join(statement.postgres.replace("'{}'", "") for statement in STORE_SQL.values())
    assert STORE_SQL["take_site_numbers"].endswith(f"/ {BUCKETS} + :count FROM site;")
