"""A page somebody watches, alone in a fresh daemon: how soon are its changes found, and by how many visits?

The daemon's own page code in virtual time, at the price that holds without a budget. The page changes once in ten
minutes, an hour, a day, thirty days; every figure is a mean over pages that differ in when they change, by chance or
like clockwork. ``chosen``: a person chose the page; ``found``: a sitemap named it, so it is taken for an average one.
"""

import statistics
from collections.abc import Iterator
from itertools import product

import numpy as np

from afresh.base.settings.sections import BudgetSettings, RevisitSettings
from afresh.lab.replay.trace import Floats
from afresh.lab.revisit.daemon import Crawl
from afresh.lab.revisit.histories import Histories

_MINUTE, _HOUR, _DAY = 60.0, 3_600.0, 86_400.0
_START = 1_700_000_000.0
_PERIODS = {"10m": 10 * _MINUTE, "1h": _HOUR, "1d": _DAY, "30d": 30 * _DAY}
_END = 120 * _DAY
_SPANS = {"first_day": (0.0, _DAY), "first_week": (0.0, 7 * _DAY), "later": (30 * _DAY, _END)}
_PAGES = 10


def measure() -> dict[str, float]:
    figures: dict[str, float] = {}
    for name, period in _PERIODS.items():
        for by_chance, is_chosen in product((False, True), (True, False)):
            changes = [_changes(period, seed, by_chance=by_chance) for seed in range(_PAGES)]
            watched = [_watched(times, seed, is_chosen=is_chosen) for seed, times in enumerate(changes)]
            which = f"{name}_{'by_chance' if by_chance else 'regular'}_{'chosen' if is_chosen else 'found'}"
            figures |= {f"{which}.{key}": value for key, value in _figures(watched)}
    return figures


def _changes(period: float, seed: int, *, by_chance: bool) -> Floats:
    rng = np.random.default_rng(seed)
    count = int(3 * _END / period) + 50
    gaps = rng.exponential(period, count) if by_chance else np.full(count, period)
    times = rng.uniform(0.0, period) + np.cumsum(gaps) - (0.0 if by_chance else period)
    return _START + times[times < _END]


def _watched(changes: Floats, seed: int, *, is_chosen: bool) -> tuple[Floats, Floats]:
    """The changes of one page, and when it was visited after the first time."""
    web = Histories(
        page_ids=np.array([0]),
        site=np.array([0]),
        site_names=("example",),
        born=np.array([_START]),
        ends=np.array([_START + _END]),
        scored=np.array([_START]),
        weight=np.ones(1),
        offsets=np.array([0, len(changes)]),
        changes=changes,
    )
    price = BudgetSettings().price
    crawl = Crawl(
        web,
        np.zeros(1),
        RevisitSettings(),
        delay=1.0,
        seed=seed,
        epoch=_DAY,
        price=lambda _: price,
        is_chosen=is_chosen,
    )
    crawl.visits = []
    crawl.run()
    return changes, np.array([at for at, _ in crawl.visits])


def _figures(watched: list[tuple[Floats, Floats]]) -> Iterator[tuple[str, float]]:
    firsts = [_first(changes, visits) for changes, visits in watched if len(changes)]
    yield "first_change_waits_hours", statistics.mean(wait for wait, _ in firsts) / _HOUR
    yield "first_change_found_by_visit", statistics.mean(number for _, number in firsts)
    for span, (begin, end) in _SPANS.items():
        waits, made = [], []
        for changes, visits in watched:
            within = changes[(changes >= _START + begin) & (changes < _START + end)]
            found = np.searchsorted(visits, within)
            known = found < len(visits)
            waits += list(visits[found[known]] - within[known])
            made.append(int(((visits >= _START + begin) & (visits < _START + end)).sum()))
        if waits:
            yield f"{span}_wait_hours", statistics.mean(waits) / _HOUR
        yield f"{span}_visits_per_day", statistics.mean(made) / ((end - begin) / _DAY)


def _first(changes: Floats, visits: Floats) -> tuple[float, int]:
    """How long the first change waited for the visit that found it, and which visit after the first that was."""
    number = int(np.searchsorted(visits, changes[0]))
    return float(visits[min(number, len(visits) - 1)] - changes[0]), number + 1
