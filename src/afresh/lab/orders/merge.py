"""MERGE: each page keeps its own virtual timetable, the site visits them in the order of these times.  [SL §3]

Page i has virtual times (k + U_i)/f_i with independent uniform phases U_i. The site asks once every 1/(sum of its f),
never sooner than its delay, and takes the page whose virtual time is smallest; that page moves on by 1/f_i. Politeness
holds by construction, and no page falls below 0.927 of the freshness that ideal spacing would give it (docs/theory/
merge.md). Virtual and real time drift apart by some sqrt(pages) ticks and come back: they are never synchronised.

On sites of up to ``SMALL`` pages the page whose visit is worth most (``marginals.index``) is taken instead, which
does better there: a page with a large share of a small site's requests is where MERGE's guarantee bites.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from afresh.base.compiled import compiled
from afresh.base.marginals import index
from afresh.lab.draws import uniform
from afresh.lab.orders.heap import Nodes, advance, heapify, top
from afresh.lab.orders.spacing import after

SMALL = 64  #: sites of up to so many pages are scanned for the most valuable page under the order "auto"

_SITES = 1 << 40  # stream of the sites' phases, apart from those of the pages

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]
Pages32 = NDArray[np.uint32]
Reals = NDArray[np.floating]


class Timetable(NamedTuple):
    """All that the choice of a page looks at; compiled code takes the arrays together."""

    objective: int
    rate: Reals
    weight: Reals  # a single number stands for all pages
    shape: Reals  # likewise
    offsets: Ints  # pages ``offsets[s]:offsets[s + 1]`` belong to site s
    starts: Ints  # of each site's nodes
    greedy: Bytes
    gaps: Floats
    ticks: Floats  # each site's next; moved on
    nodes: Nodes  # changed in place


@compiled()
def site_phase(seed: int, site: int, draw: int) -> float:
    """Where in its first interval a site starts, as a share of it."""
    return uniform(seed, _SITES + site, draw)


@compiled()
def first_ticks(seed: int, start: float, gaps: Floats) -> Floats:
    """First tick of each site, somewhere in its first interval, so that all of them together keep a steady pace."""
    ticks = np.empty(len(gaps))
    for s in range(len(gaps)):
        ticks[s] = start + site_phase(seed, s, 0) * gaps[s] if gaps[s] < np.inf else np.inf
    return ticks


@compiled()
def plant(
    frequency: Reals,
    offsets: Ints,
    starts: Ints,
    greedy: Bytes,
    seed: int,
    now: float,
    nodes: Nodes,
) -> None:
    """Fills the heaps: key now + U/f, or for greedy sites the time of a last visit spread over one period.

    A page without visits gets an infinite key and period. The phase of a page depends on seed and page number only.
    """
    for s in range(len(starts)):
        at = starts[s]
        for i in range(offsets[s], offsets[s + 1]):
            f = np.float64(frequency[i])
            nodes[at].page = i
            if f > 0.0:
                period = 1.0 / f
                u = uniform(seed, i, 0)
                nodes[at].period = period
                nodes[at].key = now - u * period if greedy[s] else now + u * period
            else:
                nodes[at].period = np.inf
                nodes[at].key = np.inf
            at += 1
        if not greedy[s]:
            heapify(nodes, starts[s], offsets[s + 1] - offsets[s])


@compiled()
def replant(
    frequency: Reals, offsets: Ints, starts: Ints, greedy: Bytes, seed: int, draw: int, now: float, nodes: Nodes
) -> None:
    """Changes frequencies, keeping each page's place in its own timetable.  [SL §3]

    With v the site's virtual time (its smallest key): key' = v + (key - v) f_old/f_new. A page that had no visits
    starts at v + U/f; one that has none any more sleeps. Nothing is anchored at real visits.
    """
    for s in range(len(starts)):
        first = starts[s]
        size = offsets[s + 1] - offsets[s]
        v = np.inf
        for slot in range(first, first + size):
            v = min(v, nodes[slot].key)
        if v == np.inf:
            v = now
        for slot in range(first, first + size):
            f = np.float64(frequency[nodes[slot].page])
            if f <= 0.0:
                nodes[slot].key = np.inf
                nodes[slot].period = np.inf
                continue
            period = 1.0 / f
            if nodes[slot].key == np.inf:
                u = uniform(seed, int(nodes[slot].page), draw)
                nodes[slot].key = now - u * period if greedy[s] else v + u * period
            elif not greedy[s]:
                nodes[slot].key = v + (nodes[slot].key - v) * (period / nodes[slot].period)
            nodes[slot].period = period
        if not greedy[s]:
            heapify(nodes, first, size)


@compiled()
def most_valuable(table: Timetable, now: float, first: int, size: int) -> int:
    """Slot of the page whose visit is worth most now; keys are last visits here. Ties go to the longest waiting."""
    rate, weight, shape, nodes = table.rate, table.weight, table.shape, table.nodes
    ws = 1 if len(weight) > 1 else 0
    ss = 1 if len(shape) > 1 else 0
    best = first
    most = -1.0
    for slot in range(first, first + size):
        last = nodes[slot].key
        if last == np.inf:
            continue
        i = nodes[slot].page
        worth = index(table.objective, now - last, rate[i], shape[i * ss], weight[i * ws])
        if worth > most or (worth == most and last < nodes[best].key):
            most = worth
            best = slot
    return best


@compiled()
def decide(table: Timetable, now: float, site: int) -> int:
    """The page a site visits at its tick; moves the page on."""
    nodes, first = table.nodes, table.starts[site]
    size = table.offsets[site + 1] - table.offsets[site]
    if table.greedy[site]:
        slot = most_valuable(table, now, first, size)
        nodes[slot].key = now
        return int(nodes[slot].page)
    slot = top(nodes, first, size)
    page = int(nodes[slot].page)
    advance(nodes, first, size, slot)
    return page


@compiled()
def fill_site_by_site(table: Timetable, until: float, site: int, times: Floats, pages: Pages32) -> tuple[int, int]:
    """All visits before ``until``, site after site from ``site`` on; returns how many, and the site to go on with.

    Stops when the arrays are full; calling again with the site returned goes on where this stopped.
    """
    count = 0
    room = len(times)
    nodes, ticks, sites = table.nodes, table.ticks, len(table.starts)
    for s in range(site, sites):
        t = ticks[s]
        gap = table.gaps[s]
        first = table.starts[s]
        size = table.offsets[s + 1] - table.offsets[s]
        if table.greedy[s]:
            while t < until and count < room:
                times[count] = t
                pages[count] = decide(table, t, s)
                count += 1
                t = after(t, gap)
        else:
            while t < until and count < room:
                slot = top(nodes, first, size)
                times[count] = t
                pages[count] = nodes[slot].page
                advance(nodes, first, size, slot)
                count += 1
                t = after(t, gap)
        ticks[s] = t
        if t < until:
            return count, s
    return count, sites
