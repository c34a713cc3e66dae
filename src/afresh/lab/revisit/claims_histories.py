"""The claims about recorded histories: perfect spacing against polite orders, and belief against plug-in.

The protocol of spec §5.8: frequencies are fixed from what the warm-up of each page showed, then played against the
recorded changes of its scored part. No Poisson assumption enters the score.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from afresh.lab.allocation.best import allocate
from afresh.lab.allocation.pages import Pages, group_by_site
from afresh.lab.orders.schedule import Schedule, Visits
from afresh.lab.orders.timetable import TIMETABLES, Pace, room_needed
from afresh.lab.revisit.engine import phases_of
from afresh.lab.revisit.histories import DAY, Histories, histories_of
from afresh.lab.revisit.replay import revisit
from afresh.lab.revisit.report import Figure, Report, at_least, at_most
from afresh.lab.rivals.page_policies import DEFAULT
from afresh.lab.rivals.page_rates import PLUG_IN
from afresh.lab.traces import read_page_trace
from afresh.pages.policies.belief import BELIEF

Floats = NDArray[np.float64]
BUDGETS = (0.1, 0.5, 1.0, 2.0)
DELAY = 30.0
#: sources of the kind the claim is about: terms of service, documentation kept in git; elsewhere: not far behind
CLAIMED = ("ota", "site")


def page_histories(trace: Path | None = None, seed: int = 0) -> Report:
    """Recorded histories (``--trace``; else synthetic ones): MERGE against perfect spacing, belief against plug-in.

    Each value of the column ``source`` is a history of its own.
    """
    figures: list[Figure] = []
    table: list[dict[str, object]] = []
    for name, histories in _traces(trace, seed).items():
        gap = 0.0
        for budget in BUDGETS:
            reached = fixed_frequencies(histories, budget, seed=seed)
            gap = max(gap, abs(reached["merge"] - reached["iepp"]))
            table.append({"history": name, "budget": budget, "rates": "of the warm-up", **reached})
        figures.append(at_most(f"{name}: MERGE from perfect spacing, largest of four budgets", gap, 0.004, 0.003))
        rows = revisit(histories, (DEFAULT, BELIEF, PLUG_IN), BUDGETS[:1], seed=seed)
        online = {row.policy: row.freshness for row in rows}
        table.append({"history": name, "budget": BUDGETS[0], "rates": "learnt online", **online})
        for policy in (BELIEF.name, DEFAULT.name):
            ahead = online[policy] - online[PLUG_IN.name]
            least, trial = (0.01, 0.01) if name in CLAIMED else (-0.005, None)
            figures.append(at_least(f"{name}: {policy} before plug-in at 0.1, online", ahead, least, trial))
    return Report("page-histories", "recorded histories of pages", tuple(figures), table=table)


def _traces(trace: Path | None, seed: int) -> dict[str, Histories]:
    if trace is None:
        return {"synthetic": bursty_histories(seed=seed)}
    read = read_page_trace(trace)
    if "source" not in read.columns:
        return {read.name: histories_of(read)}
    return {name: histories_of(read, where={"source": name}) for name in sorted(set(read.columns["source"])) if name}


def fixed_frequencies(histories: Histories, budget: float, *, seed: int = 0) -> dict[str, float]:
    """Freshness of each order at the best frequencies for the rates of the warm-up; ``budget`` in changes, as ever."""
    order, offsets, _ = group_by_site(histories.site)
    pages = Pages.of(_warm_rates(histories)[order], offsets=offsets, delays=np.full(len(offsets) - 1, DELAY))
    allowed = budget * float(histories.scored_rates().sum())
    frequencies = allocate(pages, min(allowed, pages.capacity)).frequencies
    start, horizon = float(histories.scored.min()), float(histories.ends.max() - histories.scored.min())
    return {
        name: _score(histories, order, start, *visits_of(pages, frequencies, name, horizon, seed))
        for name in ("merge", "iepp", "random")
    }


def _warm_rates(histories: Histories) -> Floats:
    """(changes + 1/2) over (time + time of half a change at the mean rate), of the warm-up."""
    owner = np.repeat(np.arange(len(histories)), np.diff(histories.offsets))
    early = histories.changes <= histories.scored[owner]
    counts = np.bincount(owner[early], minlength=len(histories))
    watched = histories.scored - histories.born
    usual = max(counts.sum(), 0.5) / watched.sum()
    rates: Floats = (counts + 0.5) / (watched + 0.5 / usual)
    return rates


def visits_of(
    pages: Pages, frequencies: NDArray[np.floating], order: str, horizon: float, seed: int
) -> tuple[Floats, NDArray[np.int64]]:
    """All visits of a timetable from 0 to the horizon: times, and which page."""
    if order == "merge":
        room = Visits.room_for(int(frequencies.sum() * horizon * 1.05) + len(pages) + 1000)
        schedule = Schedule(pages, frequencies, order="merge", seed=seed)
        parts = []
        while count := schedule.site_by_site(horizon, room):
            parts.append((room.times[:count].copy(), room.pages[:count].astype(np.int64)))
        return np.concatenate([t for t, _ in parts]), np.concatenate([p for _, p in parts])
    times, which = [], []
    phase = phases_of(seed, len(pages))
    for site in range(pages.sites):
        first = int(pages.offsets[site])
        mine = frequencies[first : pages.offsets[site + 1]].astype(np.float64)
        active = np.flatnonzero(mine > 0.0)
        if len(active):
            f = np.ascontiguousarray(mine[active])
            gap = max(1.0 / f.sum(), DELAY)
            room_t = np.empty(room_needed(f, gap, horizon))
            room_p = np.empty(len(room_t), dtype=np.uint32)
            u = np.ascontiguousarray(phase[first + active])
            count = TIMETABLES.find(order)(f, u, Pace(0.5 * gap, gap, DELAY, horizon), seed + site, room_t, room_p)
            times.append(room_t[:count])
            which.append(first + active[room_p[:count]])
    return np.concatenate(times), np.concatenate(which)


def _score(
    histories: Histories, order: NDArray[np.int64], start: float, times: Floats, which: NDArray[np.int64]
) -> float:
    """Share of scored page time in which the copy was good; each page's copy is good when its scored part begins."""
    by_page = np.lexsort((times, which))
    times, which = times[by_page] + start, which[by_page]
    ends = np.searchsorted(which, np.arange(len(order) + 1))
    fresh = 0.0
    for place, page in enumerate(order):
        begin, end = histories.scored[page], histories.ends[page]
        visits = times[ends[place] : ends[place + 1]]
        moments = np.concatenate(([begin], visits[(visits > begin) & (visits < end)], [end]))
        changes = np.append(histories.changes[histories.offsets[page] : histories.offsets[page + 1]], np.inf)
        stale = changes[np.searchsorted(changes, moments[:-1], side="right")]
        fresh += histories.weight[page] * float(np.sum(np.minimum(stale, moments[1:]) - moments[:-1]))
    return fresh / float(histories.weight @ (histories.ends - histories.scored))


def bursty_histories(pages: int = 600, sites: int = 30, *, seed: int = 0) -> Histories:
    """Synthetic pages of 400 days; rates differ by site and page and are redrawn now and then: bursts and rests."""
    rng = np.random.default_rng(seed)
    site = np.sort(rng.integers(0, sites, pages))
    mean = rng.normal(-3.5, 1.0, sites)[site]
    born = rng.uniform(0.0, 60.0, pages) * DAY
    parts = []
    for page in range(pages):
        now, end, times = born[page], born[page] + 400.0 * DAY, []
        while now < end:
            spell = rng.exponential(60.0 * DAY)  # a mood of the page
            rate = np.exp(mean[page] + rng.normal(0.0, 1.5)) / DAY
            times.append(now + np.sort(rng.uniform(0.0, spell, rng.poisson(rate * spell))))
            now += spell
        changes = np.concatenate(times)
        parts.append(changes[changes <= end])
    return Histories(
        page_ids=np.arange(pages),
        site=site.astype(np.int64),
        site_names=tuple(f"site-{k}" for k in range(sites)),
        born=born,
        ends=born + 400.0 * DAY,
        scored=born + 400.0 / 3.0 * DAY,
        weight=np.ones(pages),
        offsets=np.concatenate(([0], np.cumsum([len(part) for part in parts]))).astype(np.int64),
        changes=np.concatenate(parts),
    )
