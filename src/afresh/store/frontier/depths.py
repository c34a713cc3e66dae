"""How many links pages are away from where their crawl began; counted only while that has a limit.

Pages that an operator named are at 0, and so are those that were found before there was a limit: they have no row. A
page that is found again on a shorter way is as near as that; where a redirect leads to is as near as what leads there.
"""

from collections.abc import Iterable, Mapping, Sequence

from afresh.store.frontier.session import Session

PageLinks = tuple[int, Sequence[str]]  # a page's number, and what it links to


class Depths:
    """The pages of some reports; ``most``: links are followed to pages that are so many away, and no farther."""

    def __init__(self, session: Session, most: int) -> None:
        self._session, self._most = session, most
        self._known: dict[int, int] = {}
        self.redirects: set[int] = set()  # pages that send elsewhere

    def within(self, pages: Sequence[PageLinks]) -> list[PageLinks]:
        """Those whose links are followed."""
        self._known |= self._of(number for number, _ in pages)
        return [page for page in pages if self._behind(page[0]) <= self._most]

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
        return self._known.get(number, 0) + (number not in self.redirects)

    def _of(self, numbers: Iterable[int]) -> dict[int, int]:
        rows = self._session.rows("depths", {"pages": self._session.as_set(sorted(numbers))})
        return {number: int(depth) for number, depth in rows}
