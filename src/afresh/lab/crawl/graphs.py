"""A synthetic web of sites, pages and links, for comparing orders by what they find first.

Sizes of sites follow a power law; a page is reached from an older one of its site (so every page is reachable from its
site's first); further links go within the site or to pages that are already linked to ("rich get richer").
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LinkGraph:
    """Pages 0 … n-1, their sites, and links by page."""

    site: Numbers  # of each page
    sources: Numbers
    targets: Numbers

    @property
    def pages(self) -> int:
        """How many there are."""
        return len(self.site)

    def leaving(self) -> list[list[int]]:
        """The targets of each page's links, without repetition."""
        links: list[list[int]] = [[] for _ in range(self.pages)]
        for one, other in zip(self.sources.tolist(), self.targets.tolist(), strict=True):
            links[one].append(other)
        return [list(dict.fromkeys(found)) for found in links]


def synthetic_graph(
    rng: np.random.Generator, *, sites: int, pages: int, links: float = 6.0, internal: float = 0.75
) -> LinkGraph:
    """About so many pages on so many sites; ``links`` a page beside the one that makes the page reachable."""
    sizes = _sizes(rng.pareto(1.2, sites) + 0.2, pages)
    site = np.repeat(np.arange(sites), sizes)
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    count = len(site)
    place = np.arange(count) - first[site]
    tree_to = np.flatnonzero(place > 0)
    parent = first[site[tree_to]] + (rng.random(len(tree_to)) ** 2 * place[tree_to]).astype(np.int64)
    roots = first[1:]  # every site is linked from a page of an earlier one
    from_earlier = (rng.random(len(roots)) * roots).astype(np.int64)
    number = rng.poisson(links, count)
    sources = np.repeat(np.arange(count), number)
    within = rng.random(len(sources)) < internal
    near = first[site[sources]] + (rng.random(len(sources)) ** 2 * sizes[site[sources]]).astype(np.int64)
    far = _preferential(rng, first, sizes, len(sources))
    targets = np.where(within, near, far)
    apart = sources != targets
    return LinkGraph(
        site,
        np.concatenate([parent, from_earlier, sources[apart]]).astype(np.int64),
        np.concatenate([tree_to, roots, targets[apart]]).astype(np.int64),
    )


def _sizes(raw: NDArray[np.float64], pages: int) -> Numbers:
    """Pages of each site in proportion, at least one and at most five times the mean or a fiftieth of the web."""
    most = max(5 * pages // len(raw), pages // 50, 1)
    low, high = 0.0, float(pages)
    for _ in range(60):  # the factor that makes them so many in all
        middle = 0.5 * (low + high)
        low, high = (middle, high) if np.clip(raw * middle, 1, most).sum() < pages else (low, middle)
    return np.round(np.clip(raw * low, 1, most)).astype(np.int64)


def _preferential(rng: np.random.Generator, first: Numbers, sizes: Numbers, count: int) -> Numbers:
    """Targets of links between sites: a site by a power-law fame of its own, mostly its first page."""
    fame = rng.pareto(1.1, len(sizes)) + 0.1
    chosen = rng.choice(len(sizes), size=count, p=fame / fame.sum())
    deep = rng.random(count) < 0.3
    return np.asarray(first[chosen] + np.where(deep, (rng.random(count) * sizes[chosen]).astype(np.int64), 0))
