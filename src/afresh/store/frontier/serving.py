"""Handing out single URLs: due pages of some queues, each locked until its client comes back with it.

A queue is not leased: it may be served again after its delay, to anybody, with other pages. A client that says how
many URLs of a queue it wants gets none while as many are locked.
"""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from afresh.base.page_numbers import site_of
from afresh.base.records.frontier import ListRequest, SiteOrder
from afresh.base.records.queues import QueueRequest, QueueUrl
from afresh.base.settings.frontier import MOST_PAGES
from afresh.store.frontier.crawls import Crawls
from afresh.store.frontier.intervals import next_price
from afresh.store.frontier.leasing import Leasing, Picked, due_pages
from afresh.store.frontier.report_effects import SiteSettled
from afresh.store.frontier.session import ALL, Row, Session
from afresh.store.frontier.store_part import read_order, writing

_LOOK_AGAIN = 1.0  # seconds after which a queue with too many locked pages is looked at again, by whoever asks
_INSTANT = 0.001  # seconds
_DELAY, _LOCKED, _PRICE = 4, 10, 12  # columns of a picked site
_AT_ONCE = 200  # queues looked at together


class _Served(NamedTuple):
    """A queue after some of its pages were locked, as a row to write."""

    ready: float
    next_allowed: float
    next_due: float
    served: float
    locked: float
    price: float
    site: int


class Serving(Leasing, Crawls):
    """Serves clients that ask for URLs of queues."""

    _turn = 0  # whose crawl comes first, of clients that take any

    @writing
    def serve(self, session: Session, request: QueueRequest, *, now: float) -> list[QueueUrl]:
        """Due URLs, locked for ``request.hold`` seconds; at most ``queues`` queues, none of them twice."""
        crawls = self._asked_crawls(session, request.crawl)
        wanted = request.queues or ALL
        served: list[QueueUrl] = []
        order = read_order(session)
        for place, (crawl, number) in enumerate(crawls):
            share = wanted if wanted == ALL else -(-wanted // (len(crawls) - place))
            found = self._serve_crawl(session, request, now, order, number, share)
            wanted -= len(found) if wanted != ALL else 0
            served += _urls_of(session, found, crawl)
            if wanted <= 0:
                break
        return served

    @writing
    def unlock(self, session: Session, pages: Iterable[int]) -> None:
        """Gives pages back that never reached their client; their sites are looked at again."""
        numbers = sorted(pages)
        session.run("remove_locks", {"pages": session.as_set(numbers)})
        sites = sorted({site_of(number) for number in numbers})
        session.run_many("settle_sites", [SiteSettled(due=0.0, site=site) for site in sites])

    @writing
    def renew(self, session: Session, pages: Iterable[int], *, until: float) -> None:
        """Pages that are still locked stay so until then: their client is there and not done yet."""
        numbers = sorted(pages)
        session.run_many("renew_locks", [(until, number) for number in numbers])
        session.run_many("renew_sites", [(until, site) for site in sorted({site_of(number) for number in numbers})])

    @writing
    def expire(self, session: Session, *, now: float) -> int:
        session.run("forget_locks", {"now": now})
        return session.run("free_expired", {"now": now})

    def _asked_crawls(self, session: Session, name: str | None) -> list[tuple[str, int]]:
        """Crawls and their numbers; clients that take any begin with another one each time."""
        if name is not None:
            number = self._crawl_number(session, name)
            return [] if number is None else [(name, number)]
        every = self._crawls_in_use(session)
        self._turn += 1
        first = self._turn % max(len(every), 1)
        return every[first:] + every[:first]

    def _serve_crawl(
        self, session: Session, request: QueueRequest, now: float, order: SiteOrder, crawl: int, wanted: int
    ) -> list[Picked]:
        asked = ListRequest(
            fetcher="",
            sites=min(wanted, _AT_ONCE),
            pages=request.urls or MOST_PAGES,
            site_order=request.site_order,
            page_order=request.page_order,
            expires=math.inf,  # the pace within a list is its client's business
            crawl=crawl,
            site=request.key,
        )
        chosen: list[Picked] = []
        for rows in self._candidates(session, asked, now, order, asked.sites):
            locks = _locks(session, rows, now)
            full = [row for row in rows if request.urls and locks.get(row[0], (0, 0.0))[0] >= request.urls]
            session.run_many("pause_sites", [(min(now + _LOOK_AGAIN, locks[row[0]][1]), row[0]) for row in full])
            found = list(due_pages(session, [row for row in rows if row not in full], asked, now))
            for picked in found:
                if not picked.pages:
                    session.run("postpone", {"site": picked.site[0], "due": picked.rest})
            some = [picked for picked in found if picked.pages][: wanted - len(chosen)]
            _lock(session, some, request, now)
            chosen += some
            if len(chosen) >= wanted:
                break
        return chosen


def _locks(session: Session, rows: list[Row], now: float) -> Mapping[int, tuple[int, float]]:
    """How many pages of each site are locked, and when the first lock ends."""
    sites = [row[0] for row in rows if row[_LOCKED] > now]
    if not sites:
        return {}
    values = {"sites": session.as_set(sites), "now": now}
    session.run("forget_locks_of_sites", values)
    return {site: (count, end) for site, count, end in session.rows("locks_of_sites", values)}


def _lock(session: Session, chosen: list[Picked], request: QueueRequest, now: float) -> None:
    """Locks pages and moves their sites to their new place in the queue."""
    until = now + request.hold
    sites = []
    for picked in chosen:
        stated = picked.site[_DELAY]
        delay = request.default_delay if stated is None else stated
        next_due = min(picked.rest, until)
        # Not now again, whatever the delay: of one call each queue is served once.
        ready = max(now + max(delay, _INSTANT), next_due)
        price = next_price(picked.site[_PRICE], more_is_due=picked.full)
        sites.append(_Served(ready, now + delay, next_due, now, until, price, picked.site[0]))
    session.insert("add_locks", [(page[8], until) for picked in chosen for page in picked.pages])
    session.run_many("serve_sites", sites)


def _urls_of(session: Session, chosen: list[Picked], crawl: str) -> list[QueueUrl]:
    numbers = session.as_set([page[8] for picked in chosen for page in picked.pages])
    kept: dict[int, str] = dict(session.rows("metadata", {"pages": numbers})) if chosen else {}
    return [
        QueueUrl(page[0], picked.site[1], crawl, kept.get(page[8], ""), page[8])
        for picked in chosen
        for page in picked.pages
    ]
