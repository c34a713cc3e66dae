"""OPIC: importance computed while crawling, by cash that pages pass on when visited.  [APC03], [G20] §4.2.3.

Every page starts with a share of cash. A visit books the page's cash to its history and splits it among its links; what
gathers cash fastest is important, and the page with most cash is visited next. Cash is never lost: a page without
links, which would swallow it, gives to all pages alike, through one pot that is shared out when it is looked at.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Opic:
    """Cash and history by page. ``visit`` changes it; nothing else does.

    >>> bank = Opic()
    >>> for page in "ab": bank.discover(page, 0.5)
    >>> bank.visit("a", ["b"]); bank.cash_of("a"), bank.cash_of("b")
    (0.0, 1.0)
    """

    cash: dict[str, float] = field(default_factory=dict)
    history: dict[str, float] = field(default_factory=dict)
    booked: float = 0.0  # G: all that was ever booked

    def discover(self, page: str, cash: float = 0.0) -> None:
        """A page becomes known; a known one is left alone."""
        if page not in self.cash:
            self.cash[page] = cash
            self.history[page] = 0.0

    def visit(self, page: str, links: Sequence[str]) -> None:
        """Books the page's cash and passes it on, to each link alike; new pages become known."""
        amount = self.cash[page]
        self.history[page] += amount
        self.booked += amount
        self.cash[page] = 0.0
        for link in links:
            self.discover(link)
        for target in links or tuple(self.cash):
            self.cash[target] += amount / (len(links) or len(self.cash))

    def cash_of(self, page: str) -> float:
        """What a page has gathered since its last visit."""
        return self.cash[page]

    def importance(self, page: str) -> float:
        """(H + C) / (G + 1): an estimate of the page's PageRank without damping; over all pages it sums to 1 if the
        cash given out at the start did."""
        return (self.history[page] + self.cash[page]) / (self.booked + 1.0)

    def richest(self) -> str:
        """The page to visit next; of equals the one known longest."""
        return max(self.cash, key=self.cash.__getitem__)
