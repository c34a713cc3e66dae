"""The orders of visits against slow, obvious loops: lists instead of heaps, one tick after another."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from afresh.lab.allocation.pages import Pages
from afresh.lab.draws import uniform
from afresh.lab.orders.schedule import Schedule, Visits
from afresh.lab.orders.timetable import TIMETABLES, Pace, room_needed

Seen = list[tuple[float, int]]


def _eevdf(f: np.ndarray, u: np.ndarray, first: float, gap: float, delay: float, until: float) -> Seen:
    rounds = [0] * len(f)
    seen: Seen = []
    while (t := first + len(seen) * gap) < until:
        opens = [(rounds[i] + u[i]) / f[i] for i in range(len(f))]
        ready = [i for i in range(len(f)) if opens[i] <= t] or [int(np.argmin(opens))]
        page = min(ready, key=lambda i: ((rounds[i] + 1 + u[i]) / f[i], i))
        rounds[page] += 1
        seen.append((t, page))
    return seen


def _delayed(f: np.ndarray, u: np.ndarray, first: float, gap: float, delay: float, until: float) -> Seen:
    wishes = sorted((k / f[i] + u[i] / f[i], i) for i in range(len(f)) for k in range(int(until * f[i]) + 1))
    seen: Seen = []
    free = -math.inf
    for wish, page in wishes:
        t = max(wish, free)
        if t >= until:
            break
        seen.append((t, page))
        free = t + delay
    return seen


def _reanchored(f: np.ndarray, u: np.ndarray, first: float, gap: float, delay: float, until: float) -> Seen:
    wish = [u[i] / f[i] for i in range(len(f))]
    seen: Seen = []
    free = -math.inf
    while True:
        page = min(range(len(f)), key=lambda i: (wish[i], i))
        t = max(wish[page], free)
        if t >= until:
            return seen
        seen.append((t, page))
        wish[page] = t + 1.0 / f[page]
        free = t + delay


def _golden(f: np.ndarray, u: np.ndarray, first: float, gap: float, delay: float, until: float) -> Seen:
    start = uniform(11, 0, 0)
    seen: Seen = []
    while (t := first + len(seen) * gap) < until:
        spot = (start + len(seen) * (math.sqrt(5) - 1) / 2) % 1.0
        page, reach = 0, float(f[0] / f.sum())
        while spot >= reach:
            page += 1
            reach += float(f[page] / f.sum())
        seen.append((t, page))
    return seen


SLOW: dict[str, Callable[..., Seen]] = {
    "eevdf": _eevdf,
    "delayed": _delayed,
    "delayed_reanchored": _reanchored,
    "golden": _golden,
}


@pytest.mark.parametrize("name", SLOW)
@pytest.mark.parametrize("size", [1, 2, 7, 23])
def test_orders_agree_with_slow_loops(name: str, size: int) -> None:
    rng = np.random.default_rng(size)
    f, u = rng.uniform(0.05, 1.0, size), rng.random(size)
    gap, delay = 1.0 / f.sum(), 0.9 / f.sum()
    until = 150.0 * gap
    room = room_needed(f, gap, until)
    times, pages = np.empty(room), np.empty(room, dtype=np.uint32)
    count = TIMETABLES.find(name)(f, u, Pace(0.3 * gap, gap, delay, until), 11, times, pages)
    slow = SLOW[name](f, u, 0.3 * gap, gap, delay, until)
    assert pages[:count].tolist() == [page for _, page in slow]
    np.testing.assert_allclose(times[:count], [t for t, _ in slow], rtol=1e-9)


@pytest.mark.parametrize("way", ["site_by_site", "in_time_order"])
def test_merge_of_several_sites_agrees_with_a_slow_loop(way: str) -> None:
    """All virtual times of a site sorted, executed one tick after another, held to the delay; no heap, no wheel."""
    rng = np.random.default_rng(8)
    sizes = [1, 3, 12, 70]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    f = rng.uniform(0.01, 0.2, offsets[-1])
    delays = np.array([2.0, 9.0, 0.5, 0.1])  # the second site wants more than it may have
    schedule = Schedule(Pages.of(np.ones(len(f)), offsets=offsets), f, delays=delays, order="merge", seed=2)
    visits = Visits.room_for(10_000)
    count = getattr(schedule, way)(120.0, visits)
    site_of = np.repeat(np.arange(len(sizes)), sizes)
    for s in range(len(sizes)):
        mine = site_of[visits.pages[:count]] == s
        times, pages = visits.times[:count][mine], visits.pages[:count][mine]
        members = range(int(offsets[s]), int(offsets[s + 1]))
        union = sorted((uniform(2, i, 0) / f[i] + k / f[i], i) for i in members for k in range(60))
        assert pages.tolist() == [page for _, page in union[: len(pages)]]
        gap = max(1.0 / f[members].sum(), delays[s])
        np.testing.assert_allclose(np.diff(times), gap, rtol=1e-9)
        assert 120.0 - gap <= times[-1] < 120.0
