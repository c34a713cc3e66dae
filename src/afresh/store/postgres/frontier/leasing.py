"""Handing out in PostgreSQL: sites that nobody else is looking at (``SKIP LOCKED``), and their pages that are due."""

import random
from array import array
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any

from afresh.base.records.frontier import ListRequest, PageLine, PageOrder, SiteList, SiteOrder
from afresh.store.frontier.orders import AGEING, PAGE_ORDERS, RERANKED
from afresh.store.postgres.frontier.adding import array_of
from afresh.store.postgres.frontier.statements import SQL, Cursor, partition_of, rank_of

PROMOTED = 20_000  # sites made available by one request at most
_line = partial(tuple.__new__, PageLine)

Row = tuple[Any, ...]


@dataclass(slots=True)
class _Picked:
    """A site and what of it is handed out."""

    site: Row
    pages: list[Row]
    rest: float  # when the first of the others is due
    full: bool  # more is due now


@dataclass(slots=True)
class _Reserved:
    """The columns that reserve a list's sites."""

    sites: list[int] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)
    fulls: list[int] = field(default_factory=list)
    pages: list[bytes] = field(default_factory=list)
    ready: list[float] = field(default_factory=list)
    allowed: list[float] = field(default_factory=list)
    due: list[float] = field(default_factory=list)


def lease(cursor: Cursor, request: ListRequest, *, now: float, set_order: SiteOrder) -> list[SiteList]:
    """Chooses and reserves sites with pages that are due."""
    if set_order is not SiteOrder.DUE:
        statement = SQL["promote"].format(rank=rank_of(set_order))
        cursor.execute(statement, {"now": now, "limit": PROMOTED})
    wanted = request.sites if request.sites > 0 else None
    if set_order in AGEING:
        _refresh(cursor, set_order, wanted, now)
    chosen: list[_Picked] = []
    passed: set[int] = set()
    for rows in _candidates(cursor, request, now, set_order, wanted):
        fresh = [row for row in rows if row[0] not in passed]
        passed |= {row[0] for row in fresh}
        for picked in _pages(cursor, fresh, request, now):
            if picked.pages:
                chosen.append(picked)
            else:
                cursor.execute(SQL["postpone"], {"id": picked.site[0], "due": picked.rest})
        if wanted is not None and len(chosen) >= wanted:
            break
    return _reserve(cursor, chosen[:wanted], request, now)


def rerank(cursor: Cursor, order: SiteOrder, sites: Collection[int], now: float) -> None:
    """Moves available sites to their place after their sums changed."""
    if order not in (SiteOrder.DUE, SiteOrder.RANDOM) and sites:
        cursor.execute(SQL["rank_sites"].format(rank=rank_of(order)), {"ids": array_of(sorted(sites)), "now": now})


def _refresh(cursor: Cursor, order: SiteOrder, wanted: int | None, now: float) -> None:
    """Ranks some of the available sites anew: those of other lists come upon the others."""
    found = cursor.execute(SQL["last_site"]).fetchone()
    last = found[0] if found else 0
    span = last if wanted is None else min(RERANKED * wanted, last)
    first = random.randrange(last) if span < last else 0  # noqa: S311  # who is first, not a secret
    statement = SQL["rank_range"].format(rank=rank_of(order))
    cursor.execute(statement, {"first": first, "last": first + span, "now": now})


def _candidates(
    cursor: Cursor, request: ListRequest, now: float, set_order: SiteOrder, wanted: int | None
) -> Iterator[list[Row]]:
    """Sites in order; asked for again while some of them turned out to have nothing due."""
    clause, values = partition_of(request.partition)
    pick = SQL["pick_waiting" if set_order is SiteOrder.DUE else "pick_available"]
    order = "rank, id" if request.site_order is set_order else f"{rank_of(request.site_order)}, id"
    if request.site_order is SiteOrder.DUE:
        order = "ready, id"
    parameters: dict[str, Any] = {"now": now, "limit": wanted, **values}
    parts = [clause]
    if request.site_order is set_order is SiteOrder.RANDOM:
        # From a random rank on, then from the beginning: each available site is as likely as the others.
        parameters["pivot"] = random.random()  # noqa: S311  # who is first, not a secret
        parts = [f"AND rank >= %(pivot)s {clause}", f"AND rank < %(pivot)s {clause}"]
    for part in parts:
        statement = pick.format(partition=part, order=order)
        while rows := cursor.execute(statement, parameters).fetchall():
            yield rows
            if wanted is None or len(rows) < wanted:
                break


def _pages(cursor: Cursor, sites: list[Row], request: ListRequest, now: float) -> Iterator[_Picked]:
    """What of each site is handed out, in the sites' order."""
    if request.page_order is not PageOrder.DUE or request.revisit_share is not None or request.pages <= 0:
        for site in sites:
            yield _ordered_pages(cursor, site, request, now)
        return
    limit = request.pages + 1
    found: dict[int, list[Row]] = {}
    for big, name in ((0, "due_pages"), (1, "due_pages_big")):
        some = [site[0] for site in sites if site[10] == big]
        if some:
            rows = cursor.execute(SQL[name], {"sites": array_of(some), "limit": limit}).fetchall()
            found |= {number: list(part) for number, part in groupby(rows, key=_site_of)}
    for site in sites:
        rows = found.get(site[0], [])
        given = len(rows)
        while given and (given == limit or rows[given - 1][4] > now):
            given -= 1
        rest = rows[given][4] if given < len(rows) else float("inf")
        yield _Picked(site, rows[:given], rest, rest <= now)


def _site_of(row: Row) -> int:
    number: int = row[9]
    return number


def _ordered_pages(cursor: Cursor, site: Row, request: ListRequest, now: float) -> _Picked:
    limit = request.pages if request.pages > 0 else None
    order = PAGE_ORDERS[request.page_order]

    def ask(seen: str, most: int | None) -> list[Row]:
        statement = SQL["ordered_pages"].format(seen=seen, order=order)
        return cursor.execute(statement, {"site": site[0], "now": now, "limit": most}).fetchall()

    if request.revisit_share is None or limit is None:
        rows = ask("", limit)
    else:
        rows = two_queues(ask, limit, request.revisit_share)
    answer = cursor.execute(SQL["next_due"], (site[0], array_of([row[8] for row in rows]))).fetchone()
    rest = answer[0] if answer else float("inf")
    return _Picked(site, rows, rest, rest <= now)


def two_queues(ask: Callable[[str, int], list[Row]], limit: int, share: float) -> list[Row]:
    """A share of the list for pages seen before, the rest for new ones; what one queue lacks the other may use."""
    old = ask("AND page.visited IS NOT NULL", limit)
    new = ask("AND page.visited IS NULL", limit)
    revisits = round(limit * min(max(share, 0.0), 1.0))
    revisits = min(len(old), max(revisits, limit - len(new)))
    return old[:revisits] + new[: limit - revisits]


def _reserve(cursor: Cursor, chosen: list[_Picked], request: ListRequest, now: float) -> list[SiteList]:
    if not chosen:
        return []
    reserved = _Reserved()
    for picked in chosen:
        stated = picked.site[5]
        delay = request.default_delay if stated is None else stated
        next_allowed = now + len(picked.pages) * delay
        reserved.sites.append(picked.site[0])
        reserved.delays.append(delay)
        reserved.fulls.append(int(picked.full))
        reserved.pages.append(array("q", [page[8] for page in picked.pages]).tobytes())
        # A fetcher may send its last request just before the end; without a report the delay counts from there.
        reserved.ready.append(max(next_allowed, request.expires + delay))
        reserved.allowed.append(next_allowed)
        reserved.due.append(picked.rest)
    numbers = _write(cursor, reserved, request, now)
    return [_to_list(numbers[picked.site[0]], picked) for picked in chosen]


def _to_list(number: int, picked: _Picked) -> SiteList:
    _, _, fqdn, tld, fqdn_hash, stated, urls, sum_pagerank, ipv4, ipv6, _ = picked.site
    pages = tuple([_line(page[:9]) for page in picked.pages])
    return SiteList(number, fqdn, tld, fqdn_hash, stated, urls, sum_pagerank / urls, ipv4, ipv6, pages)


def _write(cursor: Cursor, reserved: _Reserved, request: ListRequest, now: float) -> dict[int, int]:
    """Notes and reserves; the numbers of the lists by site."""
    rows = cursor.execute(
        SQL["lease_sites"],
        {
            "sites": array_of(reserved.sites),
            "delays": array_of(reserved.delays),
            "fulls": array_of(reserved.fulls),
            "pages": reserved.pages,
            "ready": array_of(reserved.ready),
            "allowed": array_of(reserved.allowed),
            "due": array_of(reserved.due),
            "fetcher": request.fetcher,
            "now": now,
            "until": request.expires,
            "release": int(request.release_on_report),
        },
    ).fetchall()
    return {site: number for site, number in rows}  # noqa: C416 (types)
