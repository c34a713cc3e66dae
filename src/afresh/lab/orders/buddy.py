"""BUDDY: shares rounded to powers of two, so that a page is visited every 2^k ticks exactly.

Slices of length 2^-k, largest first, tile the unit interval; tick t takes the slice that holds t with its bits
reversed. Spacing is perfect and no state is kept; what is lost is the rounding of the frequencies: all shares are
scaled alike before rounding down, as far as there is room, and what room is left doubles those rounded down most.
"""

import numpy as np
from numpy.typing import NDArray

from afresh.base.compiled import compiled
from afresh.lab.draws import uniform
from afresh.lab.orders.spacing import after
from afresh.lab.orders.timetable import ORDER, Floats, Numbers, Pace

_BITS = 40


@compiled()
def powers_of_two(frequency: Floats) -> NDArray[np.int64]:
    """The k of each page's share 2^-k; the shares add up to at most 1."""
    logs = -np.log2(frequency / frequency.sum())
    low = -1.0
    high = 1.0 + np.log2(len(frequency)) + 1.0
    for _ in range(60):
        shift = 0.5 * (low + high)
        if np.sum(2.0 ** -np.ceil(logs + shift)) <= 1.0:
            high = shift
        else:
            low = shift
    exact = logs + high
    chosen = np.ceil(exact)
    left = 1.0 - np.sum(2.0**-chosen)
    for i in np.argsort(exact - chosen):  # most rounded down first
        share = 2.0 ** -chosen[i]
        if share <= left and chosen[i] > 0:
            chosen[i] -= 1
            left -= share
    powers: NDArray[np.int64] = np.minimum(np.maximum(chosen, 0.0), _BITS).astype(np.int64)
    return powers


@compiled()
def reversed_bits(t: int) -> float:
    """The bits of t mirrored at the binary point: 1 -> 1/2, 2 -> 1/4, 3 -> 3/4, ..."""
    spot = 0.0
    half = 0.5
    t &= (1 << _BITS) - 1
    while t > 0:
        if t & 1:
            spot += half
        t >>= 1
        half *= 0.5
    return spot


@compiled(ORDER)
def buddy(frequency: Floats, _phase: Floats, pace: Pace, seed: int, times: Floats, pages: Numbers) -> int:
    """Ticks in bit-reversed order over the dyadic slices; a tick that falls into unused room goes to the last slice."""
    powers = powers_of_two(frequency)
    order = np.argsort(powers, kind="mergesort")
    ends: Floats = np.cumsum(2.0 ** -powers[order].astype(np.float64))
    first = int(uniform(seed, 0, 0) * (1 << 20))
    t = pace.first_tick
    count = 0
    while t < pace.until:
        at = int(np.searchsorted(ends, reversed_bits(first + count), side="right"))
        times[count] = t
        pages[count] = order[min(at, len(ends) - 1)]
        count += 1
        t = after(t, pace.gap)
    return count
