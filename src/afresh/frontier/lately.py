"""What a frontier did lately, kept in memory: how much, and how fast.

Each scheduler process counts the totals of the store, which are everybody's, and the failures it was told of itself.
"""

from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from afresh.base.records.frontier import FrontierStats
from afresh.base.records.frontier_store import Reported
from afresh.frontier.failures import Reason, reason_of

_SAMPLES = 1_440  # remembered: two hours at one every five seconds
_BINS = 60  # points of a picture
_SHORTEST = 10.0  # seconds between two of them
_WINDOW = 60.0  # seconds that a rate is counted over: fetchers report many pages at once, and then none for a while


class Sample(NamedTuple):
    """The totals at a time."""

    at: float
    visits: int
    urls: int
    failed: int


class Rate(NamedTuple):
    """What happened in the minute before ``at``, or longer where samples are further apart."""

    at: float
    visits: float
    found: float
    failed: float


class Lately:
    """A short memory."""

    def __init__(self) -> None:
        #: since the start of this process
        self.failures: Counter[Reason] = Counter()
        self.answers: Counter[int] = Counter()  # of servers, by the first digit of their status
        self._samples: deque[Sample] = deque(maxlen=_SAMPLES)

    def note(self, reports: Iterable[Reported]) -> None:
        """Counts what servers answered, and what failed."""
        pages = [page for report in reports for site in report.sites for page in site.pages]
        self.answers.update([page.http // 100 for page in pages if page.http])
        self.failures.update([reason for page in pages if (reason := reason_of(page)) is not None])

    def sample(self, stats: FrontierStats, now: float) -> None:
        """Takes down the totals."""
        if not self._samples or now > self._samples[-1].at:
            self._samples.append(Sample(now, stats.visits, stats.urls, self.failures.total()))

    def rates(self) -> list[Rate]:
        """What happened in a minute, in at most sixty steps over what is remembered."""
        chosen = _spread(self._samples)
        if not chosen:
            return []
        times = [sample.at for sample in self._samples]
        found = []
        for last, after in pairwise(chosen):
            before = self._samples[max(0, bisect_right(times, min(last.at, after.at - _WINDOW)) - 1)]
            found.append(_rate(before, after))
        return found


def _spread(samples: Sequence[Sample]) -> list[Sample]:
    """Some of them, evenly apart; the last is always among them."""
    if len(samples) < 2:
        return []
    step = max(_SHORTEST, (samples[-1].at - samples[0].at) / _BINS)
    chosen = [samples[-1]]
    for sample in reversed(samples):
        if chosen[-1].at - sample.at >= step:
            chosen.append(sample)
    return chosen[::-1]


def _rate(before: Sample, after: Sample) -> Rate:
    minutes = (after.at - before.at) / 60.0
    visits, found, failed = (max(0, new - old) / minutes for old, new in zip(before[1:], after[1:], strict=True))
    return Rate(after.at, visits, found, failed)
