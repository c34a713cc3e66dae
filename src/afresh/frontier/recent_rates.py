"""What a frontier did lately, kept in the memory that its scheduler processes share: how much, and how fast."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from afresh.base.records.frontier import FrontierStats
from afresh.base.records.frontier_store import Reported
from afresh.frontier.failures import Reason, reason_of
from afresh.frontier.shared_counters import ANSWERS, FAILURES, LEFT_OUT, OUT_OF_SCOPE, Tallies

_APART = 4.0  # seconds between two samples, whichever process takes them
_BINS = 60  # points of a picture
_SHORTEST = 10.0  # seconds between two of them
_WINDOW = 60.0  # seconds that a rate is counted over: fetchers report many pages at once, and then none for a while


class Sample(NamedTuple):
    """The totals at a time."""

    at: float
    visits: float
    urls: float
    failed: float


class Rate(NamedTuple):
    """What happened in the minute before ``at``, or longer where samples are further apart."""

    at: float
    visits: float
    found: float
    failed: float


class Lately:
    """A short memory, of all processes together."""

    def __init__(self, tallies: Tallies | None = None) -> None:
        self._tallies = tallies or Tallies()

    def note(self, reports: Iterable[Reported]) -> None:
        """Counts what servers answered, and what failed."""
        pages = [page for report in reports for site in report.sites for page in site.pages]
        for digit, count in Counter([page.http // 100 for page in pages if page.http]).items():
            if digit in ANSWERS:
                self._tallies.add(ANSWERS[digit], count)
        for reason, count in Counter([reason for page in pages if (reason := reason_of(page)) is not None]).items():
            self._tallies.add(FAILURES[reason], count)
        if left_out := sum([page.links_left_out for page in pages]):
            self._tallies.add(LEFT_OUT, left_out)

    def failures(self, reason: Reason) -> int:
        """Of this kind, since the start."""
        return int(self._tallies.total(FAILURES[reason]))

    def note_out_of_scope(self, links: int) -> None:
        """Counts links that were not added, since they lead out of the crawl."""
        self._tallies.add(OUT_OF_SCOPE, links)

    def out_of_scope(self) -> int:
        """How many these were, since the start."""
        return int(self._tallies.total(OUT_OF_SCOPE))

    def links_left_out(self) -> int:
        """Links that fetchers did not report, since a page had more than they may; since the start."""
        return int(self._tallies.total(LEFT_OUT))

    def answers(self, digit: int) -> int:
        """Of servers, by the first digit of their status, since the start."""
        return int(self._tallies.total(ANSWERS[digit]))

    def sample(self, stats: FrontierStats, now: float) -> None:
        """Takes down the totals."""
        last = self._tallies.kept(1)
        if not last or now - last[0][0] >= _APART:
            self._tallies.keep(Sample(now, stats.visits, stats.urls, sum(map(self.failures, Reason))))

    def rates(self) -> list[Rate]:
        """What happened in a minute, in at most sixty steps over what is remembered."""
        samples = [Sample(*numbers) for numbers in self._tallies.kept()]
        chosen = _spread(samples)
        if not chosen:
            return []
        times = [sample.at for sample in samples]
        found = []
        for last, after in pairwise(chosen):
            before = samples[max(0, bisect_right(times, min(last.at, after.at - _WINDOW)) - 1)]
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
