"""Links that lead to a server which does not answer: kept until it is back, so that whoever reports need not wait.

Only a database of several servers has any. A page is kept with all its links if one of them is late: what its cash is
divided by (``links``) is the number of them all.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from afresh.base.hashing import bucket_of
from afresh.base.page_numbers import host_of, is_text
from afresh.base.records.frontier import Seed
from afresh.store.frontier.adding import Adding
from afresh.store.frontier.depths import Depths, PageLinks
from afresh.store.frontier.graph import add_links
from afresh.store.frontier.leasing import rerank
from afresh.store.frontier.session import Session
from afresh.store.frontier.store_part import read_order, writing

_read: Final = msgspec.json.Decoder(list[tuple[int, list[str]]])


def seeds_of(urls: Iterable[str]) -> dict[str, Seed]:
    """Those of a page's links that can be added."""
    return {url: Seed(url, host) for url in urls if (host := host_of(url)) and (url.isascii() or is_text(url))}


def late_ones(session: Session, wanted: Mapping[str, Seed]) -> set[str]:
    """Those that cannot be added now."""
    if not session.away:
        return set()
    return {url for url, seed in wanted.items() if bucket_of(seed.site, session.buckets) in session.away}


def keep_late(session: Session, pages: Sequence[PageLinks], *, crawl: int, now: float) -> None:
    """Keeps the links of pages for later."""
    packed = zlib.compress(msgspec.json.encode(pages), 1)
    session.run("keep_late_links", {"crawl": crawl, "at": now, "links": packed})


class LateLinks(Adding):
    """Adds them when all servers are back."""

    @writing
    def add_late_links(self, session: Session, *, now: float, depth: int = 0) -> int:
        """Links that waited, of one report; from how many pages. 0: nothing waits, or a server is still away."""
        if session.away:
            return 0
        session.run("only_adder")
        for number, crawl, packed in session.rows("late_links"):
            pages = _read.decode(zlib.decompress(packed))
            adder = self._adder(session, now, crawl=crawl)
            found = adder.discover(seeds_of(url for _, links in pages for url in links))
            touched = set(found.grown)
            if depth:
                depths = Depths(session, depth)
                depths.read(pages)
                depths.note(pages, found.numbers, found.new)
            if self._links:
                numbers = found.numbers
                changed = add_links(
                    session, [(one, [numbers[url] for url in urls if url in numbers]) for one, urls in pages]
                )
                adder.admit(changed)
                touched |= changed
            rerank(session, read_order(session), touched, now)
            session.run("forget_late_links", {"number": number})
            return len(pages)
        return 0

    def servers_away(self) -> list[str]:
        """Servers that do not answer, with what waits for them, in words."""
        return self._database.servers_away()
