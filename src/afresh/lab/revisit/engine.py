"""Visits in, freshness and age out: expectations are integrated in closed form between visits, nothing is sampled.

A copy last fetched u seconds ago is fresh with probability exp(-rate u) and has the expected age
u - (1 - exp(-rate u))/rate.  [SL §1.2] The only chance left is in the phases of the timetable.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from afresh.base.compiled import compiled
from afresh.base.marginals import NEVER, mean_age, mean_freshness
from afresh.lab.allocation.pages import Pages, Reals
from afresh.lab.draws import uniform
from afresh.lab.orders.schedule import ORDERS, Schedule, Visits
from afresh.lab.orders.spacing import after
from afresh.lab.orders.timetable import TIMETABLES, Pace, room_needed

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What a simulated timetable achieved, averaged over time and weighted pages."""

    freshness: float
    age: float  # seconds; over pages that are visited at all
    requests: int
    violations: int  # pairs of requests to a site closer than its delay
    page_freshness: Floats  # time average of each page
    page_age: Floats


@compiled()
def fresh_time(rate: float, a: float, b: float) -> float:
    """Expected time of freshness between a and b seconds after a visit."""
    if rate * (b - a) < 1e-9:
        return math.exp(-rate * a) * (b - a)
    return -math.exp(-rate * a) * math.expm1(-rate * (b - a)) / rate


@compiled()
def age_time(rate: float, a: float, b: float, fresh: float) -> float:
    """Integral of the expected age between a and b seconds after a visit; ``fresh`` is that of freshness."""
    if rate * b < 1e-4:
        return rate * (b * b * b - a * a * a) / 6.0
    return 0.5 * (b - a) * (b + a) - (b - a) / rate + fresh / rate


@compiled()
def accumulate(
    times: Floats, pages: NDArray[np.uint32], first: int, start: float, rate: Reals, last: Floats, sums: Floats
) -> None:
    """Adds the time since each page's previous visit, as far as it lies after ``start``, and marks the visits."""
    for k in range(len(times)):
        i = first + pages[k]
        t = times[k]
        if t > start and last[i] > -math.inf:
            a = max(start, last[i]) - last[i]
            b = t - last[i]
            fresh = fresh_time(rate[i], a, b)
            sums[i, 0] += fresh
            sums[i, 1] += age_time(rate[i], a, b, fresh)
        last[i] = t


@compiled()
def close(until: float, start: float, rate: Reals, last: Floats, sums: Floats) -> None:
    """Adds what lies between each page's last visit and the end."""
    for i in range(len(last)):
        if last[i] == -math.inf or rate[i] <= NEVER:
            sums[i, 0] = until - start if rate[i] <= NEVER else 0.0
            sums[i, 1] = 0.0 if rate[i] <= NEVER else math.inf
            continue
        a = max(start, last[i]) - last[i]
        fresh = fresh_time(rate[i], a, until - last[i])
        sums[i, 0] += fresh
        sums[i, 1] += age_time(rate[i], a, until - last[i], fresh)


@compiled()
def too_close(times: Floats, sites: Ints, delays: Floats, last: Floats) -> int:
    """Requests that came before the site's delay had passed, exactly; ``last`` holds the sites' latest requests."""
    count = 0
    for k in range(len(times)):
        s = sites[k]
        if last[s] > -math.inf and times[k] < after(last[s], delays[s]):
            count += 1
        last[s] = times[k]
    return count


@compiled()
def phases_of(seed: int, pages: int) -> Floats:
    """The phases a ``Schedule`` of that seed gives its pages."""
    out = np.empty(pages)
    for i in range(pages):
        out[i] = uniform(seed, i, 0)
    return out


def simulate(
    pages: Pages,
    frequencies: NDArray[np.floating],
    *,
    order: str,
    delays: Floats,
    horizon: float,
    warm_up: float = 0.0,
    seed: int = 0,
    in_time_order: bool = False,
) -> Tally:
    """Runs an order of visits from 0 to ``horizon`` seconds and measures it from ``warm_up`` on.

    Each page's previous visit lies before 0 as its own timetable has it, so the start is close to steady.
    """
    phase = phases_of(seed, len(pages))
    with np.errstate(divide="ignore"):
        period = 1.0 / frequencies.astype(np.float64)
        # RANDOM's intervals are as good as exponential, those of every other order nearly even
        since = -np.log(phase) if order == "random" else 1.0 - phase
    visited = np.isfinite(period)
    run = _Run(
        pages=pages,
        frequencies=frequencies,
        phase=phase,
        delays=delays,
        horizon=horizon,
        warm_up=warm_up,
        seed=seed,
        last=np.where(visited, -since * np.where(visited, period, 0.0), -math.inf),
        sums=np.zeros((len(pages), 2)),
    )
    requests, violations = (
        _follow_schedule(run, order, in_time_order=in_time_order) if order in ORDERS else _follow_rival(run, order)
    )
    close(horizon, warm_up, pages.rate, run.last, run.sums)
    return _tally(pages, run.sums / (horizon - warm_up), requests, violations)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """What is simulated, and where its freshness and age are added up."""

    pages: Pages
    frequencies: NDArray[np.floating]
    phase: Floats
    delays: Floats
    horizon: float
    warm_up: float
    seed: int
    last: Floats
    sums: Floats

    def visited(self, times: Floats, pages: NDArray[np.uint32], first: int) -> None:
        accumulate(times, pages, first, self.warm_up, self.pages.rate, self.last, self.sums)


def _follow_schedule(run: _Run, order: str, *, in_time_order: bool) -> tuple[int, int]:
    pages = run.pages
    schedule = Schedule(pages, run.frequencies, delays=run.delays, order=order, seed=run.seed)
    visits = Visits.room_for(1 << 16)
    fill = schedule.in_time_order if in_time_order else schedule.site_by_site
    site_of = np.repeat(np.arange(pages.sites), np.diff(pages.offsets))
    latest = np.full(pages.sites, -math.inf)
    requests = violations = 0
    while count := fill(run.horizon, visits):
        times, which = visits.times[:count], visits.pages[:count]
        run.visited(times, which, 0)
        violations += too_close(times, site_of[which], run.delays, latest)
        requests += count
    return requests, violations


def _follow_rival(run: _Run, order: str) -> tuple[int, int]:
    """Each site for itself."""
    visit = TIMETABLES.find(order)
    requests = violations = 0
    for s in range(run.pages.sites):
        first = int(run.pages.offsets[s])
        mine = np.asarray(run.frequencies[first : run.pages.offsets[s + 1]], dtype=np.float64)
        active = np.flatnonzero(mine > 0.0)
        if not len(active):
            continue
        f = np.ascontiguousarray(mine[active])
        gap = max(1.0 / f.sum(), run.delays[s])
        places = room_needed(f, gap, run.horizon)
        times, which = np.empty(places), np.empty(places, dtype=np.uint32)
        u = np.ascontiguousarray(run.phase[first + active])
        pace = Pace(uniform(run.seed, 1 << 40, s) * gap, gap, float(run.delays[s]), run.horizon)
        count = visit(f, u, pace, run.seed * 1_000_003 + s, times, which)
        run.visited(times[:count], active[which[:count]].astype(np.uint32), first)
        latest = np.full(1, -math.inf)
        in_order = np.sort(times[:count])
        violations += too_close(in_order, np.zeros(count, dtype=np.int64), run.delays[s : s + 1], latest)
        requests += count
    return requests, violations


def _tally(pages: Pages, means: Floats, requests: int, violations: int) -> Tally:
    weight = np.ones(len(pages)) if pages.weight is None else pages.weight.astype(np.float64)
    seen = np.isfinite(means[:, 1])
    return Tally(
        freshness=float(np.sum(weight * means[:, 0]) / weight.sum()),
        age=float(np.sum(weight[seen] * means[seen, 1]) / weight[seen].sum()) if seen.any() else 0.0,
        requests=requests,
        violations=violations,
        page_freshness=means[:, 0],
        page_age=means[:, 1],
    )


@compiled()
def ideal(frequency: Reals, rate: Reals, weight: Reals) -> tuple[float, float]:
    """Weighted mean freshness and age under perfect spacing; age over pages that are visited or never change."""
    ws = 1 if len(weight) > 1 else 0
    fresh = 0.0
    old = 0.0
    total = 0.0
    seen = 0.0
    for i in range(len(frequency)):
        w = np.float64(weight[i * ws])
        total += w
        fresh += w * mean_freshness(frequency[i], rate[i])
        age = mean_age(frequency[i], rate[i])
        if age < math.inf:
            old += w * age
            seen += w
    return fresh / total, old / seen if seen > 0.0 else 0.0


def bound(pages: Pages, frequencies: NDArray[np.floating]) -> tuple[float, float]:
    """Freshness and age that perfect spacing at these frequencies would have: what orders are measured against."""
    one = np.ones(1, dtype=pages.rate.dtype)
    return ideal(frequencies, pages.rate, one if pages.weight is None else pages.weight)
