"""Handing out: which sites are available, which of their pages are due, and the reservation of both."""

import random
import sqlite3
from array import array
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from afresh.base.page_numbers import page_span
from afresh.base.records.frontier import ListRequest, PageLine, PageOrder, SiteList, SiteOrder
from afresh.store.frontier.orders import AGEING, PAGE_ORDERS, RERANKED, SITE_RANKS, partition_clause
from afresh.store.sqlite.frontier.statements import SQL, as_set, insert_rows

PROMOTED = 20_000  # sites made available by one request at most: nobody waits for a million to be sorted in
_ALL = -1  # no limit, in SQLite
_line = partial(tuple.__new__, PageLine)  # what _make does, without its Python
_RANDOM = "random() / 18446744073709551616.0 + 0.5"  # 0 … 1

Row = tuple[Any, ...]


def rank_of(order: SiteOrder) -> str:
    """What sites are ranked by, as SQLite says it."""
    return _RANDOM if order is SiteOrder.RANDOM else SITE_RANKS[order]


@dataclass(slots=True)
class _Reserved:
    """The rows that reserve a list's sites, from this lease number on."""

    first: int
    leases: list[Row] = field(default_factory=list)
    sites: list[Row] = field(default_factory=list)
    lists: list[SiteList] = field(default_factory=list)


def lease(connection: sqlite3.Connection, request: ListRequest, *, now: float, set_order: SiteOrder) -> list[SiteList]:
    """Chooses and reserves sites with pages that are due."""
    last_lease, last_site = connection.execute(SQL["last_numbers"]).fetchall()[0]
    if set_order is not SiteOrder.DUE:
        promote(connection, set_order, now)
    wanted = request.sites if request.sites > 0 else _ALL
    if set_order in AGEING:
        span = RERANKED * wanted if 0 < RERANKED * wanted < last_site else last_site
        first = last_lease * RERANKED % last_site if span < last_site else 0
        refresh(connection, set_order, first, first + span, now)
    reserved = _Reserved(last_lease + 1)
    passed: set[int] = set()
    for row in _candidates(connection, request, now, set_order, wanted):
        if row[0] in passed:
            continue
        passed.add(row[0])
        pages, rest, full = _pages(connection, row, request, now)
        if not pages:
            connection.execute(SQL["postpone"], {"id": row[0], "due": rest})
            continue
        _reserve(reserved, row, pages, rest, full, request, now)
        if len(reserved.lists) == wanted:
            break
    return _write(connection, reserved, set_order)


def promote(connection: sqlite3.Connection, order: SiteOrder, now: float) -> None:
    """Sorts sites whose time has come in among the available."""
    statement = SQL["promote"].format(rank=rank_of(order))
    connection.execute(statement, {"now": now, "limit": PROMOTED})


def refresh(connection: sqlite3.Connection, order: SiteOrder, first: int, last: int, now: float) -> None:
    """Ranks the available among these sites anew: the next list takes up where this one ends."""
    statement = SQL["rank_range"].format(rank=rank_of(order))
    connection.execute(statement, {"first": first, "last": last, "now": now})


def rerank(connection: sqlite3.Connection, order: SiteOrder, sites: Collection[int], now: float) -> None:
    """Moves available sites to their place after their sums changed."""
    if order not in (SiteOrder.DUE, SiteOrder.RANDOM) and sites:
        statement = SQL["rank_sites"].format(rank=rank_of(order))
        connection.execute(statement, {"ids": as_set(sites), "now": now})


def _candidates(
    connection: sqlite3.Connection, request: ListRequest, now: float, set_order: SiteOrder, wanted: int
) -> Iterator[Row]:
    """Sites in order; asked for again while some of them turned out to have nothing due."""
    clause, values = partition_clause(request.partition)
    values |= {"limit": wanted}
    pick = SQL["pick_waiting" if set_order is SiteOrder.DUE else "pick_available"]
    order = "rank, id" if request.site_order is set_order else f"{rank_of(request.site_order)}, id"
    if request.site_order is SiteOrder.DUE:
        order = "ready, id"
    parameters: dict[str, Any] = {"now": now, **values}
    if request.site_order is SiteOrder.RANDOM and set_order is SiteOrder.RANDOM:
        yield from _from_anywhere(connection, pick, clause, parameters)
        return
    statement = pick.format(partition=clause, order=order)
    while rows := connection.execute(statement, parameters).fetchall():
        yield from rows
        if wanted == _ALL or len(rows) < wanted:
            return


def _from_anywhere(connection: sqlite3.Connection, pick: str, clause: str, parameters: dict[str, Any]) -> Iterator[Row]:
    """Available sites from a random rank on, then from the beginning: each is as likely as the others."""
    parameters["pivot"] = random.random()  # noqa: S311  # who is first, not a secret
    for half in ("AND rank >= :pivot", "AND rank < :pivot"):
        statement = pick.format(partition=f"{half} {clause}", order="rank, id")
        while rows := connection.execute(statement, parameters).fetchall():
            yield from rows
            if parameters["limit"] == _ALL or len(rows) < parameters["limit"]:
                break


def _pages(connection: sqlite3.Connection, row: Row, request: ListRequest, now: float) -> tuple[list[Row], float, bool]:
    """The pages to hand out, when the first of the others is due, and whether more are due now."""
    site, big = row[0], row[10]
    if request.page_order is not PageOrder.DUE or request.revisit_share is not None or request.pages <= 0:
        return _ordered_pages(connection, site, request, now)
    limit = request.pages + 1
    if big:
        rows = connection.execute(SQL["due_pages_big"], (site, limit)).fetchall()
    else:
        rows = connection.execute(SQL["due_pages"], (*page_span(site), limit)).fetchall()
    given = len(rows)
    while given and (given == limit or rows[given - 1][4] > now):
        given -= 1
    rest = rows[given][4] if given < len(rows) else float("inf")
    return rows[:given], rest, rest <= now


def _ordered_pages(
    connection: sqlite3.Connection, site: int, request: ListRequest, now: float
) -> tuple[list[Row], float, bool]:
    first, last = page_span(site)
    limit = request.pages if request.pages > 0 else _ALL
    values = {"first": first, "last": last, "now": now}
    order = PAGE_ORDERS[request.page_order]

    def ask(seen: str, most: int) -> list[Row]:
        statement = SQL["ordered_pages"].format(seen=seen, order=order)
        return connection.execute(statement, values | {"limit": most}).fetchall()

    if request.revisit_share is None or limit == _ALL:
        rows = ask("", limit)
    else:
        rows = _two_queues(ask, limit, request.revisit_share)
    numbers = as_set(row[8] for row in rows)
    rest = connection.execute(SQL["next_due"], (first, last, numbers)).fetchone()[0]
    return rows, rest, rest <= now


def _two_queues(ask: Callable[[str, int], list[Row]], limit: int, share: float) -> list[Row]:
    """A share of the list for pages seen before, the rest for new ones; what one queue lacks the other may use."""
    old = ask("AND page.visited IS NOT NULL", limit)
    new = ask("AND page.visited IS NULL", limit)
    revisits = round(limit * min(max(share, 0.0), 1.0))
    revisits = min(len(old), max(revisits, limit - len(new)))
    return old[:revisits] + new[: limit - revisits]


def _reserve(
    reserved: _Reserved, row: Row, pages: list[Row], rest: float, full: bool, request: ListRequest, now: float
) -> None:
    site, _, fqdn, tld, fqdn_hash, stated, urls, sum_pagerank, ipv4, ipv6, _, _ = row
    delay = request.default_delay if stated is None else stated
    next_allowed = now + len(pages) * delay
    # A fetcher may send its last request just before the end; without a report the delay counts from there.
    ready = max(next_allowed, request.expires + delay)
    numbers = array("q", [page[8] for page in pages]).tobytes()
    number = reserved.first + len(reserved.lists)
    reserved.leases.append(
        (number, site, request.fetcher, now, request.expires, delay, request.release_on_report, full, numbers)
    )
    reserved.sites.append((number, request.expires, ready, next_allowed, rest, site))
    reserved.lists.append(
        SiteList(
            number,
            fqdn,
            tld,
            fqdn_hash,
            stated,
            urls,
            sum_pagerank / urls,
            ipv4,
            ipv6,
            tuple(map(_line, pages)),
        )
    )


def _write(connection: sqlite3.Connection, reserved: _Reserved, set_order: SiteOrder) -> list[SiteList]:
    if reserved.lists:
        connection.execute(SQL["take_numbers"], (len(reserved.lists),))
        insert_rows(connection, "add_leases", reserved.leases)
        statement = SQL["lease_site" if set_order is SiteOrder.DUE else "lease_site_ranked"]
        connection.executemany(statement, reserved.sites)
    return reserved.lists
