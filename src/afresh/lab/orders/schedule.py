"""A running timetable of visits: who is asked when, within each site's politeness, for pages with given frequencies."""

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from afresh.base.errors import ModelError
from afresh.base.marginals import OBJECTIVES
from afresh.lab.allocation.pages import Pages, first_bad, site_sums
from afresh.lab.orders import wheel
from afresh.lab.orders.heap import Nodes, layout, room
from afresh.lab.orders.merge import SMALL, Timetable, fill_site_by_site, first_ticks, plant, replant, site_phase
from afresh.lab.orders.spacing import after

Floats = NDArray[np.float64]
ORDERS = ("auto", "merge", "greedy")

_ROUNDING = 1e-6  # of sums of frequencies in single precision


@dataclass(slots=True)
class Visits:
    """Room for visits: when, and which page. ``count`` of them are filled."""

    times: Floats
    pages: NDArray[np.uint32]
    count: int = 0

    @classmethod
    def room_for(cls, visits: int) -> Self:
        return cls(np.empty(visits), np.empty(visits, dtype=np.uint32))


class Schedule:
    """Visits of pages at given frequencies, never two to a site closer than its delay.

    ``order`` is "merge", "greedy" (most valuable page first; a scan, for small sites) or "auto": greedy on sites of
    up to 64 pages, merge elsewhere. The same seed gives the same timetable. 16 bytes a page, some 60 a site.

    Use either ``site_by_site`` or ``in_time_order`` on one schedule; both go on where the last call stopped.

    >>> timetable = Schedule(Pages.of([1.0, 1.0]), [0.2, 0.1], delays=[3.0], order="merge", seed=1)
    >>> visits = Visits.room_for(8)
    >>> timetable.in_time_order(30.0, visits)
    8
    """

    def __init__(
        self,
        pages: Pages,
        frequencies: ArrayLike,
        *,
        delays: ArrayLike | None = None,
        order: str = "auto",
        objective: str = "freshness",
        seed: int = 0,
        start: float = 0.0,
    ) -> None:
        if order not in ORDERS:
            raise ModelError(f"unknown order {order!r}; one of {', '.join(ORDERS)}")
        if not math.isfinite(start):
            raise ModelError(f"a schedule cannot start at {start}")
        self._pages = pages
        self._objective = OBJECTIVES[objective]
        self._seed, self._draws, self._now = seed, 0, start
        self.delays = _delays(pages, delays)
        one = np.ones(1, dtype=pages.rate.dtype)
        self._weight = one if pages.weight is None else pages.weight
        self._shape = one if pages.shape is None else pages.shape
        limit = {"auto": SMALL, "merge": -1, "greedy": len(pages)}[order]
        self._greedy = (np.diff(pages.offsets) <= limit).astype(np.uint8)
        self._starts, slots = layout(pages.offsets)
        self._nodes: Nodes = room(slots)
        self.stretch = np.zeros(pages.sites)  # seconds between requests that slow answers ask for
        self._cursor = 0
        self._wheel: wheel.Wheel | None = None
        given = _frequencies(frequencies, len(pages))
        plant(given, pages.offsets, self._starts, self._greedy, seed, start, self._nodes)
        self._sums = site_sums(given, pages.offsets)
        self._set_gaps()
        self.ticks = first_ticks(seed, start, self.gaps)

    @property
    def bytes_per_page(self) -> float:
        """Memory of the timetable, page data apart."""
        arrays = [self._nodes, self._starts, self._greedy, self.stretch, self.ticks, self.gaps, self._sums, self.delays]
        return sum(array.nbytes for array in arrays) / max(len(self._pages), 1)

    def site_by_site(self, until: float, visits: Visits) -> int:
        """Fills in visits before ``until``, all of one site, then all of the next; 0 when there are no more.

        For fetchers that each own some sites: no order across sites is needed, and the heap at work stays in cache.
        """
        visits.count, self._cursor = fill_site_by_site(
            self._timetable(), until, self._cursor, visits.times, visits.pages
        )
        if visits.count == 0 and self._cursor >= self._pages.sites:
            self._cursor = 0
            self._wheel = None
        return visits.count

    def in_time_order(self, until: float, visits: Visits) -> int:
        """Fills in the next visits of all sites before ``until``, earliest first; 0 when there are no more."""
        if self._wheel is None:
            self._wheel = wheel.build(self.ticks, self.gaps, self.delays)
        visits.count = wheel.fill_in_time_order(self._timetable(), self._wheel, until, visits.times, visits.pages)
        return visits.count

    def take(self, now: float, limit: int) -> Visits:
        """The visits due at ``now``, at most one a site, most overdue first; they count as made now.

        Missed ticks are not made up for. If the clock has jumped back, a site waits one interval from now at most; if
        it has jumped ahead, each site is asked once and goes on from there. Either way no delay is cut short.
        """
        if not math.isfinite(now):
            raise ModelError(f"the time of a visit must be finite, not {now}")
        if now < self._now:
            for s in np.flatnonzero(self.ticks > now + self.gaps):
                self.ticks[s] = after(now, float(self.gaps[s]))
        self._now, self._wheel = now, None
        due = np.flatnonzero(self.ticks <= now)
        due = due[np.lexsort((due, self.ticks[due]))][:limit]
        visits = Visits.room_for(len(due))
        one = Visits.room_for(1)
        for k, s in enumerate(due):
            self.ticks[s] = now
            self._one(int(s), one)
            visits.times[k], visits.pages[k] = now, one.pages[0]
        visits.count = len(due)
        return visits

    def _one(self, site: int, visits: Visits) -> None:
        until = math.nextafter(float(self.ticks[site]), math.inf)
        fill_site_by_site(self._timetable(), until, site, visits.times, visits.pages)

    def replan(self, frequencies: ArrayLike) -> None:
        """New frequencies: pages keep their place in their timetable, pending ticks stay, the next ones follow suit."""
        given = _frequencies(frequencies, len(self._pages))
        self._draws += 1
        quiet = ~np.isfinite(self.ticks)
        replant(given, self._pages.offsets, self._starts, self._greedy, self._seed, self._draws, self._now, self._nodes)
        self._sums = site_sums(given, self._pages.offsets)
        self._set_gaps()
        for s in np.flatnonzero(quiet & np.isfinite(self.gaps)):
            self.ticks[s] = after(self._now, float(self.gaps[s] * site_phase(self._seed, int(s), self._draws)))
        self.ticks[~np.isfinite(self.gaps)] = math.inf
        self._wheel = None

    def answered(self, site: int, seconds: float, *, patience: float = 10.0, share: float = 0.2) -> None:
        """A request took so long: ticks come no closer than ``patience`` times the smoothed response time."""
        if not 0.0 <= seconds < math.inf:
            raise ModelError(f"site {site}: an answer cannot take {seconds} seconds")
        before = self.stretch[site] / patience
        self.stretch[site] = patience * (before + share * (seconds - before))
        self._set_gaps()
        self._wheel = None

    def hold(self, site: int, until: float) -> None:
        """No request to a site before ``until``: the server asked for it."""
        self.ticks[site] = max(float(self.ticks[site]), until)
        self._wheel = None

    def _set_gaps(self) -> None:
        with np.errstate(divide="ignore"):
            wanted = 1.0 / self._sums
        # A site at its cap up to rounding is at its cap: those ticks share a pace, and the queue of that pace.
        wanted[wanted <= self.delays * (1.0 + _ROUNDING)] = 0.0
        self.gaps = np.maximum(np.maximum(wanted, self.delays), self.stretch)

    def _timetable(self) -> Timetable:
        pages = self._pages
        return Timetable(
            self._objective,
            pages.rate,
            self._weight,
            self._shape,
            pages.offsets,
            self._starts,
            self._greedy,
            self.gaps,
            self.ticks,
            self._nodes,
        )


def _delays(pages: Pages, delays: ArrayLike | None) -> Floats:
    if delays is None:
        caps = np.full(pages.sites, math.inf) if pages.caps is None else pages.caps
        with np.errstate(divide="ignore"):
            return 1.0 / caps
    values = np.broadcast_to(np.asarray(delays, dtype=np.float64), (pages.sites,)).copy()
    bad = first_bad(values, 0.0, True, True)
    if bad >= 0:
        raise ModelError(f"site {bad}: delay is {values[bad]}; it must be at least 0 seconds")
    return values


def _frequencies(frequencies: ArrayLike, pages: int) -> NDArray[np.floating[Any]]:
    given = np.asarray(frequencies)
    kind: Any = np.float32 if given.dtype == np.float32 else np.float64
    array: NDArray[np.floating[Any]] = np.ascontiguousarray(given, dtype=kind)
    if array.shape != (pages,):
        raise ModelError(f"{array.shape} frequencies for {pages} pages")
    bad = first_bad(array, 0.0, True, False)
    if bad >= 0:
        raise ModelError(f"page {bad}: frequency is {array[bad]}; it must be finite and at least 0")
    return array
