"""Consistent hashing: fetchers stand on a ring, each at many places; a site goes clockwise to the next one.

One more fetcher among N takes about 1/(N + 1) of the sites and moves no other ([KSB99], [G20] §4.3.2.3). The
share of one fetcher varies with a standard deviation of about 1/√places of its mean: 9 % with 128 places. The ring is
built when membership changes and kept; a list request costs a look-up. ([G20]'s prototype joined the table of positions
with itself for every list, §6.9 of the specification: its database stood at 100 %.)
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from afresh.base.hashing import HASH_SPACE, ring_positions
from afresh.base.records.frontier import FetcherAccount, HashArcs, Partition

#: places of one fetcher on the ring
POSITIONS = 128

_Numbers = NDArray[np.int64]


def partition(account: FetcherAccount, members: Sequence[FetcherAccount]) -> Partition:
    """The arcs that end at one of the fetcher's places."""
    return arcs_of(account.uuid, tuple(sorted(member.uuid for member in members)))


@lru_cache(maxsize=1024)
def arcs_of(uuid: str, fetchers: tuple[str, ...], positions: int = POSITIONS) -> HashArcs:
    """What one of these fetchers (sorted) owns: half-open arcs, ascending, those that touch joined.

    >>> arcs_of("alone", ("alone",), 3)
    HashArcs(arcs=((0, 9223372036854775808),))
    """
    if uuid not in fetchers or positions < 1:
        return HashArcs(())
    starts, lasts, owners = _ring(fetchers, positions)
    own = np.flatnonzero(owners == fetchers.index(uuid))
    return HashArcs(tuple(zip(starts[own].tolist(), [last + 1 for last in lasts[own].tolist()], strict=True)))


def ring(fetchers: tuple[str, ...], positions: int = POSITIONS) -> dict[str, HashArcs]:
    """What each fetcher (sorted) owns; together the whole space, once."""
    return {uuid: arcs_of(uuid, fetchers, positions) for uuid in fetchers}


@lru_cache(maxsize=8)
def _ring(fetchers: tuple[str, ...], positions: int) -> tuple[_Numbers, _Numbers, _Numbers]:
    """First and last hash of each arc, and the number of its owner; an arc ends where the owner changes."""
    places = np.concatenate([_places(uuid, positions) for uuid in fetchers])
    owners = np.repeat(np.arange(len(fetchers)), positions)
    order = np.argsort(places, kind="stable")  # two fetchers on one place: the first by UUID has it
    places, owners = places[order], owners[order]
    kept = np.append(True, places[1:] != places[:-1])
    # beyond the last place the ring goes on at its first
    places, owners = np.append(places[kept], HASH_SPACE - 1), np.append(owners[kept], owners[0])
    ends = np.append(owners[1:] != owners[:-1], True)
    lasts = places[ends]
    starts = np.append(0, lasts[:-1] + 1)
    there = starts <= lasts  # a place at the very end leaves nothing beyond it
    return starts[there], lasts[there], owners[ends][there]


@lru_cache(maxsize=4096)
def _places(uuid: str, positions: int) -> _Numbers:
    return np.sort(np.array(ring_positions(uuid, positions), dtype=np.int64))
