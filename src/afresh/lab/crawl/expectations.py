"""What correct strategies must come to in the thesis's tests, without any crawl: sites and fetchers drawn, counted.

In T3 each fetcher has room for so many sites; those of its share beyond that stay unvisited, and a fetcher with few
idles. So evenness of the shares decides what is visited. In T4 lists are the scarce thing, and short lists waste them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from afresh.lab.crawl.draws import shares, top_level_domains
from afresh.lab.metrics.crawl import visited_share


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """A test like T3: sites of equal size, and fetchers with room for so many of them each."""

    sites: int
    pages: int  # of a site
    fetchers: int
    room: int  # lists of a fetcher in the whole test
    links: float  # new pages found by a visit

    def share(self, visited_sites: float) -> float:
        """The visited share of pages when so many sites were visited."""
        return visited_share(visited_sites * self.pages, self.sites * self.pages, self.links)


@dataclass(frozen=True, slots=True)
class Expected:
    """Mean and the range that nine of ten draws fall into."""

    mean: float
    low: float
    high: float


def _of(values: NDArray[np.float64]) -> Expected:
    low, high = np.quantile(values, [0.05, 0.95])
    return Expected(float(values.mean()), float(low), float(high))


def everybody(test: Capacity) -> Expected:
    """Without partitioning: room is the only limit."""
    share = test.share(min(test.sites, test.fetchers * test.room))
    return Expected(share, share, share)


def by_hash(test: Capacity, rng: np.random.Generator, draws: int = 1_000) -> Expected:
    """Sites fall to fetchers evenly, by chance."""
    counts = rng.multinomial(test.sites, np.full(test.fetchers, 1.0 / test.fetchers), size=draws)
    return _of(np.array([test.share(int(np.minimum(row, test.room).sum())) for row in counts]))


def by_ring(test: Capacity, positions: int, rng: np.random.Generator, draws: int = 1_000) -> Expected:
    """Sites fall to fetchers by the length of their arcs, which is random too."""
    found = np.empty(draws)
    for draw in range(draws):
        places = np.sort(rng.random(test.fetchers * positions))
        owners = rng.permutation(np.repeat(np.arange(test.fetchers), positions))
        arcs = np.diff(places, prepend=places[-1] - 1.0)
        lengths = np.bincount(owners, weights=arcs, minlength=test.fetchers)
        counts = rng.multinomial(test.sites, lengths / lengths.sum())
        found[draw] = test.share(int(np.minimum(counts, test.room).sum()))
    return _of(found)


def by_tld(test: Capacity, rng: np.random.Generator, draws: int = 1_000) -> Expected:
    """Sites and preferences are drawn by registrations; fetchers of one domain share its sites."""
    weights = shares(top_level_domains().values())
    found = np.empty(draws)
    for draw in range(draws):
        sites = rng.multinomial(test.sites, weights)
        fetchers = rng.multinomial(test.fetchers, weights)
        found[draw] = test.share(int(np.minimum(sites, fetchers * test.room).sum()))
    return _of(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """A test like T4: rounds of so many lists over sites of equal size, while visits find new sites of one page."""

    sites: int
    pages: int
    rounds: int
    lists: int  # of all fetchers in a round
    links: float  # pages found by a visit that were unknown
    new_sites: float  # of these, on new sites

    def visits(self, order: str) -> float:
        """Expected visits by order ``large``, ``small`` or ``random``: which of old and new sites the lists go to."""
        old, new, visits = float(self.sites), 0.0, 0.0
        for _ in range(self.rounds):
            chosen_old, chosen_new = self._chosen(order, old, new)
            found = chosen_old * self.pages + chosen_new
            old, new, visits = old - chosen_old, new - chosen_new + found * self.new_sites, visits + found
        return visits

    def _chosen(self, order: str, old: float, new: float) -> tuple[float, float]:
        lists = min(float(self.lists), old + new)
        if order == "large":
            first = min(old, lists)
            return first, lists - first
        if order == "small":
            first = min(new, lists)
            return lists - first, first
        return lists * old / (old + new), lists * new / (old + new)

    def share(self, order: str) -> float:
        """The expected visited share at the end."""
        return visited_share(self.visits(order), self.sites * self.pages, self.links)


def moved_share(before: int, *, ring: bool) -> float:
    """The share of sites that change hands when one fetcher joins so many: 1/(N+1) on a ring, N/(N+1) by remainder."""
    return 1.0 / (before + 1) if ring else before / (before + 1)
