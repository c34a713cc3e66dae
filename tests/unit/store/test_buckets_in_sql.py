"""Every named statement of a divided store stays within a bucket: no lock, join, upsert or change by key without it.

Read from the texts, since no cluster can be had where the tests run. Statements that only count or list over all
buckets are answered by the coordinator; what they join must still lie together.
"""

import re

import pytest

from afresh.store.frontier.distributed import LAYOUT
from afresh.store.frontier.postgresql_session import SQL
from afresh.store.named_sql import Statement, read_sql
from tests.fakes.sql_texts import locks_rows, tables_in, upsert_in

_TIES = re.compile(r"(\w+)\.bucket\s*=\s*(?!:)")
_SAYS_WHICH = re.compile(r"\{here_\w+\}|\bbucket\s*=\s*:|\{among\}")
_BY_KEY = re.compile(r"\b(?:site|page|address|page_lock)\.id\s*=\s*(?:new|wanted|picked|held)\.|\bid\s*=\s*:site\b")


def bucketed(text: str) -> list[tuple[str, str]]:
    """Tables that are divided, each with its name in the text."""
    return tables_in(text, LAYOUT.divided)


def problems(text: str) -> list[str]:
    """What would have to cross buckets."""
    wrong = []
    tables = bucketed(text)
    names = {name for _, name in tables}
    if tables and locks_rows(text) and not _SAYS_WHICH.search(text):
        wrong.append("locks rows without saying in which bucket")
    if _joined(text, names) and (loose := _loose(text, names)):
        wrong.append(f"joins {', '.join(sorted(loose))} without the bucket")
    if (upsert := upsert_in(text)) and upsert[0] in LAYOUT.divided:
        table, first, key = upsert
        if first != "bucket":
            wrong.append(f"inserts into {table} without the bucket")
        if key and not key.startswith("bucket"):
            wrong.append("resolves a conflict by a key without the bucket")
    if tables and _BY_KEY.search(text) and "bucket" not in text:
        wrong.append("finds rows by a key without the bucket")
    return wrong


def _joined(text: str, names: set[str]) -> bool:
    """Whether two divided tables meet row by row; what is counted first, and then put side by side, does not."""
    return len(names) > 1 and not re.search(r"CROSS JOIN (?:\(|counted\b)", text)


def _loose(text: str, names: set[str]) -> set[str]:
    """Tables that nothing ties to another by bucket; one of them may stand alone."""
    tied = set(_TIES.findall(text)) | set(re.findall(r"=\s*(\w+)\.bucket", text))
    loose = names - tied
    return loose if len(loose) > 1 or (loose and len(names) - len(tied & names) > 1) else set()


@pytest.mark.parametrize("name", sorted(SQL))
def test_a_statement_stays_within_a_bucket(name: str) -> None:
    assert problems(SQL[name].postgres) == []


def test_every_table_that_grows_has_the_bucket_first_in_its_key() -> None:
    script = read_sql("afresh.store.frontier", "schema_postgresql.sql")
    for table in LAYOUT.divided:
        body = re.search(rf"CREATE TABLE frontier\.{table} \((.*?)\)(?: PARTITION| WITH|;)", script, re.DOTALL)
        assert body is not None, table
        assert re.search(r"PRIMARY KEY \(bucket\b|bucket integer PRIMARY KEY", body[1]), table


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
def test_it_would_be_seen(text: str) -> None:
    assert problems(text)


def test_the_statements_are_read() -> None:
    assert len(SQL) > 150
    assert sum(bool(bucketed(text.postgres)) for text in SQL.values() if isinstance(text, Statement)) > 120
