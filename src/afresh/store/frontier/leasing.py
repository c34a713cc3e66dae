"""Handing out: which sites are available, which of their pages are due, and the lease of both."""

import math
from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from afresh.base.hashing import bucket_of
from afresh.base.page_numbers import page_span
from afresh.base.records.frontier import ListRequest, PageLine, PageOrder, SiteList, SiteOrder
from afresh.store.frontier.orders import AGEING, PAGE_ORDERS, RERANKED, SITE_RANKS, partition_clause
from afresh.store.frontier.session import ALL, Row, Session
from afresh.store.frontier.store_part import Concern, read_order, write_order, writing

#: What finds due pages, by whether the site has locks and whether it is big.
_STATEMENTS = {
    (False, 0): "due_pages",
    (False, 1): "due_pages_big",
    (True, 0): "due_pages_unlocked",
    (True, 1): "due_pages_big_unlocked",
}
PROMOTED = 20_000  # sites made available by one request at most: nobody waits for a million to be sorted in
_line = partial(tuple.__new__, PageLine)  # what _make does, without its Python
_DELAY, _BIG, _LOCKED, _ENOUGH = 4, 9, 10, 11  # columns of a picked site
_FEW = 3  # numbers a bucket
_ROUNDING = 1e-6  # of a page: 3600 / 0.1 is a little less than 36,000


@dataclass(slots=True)
class Picked:
    """A site and what of it is handed out."""

    site: Row  # as ``pick_waiting`` has it
    pages: list[Row]
    rest: float  # when the first of the others is due
    full: bool  # more is due now


class Leasing(Concern):
    """Hands out lists."""

    def lease(self, request: ListRequest, *, now: float) -> list[SiteList]:
        return self.lease_many([request], now=now)[0]

    @writing
    def lease_many(self, session: Session, requests: Sequence[ListRequest], *, now: float) -> list[list[SiteList]]:
        order = read_order(session)
        lists = [self._lease(session, request, now, order) for request in requests]
        session.run("seen", {"now": now, "fetchers": session.as_set({request.fetcher for request in requests})})
        return lists

    @writing
    def set_site_order(self, session: Session, order: str) -> None:
        write_order(session, SiteOrder(order))

    @writing
    def expire(self, session: Session, *, now: float) -> int:
        return session.run("free_expired", {"now": now})

    def _lease(self, session: Session, request: ListRequest, now: float, set_order: SiteOrder) -> list[SiteList]:
        """Chooses and leases sites with pages that are due."""
        wanted = 1 if request.site else request.sites if request.sites > 0 else ALL
        chosen: list[Picked] = []
        for rows in self._candidates(session, request, now, set_order, wanted):
            for picked in due_pages(session, rows, request, now):
                if picked.pages:
                    chosen.append(picked)
                else:
                    session.run("postpone", {"site": picked.site[0], "due": picked.rest})
            if len(chosen) >= wanted:
                break
        return _hand_out(session, chosen[:wanted], request, now)

    def _candidates(
        self, session: Session, request: ListRequest, now: float, set_order: SiteOrder, wanted: int
    ) -> Iterator[list[Row]]:
        """Sites in order, each once, so many at a time; who asks for more has leased or put back those before."""
        if request.site:
            bucket = bucket_of(request.site, session.buckets)
            yield session.rows("pick_one", {"crawl": request.crawl, "key": request.site, "now": now, "bucket": bucket})
            return
        if set_order is not SiteOrder.DUE:
            values = {"now": now, "limit": PROMOTED, "crawl": request.crawl}
            session.run("promote", values, rank=_rank_of(session, set_order))
        if set_order in AGEING:
            self._rank_some(session, set_order, wanted, now)
        passed: set[int] = set()
        for rows in _in_order(session, request, now, set_order, wanted):
            fresh = [row for row in rows if row[0] not in passed]
            passed.update([row[0] for row in fresh])
            yield fresh

    def _rank_some(self, session: Session, order: SiteOrder, wanted: int, now: float) -> None:
        """Ranks some of the available sites anew: the next list takes up where this one ends."""
        last = max(row[0] for row in session.rows("last_site"))
        # Few sites lie far apart, since their numbers tell buckets.
        span = last if last < _FEW * session.buckets else min(RERANKED * wanted, last)
        first = self._ranked % last if span < last else 0
        self._ranked += span
        rank = _rank_of(session, order)
        session.run("rank_range", {"first": first, "last": first + span, "now": now}, rank=rank)


def rerank(session: Session, order: SiteOrder, sites: Collection[int], now: float) -> None:
    """Moves available sites to their place after their sums changed."""
    if order not in (SiteOrder.DUE, SiteOrder.RANDOM) and sites:
        values = {"sites": session.as_set(sorted(sites)), "now": now}
        session.run("rank_sites", values, rank=_rank_of(session, order))


def _rank_of(session: Session, order: SiteOrder) -> str:
    return session.random if order is SiteOrder.RANDOM else SITE_RANKS[order]


def _in_order(
    session: Session, request: ListRequest, now: float, set_order: SiteOrder, wanted: int
) -> Iterator[list[Row]]:
    """Sites in order; asked for again while some of them turned out to have nothing due."""
    clause, values = partition_clause(request.partition)
    pick = "pick_waiting" if set_order is SiteOrder.DUE else "pick_available"
    order = "rank, id" if request.site_order is set_order else f"{_rank_of(session, request.site_order)}, id"
    if request.site_order is SiteOrder.DUE:
        order = "ready, id"
    parameters: dict[str, Any] = {"now": now, "limit": wanted, "crawl": request.crawl, **values}
    parts = [clause]
    if request.site_order is set_order is SiteOrder.RANDOM:
        # From a random rank on, then from the beginning: each available site is as likely as the others.
        parameters["pivot"] = session.rows("chance", random=session.random)[0][0]
        parts = [f"AND rank >= :pivot {clause}", f"AND rank < :pivot {clause}"]
    for part in parts:
        while rows := session.pick(pick, parameters, partition=part, order=order):
            yield rows
            if len(rows) < wanted:
                break


def due_pages(session: Session, sites: list[Row], request: ListRequest, now: float) -> Iterator[Picked]:
    """What of each site is handed out, in the sites' order. Locked pages are not; of a site with enough, none."""
    locked = [site[0] for site in sites if site[_LOCKED]]
    ends: dict[int, float] = {}  # of the first lock
    if locked:
        values = {"sites": session.as_set(locked), "now": now}
        session.run("forget_locks_of_sites", values)
        ends = {site: end for site, _, end in session.rows("locks_of_sites", values)}
    for picked in _unlocked_pages(session, sites, ends.keys(), request, now):
        picked.rest = min(picked.rest, ends.get(picked.site[0], math.inf))
        yield Picked(picked.site, [], math.inf, False) if picked.site[_ENOUGH] else picked


def _unlocked_pages(
    session: Session, sites: list[Row], locked: Container[int], request: ListRequest, now: float
) -> Iterator[Picked]:
    if request.page_order is not PageOrder.DUE or request.revisit_share is not None or request.pages <= 0:
        for site in sites:
            yield _ordered_pages(session, site, request, now)
        return
    limit = min(request.pages, max((_fitting(site, request, now) for site in sites), default=0)) + 1
    kinds: defaultdict[str, list[int]] = defaultdict(list)
    for site in sites:
        kinds[_STATEMENTS[site[0] in locked, site[_BIG]]].append(site[0])
    found: dict[int, list[Row]] = {}
    for name, some in kinds.items():
        found.update(zip(some, session.rows_of_each(name, some, limit), strict=True))
    for site in sites:
        rows = found[site[0]]
        given = min(len(rows), limit - 1, _fitting(site, request, now))
        while given and rows[given - 1][4] > now:
            given -= 1
        rest = rows[given][4] if given < len(rows) else math.inf
        yield Picked(site, rows[:given], rest, rest <= now)


def _fitting(site: Row, request: ListRequest, now: float) -> int:
    """How many pages can be fetched before the lease ends, at the site's pause; one at least."""
    delay = request.default_delay if site[_DELAY] is None else site[_DELAY]
    room = (request.expires - now) / delay if delay > 0.0 else math.inf
    return max(1, int(room + _ROUNDING)) if room < ALL else ALL


def _ordered_pages(session: Session, site: Row, request: ListRequest, now: float) -> Picked:
    limit = min(request.pages if request.pages > 0 else ALL, _fitting(site, request, now))
    order = PAGE_ORDERS[request.page_order]
    first, last = page_span(site[0])
    values = {"site": site[0], "first": first, "last": last, "now": now}

    def ask(seen: str, most: int) -> list[Row]:
        return session.rows("ordered_pages", values | {"limit": most}, seen=seen, order=order)

    if request.revisit_share is None or limit == ALL:
        rows = ask("", limit)
    else:
        rows = _two_queues(ask, limit, request.revisit_share)
    values["pages"] = session.as_set([row[8] for row in rows])
    rest = session.rows("next_due", values)[0][0]
    return Picked(site, rows, rest, rest <= now)


def _two_queues(ask: Callable[[str, int], list[Row]], limit: int, share: float) -> list[Row]:
    """A share of the list for pages seen before, the rest for new ones; what one queue lacks the other may use."""
    old = ask("AND page.visited IS NOT NULL", limit)
    new = ask("AND page.visited IS NULL", limit)
    revisits = round(limit * min(max(share, 0.0), 1.0))
    revisits = min(len(old), max(revisits, limit - len(new)))
    return old[:revisits] + new[: limit - revisits]


def _hand_out(session: Session, chosen: list[Picked], request: ListRequest, now: float) -> list[SiteList]:
    """Notes the lists and leases their sites."""
    if not chosen:
        return []
    leases, sites, lists = [], [], []
    fetcher, until, release = request.fetcher, request.expires, int(request.release_on_report)
    for number, picked in zip(session.take_numbers("take_lease_numbers", len(chosen)), chosen, strict=True):
        site, name, tld, name_hash, stated, urls, sum_pagerank, ipv4, ipv6, *_ = picked.site
        delay = request.default_delay if stated is None else stated
        next_allowed = now + len(picked.pages) * delay
        # A fetcher may send its last request just before the end; without a report the delay counts from there.
        ready = max(next_allowed, until + delay)
        pages = array("q", [page[8] for page in picked.pages]).tobytes()
        leases.append((number, site, fetcher, now, until, delay, release, int(picked.full), pages))
        sites.append((number, until, ready, next_allowed, picked.rest, site))
        lines = tuple(map(_line, picked.pages))
        lists.append(
            SiteList(number, name, tld, name_hash, stated, urls, sum_pagerank / max(urls, 1), ipv4, ipv6, lines)
        )
    with session.together():
        session.insert("add_leases", leases)
        session.run_many("lease_sites", sites)
    return lists
