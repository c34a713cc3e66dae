"""The compiled simulator of refresh strategies: publish, look, choose, refresh, sample; cycle after cycle.

One loop for synthetic sources and recorded ones. Everything a run needs between two calls lives in arrays outside, so
it can be advanced in parts: a warm-up first, a model looked at every week, a phase of learning.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from afresh.base.compiled import compiled
from afresh.base.signatures import WF, WF2, WN, F, N, S, types
from afresh.feeds.estimators.model import EXPECT_TYPE, UPDATE_TYPE, Expect, Update
from afresh.feeds.strategies.round import ROUND_TYPE, STANDINGS, TAU, Choose, Standings
from afresh.feeds.strategies.sources import accumulate
from afresh.lab.draws import uniform

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

# bits of ``mode``
TRUTH = 1  #: strategies see the true divergence, as in [H12] Ch. 4
EXACT = 2  #: with it: the exact utility instead of ½·x·Div_A
RANDOM_TIES = 4  #: among equals chance decides, else the source that has lost most
TRUE_COUNTS = 8  #: models learn the true number of new entries, also where the window has lost some ([H12] §7.3.3)
FROZEN = 16  #: models do not learn
SAMPLE = 32  #: freshness at the end of each cycle
ERRORS = 64  #: the error of the expected divergence at each cycle, before the refreshes
WAITING = 128  #: a refresh is worth the time that entries have waited

# columns of ``series``, one row a cycle
USED, THRESHOLD, FRESHNESS, ERROR = 0, 1, 2, 3
SERIES = 4


@compiled(types.void(types.float64, N, F, WN))
def publish(now: float, offsets: Ints, times: Floats, head: Ints) -> None:
    """Moves each source's head past what is published by now."""
    for i in range(len(head)):
        k = head[i]
        end = offsets[i + 1]
        while k < end and times[k] <= now:
            k += 1
        head[i] = k


class Progress(NamedTuple):
    """How far each source has come; all of it is changed in place."""

    head: Ints  # entries published so far
    seen: Ints  # of these, known by the last refresh
    last: Floats  # time of that
    states: Floats  # the models' rows
    refreshes: Ints
    got: Ints  # relevant entries fetched
    delays: Floats  # of each entry; empty: not kept


PROGRESS = types.NamedTuple((WN, WN, WF, WF2, WN, WN, WF), Progress)


@compiled(types.void(types.float64, types.int64, N, F, S, S, PROGRESS, STANDINGS))
def look(
    now: float,
    mode: int,
    wanted: Ints,
    moments: Floats,
    windows: Singles,
    weights: Singles,
    progress: Progress,
    sources: Standings,
) -> None:
    """The truth about each source; ``wanted`` and ``moments`` are running sums of relevant entries and their times."""
    head, seen, last = progress.head, progress.seen, progress.last
    total, available, utility = sources.total, sources.available, sources.utility
    for i in range(len(head)):
        unseen = head[i] - seen[i]
        total[i] = unseen
        if unseen == 0:
            available[i] = 0.0
            utility[i] = 0.0
            continue
        low = max(seen[i], head[i] - int(windows[i]))
        left = wanted[head[i]] - wanted[low]
        available[i] = left
        if mode & EXACT:
            relevant = wanted[head[i]] - wanted[seen[i]]
            gain = moments[head[i]] - moments[seen[i]] - last[i] * relevant
            if mode & WAITING:
                gain = (now - last[i]) * relevant - gain
        else:
            gain = 0.5 * (now - last[i]) * left
        utility[i] = weights[i] * gain


@compiled(types.float64(N, N, S, N, N))
def freshness(offsets: Ints, wanted: Ints, windows: Singles, head: Ints, seen: Ints) -> float:
    """Mean over sources of the part of the relevant window that has been seen; 1 where nothing is relevant."""
    total = 0.0
    for i in range(len(head)):
        low = max(offsets[i], head[i] - int(windows[i]))
        shown = wanted[head[i]] - wanted[low]
        if shown == 0:
            total += 1.0
        else:
            total += 1.0 - (wanted[head[i]] - wanted[max(low, seen[i])]) / shown
    return total / len(head)


@compiled(types.float64(N, N, F, S))
def error(head: Ints, seen: Ints, total: Floats, scales: Singles) -> float:
    """Root of the mean squared difference of true and expected divergence.  [H12] Eq. 7.4."""
    squares = 0.0
    for i in range(len(head)):
        squares += (scales[i] * (head[i] - seen[i] - total[i])) ** 2
    return math.sqrt(squares / len(head))


@compiled(
    types.void(UPDATE_TYPE, F, types.int64, types.float64, types.int64, F, N, S, PROGRESS, STANDINGS),
)
def refresh(
    update: Update,
    model: Floats,
    mode: int,
    now: float,
    i: int,
    times: Floats,
    wanted: Ints,
    windows: Singles,
    progress: Progress,
    sources: Standings,
) -> None:
    """Refreshes source ``i``: what is still in the window is found, the model learns the count."""
    head, seen, last, states, refreshes, got, delays = progress
    low = max(seen[i], head[i] - int(windows[i]))
    got[i] += wanted[head[i]] - wanted[low]
    if len(delays) > 0:
        for k in range(low, head[i]):
            delays[k] = now - times[k]
    if mode & (TRUTH | FROZEN) == 0:
        shown = head[i] - low
        # a window without a known entry tells only that at least so many have come
        full = 1.0 if shown >= windows[i] else 0.0
        if mode & TRUE_COUNTS:
            update(model, states[i], last[i], now, float(head[i] - seen[i]), 0.0, float(windows[i]))
        else:
            update(model, states[i], last[i], now, float(shown), full, float(windows[i]))
    seen[i] = head[i]
    last[i] = now
    sources.total[i] = 0.0
    sources.available[i] = 0.0
    sources.utility[i] = 0.0
    refreshes[i] += 1


_PLAY = types.void(
    ROUND_TYPE,
    F,  # the strategy's params
    WF,  # control
    EXPECT_TYPE,
    UPDATE_TYPE,
    F,  # the model's params
    types.int64,  # mode
    types.uint64,  # seed
    types.float64,  # time before the first cycle
    types.float64,  # length of a cycle
    types.int64,  # number of the first cycle, for random numbers
    N,  # offsets
    F,  # times
    N,  # running sum of relevant entries
    F,  # running sum of their times
    S,  # windows
    S,  # selectivity
    S,  # weights
    S,  # scales of the errors
    PROGRESS,
    STANDINGS,
    WF2,  # series: as many cycles as it has rows
)


@compiled(_PLAY)
def play(
    choose: Choose,
    params: Floats,
    control: Floats,
    expect: Expect,
    update: Update,
    model: Floats,
    mode: int,
    seed: int,
    begin: float,
    length: float,
    first: int,
    offsets: Ints,
    times: Floats,
    wanted: Ints,
    moments: Floats,
    windows: Singles,
    selectivity: Singles,
    weights: Singles,
    scales: Singles,
    progress: Progress,
    sources: Standings,
    series: Floats,
) -> None:
    """Plays the cycles ``begin + length``, ``begin + 2·length``, …: publish, look, choose, refresh, sample."""
    head, seen = progress.head, progress.seen
    n = len(head)
    measure = 1 if mode & WAITING else 0
    for c in range(len(series)):
        now = begin + (c + 1) * length
        publish(now, offsets, times, head)
        if mode & TRUTH:
            look(now, mode, wanted, moments, windows, weights, progress, sources)
        else:
            accumulate(
                expect, model, progress.states, measure, now - length, now, progress.last, windows, selectivity,
                weights, sources,
            )  # fmt: skip
            if mode & ERRORS:
                series[c, ERROR] = error(head, seen, sources.total, scales)
        for i in range(n):
            sources.ties[i] = uniform(seed, i, first + c) if mode & RANDOM_TIES else sources.total[i] / windows[i]
            sources.chosen[i] = 0
        series[c, USED] = choose(params, control, now, windows, sources)
        series[c, THRESHOLD] = control[TAU]
        for i in range(n):
            if sources.chosen[i] != 0:
                refresh(update, model, mode, now, i, times, wanted, windows, progress, sources)
        if mode & SAMPLE:
            series[c, FRESHNESS] = freshness(offsets, wanted, windows, head, seen)
