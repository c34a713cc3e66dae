"""The pages an allocation is made for: plain arrays, the pages of a site side by side."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from afresh.base.compiled import compiled
from afresh.base.errors import ModelError

Reals = NDArray[np.floating[Any]]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """Rates, weights and sites of pages; the pages of site s are ``offsets[s]`` to ``offsets[s+1]``.

    ``rate``: changes a second, >= 0, possibly infinite; the mean, where the rate is a Gamma belief.
    ``weight``: importance, >= 0; None: all 1.
    ``shape``: of the Gamma belief, > 0 (its exposure is shape/rate seconds); None where rates are taken as known.
    ``caps``: most requests a second each site bears, 1/delay; infinite: no limit; None: no site has one.

    The arrays share one type, float32 or float64; float32 halves the memory and is exact enough for any real web.

    >>> Pages.of([1.0, 2.0, 3.0], offsets=[0, 2, 3], delays=[30.0, 60.0]).sites
    2
    """

    rate: Reals
    weight: Reals | None = None
    shape: Reals | None = None
    offsets: Ints
    caps: NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls,
        rate: ArrayLike,
        *,
        weight: ArrayLike | None = None,
        shape: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
        caps: ArrayLike | None = None,
        delays: ArrayLike | None = None,
    ) -> Self:
        """Pages with every number looked at; raises ModelError naming the first page or site that makes no sense.

        Without offsets all pages belong to one site. ``delays`` are seconds between requests, another way to say
        caps. A float32 ``rate`` keeps the whole problem in float32.
        """
        rates = _real("rate", rate, None)
        first = np.array([0, len(rates)]) if offsets is None else np.asarray(offsets)
        starts = np.ascontiguousarray(first, dtype=np.int64)
        if len(starts) < 1 or starts[0] != 0 or starts[-1] != len(rates) or np.any(np.diff(starts) < 0):
            raise ModelError(f"offsets of sites must rise from 0 to the number of pages, {len(rates)}")
        if delays is not None:
            if caps is not None:
                raise ModelError("give caps or delays of sites, not both: a cap is 1/delay")
            caps = caps_of(delays)
        weights = None if weight is None else _real("weight", weight, rates)
        shapes = None if shape is None else _real("shape", shape, rates)
        limits = None if caps is None else _caps(caps, len(starts) - 1)
        pages = cls(rate=rates, weight=weights, shape=shapes, offsets=starts, caps=limits)
        pages._look()
        return pages

    def _look(self) -> None:
        for name, values, bad in (
            ("rate", self.rate, first_bad(self.rate, 0.0, True, True)),
            ("weight", self.weight, -1 if self.weight is None else first_bad(self.weight, 0.0, True, False)),
            ("shape", self.shape, -1 if self.shape is None else first_bad(self.shape, 0.0, False, False)),
        ):
            if bad >= 0 and values is not None:
                wanted = {"rate": "at least 0", "weight": "finite and at least 0", "shape": "finite and above 0"}[name]
                raise ModelError(f"page {bad}: {name} is {values[bad]}; it must be {wanted}")

    def __len__(self) -> int:
        return len(self.rate)

    @property
    def sites(self) -> int:
        return len(self.offsets) - 1

    @property
    def capacity(self) -> float:
        """Requests a second that politeness permits in all; infinite if a site with pages has no limit."""
        if self.caps is None:
            return float("inf") if len(self) else 0.0
        return float(np.sum(self.caps[np.diff(self.offsets) > 0]))


def caps_of(delays: ArrayLike) -> NDArray[np.float64]:
    """Requests a second allowed by delays between requests; a delay of 0 is no limit, an infinite one closes the site.

    The result never allows more: 1/cap is at least the delay, to the last digit.
    """
    seconds = np.atleast_1d(np.asarray(delays, dtype=np.float64))
    bad = np.flatnonzero(~(seconds >= 0.0))
    if len(bad):
        raise ModelError(f"site {bad[0]}: delay is {seconds[bad[0]]}; it must be at least 0 seconds")
    with np.errstate(divide="ignore"):
        return 1.0 / seconds


def group_by_site(site: ArrayLike) -> tuple[Ints, Ints, NDArray[Any]]:
    """The order that puts pages of a site side by side, the sites' offsets in it, and the sites' names.

    >>> order, offsets, names = group_by_site(["b", "a", "b"])
    >>> order.tolist(), offsets.tolist(), names.tolist()
    ([1, 0, 2], [0, 1, 3], ['a', 'b'])
    """
    names, of = np.unique(np.asarray(site), return_inverse=True)
    order = np.argsort(of, kind="stable").astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(of, minlength=len(names)))]).astype(np.int64)
    return order, offsets, names


def _real(name: str, values: ArrayLike, like: Reals | None) -> Reals:
    given = np.asarray(values)
    if like is not None:
        kind: Any = like.dtype
    else:
        kind = np.float32 if given.dtype == np.float32 else np.float64
    array: Reals = np.ascontiguousarray(np.atleast_1d(given), dtype=kind)
    if array.ndim != 1:
        raise ModelError(f"{name}s must be one number a page, not an array of shape {array.shape}")
    if like is not None and len(array) != len(like):
        raise ModelError(f"{len(array)} {name}s for {len(like)} pages")
    return array


def _caps(caps: ArrayLike, sites: int) -> NDArray[np.float64]:
    values = np.asarray(caps, dtype=np.float64)
    limits = np.full(sites, float(values)) if values.ndim == 0 else np.ascontiguousarray(values)
    if len(limits) != sites:
        raise ModelError(f"{len(limits)} caps for {sites} sites")
    bad = first_bad(limits, 0.0, True, True)
    if bad >= 0:
        raise ModelError(f"site {bad}: cap is {limits[bad]}; it must be at least 0 requests a second")
    return limits


def site_sums(values: Reals, offsets: Ints) -> NDArray[np.float64]:
    """Sum over the pages of each site, in double precision; 0 for a site without pages."""
    sums = np.zeros(len(offsets) - 1)
    filled = np.flatnonzero(np.diff(offsets))
    if len(filled):
        sums[filled] = np.add.reduceat(values, offsets[filled], dtype=np.float64)
    return sums


@compiled()
def first_bad(values: Reals, least: float, least_allowed: bool, infinite_allowed: bool) -> int:
    """Index of the first number that is NaN, below ``least`` or (unless allowed) equal to it or infinite; else -1."""
    for i in range(len(values)):
        v = values[i]
        good = (v >= least) if least_allowed else (v > least)
        if not good or (v == np.inf and not infinite_allowed):
            return i
    return -1
