"""A stand-in for the 14.5-million-page repository that MERGE was first tried on, of which only the outline is known.

Site sizes are lognormal (sigma 1.6) and held to [1, 100,000]; the logarithm of a page's rate a day is normal (1.2)
about its site's own mean, itself normal(-3.2, 1.3): pages of a site resemble each other. One request to a site every
30 seconds.
"""

import numpy as np
from numpy.typing import NDArray

from afresh.base.errors import ModelError
from afresh.lab.allocation.pages import Pages

DAY = 86_400.0
FULL_PAGES = 14_500_000
FULL_SITES = 5_500
_LARGEST = 100_000


def standin(
    pages: int = FULL_PAGES,
    sites: int | None = None,
    *,
    weighted: bool = False,
    delay: float = 30.0,
    seed: int = 2007,
) -> Pages:
    """About ``pages`` pages in single precision; by default as many to a site as in the original.

    ``weighted`` draws importance from a Pareto(1.2) distribution instead of making all pages alike.
    """
    count = max(1, round(pages * FULL_SITES / FULL_PAGES)) if sites is None else sites
    if pages < count:
        raise ModelError(f"{count} sites need at least as many pages, not {pages}")
    rng = np.random.default_rng(seed)
    sizes = site_sizes(rng, pages, count)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    means = rng.normal(-3.2, 1.3, count) - np.log(DAY)
    rate = np.empty(offsets[-1], dtype=np.float32)
    weight = np.empty(offsets[-1], dtype=np.float32) if weighted else None
    for s in range(count):  # site by site: a hundred million pages leave no room for temporary arrays
        first, last = offsets[s], offsets[s + 1]
        part = rng.standard_normal(last - first, dtype=np.float32)
        np.exp(np.float32(means[s]) + np.float32(1.2) * part, out=rate[first:last])
        if weight is not None:
            weight[first:last] = rng.pareto(1.2, last - first) + 1.0
    return Pages.of(rate, weight=weight, offsets=offsets, delays=np.full(count, delay))


def site_sizes(rng: np.random.Generator, pages: int, sites: int) -> NDArray[np.int64]:
    """Lognormal sizes scaled until, held to their limits, they add up to about ``pages``."""
    raw = np.exp(rng.normal(0.0, 1.6, sites))
    low, high = 0.0, 1e9
    for _ in range(100):
        scale = 0.5 * (low + high)
        if np.clip(raw * scale, 1, _LARGEST).sum() > pages:
            high = scale
        else:
            low = scale
    return np.clip(np.rint(raw * low), 1, _LARGEST).astype(np.int64)


def small_sites(sites: int = 600, *, seed: int = 600) -> Pages:
    """Sites of 2 to 20 pages of Pareto(1.2) importance, where order matters; no caps, which depend on the budget."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 21, sites)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    means = np.repeat(rng.normal(-3.2, 1.3, sites), sizes)
    rate = np.exp(means + rng.normal(0.0, 1.2, offsets[-1])) / DAY
    return Pages.of(rate, weight=rng.pareto(1.2, offsets[-1]) + 1.0, offsets=offsets)
