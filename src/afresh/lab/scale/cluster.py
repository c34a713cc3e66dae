"""What a crawl of many machines is made of: sites, fetchers, databases with their buckets, and how often they fail."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from afresh.base.errors import UsageError

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """The machines of a crawl; times in seconds."""

    sites: int = 1_000_000
    pages: int = 100_000_000
    largest: int = 20_000  # pages of the largest site
    spread: float = 1.5  # of the logarithm of a site's pages
    buckets: int = 64
    servers: int = 4  # databases; buckets are spread evenly over them
    server_rate: float = 20_000.0  # URLs that a database hands out and takes back in a second
    fetchers: int = 40
    parallel: int = 1_000  # sites that a fetcher visits at a time
    delay: float = 1.0  # between two requests to a site
    list_length: int = 100  # most pages of a list
    lease: float = 600.0  # until a list is handed out again whose fetcher says nothing
    fetcher_fails: float = 14_400.0  # mean time between two failures of a fetcher; 0: never
    fetcher_away: float = 120.0
    server_fails: float = 7_200.0  # the same for a database
    server_away: float = 60.0
    leader_fails: float = 600.0  # and for the process that leads
    leader_away: float = 2.0  # until another one leads

    def __post_init__(self) -> None:
        if min(self.sites, self.buckets, self.servers, self.fetchers, self.parallel, self.list_length) < 1:
            raise UsageError("a crawl needs at least one site, bucket, server, fetcher, and a list of one page")
        if not self.sites <= self.pages <= self.sites * self.largest:
            raise UsageError(f"{self.pages:,} pages do not fit {self.sites:,} sites of 1 to {self.largest:,}")
        if self.lease <= self.delay * self.list_length:
            raise UsageError("a lease must last longer than a list takes")

    @property
    def slots(self) -> int:
        """Sites that are visited at a time."""
        return self.fetchers * self.parallel


def draw_pages(cluster: Cluster, rng: np.random.Generator) -> Ints:
    """Pages of each site: many small, few large, as many in all as was asked for, but for rounding."""
    raw = np.exp(rng.normal(0.0, cluster.spread, cluster.sites))
    low, high = 1e-9, 1e9
    for _ in range(200):  # the scale at which they sum up to what is wanted, by halving
        scale = (low * high) ** 0.5
        total = np.clip(np.rint(raw * scale), 1, cluster.largest).sum()
        low, high = (scale, high) if total < cluster.pages else (low, scale)
    return np.clip(np.rint(raw * high), 1, cluster.largest).astype(np.int64)
