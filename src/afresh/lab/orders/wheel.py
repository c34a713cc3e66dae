"""Visits of all sites in the order of time: a timing wheel for their ticks, a queue for those that share a pace.

The wheel has buckets of about four ticks each. A bucket's sites are sorted when its time comes; a site that ticked is
put into the bucket of its next tick, possibly some turns of the wheel ahead. Sites held to the same delay tick in the
same order for ever: they stand in one first-in-first-out queue (``rings``) and cost no bucket at all.  [SL §3.7]
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from afresh.base.compiled import compiled
from afresh.lab.orders.merge import Floats, Ints, Pages32, Timetable, decide
from afresh.lab.orders.spacing import after

_RINGS = 8  # so many paces get a queue of their own
_WORTH_A_RING = 16  # sites that must share a pace
_TICKS_A_BUCKET = 4.0

Links = NDArray[np.int32]

# slots of ``Wheel.marks``
BUCKET = 0  #: number of the bucket being worked on, counted from ``origin``
LOADED = 1  #: how many sites of it are left


class Wheel(NamedTuple):
    """Where every site's next tick stands."""

    origin: float
    width: float  # seconds a bucket
    heads: Links  # first site of each bucket, -1: none
    links: Links  # next site in the same bucket, -1: none
    current: Links  # sites of the bucket being worked on, latest first
    marks: Ints
    rings: Links  # sites of all queues, queue after queue
    ring_bounds: Ints  # where each queue begins and ends in ``rings``
    ring_fronts: Ints  # place of each queue's first site


def build(ticks: Floats, gaps: Floats, delays: Floats) -> Wheel:
    """A wheel for sites with the given next ticks (infinite: never) and paces."""
    alive = np.flatnonzero(np.isfinite(ticks) & np.isfinite(gaps))
    queues = _queues(ticks, gaps, delays, alive)
    in_queue = np.zeros(len(ticks), dtype=bool)
    for queue in queues:
        in_queue[queue] = True
    loose = alive[~in_queue[alive]]
    pace = float(np.sum(1.0 / gaps[loose])) if len(loose) else 1.0
    buckets = 1 << max(4, int(len(loose) / (0.5 * _TICKS_A_BUCKET)).bit_length())
    origin = float(ticks[alive].min()) if len(alive) else 0.0
    wheel = Wheel(
        origin=origin,
        width=_TICKS_A_BUCKET / pace if pace > 0.0 else 1.0,
        heads=np.full(buckets, -1, dtype=np.int32),
        links=np.full(len(ticks), -1, dtype=np.int32),
        current=np.empty(max(len(ticks), 1), dtype=np.int32),
        marks=np.array([-1, 0], dtype=np.int64),
        rings=np.concatenate(queues).astype(np.int32) if queues else np.empty(0, dtype=np.int32),
        ring_bounds=np.concatenate([[0], np.cumsum([len(queue) for queue in queues])]).astype(np.int64),
        ring_fronts=np.cumsum([0, *(len(queue) for queue in queues)])[:-1].astype(np.int64),
    )
    _enter_all(loose, ticks, wheel.origin, wheel.width, wheel.heads, wheel.links)
    return wheel


def _queues(ticks: Floats, gaps: Floats, delays: Floats, alive: Ints) -> list[Ints]:
    """Sites at their delay, by delay, each queue in the order of its ticks; the largest few only."""
    held = alive[(gaps[alive] == delays[alive]) & (gaps[alive] > 0.0)]
    paces, counts = np.unique(gaps[held], return_counts=True)
    queues = []
    for k in np.argsort(-counts, kind="stable")[:_RINGS]:
        if counts[k] < _WORTH_A_RING:
            break
        sites = held[gaps[held] == paces[k]]
        sites = sites[np.lexsort((sites, ticks[sites]))]
        # first in, first out holds only if no tick lies more than one pace after the first
        sites = sites[ticks[sites] <= ticks[sites[0]] + paces[k]]
        queues.append(sites.astype(np.int64))
    return queues


@compiled()
def _enter_all(sites: Ints, ticks: Floats, origin: float, width: float, heads: Links, links: Links) -> None:
    for j in range(len(sites) - 1, -1, -1):
        s = sites[j]
        enter(s, int((ticks[s] - origin) / width), heads, links)


@compiled()
def enter(site: int, bucket: int, heads: Links, links: Links) -> None:
    """Puts a site into a bucket."""
    slot = bucket & (len(heads) - 1)
    links[site] = heads[slot]
    heads[slot] = site


@compiled()
def insert(site: int, count: int, current: Links, ticks: Floats) -> None:
    """Puts a site in its place among the first ``count`` of the bucket at work: latest first, ties by number."""
    t = ticks[site]
    at = count
    while at > 0:
        other = current[at - 1]
        if ticks[other] > t or (ticks[other] == t and other > site):
            break
        current[at] = other
        at -= 1
    current[at] = site


@compiled()
def load(bucket: int, origin: float, width: float, heads: Links, links: Links, current: Links, ticks: Floats) -> int:
    """Takes the sites whose time has come out of a bucket; says how many. Those of later turns stay."""
    slot = bucket & (len(heads) - 1)
    s = heads[slot]
    heads[slot] = -1
    count = 0
    while s >= 0:
        following = links[s]
        if np.int64((ticks[s] - origin) / width) <= bucket:
            insert(s, count, current, ticks)
            count += 1
        else:
            links[s] = heads[slot]
            heads[slot] = s
        s = following
    return count


@compiled()
def earliest_ring(ticks: Floats, rings: Links, bounds: Ints, fronts: Ints) -> int:
    """The queue whose first site ticks first; -1 if there is none."""
    best = -1
    for r in range(len(fronts)):
        if bounds[r + 1] > bounds[r] and (best < 0 or ticks[rings[fronts[r]]] < ticks[rings[fronts[best]]]):
            best = r
    return best


@compiled()
def fill_in_time_order(table: Timetable, wheel: Wheel, until: float, times: Floats, pages: Pages32) -> int:
    """The next visits of all sites before ``until``, in time order, until the arrays are full; says how many."""
    origin, width, heads, links, current, marks, rings, bounds, fronts = wheel
    ticks = table.ticks
    count = 0
    loaded = marks[LOADED]
    bucket = marks[BUCKET]
    end = origin + (bucket + 1) * width
    while count < len(times):
        ring = earliest_ring(ticks, rings, bounds, fronts)
        ring_site = rings[fronts[ring]] if ring >= 0 else -1
        ring_time = ticks[ring_site] if ring >= 0 else np.inf
        if loaded == 0 and ring_time >= end:
            if end >= until:
                break
            bucket += 1
            end = origin + (bucket + 1) * width
            loaded = load(bucket, origin, width, heads, links, current, ticks)
            continue
        wheel_site = current[loaded - 1] if loaded > 0 else -1
        from_ring = (
            loaded == 0 or ring_time < ticks[wheel_site] or (ring_time == ticks[wheel_site] and ring_site < wheel_site)
        )
        s = ring_site if from_ring else wheel_site
        t = ticks[s]
        if t >= until:
            break
        times[count] = t
        pages[count] = decide(table, t, s)
        count += 1
        ticks[s] = after(t, table.gaps[s])
        if from_ring:
            fronts[ring] = fronts[ring] + 1 if fronts[ring] + 1 < bounds[ring + 1] else bounds[ring]
            continue
        loaded -= 1
        ahead = int((ticks[s] - origin) / width)
        if ahead <= bucket:
            insert(s, loaded, current, ticks)
            loaded += 1
        else:
            enter(s, ahead, heads, links)
    marks[LOADED] = loaded
    marks[BUCKET] = bucket
    return count
