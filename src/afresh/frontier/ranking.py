"""Background work of a frontier: importance computed in batches, and homes of sites for three partitionings.

Lists are never held up by it: each use case reads what it needs, computes without the store, and writes the result back
in one go. It loads compiled code, so doors import it when it is asked for, not at start. Who calls it, and how often,
is the scheduler's business (``PageRankBatches`` says when a batch is due).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from afresh.base.records.frontier import SiteFacts
from afresh.base.records.frontier_store import FrontierStore
from afresh.frontier.orders.pagerank import pagerank
from afresh.frontier.partitionings import geo, graph, rtt
from afresh.frontier.place_table import address_number

#: where the frontier's store notes how many visits the last batch had seen
_BATCH_KEY = "ranking.pagerank.visits"
_PAGE = 1_000  # sites read at a time


@dataclass(frozen=True, slots=True)
class Ranked:
    """What a computation of PageRank came to."""

    pages: int
    links: int


def recompute_pageranks(store: FrontierStore) -> Ranked:
    """PageRank of all pages with links, scaled so that the mean is 1, into the store.

    A page's score is then comparable from batch to batch while the graph grows; a page that nothing links to and that
    links to nothing keeps what it had.
    """
    ends = np.fromiter(chain.from_iterable(store.edges()), dtype=np.int64)
    if len(ends) == 0:
        return Ranked(0, 0)
    numbers, places = np.unique(ends, return_inverse=True)
    scores = pagerank(len(numbers), places[0::2], places[1::2]) * len(numbers)
    store.put_pageranks(zip(numbers.tolist(), scores.tolist(), strict=True))
    return Ranked(len(numbers), len(ends) // 2)


@dataclass(frozen=True, slots=True)
class PageRankBatches:
    """Batch-PageRank: computed anew every so many visits, not after each ([G20] §4.2.1 names 100,000)."""

    store: FrontierStore
    every: int = 100_000

    def is_due(self) -> bool:
        """Whether enough pages were visited since the last batch."""
        return self.store.stats().visits - int(self.store.get_setting(_BATCH_KEY) or 0) >= self.every

    def run_if_due(self) -> Ranked | None:
        """A batch, or None if it is too soon."""
        if not self.is_due():
            return None
        visits = self.store.stats().visits
        done = recompute_pageranks(self.store)
        self.store.put_setting(_BATCH_KEY, str(visits))
        return done


def all_sites(store: FrontierStore) -> Iterator[SiteFacts]:
    """Every site, by name."""
    after = ""
    while found := store.sites(after=after, limit=_PAGE):
        yield from found
        after = found[-1].name


def assign_homes_by_round_trip(store: FrontierStore, *, now: float, measured_by: int = 2, margin: float = 0.1) -> int:
    """Sites go to the fetcher with the lowest median of the last 24 hours; how many have a home now.

    Homes with fetchers that are gone are taken back, so that somebody fetches these sites.
    """
    members = {member.uuid for member in store.fetchers()}
    current = {site.name: site.home for site in all_sites(store) if site.home}
    chosen = rtt.homes(
        store.round_trips(since=now - rtt.WINDOW),
        members=members,
        current=current,
        measured_by=measured_by,
        margin=margin,
    )
    lost = ((site, "") for site, home in current.items() if home not in members and site not in chosen)
    changed = ((site, home) for site, home in chosen.items() if current.get(site) != home)
    store.put_homes(list(chain(lost, changed)))
    return len(chosen)


def assign_homes_by_geography(store: FrontierStore, table: geo.PlaceTable) -> int:
    """Sites go to the nearest fetcher by the operator's table; how many have a home now.

    A site that lies nowhere by the table has no home: anybody may fetch it.
    """
    sites = list(all_sites(store))
    chosen = geo.homes(
        (
            (
                site.name,
                site.tld,
                [found for text in (site.last_ipv4, site.last_ipv6) if (found := address_number(text))],
            )
            for site in sites
        ),
        members=store.fetchers(),
        table=table,
    )
    store.put_homes(
        [(site.name, chosen.get(site.name, "")) for site in sites if site.home != chosen.get(site.name, "")]
    )
    return len(chosen)


def assign_homes_by_graph(store: FrontierStore, *, seed: int = 0, slack: float = 0.02) -> int:
    """Communities of the link graph go to one fetcher each, evenly by pages; how many sites have a home now."""
    members = store.fetchers()
    sites = list(all_sites(store))
    if not members:
        store.put_homes([(site.name, "") for site in sites if site.home])
        return 0
    place = {site.name: number for number, site in enumerate(sites)}
    links = [
        (place[one], place[other], count)
        for one, other, count in store.site_edges()
        if one in place and other in place  # a site may have come since the list was read
    ]
    ends = np.array(links, dtype=np.int64).reshape(-1, 3)
    owners = graph.homes(
        len(sites),
        ends[:, 0],
        ends[:, 1],
        ends[:, 2].astype(np.float64),
        np.array([max(1, site.urls) for site in sites], dtype=np.float64),
        fetchers=len(members),
        rng=np.random.default_rng(seed),
        slack=slack,
    )
    chosen = [(site.name, members[owner].uuid) for site, owner in zip(sites, owners.tolist(), strict=True)]
    store.put_homes([pair for pair, site in zip(chosen, sites, strict=True) if site.home != pair[1]])
    return len(chosen)
