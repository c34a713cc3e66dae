"""Readers that ask every feed equally often: Miniflux, FreshRSS, Tiny Tiny RSS, Feedbin, RSS Guard and reader.

The rules are those of ``docs/references.md`` [readers]; their batch limits and error handling are left out.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import STEP, compiled
from afresh.base.durations import format_duration
from afresh.base.models import Explanation, Row
from afresh.base.protocols import Step
from afresh.feeds.rules.limits import bounded
from afresh.feeds.rules.rule import Rule, duration, explained, number


@compiled(STEP)
def next_poll(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """A constant interval within the bounds."""
    return float(now + bounded(params, params[3]))


@compiled(STEP)
def next_full(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """The first multiple of the interval after now, plus a random share of it."""
    due = (math.floor(now / params[3]) + 1.0) * params[3] + u * params[4] * params[3]
    return float(now + bounded(params, due - now))


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant(Rule):
    """Every ``interval``, within the bounds."""

    step: ClassVar[Step] = staticmethod(next_poll)
    interval: float = duration(3_600.0)

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:  # noqa: ARG002
        return explained(self, f"every {format_duration(self.interval)}", interval=self.interval)


@dataclass(frozen=True, slots=True, kw_only=True)
class MinifluxRoundRobin(Constant):
    """Miniflux, polling scheduler ``round_robin``: every hour."""

    name: ClassVar[str] = "miniflux_round_robin"


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshRSS(Constant):
    """FreshRSS: a fixed ttl of an hour."""

    name: ClassVar[str] = "freshrss"


@dataclass(frozen=True, slots=True, kw_only=True)
class TinyTinyRSS(Constant):
    """Tiny Tiny RSS: every half hour."""

    name: ClassVar[str] = "tiny_tiny_rss"
    interval: float = duration(1_800.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedbin(Constant):
    """Feedbin: every run, at least a quarter of an hour apart."""

    name: ClassVar[str] = "feedbin"
    interval: float = duration(900.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class RSSGuard(Constant):
    """RSS Guard: every quarter of an hour."""

    name: ClassVar[str] = "rss_guard"
    interval: float = duration(900.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader(Constant):
    """reader 3: on the full hour, plus a random share of an hour."""

    name: ClassVar[str] = "reader"
    is_random: ClassVar[bool] = True
    has_calendar: ClassVar[bool] = True
    step: ClassVar[Step] = staticmethod(next_full)
    jitter: float = number(0.25, high=1.0, open_low=False)

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:  # noqa: ARG002
        words = f"at the next multiple of {format_duration(self.interval)}, up to {self.jitter:.0%} of it later"
        return explained(self, words, interval=self.interval)
