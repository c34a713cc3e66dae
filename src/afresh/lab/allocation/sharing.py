"""Fixed shares of a budget under caps: every page gets its share of a common pace until its site is full."""

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from afresh.base.errors import ModelError
from afresh.lab.allocation.best import Allocation
from afresh.lab.allocation.pages import Pages, site_sums

Floats = NDArray[np.float64]


class Sharing:
    """A policy that divides the budget by shares of its own, as far as sites permit, and maximises nothing."""

    __slots__ = ()

    counts_importance: ClassVar[bool] = False
    objective: ClassVar[str | None] = None

    def shares(self, pages: Pages) -> Floats:
        """What each page is given relative to the others."""
        raise NotImplementedError

    def allocate(self, pages: Pages, budget: float) -> Allocation:
        """The budget, divided."""
        return share_out(pages, self.shares(pages), budget)


def share_out(pages: Pages, shares: NDArray[np.floating[Any]], budget: float) -> Allocation:
    """Frequencies proportional to ``shares``, with one factor for all sites below their cap and its own for each at it.

    The factor c solves: sum over sites of min(cap, c * shares of the site) = budget, by one sort of the sites.
    """
    if not budget >= 0.0:
        raise ModelError(f"the budget must be a number of requests a second, at least 0, not {budget}")
    sums = site_sums(shares, pages.offsets)
    caps = np.full(pages.sites, math.inf) if pages.caps is None else pages.caps
    capacity = float(np.sum(caps[sums > 0.0]))
    if math.isinf(budget) and math.isinf(capacity):
        raise ModelError("an infinite budget needs a cap on every site that has pages")
    factor = common_factor(sums, caps, min(budget, capacity))
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.where(sums > 0.0, np.minimum(factor, caps / sums), 0.0)
        full = (sums > 0.0) & (factor * sums >= caps)
    frequencies = (np.repeat(own, np.diff(pages.offsets)) * shares).astype(pages.rate.dtype)
    return Allocation(
        frequencies=frequencies,
        price=math.nan,
        site_prices=np.full(pages.sites, math.nan),
        full=full,
        budget=budget,
        spent=float(np.sum(frequencies, dtype=np.float64)),
        starved=int(np.sum((frequencies == 0.0) & (pages.rate > 0.0))),
    )


def common_factor(sums: Floats, caps: Floats, budget: float) -> float:
    """The c with sum of min(cap, c * sum) = budget; infinite where all caps together are not more than the budget."""
    used = np.flatnonzero((sums > 0.0) & (caps > 0.0))
    if not len(used) or budget <= 0.0:
        return 0.0
    limits = caps[used] / sums[used]  # the factor at which each site fills up
    order = np.argsort(limits, kind="stable")
    left = budget - np.concatenate([[0.0], np.cumsum(caps[used][order])[:-1]])
    open_sums = np.cumsum(sums[used][order][::-1])[::-1]
    factors = left / open_sums
    fits = np.flatnonzero(factors <= limits[order])
    return float(max(factors[fits[0]], 0.0)) if len(fits) else math.inf
