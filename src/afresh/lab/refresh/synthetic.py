"""Synthetic sources with keywords, and the query that wants some of them.  [H12] §4.4.1."""

from dataclasses import dataclass

import numpy as np

from afresh.base.errors import ModelError
from afresh.lab.refresh.simulator import Web


@dataclass(frozen=True, slots=True, kw_only=True)
class Keywords:
    """How entries get keywords, which the thesis leaves open.

    ``one``: an entry carries one keyword of its source's profile. ``independent``: each keyword of the profile with
    probability ``share`` (the "20 % of the source's profile" of the thesis). ``none``: the query wants everything.
    """

    dictionary: int = 10
    profile: float = 0.5  # part of the dictionary in a source's profile, on average
    query: float = 0.4  # part of the dictionary in the query, exactly
    share: float = 0.2
    reading: str = "one"

    def __post_init__(self) -> None:
        if self.reading not in ("one", "independent", "none"):
            raise ModelError(f"keywords: reading must be one, independent or none, not {self.reading!r}")
        if self.dictionary < 1 or not (0 < self.profile <= 1 and 0 <= self.query <= 1 and 0 <= self.share <= 1):
            raise ModelError("keywords: a dictionary has words, and shares lie between 0 and 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Homogeneous Poisson sources in cycles of length 1."""

    sources: int = 100
    highest_rate: float = 6.5  # entries a cycle; rates are even between 0 and this
    window: int = 10
    keywords: Keywords = Keywords()

    def draw(self, rng: np.random.Generator, cycles: int) -> Web:
        """Sources, a query and all entries of so many cycles; those of cycle c have the time c (1, 2, …)."""
        n = self.sources
        rates = rng.uniform(0.0, self.highest_rate, n)
        counts = rng.poisson(rates[:, None], (n, cycles))
        totals = counts.sum(axis=1)
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(totals)]).astype(np.int64)
        times = np.repeat(np.tile(np.arange(1.0, cycles + 1.0), n), counts.ravel())
        owner = np.repeat(np.arange(n), totals)
        relevant = self._relevant(rng, owner, n)
        return Web(
            offsets=offsets,
            times=times,
            windows=np.full(n, self.window, dtype=np.float32),
            relevant=relevant,
        )

    def _relevant(self, rng: np.random.Generator, owner: np.ndarray, n: int) -> np.ndarray | None:
        words = self.keywords
        if words.reading == "none":
            return None
        size = words.dictionary
        profiles = rng.random((n, size)) < words.profile
        empty = ~profiles.any(axis=1)
        profiles[empty, rng.integers(0, size, int(empty.sum()))] = True
        query = np.zeros(size, dtype=np.bool_)
        query[rng.choice(size, round(words.query * size), replace=False)] = True
        if words.reading == "one":
            selectivity = (profiles & query).sum(axis=1) / profiles.sum(axis=1)
        else:
            # at least one of the query's words of the profile is drawn
            selectivity = 1.0 - (1.0 - words.share) ** (profiles & query).sum(axis=1)
        return np.asarray(rng.random(len(owner)) < selectivity[owner])
