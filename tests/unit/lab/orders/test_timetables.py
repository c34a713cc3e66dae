"""The orders MERGE is compared with, one site at a time."""

import numpy as np
import pytest

from afresh.base.errors import ModelError
from afresh.lab.orders.buddy import powers_of_two, reversed_bits
from afresh.lab.orders.timetable import TIMETABLES, Pace, room_needed


def visits(name: str, frequency: np.ndarray, *, ticks: float, delay: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    gap = max(1.0 / frequency.sum(), delay)
    room = room_needed(frequency, gap, ticks * gap)
    times, pages = np.empty(room), np.empty(room, dtype=np.uint32)
    phase = np.random.default_rng(1).random(len(frequency))
    count = TIMETABLES.find(name)(frequency, phase, Pace(0.3 * gap, gap, delay, ticks * gap), 5, times, pages)
    return times[:count], pages[:count]


@pytest.mark.parametrize("name", TIMETABLES.names())
def test_every_page_gets_its_share(name: str) -> None:
    frequency = np.array([0.5, 0.25, 0.125, 0.0625, 0.0625])
    _, pages = visits(name, frequency, ticks=4000.0, delay=0.0)
    counts = np.bincount(pages, minlength=5)
    # RANDOM's counts have a standard deviation of 32 at most
    np.testing.assert_allclose(counts, 4000 * frequency, atol=130 if name == "random" else 3)


@pytest.mark.parametrize("name", [name for name in TIMETABLES if name != "iepp"])
def test_politeness(name: str) -> None:
    frequency = np.random.default_rng(2).uniform(0.1, 1.0, 30)
    delay = 0.8 / frequency.sum()
    times, _ = visits(name, frequency, ticks=3000.0, delay=delay)
    assert np.diff(times).min() >= delay * (1 - 1e-12)


def test_iepp_is_spaced_evenly_page_by_page() -> None:
    frequency = np.array([0.7, 0.2])
    times, pages = visits("iepp", frequency, ticks=500.0)
    for page, f in enumerate(frequency):
        np.testing.assert_allclose(np.diff(times[pages == page]), 1.0 / f, rtol=1e-9)


def test_golden_returns_after_fibonacci_numbers_of_ticks() -> None:
    frequency = np.array([0.13, 0.31, 0.56])
    _, pages = visits("golden", frequency, ticks=5000.0)
    for page in range(3):
        gaps = sorted(set(np.diff(np.flatnonzero(pages == page)).tolist()))
        assert len(gaps) <= 3
        assert set(gaps) <= {1, 2, 3, 5, 8, 13, 21}
        assert len(gaps) < 3 or gaps[0] + gaps[1] == gaps[2]


def test_buddy_is_spaced_evenly_by_powers_of_two() -> None:
    frequency = np.array([0.4, 0.3, 0.2, 0.1])
    powers = powers_of_two(frequency)
    assert np.sum(2.0**-powers) <= 1.0
    _, pages = visits("buddy", frequency, ticks=1024.0)
    order = np.argsort(powers, kind="mergesort")
    for page in order[:-1]:  # the last also takes what room is left
        assert set(np.diff(np.flatnonzero(pages == page)).tolist()) == {2 ** powers[page]}
    assert [reversed_bits(t) for t in range(4)] == [0.0, 0.5, 0.25, 0.75]


def test_eevdf_counts_never_err_by_two() -> None:
    frequency = np.random.default_rng(3).uniform(0.1, 1.0, 12)
    times, pages = visits("eevdf", frequency, ticks=3000.0)
    for page, f in enumerate(frequency):
        mine = times[pages == page]
        assert np.max(np.abs(np.arange(1, len(mine) + 1) - mine * f)) < 2.0


def test_reanchored_waiting_loses_visits_and_virtual_clocks_do_not() -> None:
    frequency = np.random.default_rng(4).uniform(0.5, 1.0, 10)
    delay = 0.95 / frequency.sum()
    kept, _ = visits("delayed", frequency, ticks=5000.0, delay=delay)
    lost, _ = visits("delayed_reanchored", frequency, ticks=5000.0, delay=delay)
    assert len(kept) > 4980
    assert len(lost) < 4900


def test_unknown_order() -> None:
    with pytest.raises(ModelError, match="unknown order 'alphabetical'"):
        TIMETABLES.find("alphabetical")
