"""The example database: sites with pages, partly visited, and fetchers with preferences.

[G20] §7.1.5, App. C Table 15.
"""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from afresh.base.errors import UsageError
from afresh.base.records.frontier import FetcherAccount, PageReport, Seed
from afresh.lab.crawl.draws import draw_delays, draw_hosts, draw_pageranks, draw_paths, draw_tlds

#: 2000-01-01 UTC: visited pages have a date since then
_EARLIEST = 946_684_800.0
_TOGETHER = 1_000  # sites drawn at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleSettings:
    """How large the example is; names and defaults of [G20]. A site that draws no pages is left out."""

    fetcher_amount: int = 3
    fqdn_amount: int = 20
    min_url_amount: int = 10
    max_url_amount: int = 100
    visited_ratio: float = 0.0  # share of pages marked as visited
    fixed_crawl_delay: float | None = None  # None: drawn
    connection_amount: int = 0  # links of each page to others of the example
    spread_pagerank: bool = False  # ranks log-uniform, so that their order carries information

    def __post_init__(self) -> None:
        if not 0 <= self.min_url_amount <= self.max_url_amount:
            raise UsageError(
                f"min_url_amount {self.min_url_amount} must lie in 0 … max_url_amount {self.max_url_amount}"
            )
        if not 0.0 <= self.visited_ratio <= 1.0:
            raise UsageError(f"visited_ratio lies between 0 and 1, got {self.visited_ratio}")
        if min(self.fetcher_amount, self.fqdn_amount, self.connection_amount) < 0 or (self.fixed_crawl_delay or 0) < 0:
            raise UsageError("amounts and delays cannot be negative")


def example_seeds(settings: ExampleSettings, rng: np.random.Generator, now: float) -> Iterator[Seed]:
    """Sites and pages; the same generator gives the same database."""
    hosts = draw_hosts(rng, settings.fqdn_amount)
    fixed = settings.fixed_crawl_delay
    delays = draw_delays(rng, len(hosts)) if fixed is None else [fixed] * len(hosts)
    counts = rng.integers(settings.min_url_amount, settings.max_url_amount, size=len(hosts), endpoint=True).tolist()
    for first in range(0, len(hosts), _TOGETHER):
        part = slice(first, first + _TOGETHER)
        named = zip(hosts[part], delays[part], counts[part], strict=True)
        sites = [(host, delay) for host, delay, count in named for _ in range(count)]
        yield from _pages(settings, rng, now, sites)


def _pages(
    settings: ExampleSettings, rng: np.random.Generator, now: float, sites: list[tuple[str, float | None]]
) -> Iterator[Seed]:
    """One page for each entry."""
    count = len(sites)
    ranks = draw_pageranks(rng, count, spread=settings.spread_pagerank).tolist()
    seen = (rng.random(count) < settings.visited_ratio).tolist()
    when = rng.uniform(_EARLIEST, now, count).tolist()
    for (host, delay), path, rank, visited, at in zip(sites, draw_paths(rng, count), ranks, seen, when, strict=True):
        yield Seed(
            url=f"http://{host}{path}",
            site=host,
            pagerank=rank,
            discovered=now,
            last_visited=at if visited else None,
            crawl_delay=delay,
        )


def example_links(urls: list[str], settings: ExampleSettings, rng: np.random.Generator) -> Iterator[PageReport]:
    """``connection_amount`` links of every page to random others, as a fetcher would report them."""
    for url in urls:
        chosen = rng.integers(len(urls), size=settings.connection_amount)
        yield PageReport(url=url, links=tuple(urls[place] for place in chosen))


def example_fetchers(settings: ExampleSettings, rng: np.random.Generator, now: float) -> list[FetcherAccount]:
    """Fetchers that prefer a top-level domain each, drawn as those of sites are."""
    tlds = draw_tlds(rng, settings.fetcher_amount)
    return [simulated_fetcher(rng, number, tld, now) for number, tld in enumerate(tlds)]


def simulated_fetcher(rng: np.random.Generator, number: int, tld: str, now: float) -> FetcherAccount:
    """One account with a UUID from the generator, so that runs repeat."""
    return FetcherAccount(
        uuid=str(uuid.UUID(bytes=rng.bytes(16), version=4)),
        contact="simulator@example.org",
        name=f"simulated-{number}",
        registered=now + number * 1e-3,
        tld_preference=tld,
    )
