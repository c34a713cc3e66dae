"""What a planner that is told the future would reach at MAVSync's polls: ``python -m tests.bound TRACE DAY [--drawn]``.

It plans the whole test part at once, minute by minute, as ``priced`` plans its next hours (docs/theory/priced.md (2)).
``--drawn``: on entries drawn at random from rate and rhythm, of which the counts can tell only what chance has done.
"""

import argparse
import math
from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np
from numba import njit
from numpy.typing import NDArray

from afresh.base.calendar import DAY, HOUR, WEEK
from afresh.base.models import Bounds
from afresh.feeds.rules import load
from afresh.feeds.rules._forecast import worth
from afresh.feeds.rules.priced import Priced
from afresh.lab.replay import Period, Trace, population, replay
from afresh.lab.traces import read_trace

Floats = NDArray[np.float64]
#: what is expected of the i-th feed in each minute of the test part
Told = Callable[[int], Floats]

MINUTE = 60.0
A_DAY, A_WEEK = 1_440, 10_080  # minutes
TRAINED = 4  # weeks before the test part
FIRM = 60.0  # entries' worth of belief in the product of hours and minutes; 7 for each of them, as in the rule
WEAK = 7.0
NONE = 0.25  # entries that are told of a feed that has none


@njit(cache=True)
def plan(expected: Floats, price: float, reach: int) -> list[int]:
    """Ends of the minutes at which the cheapest plan polls, the last one first; none further apart than ``reach``.

    A line's height is F + M of (2), so the moments M cancel.
    """
    n = len(expected)
    entries, height = np.zeros(n + 1), np.zeros(n + 1)
    before = np.zeros(n + 1, np.int64)
    queue, since = np.zeros(n + 2, np.int64), np.zeros(n + 2)
    since[0] = -math.inf
    head, tail = 0, 1
    for j in range(1, n + 1):
        t = 60.0 * j
        entries[j] = entries[j - 1] + expected[j - 1]
        while tail - head > 1 and since[head + 1] <= t:
            head += 1
        before[j] = queue[head]
        height[j] = price + t * entries[j] + height[queue[head]] - entries[queue[head]] * t
        start = -math.inf
        while tail > head:
            i = queue[tail - 1]
            start = 60.0 * (i + reach + 1) if i + reach < n else math.inf
            if entries[j] > entries[i]:
                start = min(start, (height[j] - height[i]) / (entries[j] - entries[i]))
            if tail - head == 1 or start > since[tail - 1]:
                break
            tail -= 1
        queue[tail], since[tail] = j, start
        tail += 1
    polls = [n]
    while before[polls[-1]] > 0:
        polls.append(before[polls[-1]])
    return polls


def rhythm(minutes: NDArray[np.int64]) -> Floats:
    """The shape (mean 1) of a week's minutes that these entries (minutes since a Monday) had."""
    hours = np.bincount(minutes // 60 % 24, minlength=24) + WEAK / 24.0
    hours = 0.5 * hours + 0.25 * (np.roll(hours, 1) + np.roll(hours, -1))
    days = np.bincount(minutes // A_DAY % 7, minlength=7) + WEAK
    within = np.bincount(minutes % 60, minlength=60) + WEAK / 60.0
    product = np.kron(hours / hours.sum(), within / within.sum()).reshape(96, 15)
    quarters = product.sum(axis=1)
    counted = np.bincount(minutes % A_DAY // 15, minlength=96)
    product *= ((counted + FIRM * quarters) / (len(minutes) + FIRM) / quarters)[:, None]
    week = np.outer(days, product.ravel()).ravel()
    return np.asarray(week / week.mean())


class Future:
    """The streams of the test part, and what a planner may be told of them."""

    def __init__(self, trace: Trace, period: Period, *, drawn: bool) -> None:
        self.minutes = round(period.test_seconds / MINUTE)
        self.usual = []
        self.streams = []
        rng = np.random.default_rng(3)
        for i in range(len(trace)):
            stream = trace.stream(i)
            stream = stream[(stream > period.start) & (stream < period.end)] - period.start
            tested = stream[stream > period.train_seconds] - period.train_seconds
            whole = (stream // MINUTE).astype(np.int64)
            weeks = range(TRAINED, TRAINED + self.minutes // A_WEEK)
            shape = np.concatenate([rhythm(whole[whole // A_WEEK != week]) for week in weeks])
            usual = shape * max(len(tested), NONE) / self.minutes
            if drawn:
                at = np.repeat(np.arange(self.minutes), rng.poisson(usual))
                tested = np.sort((at + rng.random(len(at))) * MINUTE)
            self.usual.append(usual.astype(np.float32))  # of some hundred feeds at once
            self.streams.append(tested)

    def flat(self, i: int) -> Floats:
        return np.full(self.minutes, max(len(self.streams[i]), NONE) / self.minutes)

    def rate_and_rhythm(self, i: int) -> Floats:
        return self.usual[i].astype(np.float64)

    def counts(self, seconds: float) -> Told:
        """How many entries each span of so many seconds brings, spread in it by the rhythm."""
        size = round(seconds / MINUTE)

        def told(i: int) -> Floats:
            usual = self.rate_and_rhythm(i).reshape(-1, size)
            come = np.bincount((self.streams[i] // seconds).astype(np.int64), minlength=len(usual))
            return np.asarray((usual * (come / usual.sum(axis=1))[:, None]).ravel())

        return told

    def delays(self, told: Told, price: float, reach: int) -> tuple[int, Floats]:
        """Polls, and the summed delay of each feed."""
        params, made, late = Priced().params(), 0, np.zeros(len(self.streams))
        for i, stream in enumerate(self.streams):
            rate = max(float(self.usual[i].sum()), NONE) / (self.minutes * MINUTE)
            weight = worth(params, rate, Priced().fairness)
            polls = MINUTE * np.array(plan(told(i) * weight, price, reach)[::-1])
            made += len(polls)
            late[i] = (polls[np.searchsorted(polls, stream)] - stream).sum()
        return made, late

    def at(self, told: Told, allowed: int, reach: int) -> tuple[float, float]:
        """Mean delays over feeds and entries at so many polls, to 0.3 %; polls fall about as the root of the price."""
        price = 700.0
        for _ in range(8):
            made, late = self.delays(told, price, reach)
            if abs(made / allowed - 1.0) < 0.003:
                break
            price *= (made / allowed) ** 2
        return means(late, np.array([len(stream) for stream in self.streams]))


def means(late: Floats, found: NDArray[np.int64]) -> tuple[float, float]:
    """Over feeds that have entries, and over entries."""
    some = found > 0
    return float((late[some] / found[some]).mean()), float(late.sum() / found.sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace", help="folder with feeds.csv and entries.csv.gz")
    parser.add_argument("day", help="a Monday: four weeks of training begin, and eight of test follow")
    parser.add_argument("--drawn", action="store_true", help="entries drawn at random from rate and rhythm")
    given = parser.parse_args()
    start = datetime.fromisoformat(given.day).replace(tzinfo=UTC).timestamp()
    period = Period(start, start + TRAINED * WEEK, start + (TRAINED + 8) * WEEK)
    whole = read_trace(given.trace)
    trace = whole.select(population(whole, period))
    bounds = Bounds(shortest=MINUTE, longest=DAY, standard=HOUR)
    reference = replay(trace, load("mavsync", bounds), period=period)
    feeds, entries = means(reference.delay_sum, reference.found)
    future = Future(trace, period, drawn=given.drawn)
    for name, told in {
        "rate of the test part, flat": future.flat,
        "rate and rhythm": future.rate_and_rhythm,
        "counts of the weeks, rhythm": future.counts(WEEK),
        "counts of the days, rhythm": future.counts(DAY),
        "counts of the hours, rhythm": future.counts(HOUR),
    }.items():
        ours = future.at(told, int(reference.polls.sum()), A_DAY)
        print(f"{name:28} {ours[0] / feeds:.3f} / {ours[1] / entries:.3f}", flush=True)


if __name__ == "__main__":
    main()
