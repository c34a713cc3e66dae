"""A crawl of a link graph page by page, in one of the orders of the literature, with politeness.

[G20] §4.2.4, Table 7.

Robots work in rounds; in a round each takes the best page of another site, and a site rests for some rounds. A page can
be chosen once a downloaded page links to it. The orders know only what the crawl has seen; *omniscient* knows all.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from afresh.frontier.orders.pagerank import pagerank
from afresh.lab.crawl.graphs import LinkGraph

ORDERS = ("in_degree", "breadth_first", "batch_pagerank", "opic", "large_sites_first", "omniscient")


@dataclass(slots=True)
class _Crawl:
    """Pages known and downloaded; per site a heap of pages, over all sites a heap of sites."""

    graph: LinkGraph
    order: str
    truth: NDArray[np.float64]
    batch: int
    links: list[list[int]] = field(default_factory=list)
    score: list[float] = field(default_factory=list)  # of pages: more is sooner
    known: list[bool] = field(default_factory=list)
    done: list[int] = field(default_factory=list)
    taken: list[bool] = field(default_factory=list)
    queues: list[list[tuple[float, int, int]]] = field(
        default_factory=list
    )  # of sites: -score, order of discovery, page
    pending: list[int] = field(default_factory=list)
    found: int = 0

    def __post_init__(self) -> None:
        count = self.graph.pages
        self.links = self.graph.leaving()
        self.score, self.known, self.taken = [0.0] * count, [False] * count, [False] * count
        sites = int(self.graph.site.max()) + 1
        self.queues = [[] for _ in range(sites)]
        self.pending = [0] * sites

    def discover(self, page: int, amount: float) -> None:
        """A link to a page was seen; ``amount`` is the cash it carries."""
        new = not self.known[page]
        if new:
            self.known[page] = True
            self.found += 1
            self.pending[int(self.graph.site[page])] += 1
            self.score[page] = {"omniscient": self.truth[page], "breadth_first": -float(self.found)}.get(
                self.order, 0.0
            )
        grows = {"in_degree": 1.0, "opic": amount}.get(self.order, 0.0)
        self.score[page] += grows
        if (new or grows) and not self.taken[page]:
            self.push(page)

    def push(self, page: int) -> None:
        """The page's present score into its site's queue; older entries of it become stale."""
        heapq.heappush(self.queues[int(self.graph.site[page])], (-self.score[page], page, page))

    def best(self, site: int) -> int | None:
        """The site's best page; None if it has none."""
        queue = self.queues[site]
        while queue and (self.taken[queue[0][2]] or -queue[0][0] != self.score[queue[0][2]]):
            heapq.heappop(queue)
        return queue[0][2] if queue else None

    def key(self, site: int) -> float | None:
        """How soon the site is due: by its size under large-sites-first, else by its best page; None: nothing left."""
        page = self.best(site)
        if page is None:
            return None
        return -float(self.pending[site]) if self.order == "large_sites_first" else -self.score[page]

    def download(self, page: int) -> set[int]:
        """Takes a page; the sites whose queues changed."""
        self.taken[page] = True
        self.done.append(page)
        self.pending[int(self.graph.site[page])] -= 1
        amount, links = self.score[page] if self.order == "opic" else 0.0, self.links[page]
        for link in links:
            self.discover(link, amount / len(links))
        changed = {int(self.graph.site[link]) for link in links} | {int(self.graph.site[page])}
        if self.order == "batch_pagerank" and len(self.done) % self.batch == 0:
            self.rerank()
            changed = {site for site, count in enumerate(self.pending) if count}
        return changed

    def rerank(self) -> None:
        """PageRank of what is known so far: links of downloaded pages only."""
        done = np.array(self.done)
        keep = np.isin(self.graph.sources, done)
        scores = pagerank(self.graph.pages, self.graph.sources[keep], self.graph.targets[keep], tolerance=1e-6)
        for page, known in enumerate(self.known):
            if known and not self.taken[page]:
                self.score[page] = float(scores[page])
                self.push(page)


def crawl(
    graph: LinkGraph, order: str, *, truth: NDArray[np.float64], robots: int, rest: int, batch: int = 1_000
) -> tuple[list[int], list[int]]:
    """The pages in the order they are downloaded, beginning with the first page of the first site, and their rounds.

    ``rest``: rounds a site rests after a page. ``batch``: pages between two computations of PageRank.
    """
    state = _Crawl(graph, order, truth, batch)
    sites: list[tuple[float, int]] = []
    resting: dict[int, list[int]] = {}
    ready = [0] * len(state.queues)
    rounds: list[int] = []

    def touch(site: int, now: int) -> None:
        key = state.key(site)
        if key is not None and ready[site] <= now:
            heapq.heappush(sites, (key, site))

    state.discover(0, 1.0)
    touch(0, 0)
    now = 0
    while sites or resting:
        for site in resting.pop(now, ()):
            touch(site, now)
        for _ in range(robots):
            chosen = _pop(sites, state.key, ready, now)
            if chosen is None:
                break
            ready[chosen] = now + 1 + rest
            resting.setdefault(ready[chosen], []).append(chosen)
            page = state.best(chosen)
            assert page is not None
            rounds.append(now)
            for other in state.download(page):
                touch(other, now)
        now += 1
    return state.done, rounds


def _pop(sites: list[tuple[float, int]], key: Callable[[int], float | None], ready: list[int], now: int) -> int | None:
    """The best site that is ready; entries whose key has changed since are stale (a newer one is in the heap)."""
    while sites:
        noted, site = heapq.heappop(sites)
        if ready[site] <= now and key(site) == noted:
            return site
    return None
