"""Removing queues, crawls, and pages by age: some at a time, so that nobody waits for the last."""

import math
from array import array
from collections.abc import Sequence

from afresh.base.page_numbers import page_span
from afresh.base.records.queues import Removed
from afresh.store.frontier.crawls import Crawls
from afresh.store.frontier.session import Session
from afresh.store.frontier.store_part import writing

#: What ``sums_to_remove`` gives.
_SUMS = [
    *("urls", "visited", "sum_visited", "sum_rate", "sum_pagerank", "sum_in_degree", "cash", "backlog", "completed"),
    *("well", "failed", "left_out"),
]
_NOTHING = dict.fromkeys(_SUMS, 0)


class Removing(Crawls):
    """Takes pages and sites away."""

    @writing
    def remove_some(
        self, session: Session, crawl: str, key: str = "", *, before: float | None, after: int, limit: int
    ) -> Removed:
        """Removes about so many URLs of a crawl, or of one queue, from the site after this one on.

        ``before``: only those found before then, and not those of a list that somebody may report; the queues stay.
        None: all of them, with their queues.
        """
        session.run("only_adder")
        left = limit
        number = self._crawl_number(session, crawl) or 0
        while left > 0:
            values = {"crawl": number, "key": key, "after": after, "limit": 1}
            sites = session.rows("sites_after", values, one="AND name = :key" if key else "")
            if not sites:
                return Removed(limit - left, None)
            site = sites[0][0]
            session.run("lock_site", {"site": site})
            pages = _to_remove(session, site, before, left)
            _remove_pages(session, site, pages)
            if pages and (before is not None or len(pages) == left):
                _date(session, site)
            if len(pages) == left:
                return Removed(limit, site - 1)
            left -= len(pages)
            after = site
            if before is None:
                _remove_site(session, site)
                self._numbers.forget()
        return Removed(limit - left, after)


def _to_remove(session: Session, site: int, before: float | None, limit: int) -> list[int]:
    kept: set[int] = set()
    if before is not None:
        for (pages,) in session.rows("lists_of_site", {"site": site}):
            kept.update(array("q", pages))
    first, last = page_span(site)
    values = {"site": site, "first": first, "last": last, "limit": limit, "kept": session.as_set(sorted(kept))}
    values["before"] = math.inf if before is None else before
    return [number for (number,) in session.rows("pages_to_remove", values)]


def _remove_pages(session: Session, site: int, pages: Sequence[int]) -> None:
    if not pages:
        return
    wanted = {"site": site, "pages": session.as_set(pages)}
    sums = dict(zip(_SUMS, session.rows("sums_to_remove", wanted)[0], strict=True))
    edges = session.run("remove_edges", wanted)
    for step in ("locks", "metadata", "depths", "failures", "big_pages", "pages", "addresses"):
        session.run(f"remove_{step}", wanted)
    session.run("remove_from_site", sums | {"site": site, "never": math.inf})
    session.run("remove_from_totals", sums | {"edges": edges, "sites": 0, "part": session.part})


def _remove_site(session: Session, site: int) -> None:
    for step in ("remove_lists_of_site", "remove_round_trips_of_site", "remove_site"):
        session.run(step, {"site": site})
    session.run("remove_from_totals", _NOTHING | {"edges": 0, "sites": 1, "part": session.part})


def _date(session: Session, site: int) -> None:
    first, last = page_span(site)
    session.run("date_site", {"site": site, "first": first, "last": last})
