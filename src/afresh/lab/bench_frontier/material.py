"""The URLs of a measurement: computed, not kept, so that a million of them cost nothing to know."""

import random
from collections.abc import Iterator

from afresh.lab.bench_frontier.options import BenchOptions

_TLDS = ("com", "net", "org", "de", "info", "uk", "fr", "nl", "it", "at")


class Material:
    """Known URLs by number, and links as pages would have them."""

    def __init__(self, options: BenchOptions) -> None:
        self._sites = options.sites
        self._urls = options.urls
        self._links = options.links
        self._rng = random.Random(options.seed)
        self._fresh = 0

    def site(self, number: int) -> str:
        return f"www.site{number}.{_TLDS[number % len(_TLDS)]}"

    def url(self, number: int) -> str:
        site = number % self._sites
        return f"https://www.site{site}.{_TLDS[site % len(_TLDS)]}/page/{number // self._sites}"

    def all_urls(self, batch: int) -> Iterator[list[str]]:
        """Every URL, site by site, in batches."""
        pages = [self._urls // self._sites + (site < self._urls % self._sites) for site in range(self._sites)]
        kept: list[str] = []
        for site, count in enumerate(pages):
            start = f"https://{self.site(site)}/page/"
            kept += [f"{start}{page}" for page in range(count)]
            if len(kept) >= batch:
                yield kept
                kept = []
        if kept:
            yield kept

    def links(self, site: str) -> list[str]:
        """Links of one page: four in five known (anywhere), the fifth new on the same site."""
        count = self._links
        known = self._rng.random
        found = []
        for place in range(count):
            if place % 5 == 4:
                self._fresh += 1
                found.append(f"https://{site}/new/{self._fresh}")
            else:
                found.append(self.url(int(known() * self._urls)))
        return found
