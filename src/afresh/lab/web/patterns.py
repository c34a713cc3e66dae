"""When the feeds of the demo web publish: seeded processes of the eight update patterns, sped up.

The patterns are those of [R12] §3.7.5. A "day" of the demo lasts ``day`` seconds, so a feed with a daily rhythm
shows it within a minute. All times are whole seconds: the dates of RSS have no fractions, and so a date in a document,
the moment it becomes visible and the truth the demo is scored by are one number.
"""

import bisect
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass

from afresh.feeds.patterns import DAY, Pattern

DEFAULT_DAY = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """How one feed publishes; what a pattern has no use for is ignored.

    ``per_day`` is the mean number of entries in a demo day (chunks, for Chunked); ``None`` is as usual
    for the pattern.
    """

    pattern: Pattern
    per_day: float | None = None
    jitter: float = 0.3  # Constant: gaps vary by this fraction; 0 is a clockwork
    phase: float = 0.0  # Sliced: at which fraction of the day the busy half begins
    size: int = 8  # Chunked: entries published at once
    offset_days: float = -3.0  # Single Entry: when, relative to the start of the web

    @property
    def rate_per_day(self) -> float:
        return _USUAL[self.pattern] if self.per_day is None else self.per_day


_USUAL = {
    Pattern.EMPTY: 0.0,
    Pattern.SINGLE_ENTRY: 0.0,
    Pattern.ON_THE_FLY: 12.0,
    Pattern.CHUNKED: 1.7,
    Pattern.ZOMBIE: 0.5,
    Pattern.SPONTANEOUS: 0.45,
    Pattern.SLICED: 22.0,
    Pattern.CONSTANT: 24.0,
}


def publications(rhythm: Rhythm, *, seed: int | str, start: float, day: float = DEFAULT_DAY) -> Iterator[float]:
    """Publication times in ascending order, beginning before ``start`` so that the first window is full.

    Endless except for Empty, Single Entry and Zombie. The same arguments give the same times; a start moved by whole
    seconds moves all of them by as much. Two entries of one second become one, except in a chunk.

    >>> import itertools
    >>> clockwork = Rhythm(pattern=Pattern.CONSTANT, per_day=6, jitter=0)
    >>> list(itertools.islice(publications(clockwork, seed=1, start=1000.0, day=60), 3))
    [830.0, 840.0, 850.0]
    """
    rng = random.Random(f"{seed}/{rhythm.pattern}")
    last = -math.inf
    for offset in _OFFSETS[rhythm.pattern](rhythm, rng, day):
        time = start + math.ceil(offset)
        if time > last or rhythm.pattern is Pattern.CHUNKED:
            yield time
        last = time


def _nothing(_rhythm: Rhythm, _rng: random.Random, _day: float) -> Iterator[float]:
    return iter(())


def _single(rhythm: Rhythm, _rng: random.Random, day: float) -> Iterator[float]:
    yield rhythm.offset_days * day


def _poisson(rhythm: Rhythm, rng: random.Random, day: float) -> Iterator[float]:
    """Independent gaps around the clock; the document dates them all "now", which is what makes it On-The-Fly."""
    time = -4 * day
    while True:
        time += rng.expovariate(rhythm.rate_per_day / day)
        yield time


def _chunks(rhythm: Rhythm, rng: random.Random, day: float) -> Iterator[float]:
    time = -3 * day
    while True:
        time += day / rhythm.rate_per_day * rng.uniform(0.7, 1.3)
        yield from [time] * rhythm.size


def _zombie(rhythm: Rhythm, rng: random.Random, day: float) -> Iterator[float]:
    """A feed that lived once.

    Its last entry is a hundred days old by the calendar and by the demo's own days, whichever is longer, so that it
    is dead (eight weeks, [R12] §3.7.5) to an observer of either clock.
    """
    gaps = [day / rhythm.rate_per_day * rng.lognormvariate(0.0, 0.8) for _ in range(20)]
    time = -100 * max(day, DAY) - sum(gaps)
    for gap in gaps:
        time += gap
        yield time


def _spontaneous(rhythm: Rhythm, rng: random.Random, day: float) -> Iterator[float]:
    """Rare and widely dispersed: log-normal gaps whose median is above a day."""
    time = -60 * day
    while True:
        time += day / rhythm.rate_per_day * rng.lognormvariate(0.0, 0.8)
        yield time


def _sliced(rhythm: Rhythm, rng: random.Random, day: float) -> Iterator[float]:
    """An inhomogeneous Poisson process by thinning: half a sine by day, silence by night."""
    time = -4 * day
    peak = math.pi * rhythm.rate_per_day / day  # the half sine's mean over the day is 1/pi of its peak
    while True:
        time += rng.expovariate(peak)
        if rng.random() < math.sin(2 * math.pi * (time / day - rhythm.phase)):
            yield time


def _constant(rhythm: Rhythm, rng: random.Random, day: float) -> Iterator[float]:
    time = -3 * day
    while True:
        time += day / rhythm.rate_per_day * rng.uniform(1 - rhythm.jitter, 1 + rhythm.jitter)
        yield time


_OFFSETS = {
    Pattern.EMPTY: _nothing,
    Pattern.SINGLE_ENTRY: _single,
    Pattern.ON_THE_FLY: _poisson,
    Pattern.CHUNKED: _chunks,
    Pattern.ZOMBIE: _zombie,
    Pattern.SPONTANEOUS: _spontaneous,
    Pattern.SLICED: _sliced,
    Pattern.CONSTANT: _constant,
}


class Stream:
    """A process looked at in time: the publications up to any moment, computed once, extendable for ever."""

    def __init__(self, times: Iterator[float]) -> None:
        self._source = times
        self._known: list[float] = []
        self._exhausted = False

    def count(self, now: float) -> int:
        """How many entries were published up to ``now``, inclusive."""
        while not self._exhausted and (not self._known or self._known[-1] <= now):
            following = next(self._source, None)
            if following is None:
                self._exhausted = True
            else:
                self._known.append(following)
        return bisect.bisect_right(self._known, now)

    def until(self, now: float) -> list[float]:
        """The publication times up to ``now``; entry number i has the i-th."""
        return self._known[: self.count(now)]

    def time(self, number: int) -> float:
        """Publication time of an entry that has been counted."""
        return self._known[number]
