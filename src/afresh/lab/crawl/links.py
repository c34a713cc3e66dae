"""Links that simulated pages carry: within the site or beyond it, new or known.  [G20] §7.2.1, App. C."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from afresh.lab.crawl.draws import draw_hosts, draw_paths
from afresh.lab.crawl.settings import SimulatorSettings

#: how fast the likelihood of more links falls under ``power_law``
_EXPONENT = 2.0


def link_counts(settings: SimulatorSettings, rng: np.random.Generator, pages: int) -> NDArray[np.int64]:
    """How many links each page carries, between the least and the most of the settings.

    ``discrete``: all numbers alike. ``linear_smaller``: likelihood falls linearly to the largest number. ``power_law``:
    with the square of the place of the number. [G20] names the last two without saying what they are.
    """
    least, most = settings.min_links_per_page, settings.max_links_per_page
    if least == most:
        return np.full(pages, least, dtype=np.int64)
    places = np.arange(1, most - least + 2, dtype=np.float64)
    weights = {
        "discrete": np.ones_like(places),
        "linear_smaller": places[::-1],
        "power_law": places**-_EXPONENT,
    }[settings.lpp_distribution_type]
    return rng.choice(len(places), size=pages, p=weights / weights.sum()).astype(np.int64) + least


class LinkMaker:
    """Makes up the links of visited pages; ``known`` gives random URLs that the frontier knows already."""

    def __init__(
        self, settings: SimulatorSettings, rng: np.random.Generator, known: Callable[[int], Sequence[str]]
    ) -> None:
        self._settings, self._rng, self._known = settings, rng, known
        self._paths: list[str] = []  # drawn in advance, by the thousand
        self._hosts: list[str] = []

    def links(self, fqdn: str, urls: Sequence[str]) -> list[tuple[str, ...]]:
        """The links of each page of one list."""
        counts = link_counts(self._settings, self._rng, len(urls))
        total = int(counts.sum())
        internal = self._rng.random(total) < self._settings.int_vs_ext_threshold
        new = self._rng.random(total) < self._settings.new_vs_exist_threshold
        found = [
            (self._inside(fqdn) if near else self._new_site()) if unknown else (self._listed(urls) if near else "")
            for near, unknown in zip(internal.tolist(), new.tolist(), strict=True)
        ]
        missing = [place for place, link in enumerate(found) if not link]
        for place, link in zip(missing, self._elsewhere(len(missing), urls), strict=True):
            found[place] = link
        ends = np.cumsum(counts).tolist()
        return [tuple(found[end - count : end]) for end, count in zip(ends, counts.tolist(), strict=True)]

    def _path(self) -> str:
        if not self._paths:
            self._paths = draw_paths(self._rng, 2_000)
        return self._paths.pop()

    def _inside(self, fqdn: str) -> str:
        return f"http://{fqdn}{self._path()}"

    def _new_site(self) -> str:
        if not self._hosts:
            self._hosts = draw_hosts(self._rng, 500)
        return f"http://{self._hosts.pop()}{self._path()}"

    def _listed(self, urls: Sequence[str]) -> str:
        """A page of the same list: known, and of the same site."""
        return urls[int(self._rng.integers(len(urls)))]

    def _elsewhere(self, count: int, urls: Sequence[str]) -> list[str]:
        known = list(self._known(count)) if count else []
        return known[:count] + [self._listed(urls) for _ in range(count - len(known))]  # an empty frontier knows few
