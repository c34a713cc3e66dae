"""Crawlers that lengthen the interval of what stayed the same and shorten that of what changed.

Nutch's AdaptiveFetchSchedule, StormCrawler's AdaptiveScheduler and Common Crawl's settings of it. [readers]
"""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import STEP, compiled
from afresh.base.durations import format_duration
from afresh.base.models import Explanation, Row
from afresh.base.protocols import Step
from afresh.feeds.rules.limits import bounded
from afresh.feeds.rules.rule import Rule, bounded_words, duration, explained, number

INTERVAL = 0  # state: seconds; 0: never polled
MODIFIED = 1  # state (Nutch): time of the poll that saw the last change


@compiled(STEP)
def next_nutch(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """Multiplies the interval, and moves the reference towards the last change."""
    if state[INTERVAL] == 0.0:
        state[INTERVAL] = params[8]
        state[MODIFIED] = now
    interval = state[INTERVAL]
    if new > 0:
        interval *= 1.0 - params[4]
        state[MODIFIED] = now
    else:
        interval *= 1.0 + params[3]
    silence = now - state[MODIFIED]
    interval = max(interval, silence)
    interval = min(params[6], max(params[5], interval))
    state[INTERVAL] = interval
    return float(now + bounded(params, interval - params[7] * silence))


@compiled(STEP)
def next_storm(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """A step towards the shortest interval after a change, half as long again without one."""
    if state[INTERVAL] == 0.0:
        state[INTERVAL] = params[7]
    elif new > 0:
        state[INTERVAL] = (1.0 - params[4]) * state[INTERVAL] + params[4] * params[5]
    else:
        state[INTERVAL] = min(params[6], (1.0 + params[3]) * state[INTERVAL])
    return float(now + bounded(params, state[INTERVAL]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Nutch(Rule):
    """Nutch's AdaptiveFetchSchedule, synchronising on; starts at an hour, as is usual for feeds."""

    name: ClassVar[str] = "nutch"
    state_size: ClassVar[int] = 2
    step: ClassVar[Step] = staticmethod(next_nutch)

    increase: float = number(0.4)
    decrease: float = number(0.2, high=0.999)
    shortest: float = duration(60.0)
    longest: float = duration(365.0 * 86_400.0)
    sync_rate: float = number(0.3, high=0.999, open_low=False)  # 0: no synchronising
    start: float = duration(3_600.0)

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:  # noqa: ARG002
        interval, silence = float(state[INTERVAL]), float(now - state[MODIFIED])
        words = (
            f"interval now {format_duration(interval)}, less {self.sync_rate:.0%} of the {format_duration(silence)} "
            f"since the last change: {bounded_words(self, interval - self.sync_rate * silence)}"
        )
        return explained(self, words, interval=interval, silence=silence)


@dataclass(frozen=True, slots=True, kw_only=True)
class StormCrawler(Rule):
    """StormCrawler's AdaptiveScheduler: an hour to two weeks; starts at a day."""

    name: ClassVar[str] = "stormcrawler"
    state_size: ClassVar[int] = 1
    step: ClassVar[Step] = staticmethod(next_storm)

    increase: float = number(0.5)
    decrease: float = number(0.5, high=1.0)
    shortest: float = duration(3_600.0)
    longest: float = duration(1_209_600.0)
    start: float = duration(86_400.0)

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:  # noqa: ARG002
        interval = float(state[INTERVAL])
        words = f"shortened by news, lengthened without: now {bounded_words(self, interval)}"
        return explained(self, words, interval=interval)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsCrawl(StormCrawler):
    """Common Crawl's news-crawl: StormCrawler's rule between 90 minutes and 90 days."""

    name: ClassVar[str] = "news_crawl"
    decrease: float = number(0.2, high=1.0)
    shortest: float = duration(5_400.0)
    longest: float = duration(7_776_000.0)
    start: float = duration(5_400.0)
