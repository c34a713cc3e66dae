"""How fast and how large the revisit engine is: allocation, decisions site by site and in time order, bytes a page."""

import resource
import sys
import time
from typing import Any

import numpy as np

from afresh.lab.allocation.best import Allocation, allocate
from afresh.lab.allocation.pages import Pages
from afresh.lab.orders.schedule import Schedule, Visits
from afresh.lab.revisit.standin import standin

_WARM = 20_000  # pages of a first run that loads or compiles the code


def bench_revisit(pages: list[int], *, decisions: int = 10_000_000, share: float = 0.5) -> list[dict[str, float]]:
    """One row a size: pages, allocate_seconds, decisions_per_second, decisions_per_second_global, bytes_per_page.

    ``decisions`` are made, or one a page if that is more: with fewer, a large repository would be timed on the first
    cache misses of each site, which a real round through it pays once and not at every decision.
    Pages are the weighted stand-in repository, the budget is ``share`` of what politeness permits. Seconds are those of
    one core's work (CPU time), so that a busy machine does not count against us; ``*_wall`` rows are by the clock.
    """
    _measure(_WARM, 10_000, share)
    return [_measure(size, decisions, share) for size in pages]


def _measure(size: int, decisions: int, share: float) -> dict[str, float]:
    pages = standin(size, weighted=True)
    budget = share * pages.capacity
    started, began = time.process_time(), time.perf_counter()
    solution = allocate(pages, budget)
    row: dict[str, float] = {
        "pages": len(pages),
        "sites": pages.sites,
        "allocate_seconds": time.process_time() - started,
        "allocate_seconds_wall": time.perf_counter() - began,
        "full_sites": float(solution.full.mean()),
        "starved": solution.starved / len(pages),
    }
    schedule = Schedule(pages, solution.frequencies, order="auto", seed=1)
    row |= _decide("decisions_per_second", schedule, "site_by_site", max(decisions, size) / budget)
    del schedule  # two timetables at once would count double
    schedule = Schedule(pages, solution.frequencies, order="auto", seed=1)
    row |= _decide("decisions_per_second_global", schedule, "in_time_order", 0.5 * decisions / budget)
    row["bytes_per_page"] = bytes_per_page(pages, solution, schedule)
    row["peak_gigabytes"] = peak_gigabytes()
    return row


def _decide(name: str, schedule: Schedule, way: str, horizon: float) -> dict[str, float]:
    fill = getattr(schedule, way)
    visits = Visits.room_for(1 << 16)
    count = 0
    started, began = time.process_time(), time.perf_counter()
    while made := fill(horizon, visits):
        count += made
    spent, passed = time.process_time() - started, time.perf_counter() - began
    return {name: count / max(spent, 1e-9), f"{name}_wall": count / max(passed, 1e-9)}


def bytes_per_page(pages: Pages, solution: Allocation, schedule: Schedule) -> float:
    """All that is kept between two decisions: rates, weights, sites, frequencies, prices, timetable."""
    held: list[Any] = [pages.rate, pages.weight, pages.shape, pages.offsets, pages.caps]
    held += [solution.frequencies, solution.site_prices, solution.full]
    kept = sum(array.nbytes for array in held if isinstance(array, np.ndarray))
    return kept / len(pages) + schedule.bytes_per_page


def peak_gigabytes() -> float:
    """Largest memory this process has had so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e9 if sys.platform == "darwin" else 1e6)
