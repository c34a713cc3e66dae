"""Links that simulated pages carry: within the site or beyond it, new or known.  [G20] §7.2.1, App. C."""

from collections.abc import Callable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from afresh.lab.crawl.draws import draw_hosts, draw_paths
from afresh.lab.crawl.settings import SimulatorSettings

#: random known URLs asked for at a time
KNOWN = 200
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


class Stock:
    """Known URLs, asked for by the hundred rather than one by one, as a fetcher over HTTP does."""

    def __init__(self, ask: Callable[[int], Sequence[str]], size: int = KNOWN) -> None:
        self._ask, self._size = ask, size
        self._urls: list[str] = []

    def take(self, count: int) -> list[str]:
        """As many, or fewer if the frontier knows fewer."""
        if len(self._urls) < count:
            self._urls += self._ask(max(count, self._size))
        taken, self._urls = self._urls[:count], self._urls[count:]
        return taken


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
        counts = link_counts(self._settings, self._rng, len(urls)).tolist()
        found = iter(self._drawn(fqdn, urls, sum(counts)))
        return [tuple(islice(found, count)) for count in counts]

    def _drawn(self, fqdn: str, urls: Sequence[str], total: int) -> list[str]:
        near, unknown = self._settings.int_vs_ext_threshold, self._settings.new_vs_exist_threshold
        chances = self._rng.random(2 * total)
        if near >= 1.0 and unknown >= 1.0:  # as in most tests: no link has to be looked at by itself
            return self._inside(fqdn, total)
        internal, new = (chances[:total] < near).tolist(), (chances[total:] < unknown).tolist()
        found = [
            (self._inside(fqdn, 1)[0] if is_near else self._new_site())
            if is_new
            else (self._listed(urls) if is_near else "")
            for is_near, is_new in zip(internal, new, strict=True)
        ]
        missing = [place for place, link in enumerate(found) if not link]
        for place, link in zip(missing, self._elsewhere(len(missing), urls), strict=True):
            found[place] = link
        return found

    def _take_paths(self, count: int) -> list[str]:
        taken: list[str] = []
        while len(taken) < count:
            if not self._paths:
                self._paths = draw_paths(self._rng, 2_000)
            wanted = count - len(taken)
            taken += self._paths[: -wanted - 1 : -1]
            del self._paths[-wanted:]
        return taken

    def _inside(self, fqdn: str, count: int) -> list[str]:
        start = f"http://{fqdn}"
        return [start + path for path in self._take_paths(count)]

    def _new_site(self) -> str:
        if not self._hosts:
            self._hosts = draw_hosts(self._rng, 500)
        return self._inside(self._hosts.pop(), 1)[0]

    def _listed(self, urls: Sequence[str]) -> str:
        """A page of the same list: known, and of the same site."""
        return urls[int(self._rng.integers(len(urls)))]

    def _elsewhere(self, count: int, urls: Sequence[str]) -> list[str]:
        known = list(self._known(count)) if count else []
        return known[:count] + [self._listed(urls) for _ in range(count - len(known))]  # an empty frontier knows few
