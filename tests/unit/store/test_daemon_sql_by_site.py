"""What keeps the daemon's store on one server: every named statement is read, and the decision record lists the ones.

A statement that locks, joins or upserts across sites, or moves a row to another site, cannot run on a store that is
divided by site. A new one of them has to be added to the record; one that was mended has to be taken out.
"""

import re
from pathlib import Path

import pytest

from afresh.store.sql.statements import SQL
from tests.fakes.sql_texts import locks_rows, tables_in, upsert_in

RECORD = Path(__file__).parents[3] / "docs/decisions/0035-the-daemons-store-stays-whole.md"
#: Tables with rows of sites, or of what belongs to one; all others stay whole, wherever they are.
GROWING = frozenset(
    {"site", "resource", "visit", "entry", "document", "link", "link_check", "snapshot", "signal", "subscription"}
    | {"page_memory", "watch"}
)
_TIED = re.compile(r"\b(?:\w+\.)?site_id\s*=\s*\w+\.(?:site_id|id)\b|\b(?:site|\w+)\.id\s*=\s*(?:\w+\.)?site_id\b")
_MOVES = re.compile(r"UPDATE (\w+)(?: AS \w+)? SET (?:(?!\bWHERE\b|\bFROM\b)[^;])*\bsite_id\s*=", re.IGNORECASE)


def kinds(text: str) -> set[str]:
    """What in this statement crosses sites."""
    tables = tables_in(text, GROWING)
    found = set()
    if tables and locks_rows(text):
        found.add("locks")
    if len({name for _, name in tables}) > 1 and not _TIED.search(text):
        found.add("joins")
    if (upsert := upsert_in(text)) and upsert[0] in GROWING and not upsert[2].startswith("site_id"):
        found.add("upserts")
    if (moved := _MOVES.search(text)) and moved[1] in GROWING:
        found.add("moves")
    return found


def listed() -> dict[str, set[str]]:
    """Names by kind, as the record has them: a line ``- *locks*: `one`, `two` … (why)`` each."""
    lines = re.findall(r"^- \*(\w+)\*[^:]*: (.*)$", RECORD.read_text(encoding="utf-8"), re.MULTILINE)
    return {kind: set(re.findall(r"`(\w+)`", names)) for kind, names in lines}


@pytest.mark.parametrize("kind", ["locks", "joins", "upserts", "moves"])
def test_the_record_lists_what_crosses_sites(kind: str) -> None:
    found = {name for name, text in SQL.items() if kind in kinds(text.postgres)}
    assert listed()[kind] == found


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("locks", "SELECT id FROM site WHERE ready <= :now ORDER BY ready LIMIT 5 FOR UPDATE SKIP LOCKED"),
        ("joins", "SELECT 1 FROM visit JOIN resource ON resource.id = visit.resource_id"),
        ("upserts", "INSERT INTO site (name) VALUES (:name) ON CONFLICT (name) DO NOTHING"),
        ("moves", "UPDATE resource SET url = :url, site_id = :site WHERE id = :id"),
    ],
)
def test_it_would_be_seen(kind: str, text: str) -> None:
    assert kind in kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1 FROM site JOIN resource ON resource.site_id = site.id",
        "INSERT INTO signal (site_id, kind) VALUES (1, 2) ON CONFLICT (site_id, kind) DO NOTHING",
        "UPDATE resource SET due = 0 WHERE site_id = :site",
        "SELECT 1 FROM query JOIN query_source ON true FOR UPDATE",
    ],
)
def test_what_stays_with_its_site_is_let_pass(text: str) -> None:
    assert not kinds(text)
