"""The claims about size: the stand-in repository, small and at full size, and what a decision costs as pages grow."""

import time

import numpy as np
from numpy.typing import NDArray

from afresh.lab.allocation.best import Allocation, allocate
from afresh.lab.allocation.pages import Pages
from afresh.lab.revisit.bench import bench_revisit, peak_gigabytes
from afresh.lab.revisit.engine import bound, simulate
from afresh.lab.revisit.report import Figure, Report, at_least, at_most, near
from afresh.lab.revisit.standin import DAY, FULL_PAGES, FULL_SITES, standin

Floats = NDArray[np.float64]

#: RANDOM's freshness of the bound at 1, 10 and 90 % of the requests that politeness permits
RANDOM_REACHES = {0.01: 0.825, 0.1: 0.875, 0.9: 0.930}


def merge_standin(
    pages: int = 145_000, sites: int = 55, days: tuple[float, float, float] = (400.0, 200.0, 30.0), seed: int = 2007
) -> Report:
    """The slides' experiment on a stand-in repository: bounds with and without politeness, MERGE, RANDOM, DELAYED.

    ``merge-standin-full`` has its full size. What politeness costs varies from 3 to 19 points with the 55
    sites drawn, so that figure is taken from ten times as many sites (the bounds need no simulation).
    """
    made = standin(pages, sites, seed=seed)
    wide = standin(pages * 10, sites * 10, seed=seed) if sites < 550 else made
    delays = np.full(made.sites, 30.0)
    figures: list[Figure] = []
    numbers: dict[str, float] = {}
    for (share, chance), span in zip(RANDOM_REACHES.items(), days, strict=True):
        solution = allocate(made, share * made.capacity)
        top = bound(made, solution.frequencies)[0]
        cost, held = _cost_of_politeness(wide, share)
        reached = _reached(made, solution, delays, span)
        field = [value / top for value in reached.values()]
        figures += [
            at_least(f"MERGE at {share:.0%}, of the bound", reached["merge"] / top, 0.9999, 1.0),
            near(f"RANDOM at {share:.0%}, of the bound", chance, reached["random"] / top, 0.02, field=field),
            at_least(f"DELAYED at {share:.0%}, of the bound", reached["delayed"] / top, 0.9995, 1.0),
        ]
        if share > 0.5:
            figures.append(near(f"cost of politeness at {share:.0%}", 0.131, cost, 0.05))
        numbers |= {f"bound_{share}": top, f"cost_of_politeness_{share}": cost, f"bound_wide_{share}": held}
        numbers |= {f"starved_{share}": solution.starved / len(made), f"full_{share}": float(solution.full.mean())}
        numbers |= {f"{name}_{share}": value for name, value in reached.items()}
    return Report("merge-standin", "politeness may cost 13 points, the order costs none", tuple(figures), numbers)


def _cost_of_politeness(pages: Pages, share: float) -> tuple[float, float]:
    """Freshness that the caps take from the best possible, and what they leave."""
    free = Pages.of(pages.rate, offsets=pages.offsets)
    held = bound(pages, allocate(pages, share * pages.capacity).frequencies)[0]
    return bound(free, allocate(free, share * pages.capacity).frequencies)[0] - held, held


def _reached(pages: Pages, solution: Allocation, delays: Floats, days: float) -> dict[str, float]:
    horizon = days * DAY
    return {
        order: simulate(
            pages, solution.frequencies, order=order, delays=delays, horizon=horizon, warm_up=0.1 * horizon, seed=3
        ).freshness
        for order in ("merge", "random", "delayed")
    }


def merge_standin_full(
    scale: float = 1.0, days: tuple[float, float, float] = (60.0, 30.0, 10.0), seed: int = 2007
) -> Report:
    """The slides' experiment at its own size: 14.5 million pages on 5,500 sites, with time and memory.

    ``scale`` makes fewer pages and sites in proportion. The phases start in a steady state, so a horizon shorter than
    the longest intervals does not favour anybody.
    """
    began, worked = time.perf_counter(), time.process_time()
    made = standin(max(1, round(FULL_PAGES * scale)), max(1, round(FULL_SITES * scale)), seed=seed)
    delays = np.full(made.sites, 30.0)
    figures: list[Figure] = []
    numbers: dict[str, float] = {"pages": len(made), "sites": made.sites, "requests": 0, "violations": 0}
    for (share, chance), span in zip(RANDOM_REACHES.items(), days, strict=True):
        solution = allocate(made, share * made.capacity)
        top = bound(made, solution.frequencies)[0]
        reached = {}
        for order in ("merge", "random"):
            horizon = span * DAY
            run = simulate(
                made, solution.frequencies, order=order, delays=delays, horizon=horizon, warm_up=0.1 * horizon, seed=3
            )
            reached[order] = run.freshness
            numbers["requests"] += run.requests
            numbers["violations"] += run.violations
        field = [value / top for value in reached.values()]
        figures += [
            at_least(f"MERGE at {share:.0%}, of the bound", reached["merge"] / top, 0.9999, 1.0),
            near(f"RANDOM at {share:.0%}, of the bound", chance, reached["random"] / top, 0.02, field=field),
        ]
        numbers |= {f"bound_{share}": top, f"merge_{share}": reached["merge"], f"random_{share}": reached["random"]}
        if share > 0.5:
            cost, _ = _cost_of_politeness(made, share)
            figures.append(near(f"cost of politeness at {share:.0%}", 0.131, cost, 0.05))
            numbers["cost_of_politeness"] = cost
    figures.append(at_most("requests too early", numbers["violations"], 0, 0.0))
    numbers |= {
        "seconds": time.perf_counter() - began,
        "cpu_seconds": time.process_time() - worked,
        "peak_gigabytes": peak_gigabytes(),
    }
    figures.append(at_most("gigabytes of memory at most", numbers["peak_gigabytes"], 6.0))
    return Report("merge-standin-full", "the slides' experiment at its own size", tuple(figures), numbers)


def decision_cost(small: int = 1_000_000, large: int = 10_000_000) -> Report:
    """What a decision costs as pages grow, up to ten million: no more than log n."""
    return _growth("decision-cost", small, large)


def decision_cost_full(small: int = 1_000_000, large: int = 100_000_000) -> Report:
    """What a decision costs as pages grow to a hundred million: takes minutes, and some 5 GB of memory."""
    return _growth("decision-cost-full", small, large)


def _growth(name: str, small: int, large: int) -> Report:
    first, second = bench_revisit([small, large])
    apart = first["decisions_per_second"] / second["decisions_per_second"]
    together = first["decisions_per_second_global"] / second["decisions_per_second_global"]
    size = f"{large:.0e} against {small:.0e} pages"
    figures = [
        at_most(f"cost of a decision, {size}, site by site", apart, 1.5, 1.25),
        at_most(f"the same in time order, {size}", together, 4.5, 3.3),
        at_least("decisions a second, site by site", second["decisions_per_second"], 4e6, 7e6),
        at_most("bytes a page", second["bytes_per_page"], 40.0, 40.0),
        at_most("seconds to allocate", second["allocate_seconds"], 6.0 * large / 1e7, 4.5 * large / 1e7),
        at_most("seconds to allocate a million pages", first["allocate_seconds"] * 1e6 / small, 1.0, 0.4),
    ]
    if large <= 10_000_000:
        figures.append(at_least("decisions a second, in time order", second["decisions_per_second_global"], 1.5e6, 2e6))
    else:
        figures.append(at_most("gigabytes of memory at most", second["peak_gigabytes"], 6.0))
    return Report(name, "the engine at scale", tuple(figures), second)
