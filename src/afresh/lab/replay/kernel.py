"""The compiled replay: poll after poll of each feed, with exact accounting of what was found, missed and how late.

All that a feed needs between two calls lives in rows outside (``whole``, ``real``, ``state``, ``hints``), so a run can
be advanced to any time and continued, with another price for instance. A step sees its window, never the stream.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from afresh.base.compiled import compiled
from afresh.base.signatures import F2, WB, WF, WF2, WN, WN2, F, N, types
from afresh.feeds.rules.hints import CAPACITY, COUNT_7D, COUNT_30D, MISSED, OLDEST_7D, OLDEST_30D, PREVIOUS
from afresh.lab.draws import uniform
from afresh.lab.replay.frame import HINTS, HINTS_LENGTH, NARROW, PARAMS, PARAMS_LENGTH, STATE, STATE_LENGTH

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]

# columns of ``whole``
POLLS = 0  #: executed so far in the part that counts
FOUND = 1
LOST = 2  #: entries that were displaced before a poll could see them
BASED = 3  #: 1 once a poll has shown entries: these are initial and not counted
BASE = 4  #: index of the oldest initial entry
FROM = 5  #: previous non-empty window, index of its oldest entry
TO = 6  #: previous non-empty window, one past its newest entry; -1: none yet
VISIBLE = 7  #: one past the newest entry published so far
RECORDED = 8  #: recorded poll in force; one before the feed's first: none yet
CAP = 9  #: largest window seen
DRAWS = 10  #: random numbers drawn so far
LOW_7D = 11  #: first entry not older than 7 days
SEEN_7D = 12  #: known entries from there on
LOW_30D = 13
SEEN_30D = 14
WHOLE = 15

# columns of ``real``
NEXT = 0  #: time of the next poll
BEFORE = 1  #: time of the previous poll; NaN: none
DELAY = 2  #: sum over found entries, seconds
WORST = 3  #: largest delay
VOLUME = 4  #: bytes transferred
REAL = 5

# columns of ``costs``
HEADER = 0  #: bytes of an answer without news
BODY = 1  #: bytes of a document, without those of the entries where these are known
CONDITIONAL = 2  #: 1: the server answers 304 when nothing is new
COSTS = 3

# bits of ``mode``
RECORDED_WINDOWS = 1  #: window sizes and bytes are those of the recorded polls
EVER_SEEN = 2  #: an entry counts as found once, however often it comes back
COUNTS = 4  #: fill the 7 and 30 day counts of the hints
DELAYS = 8  #: keep the delay of every entry
KNOWN = 16  #: keep which entries were seen
SIZED = 32  #: sizes of entries are known
VOLUMES = 64  #: add up bytes
CHANCE = 128  #: the step uses its random number
PLAIN = RECORDED_WINDOWS | EVER_SEEN | DELAYS | KNOWN  #: none of these: the short way of accounting suffices

_BYTES = 8  # of an entry's time
_SEVEN_DAYS = 604_800.0
_THIRTY_DAYS = 2_592_000.0


@compiled(types.void(types.int64, WB, WN2, types.int64))
def rewind(first: int, known: Bytes, whole: Ints, i: int) -> None:
    """Makes the counts of feed ``i`` reach back to entry ``first``; ``forget`` takes out again what is too old."""
    for low_at in (LOW_7D, LOW_30D):
        low = whole[i, low_at]
        while low > first:
            low -= 1
            whole[i, low_at + 1] += known[low]
        whole[i, low_at] = low


@compiled(types.void(types.int64, types.int64, WB, WN2, types.int64))
def learn(first: int, last: int, known: Bytes, whole: Ints, i: int) -> None:
    """Marks entries ``first`` to ``last`` of feed ``i`` as known and adds them to its counts."""
    if first < last:
        rewind(first, known, whole, i)
    for k in range(first, last):
        if known[k] == 0:
            known[k] = 1
            whole[i, SEEN_7D] += k >= whole[i, LOW_7D]
            whole[i, SEEN_30D] += k >= whole[i, LOW_30D]


@compiled(types.void(types.int64, F, WB, types.float64, WN2, types.int64, WF2))
def forget(last: int, times: Floats, known: Bytes, now: float, whole: Ints, i: int, hints: Floats) -> None:
    """Takes entries older than 7 or 30 days out of the counts, and writes counts and oldest entry into the hints."""
    for low_at, span, count_at, oldest_at in (
        (LOW_7D, _SEVEN_DAYS, COUNT_7D, OLDEST_7D),
        (LOW_30D, _THIRTY_DAYS, COUNT_30D, OLDEST_30D),
    ):
        low = whole[i, low_at]
        while low < last and times[low] < now - span:
            whole[i, low_at + 1] -= known[low]
            low += 1
        whole[i, low_at] = low
        count = whole[i, low_at + 1]
        while low < last and known[low] == 0:
            low += 1
        hints[i, count_at] = count
        hints[i, oldest_at] = times[low] if count > 0 else np.nan


@compiled(types.void(types.int64, types.int64, types.float64, types.int64, F, WB, WN2, types.int64, WF2, WF))
def score(
    first: int,
    last: int,
    now: float,
    mode: int,
    times: Floats,
    known: Bytes,
    whole: Ints,
    i: int,
    real: Floats,
    delays: Floats,
) -> None:
    """Counts entries ``first`` to ``last`` of feed ``i`` as found at ``now``."""
    for k in range(first, last):
        if mode & EVER_SEEN:
            if known[k] != 0 or k < whole[i, BASE]:
                continue
            if k < whole[i, TO]:
                whole[i, LOST] -= 1  # was thought to be lost, came back with a larger window
        late = now - times[k]
        whole[i, FOUND] += 1
        real[i, DELAY] += late
        real[i, WORST] = max(real[i, WORST], late)
        if mode & DELAYS and np.isnan(delays[k]):
            delays[k] = late


@compiled(types.int64(types.int64, types.float64, N, N, F, N, WN2))
def recorded_window(
    i: int, now: float, windows: Ints, poll_offsets: Ints, poll_times: Floats, poll_windows: Ints, whole: Ints
) -> int:
    """The size that the latest recorded poll of feed ``i`` at or before ``now`` saw.  [R12] §4.3.2."""
    recorded = whole[i, RECORDED]
    while recorded + 1 < poll_offsets[i + 1] and poll_times[recorded + 1] <= now:
        recorded += 1
    whole[i, RECORDED] = recorded
    return int(poll_windows[recorded] if recorded >= poll_offsets[i] else windows[i])


@compiled(types.float64(types.int64, types.int64, types.int64, types.int64, types.int64, N, F, F2, F, WN2))
def transferred(
    i: int,
    mode: int,
    start: int,
    visible: int,
    new: int,
    poll_offsets: Ints,
    poll_sizes: Floats,
    costs: Floats,
    sums: Floats,
    whole: Ints,
) -> float:
    """Bytes of one poll: those of the recorded poll in force, else of a header, or of a document.  [R12] §4.3.4."""
    if mode & RECORDED_WINDOWS and whole[i, RECORDED] >= poll_offsets[i]:
        size = poll_sizes[whole[i, RECORDED]]
        if not np.isnan(size):
            return float(size)
    if new == 0 and costs[i, CONDITIONAL] != 0.0:
        return float(costs[i, HEADER])
    return float(costs[i, BODY] + (sums[visible] - sums[start] if mode & SIZED else 0.0))


@compiled(
    types.void(
        types.int64,
        types.float64,
        types.int64,
        types.int64,
        types.int64,
        types.int64,
        types.int64,
        F,
        WB,
        WN2,
        WF2,
        WF,
    )
)
def account(
    i: int,
    now: float,
    mode: int,
    start: int,
    revived: int,
    fresh: int,
    visible: int,
    times: Floats,
    known: Bytes,
    whole: Ints,
    real: Floats,
    delays: Floats,
) -> None:
    """Books a window with new entries, ``start`` to ``revived`` and ``fresh`` to ``visible``.

    The first window with entries is the baseline and not counted. Disjoint windows have lost what lies between them.
    """
    if whole[i, BASED] == 0:
        whole[i, BASED] = 1
        whole[i, BASE] = start
    else:
        if visible - fresh + revived - start == visible - start and whole[i, TO] >= 0:
            whole[i, LOST] += max(0, start - whole[i, TO])
        score(start, revived, now, mode, times, known, whole, i, real, delays)
        score(fresh, visible, now, mode, times, known, whole, i, real, delays)
    if mode & KNOWN:
        if whole[i, TO] < 0:  # what came before the first window is unknown and need not be looked through
            whole[i, LOW_7D] = start
            whole[i, LOW_30D] = start
        learn(start, revived, known, whole, i)
        learn(fresh, visible, known, whole, i)
    whole[i, TO] = visible


_ADVANCE = types.int64(
    types.FunctionType(NARROW),
    WN,  # frame
    F,  # params
    types.int64,  # first feed
    types.int64,  # one past the last
    types.float64,  # until, inclusive
    types.int64,  # mode
    types.uint64,  # seed
    N,  # feed ids
    N,  # offsets
    F,  # times
    N,  # windows
    N,  # offsets of recorded polls
    F,  # their times
    N,  # their windows
    F,  # their sizes
    F2,  # costs
    F,  # sums of the entries' sizes
    WF2,  # state
    WF2,  # hints
    WN2,  # whole
    WF2,  # real
    WB,  # known
    WF,  # delays
)


# without reference counts: nothing is allocated here, and counting each window's slice would have threads wait for
# each other at every poll
@compiled(_ADVANCE, _nrt=False)
def advance(
    step: Callable[[Any, float, Any, int, int, float], float],
    frame: Ints,
    params: Floats,
    first: int,
    last: int,
    until: float,
    mode: int,
    seed: int,
    ids: Ints,
    offsets: Ints,
    times: Floats,
    windows: Ints,
    poll_offsets: Ints,
    poll_times: Floats,
    poll_windows: Ints,
    poll_sizes: Floats,
    costs: Floats,
    sums: Floats,
    state: Floats,
    hints: Floats,
    whole: Ints,
    real: Floats,
    known: Bytes,
    delays: Floats,
) -> int:
    """Makes all polls of the feeds ``first`` to ``last`` due until ``until``; -1, or the feed whose step stood still.

    The loop of [R12] §4.3: a poll shows the newest entries published so far, as many as the window holds; new are those
    not in the previous non-empty window; disjoint windows have lost exactly the entries between them.
    """
    called = np.int64(frame.ctypes.data)
    base = np.int64(times.ctypes.data)
    frame[PARAMS] = params.ctypes.data
    frame[PARAMS_LENGTH] = len(params)
    frame[STATE_LENGTH] = state.shape[1]
    frame[HINTS_LENGTH] = hints.shape[1]
    for i in range(first, last):
        now = real[i, NEXT]
        if now > until:
            continue
        # what changes at every poll is kept in local variables: writing it to its row each time is a third slower
        oldest = offsets[i]
        end = offsets[i + 1]
        hint = hints[i]
        frame[STATE] = state[i].ctypes.data
        frame[HINTS] = hint.ctypes.data
        size = windows[i]
        visible = whole[i, VISIBLE]
        seen_from = whole[i, FROM]
        seen_to = whole[i, TO]
        capacity = whole[i, CAP]
        before = real[i, BEFORE]
        volume = real[i, VOLUME]
        polls = 0
        found = 0
        lost = 0
        delay = real[i, DELAY]
        worst = real[i, WORST]
        draws = whole[i, DRAWS]
        while now <= until:
            while visible < end and times[visible] <= now:
                visible += 1
            if mode & RECORDED_WINDOWS:
                size = recorded_window(i, now, windows, poll_offsets, poll_times, poll_windows, whole)
            start = max(oldest, visible - size)
            shown = visible - start
            new = 0
            hint[MISSED] = 0.0
            if shown > 0:
                fresh = max(start, seen_to)  # entries from here on are new; with none before, seen_to is -1
                revived = start  # entries before this one are older than the previous window, hence new again
                if seen_to >= 0:
                    revived = max(start, min(seen_from, visible))
                new = visible - fresh + revived - start
                if new > 0 and mode & PLAIN == 0 and whole[i, BASED] != 0:
                    found += new
                    if fresh > seen_to:
                        hint[MISSED] = 1.0
                        lost += fresh - seen_to
                    elif new == shown:
                        hint[MISSED] = 1.0
                    for k in range(fresh, visible):
                        late = now - times[k]
                        delay += late
                        worst = max(worst, late)
                elif new > 0:
                    if new == shown and seen_to >= 0:
                        hint[MISSED] = 1.0
                    account(i, now, mode, start, revived, fresh, visible, times, known, whole, real, delays)
                elif whole[i, BASED] == 0:
                    whole[i, BASED] = 1
                    whole[i, BASE] = start
                seen_from = start
                seen_to = visible
                capacity = max(capacity, shown)
            if mode & VOLUMES:
                volume += transferred(i, mode, start, visible, new, poll_offsets, poll_sizes, costs, sums, whole)
            if mode & COUNTS:
                forget(visible, times, known, now, whole, i, hints)
            hint[PREVIOUS] = before
            hint[CAPACITY] = capacity
            u = uniform(seed, ids[i], draws + polls) if mode & CHANCE else 0.0
            following = step(called, now, base + _BYTES * start, shown, new, u)
            polls += 1
            before = now
            if not following > now:
                return i
            now = following
        real[i, NEXT] = now
        real[i, BEFORE] = before
        whole[i, FOUND] += found
        whole[i, LOST] += lost
        if mode & PLAIN == 0:
            real[i, DELAY] = delay
            real[i, WORST] = worst
        real[i, VOLUME] = volume
        whole[i, VISIBLE] = visible
        whole[i, FROM] = seen_from
        whole[i, TO] = seen_to
        whole[i, CAP] = capacity
        whole[i, POLLS] += polls
        whole[i, DRAWS] = draws + polls
    return -1
