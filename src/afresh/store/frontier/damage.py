"""Rows of a frontier that cannot be read: set aside with the reason, so that all others are handed out, and mended.

A list is put together from the pages of many sites, so one row that cannot be read would end every request. It is met
with when a request fails: then everything is looked at once. What can be read of it stays, a neutral value stands in
for the rest, and nobody is given it before ``afresh doctor --repair``. Lists, locks, depths, receipts and reasons of
failures that cannot be read are forgotten: their pages are due as before.
"""

import json
import logging
import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from afresh.base.records.damage import Damaged
from afresh.base.records.frontier import PageResult
from afresh.store.damaged import Part, Values, damage_of, mended, optional, reason
from afresh.store.frontier.depths import unpacked
from afresh.store.frontier.receipts import from_json
from afresh.store.frontier.session import Row, Session
from afresh.store.frontier.store_part import Concern
from afresh.store.frontier.visits import PageStatus

log = logging.getLogger("afresh.store")

#: What ``count_everything`` counts.
_TOTALS: Final = ("sites", "urls", "visited", "sum_visited", "backlog", "edges", "well", "failed", "left_out")
_PAGE = 5_000  # rows looked at in a step


def _number(value: object) -> float:
    if not isinstance(value, int | float) or math.isnan(value):
        raise ValueError(f"{value!r} is no number")
    return float(value)


def _count(value: object) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is no count")
    return value


def _word(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("is no text")
    return value


_NUMBER, _NEVER, _COUNT, _WORD = Part(_number, 0.0), Part(optional(_number), None), Part(_count, 0), Part(_word, "")


def _parts(part: Part, *names: str) -> dict[str, Part]:
    return dict.fromkeys(names, part)


@dataclass(frozen=True, slots=True)
class _Table:
    """A table with columns that can be damaged: how they are asked for and read, and which nothing can stand in for."""

    name: str
    label: str  # what a person knows a row by
    columns: Sequence[str]  # as the statement has them
    parts: Mapping[str, Part]
    lost: frozenset[str] = frozenset()
    key: str = "id"


_SITE = _Table(
    "site",
    "name",
    (
        *("id", "name", "tld", "home", "ipv4", "ipv6", "state", "next_allowed", "blocked", "blocked_at", "next_due"),
        *("until", "delay", "urls", "visited", "sum_visited", "sum_rate", "sum_pagerank", "sum_in_degree", "cash"),
        *("discovered", "errors", "slow", "soft_404", "backlog", "referrals", "price", "completed", "crawl_limit"),
        *("served", "locked", "dated", "trouble", "well", "failed", "left_out"),
    ),
    _parts(_NUMBER, "next_allowed", "blocked", "blocked_at", "next_due", "until", "sum_visited", "sum_rate")
    | _parts(_NUMBER, "sum_pagerank", "cash", "slow", "price", "served", "locked", "dated")
    | _parts(_NEVER, "delay", "discovered")
    | _parts(_COUNT, "urls", "visited", "sum_in_degree", "errors", "soft_404", "backlog", "referrals")
    | _parts(_COUNT, "completed", "crawl_limit", "trouble", "well", "failed", "left_out")
    | _parts(_WORD, "tld", "home", "ipv4", "ipv6")
    | {"state": Part((0, 1).index, 0)},
    frozenset({"name"}),
)
_PAGES = _Table(
    "page",
    "url",
    (
        *("id", "url", "due", "visited", "status", "failures", "looks", "changes", "span", "rate", "content"),
        *("discovered", "pagerank", "in_degree", "cash", "history", "etag", "last_modified", "metadata"),
    ),
    _parts(_NUMBER, "due", "span", "rate", "pagerank", "cash", "history")
    | _parts(_NEVER, "visited", "discovered")
    | _parts(_COUNT, "failures", "looks", "changes", "in_degree")
    | _parts(_WORD, "url", "content", "etag", "last_modified")
    | {"status": Part(PageStatus, 0), "metadata": Part(optional(json.loads), "{}")},
    frozenset({"url"}),
)
_LEASE = _Table(
    "lease",
    "fetcher",
    ("id", "fetcher", "at", "until", "delay", "pages"),
    _parts(_NUMBER, "at", "until", "delay") | {"pages": Part(lambda value: array("q", value), b"")},
    key="number",
)
_LOCK = _Table("lock", "id", ("id", "until"), _parts(_NUMBER, "until"))
_DEPTH = _Table(
    "depth", "id", ("id", "depth", "links"), _parts(_COUNT, "depth") | {"links": Part(optional(unpacked), None)}
)
_FAILURE = _Table(
    "failure",
    "id",
    ("id", "at", "result", "why", "fetcher"),
    _parts(_NUMBER, "at") | _parts(_WORD, "why", "fetcher") | {"result": Part(PageResult, PageResult.ERROR)},
)
_FETCHER = _Table(
    "fetcher",
    "id",
    ("id", "contact", "name", "registered", "token_digest", "location", "tld_preference", "address", "last_seen"),
    _parts(_NUMBER, "registered") | _parts(_NEVER, "last_seen"),
    key="uuid",
)
#: Columns of a page that are in other tables, by these.
_ELSEWHERE: Final = {
    "address": frozenset(_PAGES.columns[_PAGES.columns.index("discovered") : -1]) | {"url"},
    "page_metadata": frozenset({"metadata"}),
}
#: Which tables are looked through, and how.
_LOOKS: Final = (
    (_SITE, "look_at_sites"),
    (_PAGES, "look_at_pages"),
    (_LEASE, "look_at_leases"),
    (_LOCK, "look_at_locks"),
    (_DEPTH, "look_at_depths"),
    (_FAILURE, "look_at_failures"),
)


@dataclass(frozen=True, slots=True)
class _Found:
    """A row that cannot be read, and what should stand in it."""

    table: _Table
    id: Any
    name: str
    wrong: Mapping[str, str]
    values: Mapping[str, object]
    blocked: float = 0.0

    @property
    def is_lost(self) -> bool:
        return bool(self.table.lost & self.wrong.keys())


class Damage(Concern):
    """Finds what cannot be read, sets it aside, takes it back."""

    def find_damage(self) -> list[Damaged]:
        with self._database.tolerant():
            found, aside = self._database.read(lambda session: (list(_look(session)), session.rows("aside")))
        return [*map(_fresh, found), *map(_told, aside)]

    def repair_damage(self) -> list[Damaged]:
        self._set_damaged_aside()
        return self._database.write(_repair)

    def _set_damaged_aside(self) -> int:
        with self._database.tolerant():
            return self._database.write(_set_aside)


def _look(session: Session) -> Iterator[_Found]:
    for table, statement in _LOOKS:
        after = -1
        while rows := session.rows(statement, {"after": after, "limit": _PAGE}):
            yield from _damaged(table, rows)
            after = rows[-1][0]
    yield from _damaged(_FETCHER, session.rows("look_at_fetchers"))


def _damaged(table: _Table, rows: Sequence[Row]) -> Iterator[_Found]:
    for row in rows:
        given = Values(dict(zip(table.columns, row, strict=True)))
        if wrong := damage_of(given, table.parts):
            values = {column: mended(column, given[column], table.parts) for column in wrong}
            if table.label in wrong and isinstance(given[table.label], str):  # what is left of an address is shown
                values[table.label] = str(given[table.label])
            blocked = given["blocked"] if table is _SITE and "blocked" not in wrong else 0.0
            name = str(values.get(table.label, given[table.label]))
            yield _Found(table, given["id"], name, wrong, values, blocked)


def _set_aside(session: Session) -> int:
    found = list(_look(session))
    for item in found:
        name = item.table.name
        log.error("%s %s (%s) is set aside: %s", name, item.id, item.name, reason(item.wrong))
        if item.table is _LEASE:
            session.run("free_site_of_lease", {"id": item.id})
        if item.table in (_LEASE, _LOCK, _DEPTH, _FAILURE):
            session.run(f"forget_{name}", {"id": item.id})
            continue
        _mend(session, item)
        if item.table is not _FETCHER:
            session.run(f"set_{name}_aside", {"id": item.id, "never": math.inf})
            told = {"part": name, "id": str(item.id), "name": item.name, "wrong": json.dumps(dict(item.wrong))}
            session.run("note_aside", told | {"lost": int(item.is_lost), "blocked": item.blocked})
    session.run("pull_back_big_pages")
    return len(found) + _forget_receipts(session)


def _mend(session: Session, item: _Found) -> None:
    """Puts readable values into its columns."""
    elsewhere = _ELSEWHERE if item.table is _PAGES else {}
    columns_of = {part: item.values.keys() & columns for part, columns in elsewhere.items()}
    columns_of[item.table.name] = item.values.keys() - frozenset().union(*elsewhere.values())
    for part, columns in columns_of.items():
        if columns:
            values = ", ".join(f"{column} = :{column}" for column in sorted(columns))
            session.run("mend_row", {**item.values, "id": item.id}, part=part, values=values, key=item.table.key)


def _forget_receipts(session: Session) -> int:
    """Answers that cannot be given again: the lists they were about are known to be over."""
    forgotten = 0
    for bucket, fetcher, key, answer in session.rows("look_at_receipts"):
        try:
            from_json(answer)
        except (ValueError, TypeError, LookupError):
            forgotten += session.run("forget_receipt", {"bucket": bucket, "fetcher": fetcher, "key": key})
    return forgotten


def _repair(session: Session) -> list[Damaged]:
    aside = session.rows("aside")
    for part, number, _, _, lost, blocked in aside:
        if not lost:
            values: dict[str, Any] = {"id": int(number)}
            session.run(f"take_{part}_back", values | ({"blocked": blocked} if part == "site" else {}))
            session.run("forget_aside", {"part": part, "id": number})
    session.run("pull_back_big_pages")
    session.run("resum_sites")
    session.run("clear_other_totals", {"part": session.part})
    counted = dict(zip(_TOTALS, session.rows("count_everything")[0], strict=True))
    session.run("retotal", counted | {"part": session.part})
    sites = [(row[0],) for row in session.rows("look_at_sites", {"after": -1, "limit": 1 << 62})]
    session.run_many("queue_anew", sites)
    return [_told(row) for row in aside]


def _fresh(item: _Found) -> Damaged:
    number = item.id if isinstance(item.id, int) else 0
    return Damaged(table=item.table.name, id=number, name=item.name, columns=item.wrong, can_be_mended=not item.is_lost)


def _told(row: Row) -> Damaged:
    part, number, name, wrong, lost, _ = row
    return Damaged(table=part, id=int(number), name=name, columns=json.loads(wrong), can_be_mended=not lost)
