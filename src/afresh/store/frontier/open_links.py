"""Links that were too far away when they were found, and are not any more.

A page was found on a shorter way since, an operator named it, or the limit was raised or taken back. In the link graph
they are from the next visit of their page on: a visit is what passes cash along.
"""

from collections import defaultdict

from afresh.store.frontier.depths import Depths, PageLinks, unpacked
from afresh.store.frontier.late_links import LateLinks, seeds_of
from afresh.store.frontier.leasing import rerank
from afresh.store.frontier.session import Session
from afresh.store.frontier.store_part import read_order, writing

_AT_ONCE = 100  # pages


class OpenLinks(LateLinks):
    """Follows them."""

    @writing
    def follow_open_links(self, session: Session, *, now: float, depth: int) -> int:
        """The links of some pages; of how many. ``depth``: to pages that are so far away; 0: however far."""
        if session.away or not session.rows("open_links", {"depth": depth, "limit": 1}):
            return 0  # as a rule: those who add pages need not wait for that
        session.run("only_adder")
        pages, touched = self._follow_some(session, now=now, depth=depth)
        rerank(session, read_order(session), touched, now)
        return pages

    def _follow_some(self, session: Session, *, now: float, depth: int) -> tuple[int, set[int]]:
        """How many pages there were, and which sites have grown; within a transaction of the only adder."""
        rows = session.rows("open_links", {"depth": depth, "limit": _AT_ONCE})
        if not rows:
            return 0, set()
        depths = Depths(session, depth)
        pages: defaultdict[int, list[PageLinks]] = defaultdict(list)  # by crawl
        for number, crawl, known, kept in rows:
            is_redirect, links = unpacked(kept)
            pages[crawl].append((number, links))
            depths.known[number] = int(known)
            depths.redirects |= {number} if is_redirect else set()
        session.run("close_links", {"pages": session.as_set([row[0] for row in rows])})
        touched: set[int] = set()
        for crawl, some in sorted(pages.items()):
            found = self._adder(session, now, crawl=crawl).discover(seeds_of(url for _, links in some for url in links))
            depths.note(some, found.numbers, found.new)
            touched |= found.grown
        return len(rows), touched
