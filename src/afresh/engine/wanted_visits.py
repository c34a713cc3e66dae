"""Resources that somebody wants visited now: which are still to be asked, and what the others brought."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afresh.base.models import Report, Visit

_AT_ONCE = 1_000  # numbers that a store is asked about in one step


#: Why a feed is due at once that a page announces which somebody named for it.
IN_ITS_PLACE = "a page was named, which announces this feed: visited in its place"


class Chosen:
    """A list that grows shorter: each resource is visited once, however the visit ends; a page and then its feed.

    >>> chosen = Chosen([3, 1, 2])
    >>> chosen.some(), chosen.some(2), chosen.some(2)
    ([3, 1, 2], [3, 1], [2, 3])
    """

    def __init__(self, numbers: Iterable[int]) -> None:
        self._open = dict.fromkeys(numbers)
        self.visits: dict[int, Visit] = {}

    @property
    def open(self) -> Sequence[int]:
        """Those that were not asked yet."""
        return tuple(self._open)

    def some(self, most: int = _AT_ONCE) -> list[int]:
        """Some that were not asked yet, others at the next call: a site that keeps us waiting keeps no other."""
        found = list(islice(self._open, most))
        if len(found) < len(self._open):
            for number in found:
                self._open[number] = self._open.pop(number)
        return found

    def is_last(self, report: Report) -> bool:
        """Takes note of a visit, which may be that of several links to one page; whether none is left to be asked."""
        others = [part.resource for part in report.parts if part.resource in self._open]
        for number in (report.resource.id, *others):
            if report.resource.reason != IN_ITS_PLACE:
                self._open.pop(number, None)
            self.visits[number] = report.visit
        return not self._open
