"""One price for pages that live in many places: each shard answers a price with two numbers.

A shard holds whole sites. The coordinator names a price; a shard returns what its sites demand at it and how that
changes with the logarithm of the price; the coordinator takes a Newton step. ``allocate`` is the case of one shard.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from afresh.base.errors import ModelError
from afresh.base.marginals import BELIEF, OBJECTIVES
from afresh.lab.allocation import prices
from afresh.lab.allocation.histogram import Histogram, histogram_of
from afresh.lab.allocation.pages import Pages

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Summary:
    """What a coordinator must know of a shard before the first price is named; sums over shards, but for the first."""

    top: float  # log price from which on nothing is bought, infinite if there is none
    floors: float  # what the floors cost, each site held to its cap
    capacity: float  # what politeness permits to sites that have anything worth a visit
    useful: float  # pages with importance


@dataclass(frozen=True, slots=True)
class Settled:
    """The price in force, found by ``coordinate``."""

    log_price: float  # -inf: every site is at its cap, requests are free
    mix: float  # share of the demand at the price itself, the rest is that at its upper neighbour
    floor_share: float  # below 1: the budget does not pay for the floors
    budget: float  # what can be spent of what was asked for
    passes: int  # over all pages


@dataclass(slots=True)
class Shard:
    """The pages of some whole sites, ready to answer prices."""

    pages: Pages
    objective: int
    floor: float = 0.0
    _goods: prices.Goods = field(init=False, repr=False)
    _sites: prices.Sites = field(init=False, repr=False)
    _settled: NDArray[np.uint8] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        pages, kind = self.pages, self.pages.rate.dtype
        if self.objective == BELIEF and pages.shape is None:
            raise ModelError("allocation by belief needs the shape of each page's Gamma belief")
        if not 0.0 <= self.floor < math.inf:
            raise ModelError(f"the floor must be a finite frequency of at least 0, not {self.floor}")
        one = np.ones(1, dtype=kind)
        weight = one if pages.weight is None else pages.weight
        shape = one if pages.shape is None else pages.shape
        caps = np.array([math.inf]) if pages.caps is None else pages.caps
        self._goods = prices.Goods(self.objective, self.floor, pages.rate, weight, shape)
        self._sites = prices.Sites(pages.offsets, caps, np.zeros(pages.sites, dtype=np.uint8))
        self._settled = np.zeros(pages.sites, dtype=np.uint8)

    def summary(self) -> Summary:
        self._settled[:] = 0
        return Summary(*prices.classify(self._goods, self._sites))

    def histogram(self) -> Histogram:
        return histogram_of(self.objective, self._goods.rate, self._goods.weight, self._goods.shape)

    def respond(self, log_price: float, blur: float = 0.0, stride: int = 1) -> tuple[float, float]:
        """Demand at a price, each site held to its cap, and its slope over the logarithm of the price.

        A stride above 1 looks at every so manieth page only, for a guess.
        """
        return prices.demand(self._goods, self._sites, log_price, blur, self._settled, stride)

    def keep_full(self) -> None:
        """Told that prices will only fall from here: sites full at the last price stay full."""
        np.maximum(self._settled, self._sites.state == prices.FULL, out=self._settled)

    def free(self) -> None:
        """Told that requests are free: every site with a page worth a visit fills its cap; others keep to floors."""
        offsets, _, state = self._sites
        for s in np.flatnonzero(state == prices.OPEN):
            if prices.highest_price(self._goods, offsets[s], offsets[s + 1]) > 0.0:
                state[s] = prices.FULL

    def finish(
        self, settled: Settled, out: NDArray[Any], starts: Floats, tolerance: float
    ) -> tuple[float, int, Floats, int]:
        """Prices the full sites and writes frequencies; returns spent, starved, log prices of sites and work done."""
        own = np.full(self.pages.sites, -math.inf)
        mixes = np.ones(self.pages.sites)
        start = settled.log_price if settled.log_price > -math.inf else math.nan
        work = 0
        if settled.floor_share >= 1.0:
            work = prices.settle_full_sites(self._goods, self._sites, start, starts, tolerance, own, mixes)
        spent, starved = prices.write_frequencies(
            self._goods, self._sites, settled.log_price, settled.mix, settled.floor_share, own, mixes, out
        )
        own[self._sites.state >= prices.SHARED] = math.inf
        return float(spent), int(starved), own, int(work)

    @property
    def full(self) -> NDArray[np.bool_]:
        """Which sites are held to their cap."""
        held: NDArray[np.bool_] = np.isin(self._sites.state, (prices.FULL, prices.SHARED))
        return held


def coordinate(
    shards: Sequence[Shard], budget: float, *, start: float | None = None, tolerance: float = 1e-11
) -> Settled:
    """Finds the one price at which all shards together demand the budget.

    A budget above what politeness permits, or above what the pages can use, is cut to that. ``start`` is the
    logarithm of a price expected to be near, for instance of the last solution.
    """
    if not budget >= 0.0:
        raise ModelError(f"the budget must be a number of requests a second, at least 0, not {budget}")
    known = [shard.summary() for shard in shards]
    top = max((one.top for one in known), default=-math.inf)
    floors = math.fsum(one.floors for one in known)
    capacity = sum(one.capacity for one in known)
    if math.isinf(budget) and math.isinf(capacity):
        raise ModelError("an infinite budget needs a cap on every site that has pages")
    spendable = min(budget, capacity)
    if spendable <= floors * (1.0 + 1e-15) or top == -math.inf:
        share = min(spendable / floors, 1.0) if floors > 0.0 else 1.0
        return Settled(math.inf, 1.0, share, spendable, 0)  # nothing is left to buy with: every page is at its floor
    if spendable >= capacity * (1.0 - 1e-15):
        for shard in shards:
            shard.free()
        return Settled(-math.inf, 1.0, 1.0, capacity, 0)
    if spendable > 1e30:
        raise ModelError(f"a budget of {budget} requests a second is past all use; give sites a cap")
    if start is None or not start < top:
        start = _thinned(shards, spendable, _first_guess(shards, spendable, floors, top), top)
    return _search(shards, spendable, start, top, tolerance)


def _search(shards: Sequence[Shard], target: float, at: float, top: float, tolerance: float) -> Settled:
    low, high, blur, worst = -math.inf, top, prices.BLUR, math.inf
    for turn in range(1, 200):
        total, slope = _ask(shards, at, blur)
        if abs(total - target) <= tolerance * target:
            return Settled(at, 1.0, 1.0, target, turn)
        if total > target:
            low = at
        else:
            high = at
            for shard in shards:
                shard.keep_full()
        if high - low < 0.5 * prices.SPREAD:
            break
        is_stuck = turn > 4 and abs(total - target) > 0.5 * worst
        worst = abs(total - target)
        ahead = prices.next_log_price(low, high, at, total, slope, target, is_stuck)
        at, blur = ahead, min(prices.BLUR, abs(ahead - at))
    less, _ = _ask(shards, prices.neighbour(low), 0.0)
    more, _ = _ask(shards, low, 0.0)  # last, so that the shards know which sites are full at the price in force
    mix = prices.share_of_first(more, less, target)
    return Settled(low, mix, 1.0, target, turn + 2)


def _thinned(shards: Sequence[Shard], target: float, at: float, top: float) -> float:
    """A better guess from every so manieth page of large sites, which unlike the histogram knows the caps."""
    low, high = -math.inf, top
    for _ in range(12):
        total, slope = _ask(shards, at, prices.BLUR, prices.THIN)
        if abs(total - target) <= 0.01 * target:
            break
        low, high = (at, high) if total > target else (low, at)
        at = prices.next_log_price(low, high, at, total, slope, target, False)
    return at


def _ask(shards: Sequence[Shard], log_price: float, blur: float, stride: int = 1) -> tuple[float, float]:
    answers = [shard.respond(log_price, blur, stride) for shard in shards]
    return math.fsum(answer[0] for answer in answers), math.fsum(answer[1] for answer in answers)


def _first_guess(shards: Sequence[Shard], target: float, floors: float, top: float) -> float:
    merged = shards[0].histogram()
    for shard in shards[1:]:
        merged = merged + shard.histogram()
    guess = merged.log_price(target - floors)
    return min(guess, top - 1e-3) if math.isfinite(guess) else (top - 1.0 if math.isfinite(top) else 0.0)


def objective_of(name: str) -> int:
    """The number of an objective; ModelError lists the names."""
    if name not in OBJECTIVES:
        raise ModelError(f"unknown objective {name!r}; one of {', '.join(OBJECTIVES)}")
    return OBJECTIVES[name]
