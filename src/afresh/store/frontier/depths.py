"""How many links pages are away from where their crawl began; counted only while that has a limit.

Pages that an operator named are at 0, and so are those that were found before there was a limit. A page that is found
again on a shorter way is as near as that; where a redirect leads to is as near as what leads there. What pages lead to
is kept, followed or not: so whatever is found to be nearer later, or within a limit that was raised, needs no second
visit (``open_links``).
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from afresh.store.frontier.session import Session

PageLinks = tuple[int, Sequence[str]]  # a page's number, and what it links to
_read: Final = msgspec.json.Decoder(tuple[bool, list[str]])


def packed(links: Sequence[str], *, is_redirect: bool) -> bytes:
    """What a page leads to, as it is kept."""
    return zlib.compress(msgspec.json.encode((is_redirect, links)), 1)


def unpacked(kept: bytes) -> tuple[bool, list[str]]:
    """Whether it redirects, and what it leads to; ValueError: that cannot be read."""
    try:
        return _read.decode(zlib.decompress(kept))
    except (zlib.error, TypeError) as error:
        raise ValueError("cannot be unpacked") from error


class Depths:
    """The pages of some reports; ``most``: links are followed to pages that are so many away, and no farther."""

    def __init__(self, session: Session, most: int) -> None:
        self._session, self._most = session, most
        self.known: dict[int, int] = {}  # of pages that have a row
        self.redirects: set[int] = set()  # pages that send elsewhere

    def read(self, pages: Iterable[PageLinks]) -> None:
        """How far these are."""
        self.known |= self._of(number for number, _ in pages)

    def within(self, pages: Sequence[PageLinks]) -> list[PageLinks]:
        """Those whose links are followed; what they lead to is kept."""
        self.read(pages)
        near = [page for page in pages if self._behind(page[0]) <= self._most]
        followed = {number for number, _ in near}
        kept = {
            number: (packed(links, is_redirect=number in self.redirects), int(number not in followed), number)
            for number, links in pages
            if number in self.known
        }
        self._session.run_many("keep_links", list(kept.values()))
        return near

    def note(self, pages: Iterable[PageLinks], numbers: Mapping[str, int], new: frozenset[int]) -> None:
        """How far what they link to is; ``new``: those that were not known before."""
        nearest: dict[int, int] = {}
        for source, links in pages:
            depth = self._behind(source)
            for number in {numbers[url] for url in links if url in numbers}:
                nearest[number] = min(depth, nearest.get(number, depth))
        before = self._of(number for number in nearest if number not in new)
        nearer = [
            (number, depth) for number, depth in nearest.items() if number in new or depth < before.get(number, 0)
        ]
        self._session.insert("put_depths", nearer)

    def _behind(self, number: int) -> int:
        """How far away is what a page leads to."""
        return self.known.get(number, 0) + (number not in self.redirects)

    def _of(self, numbers: Iterable[int]) -> dict[int, int]:
        rows = self._session.rows("depths", {"pages": self._session.as_set(sorted(numbers))})
        return {number: int(depth) for number, depth in rows}
