"""How often to visit each page: the best use of a budget of requests under each site's politeness.

    maximise    sum of what visits are worth (see ``marginals``)
    such that   all frequencies together are the budget, those of a site at most its cap

solved exactly by two searches one after the other (``prices``): every page is visited up to the point where one more
visit is worth the price, or the price of its site where politeness binds and that is higher.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from afresh.base.errors import ModelError
from afresh.lab.allocation.pages import Pages
from afresh.lab.allocation.shards import Shard, coordinate, objective_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """Frequencies of pages and the prices behind them."""

    frequencies: NDArray[np.floating[Any]]  # visits a second, in the order of the pages
    price: float  # what a visit must be worth; 0: every site is at its cap; infinite: nothing beyond floors is bought
    site_prices: Floats  # price in force at each site: its own where its cap binds, else that of all
    full: NDArray[np.bool_]  # sites held to their cap
    budget: float  # as asked for
    spent: float  # sum of the frequencies
    starved: int  # pages that change and matter, yet get no visit
    floor_share: float = 1.0  # below 1: the budget did not pay for the floors, each page got this share of its
    passes: int = 0  # over all pages
    work: int = 0  # evaluations of single pages in all

    @property
    def unspent(self) -> float:
        """Requests a second that politeness, or want of pages worth a visit, left over."""
        return max(self.budget - self.spent, 0.0)


def allocate(
    pages: Pages,
    budget: float,
    *,
    objective: str = "freshness",
    floor: float = 0.0,
    warm: Allocation | None = None,
    out: NDArray[np.floating[Any]] | None = None,
    tolerance: float = 1e-11,
) -> Allocation:
    """Spends ``budget`` visits a second on pages where they are worth most.

    ``floor`` is a frequency no page with importance falls below, whatever its rate: without one a page believed to
    change too fast is never looked at again. ``warm`` is an earlier solution for about the same pages (any number
    of them; its site prices are used if the sites are as many). ``out`` receives the frequencies.

    Defined at the edges: a page of rate 0 or weight 0 gets nothing (but for the floor, if it has weight), one of
    infinite rate nothing under objectives that cannot win it; a cap of 0 closes a site; what the sites cannot take
    stays unspent; floors that a cap or the budget cannot pay for are all cut to the same share.

    >>> from afresh.lab.allocation.pages import Pages
    >>> five = allocate(Pages.of([1.0, 2.0, 3.0, 4.0, 5.0]), 5.0)
    >>> five.frequencies.round(2).tolist(), five.starved
    ([1.15, 1.36, 1.35, 1.14, 0.0], 1)
    """
    shard = Shard(pages, objective_of(objective), floor)
    start = math.log(warm.price) if warm is not None and 0.0 < warm.price < math.inf else None
    settled = coordinate([shard], budget, start=start, tolerance=tolerance)
    frequencies = np.empty_like(pages.rate) if out is None else out
    if frequencies.shape != pages.rate.shape:
        raise ModelError(f"room for {frequencies.shape} frequencies, but there are {len(pages)} pages")
    with np.errstate(divide="ignore"):
        known = warm is not None and len(warm.site_prices) == pages.sites
        starts = np.log(warm.site_prices) if known and warm is not None else np.empty(0)
    spent, starved, own, work = shard.finish(settled, frequencies, starts, tolerance)
    return Allocation(
        frequencies=frequencies,
        price=math.exp(settled.log_price),
        site_prices=np.exp(np.maximum(own, settled.log_price)),
        full=shard.full,
        budget=budget,
        spent=spent,
        starved=starved,
        floor_share=settled.floor_share,
        passes=settled.passes,
        work=work + settled.passes * len(pages),
    )
