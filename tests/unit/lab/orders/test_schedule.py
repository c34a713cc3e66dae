"""MERGE and its timetable: order, spacing, both ways of working, changes of frequency, jumping clocks."""

import math
from fractions import Fraction

import numpy as np
import pytest

from afresh.base import marginals
from afresh.base.errors import ModelError
from afresh.lab.allocation.pages import Pages
from afresh.lab.draws import uniform
from afresh.lab.orders.merge import site_phase
from afresh.lab.orders.schedule import Schedule, Visits


def drain(schedule: Schedule, until: float, *, way: str = "site_by_site", room: int = 1000) -> list[tuple[float, int]]:
    visits = Visits.room_for(room)
    found: list[tuple[float, int]] = []
    while getattr(schedule, way)(until, visits):
        found += zip(visits.times[: visits.count].tolist(), visits.pages[: visits.count].tolist(), strict=True)
    return found


def repository(seed: int = 2, sites: int = 60) -> tuple[Pages, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    sizes = rng.choice([0, 1, 2, 7, 8, 9, 30, 100], sites)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    frequencies = rng.uniform(0.0, 0.02, offsets[-1])
    frequencies[rng.random(offsets[-1]) < 0.1] = 0.0
    return (
        Pages.of(rng.uniform(0.01, 1.0, offsets[-1]), offsets=offsets),
        frequencies,
        rng.choice([1.0, 3.7, 5.0], sites),
    )


@pytest.mark.parametrize("size", [1, 5, 8, 9, 40])
def test_merge_is_the_sorted_union_of_virtual_times(size: int) -> None:
    rng = np.random.default_rng(size)
    frequencies = rng.uniform(0.1, 1.0, size)
    schedule = Schedule(Pages.of(np.ones(size)), frequencies, order="merge", seed=4)
    visits = drain(schedule, 200.0 / frequencies.sum())
    periods = 1.0 / frequencies
    union = sorted((uniform(4, i, 0) * p + k * p, i) for i, p in enumerate(periods) for k in range(400))
    assert [page for _, page in visits] == [page for _, page in union[: len(visits)]]
    gap = 1.0 / frequencies.sum()
    expected = (np.arange(len(visits)) + site_phase(4, 0, 0)) * gap
    np.testing.assert_allclose([t for t, _ in visits], expected, rtol=1e-9)


@pytest.mark.parametrize("order", ["auto", "merge", "greedy"])
def test_both_ways_of_working_make_the_same_visits(order: str) -> None:
    pages, frequencies, delays = repository()
    one = drain(Schedule(pages, frequencies, delays=delays, order=order, seed=1), 300.0)
    other = drain(Schedule(pages, frequencies, delays=delays, order=order, seed=1), 300.0, way="in_time_order", room=7)
    assert len(one) > 1000
    assert sorted(one) == sorted(other)
    assert [t for t, _ in other] == sorted(t for t, _ in other)


def test_work_can_be_cut_anywhere() -> None:
    pages, frequencies, delays = repository(5)
    whole = drain(Schedule(pages, frequencies, delays=delays, seed=1), 300.0, way="in_time_order")
    schedule = Schedule(pages, frequencies, delays=delays, seed=1)
    parts = [visit for until in (50.0, 50.5, 120.0, 300.0) for visit in drain(schedule, until, way="in_time_order")]
    assert parts == whole
    by_site = Schedule(pages, frequencies, delays=delays, seed=1)
    pieces = [visit for until in (50.0, 120.0, 300.0) for visit in drain(by_site, until, room=13)]
    assert sorted(pieces) == sorted(whole)


def closest(visits: list[tuple[float, int]], pages: Pages, delays: np.ndarray) -> list[str]:
    """Pairs of requests to a site that are too close, by exact arithmetic."""
    site_of = np.repeat(np.arange(pages.sites), np.diff(pages.offsets))
    last: dict[int, Fraction] = {}
    found = []
    for t, page in sorted(visits):
        s, now = int(site_of[page]), Fraction(t)
        if s in last and now - last[s] < Fraction(float(delays[s])):
            found.append(f"site {s} at {t}")
        last[s] = now
    return found


@pytest.mark.parametrize("start", [0.0, 1.7e9, -3.3])
def test_politeness_is_exact(start: float) -> None:
    pages, frequencies, _ = repository(3, sites=40)
    delays = np.random.default_rng(8).choice([0.1, math.pi, 1 / 3, 2.7], pages.sites)
    schedule = Schedule(pages, frequencies * 5.0, delays=delays, seed=1, start=start)
    visits = drain(schedule, start + 300.0, way="in_time_order")
    assert len(visits) > 3000
    assert closest(visits, pages, delays) == []


def test_sites_at_their_delay_stand_in_a_queue() -> None:
    pages = Pages.of(np.ones(90), offsets=np.arange(0, 91, 3))
    schedule = Schedule(pages, np.full(90, 10.0), delays=2.0, order="merge", seed=1)
    visits = drain(schedule, 100.0, way="in_time_order")
    assert schedule._wheel is not None
    assert len(schedule._wheel.rings) == 30
    assert schedule._wheel.marks[1] == 0
    assert [t for t, _ in visits] == sorted(t for t, _ in visits)
    assert len(visits) == 30 * 50
    assert closest(visits, pages, np.full(30, 2.0)) == []


def test_slow_answers_stretch_the_tick() -> None:
    pages = Pages.of(np.ones(40), offsets=[0, 20, 40])
    schedule = Schedule(pages, np.full(40, 0.1), delays=0.5, order="merge", seed=1)
    for _ in range(60):
        schedule.answered(0, 0.4)
    visits = drain(schedule, 400.0, way="in_time_order")
    times = np.array([t for t, page in visits if page < 20])
    assert np.diff(times).min() == pytest.approx(4.0, rel=1e-3)  # ten times as long as the answers take
    assert np.diff([t for t, page in visits if page >= 20]).min() == pytest.approx(0.5)
    with pytest.raises(ModelError, match="site 1: an answer"):
        schedule.answered(1, math.nan)


def test_a_held_site_waits() -> None:
    pages = Pages.of(np.ones(4), offsets=[0, 2, 4])
    schedule = Schedule(pages, np.full(4, 1.0), seed=1)
    schedule.hold(0, 30.0)
    visits = drain(schedule, 40.0)
    assert min(t for t, page in visits if page < 2) == 30.0
    assert min(t for t, page in visits if page >= 2) < 1.0


def test_greedy_takes_the_page_worth_most() -> None:
    rates, weights = np.array([0.1, 0.5, 2.0]), np.array([1.0, 2.0, 3.0])
    schedule = Schedule(Pages.of(rates, weight=weights), [0.3, 0.3, 0.4], order="greedy", seed=6)
    last = {i: -uniform(6, i, 0) / f for i, f in enumerate([0.3, 0.3, 0.4])}
    for t, page in drain(schedule, 200.0):
        worth = [marginals.index(marginals.FRESHNESS, t - last[i], rates[i], 1.0, weights[i]) for i in range(3)]
        assert worth[page] == max(worth)
        last[page] = t


def test_new_frequencies_keep_each_page_in_its_place() -> None:
    rng = np.random.default_rng(4)
    before, after = rng.uniform(0.1, 1.0, 30), rng.uniform(0.1, 1.0, 30)
    after[3], before[5] = 0.0, 0.0
    schedule = Schedule(Pages.of(np.ones(30)), before, order="merge", seed=1)
    drain(schedule, 100.0)
    pending = float(schedule.ticks[0])
    keys = {int(node["page"]): float(node["key"]) for node in schedule._nodes if node["key"] < math.inf}
    v = min(keys.values())
    schedule.replan(after)
    assert schedule.ticks[0] == pending
    changed = {int(node["page"]): float(node["key"]) for node in schedule._nodes if node["key"] < math.inf}
    assert 3 not in changed
    assert v <= changed[5] <= v + 1.0 / after[5]
    for page in set(keys) & set(changed):
        assert changed[page] - v == pytest.approx((keys[page] - v) * before[page] / after[page], rel=1e-6, abs=1e-9)
    visits = drain(schedule, 2000.0)
    counts = np.bincount([page for _, page in visits], minlength=30)
    np.testing.assert_allclose(counts, after * (2000.0 - pending), atol=3.5)


def test_a_site_can_fall_silent_and_wake() -> None:
    pages = Pages.of(np.ones(2), offsets=[0, 1, 2])
    schedule = Schedule(pages, [1.0, 0.0], seed=1)
    assert {page for _, page in drain(schedule, 20.0)} == {0}
    schedule.replan([0.0, 1.0])
    assert {page for _, page in drain(schedule, 40.0)} == {1}


def test_clocks_that_jump() -> None:
    pages = Pages.of(np.ones(4), offsets=[0, 2, 4])
    schedule = Schedule(pages, np.full(4, 0.05), delays=10.0, seed=1)
    first = schedule.take(30.0, 10)
    assert sorted(page // 2 for page in first.pages) == [0, 1]
    assert schedule.take(39.9, 10).count == 0
    assert schedule.take(40.0, 10).count == 2
    # a day ahead: one visit a site, nothing is made up for
    assert schedule.take(86_400.0, 10).count == 2
    assert schedule.take(86_405.0, 10).count == 0
    # back again: each site waits one interval, not a day
    assert schedule.take(100.0, 10).count == 0
    assert schedule.take(109.0, 10).count == 0
    assert schedule.take(110.0, 1).count == 1
    assert schedule.take(110.0, 10).count == 1
    with pytest.raises(ModelError, match="finite"):
        schedule.take(math.nan, 1)


def test_nonsense_is_named() -> None:
    pages = Pages.of([1.0, 1.0])
    for frequencies, message in (
        ([1.0, math.nan], "page 1: frequency is nan"),
        ([-1.0, 1.0], "page 0: frequency is -1"),
        ([1.0, math.inf], "page 1: frequency is inf"),
        ([1.0], "frequencies for 2 pages"),
    ):
        with pytest.raises(ModelError, match=message):
            Schedule(pages, frequencies)
    with pytest.raises(ModelError, match="site 0: delay is nan"):
        Schedule(pages, [1.0, 1.0], delays=math.nan)
    with pytest.raises(ModelError, match="unknown order"):
        Schedule(pages, [1.0, 1.0], order="alphabetical")
    with pytest.raises(ModelError, match="start"):
        Schedule(pages, [1.0, 1.0], start=math.inf)


def test_closed_sites_and_pages_without_visits_are_silent() -> None:
    pages = Pages.of(np.ones(3), offsets=[0, 0, 1, 3], caps=[1.0, 0.0, 9.0])
    schedule = Schedule(pages, [1.0, 0.0, 2.0], seed=1)
    for way in ("site_by_site", "in_time_order"):
        assert {page for _, page in drain(schedule, 20.0, way=way)} <= {2}


def test_memory_of_large_sites_is_sixteen_bytes_a_page() -> None:
    pages = Pages.of(np.ones(100_000, dtype=np.float32), offsets=np.arange(0, 100_001, 2500))
    schedule = Schedule(pages, np.ones(100_000, dtype=np.float32))
    assert schedule.bytes_per_page < 16.1
    assert schedule._nodes.ctypes.data % 64 == 0
