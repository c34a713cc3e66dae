"""A web that changes while it is crawled: each page by a Poisson process of its own rate, which its URL decides.

[G20] did not simulate changes (§7.1.4) and so could not measure freshness; here it is the expected share of known pages
whose copy is still current, without the noise of single changes.
"""

from math import exp, log

import numpy as np

from afresh.base.hashing import HASH_SPACE, stable_hash


class ChangingWeb:
    """Rates and last visits of pages. ``mean_interval`` is the mean time between changes of a middling page."""

    def __init__(self, rng: np.random.Generator, *, mean_interval: float, spread: float = 1.0) -> None:
        self._rng, self._interval, self._spread = rng, mean_interval, spread
        self._salt = str(int(rng.integers(1 << 62)))
        self._seen: dict[str, tuple[float, float]] = {}  # rate and last visit

    def rate(self, url: str) -> float:
        """Changes per second: log-logistic around the middle, so that some pages change all the time and some never."""
        u = (stable_hash(self._salt + url) + 0.5) / HASH_SPACE
        return exp(log(u / (1.0 - u)) * self._spread / 2.0) / self._interval

    def visit(self, url: str, now: float) -> bool:
        """Whether the page differs from its last copy; a first visit always does."""
        rate, last = self._seen.get(url, (self.rate(url), None))
        self._seen[url] = (rate, now)
        return last is None or bool(self._rng.random() < 1.0 - exp(-rate * max(0.0, now - last)))

    def freshness(self, now: float, known: int) -> float:
        """The expected share of known pages whose copy is current."""
        if not self._seen or not known:
            return 0.0
        rates, lasts = np.array(list(self._seen.values())).T
        return float(np.exp(-rates * np.maximum(0.0, now - lasts)).sum()) / known
