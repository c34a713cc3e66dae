"""Why large sites go first: near the end of a crawl only they remain, and their delays cannot be filled.

[G20] §4.2.1, Fig. 9.

One worker, a second a page, and a pause after each page before its site may be asked again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spell:
    """How long all pages took, and how much of that the worker waited."""

    total: float
    idle: float
    visits: tuple[tuple[float, int], ...]  # begin of each visit, and the site


#: pages left of a site -> the smaller, the sooner
Rank = Callable[[int], float]


def crawl(pages: Sequence[int], *, delay: float, seconds: float, rank: Rank, patient: bool = False) -> Spell:
    """Sites with so many pages each, always the ready one of the lowest rank by pages left; the worker waits if none
    is.

    ``patient`` reserves the worker for the largest site: nothing is begun that would still run when that one is ready,
    so that its chain of delays, the longest, is never held up. Otherwise whatever is ready is done at once.
    """
    left, ready = list(pages), [0.0] * len(pages)
    now = idle = 0.0
    visits = []
    while any(left):
        largest = max(range(len(left)), key=lambda site: (left[site], -site))
        able = [site for site, count in enumerate(left) if count and ready[site] <= now]
        if patient and largest not in able:
            able = [site for site in able if now + seconds <= ready[largest] or not left[largest]]
        if able:
            site = min(able, key=lambda site: (rank(left[site]), site))
            visits.append((now, site))
            now += seconds
            left[site] -= 1
            ready[site] = now + delay
            continue
        soonest = min(ready[site] for site, count in enumerate(left) if count and ready[site] > now)
        idle += soonest - now
        now = soonest
    return Spell(now, idle, tuple(visits))


def large_first(left: int) -> float:
    """Sites with most pages left."""
    return -float(left)


def small_first(left: int) -> float:
    """Sites with fewest pages left."""
    return float(left)
