"""Delay by the age of our knowledge: how well a rule does in the first hour, day, week and month with a feed.

Every rule starts with nothing but the first window, when the training part begins, and is followed to the end of the
test part. A rule with a price keeps the one that was calibrated on the training part.
"""

import math
from dataclasses import dataclass

import numpy as np

from afresh.base.calendar import DAY, HOUR, WEEK
from afresh.feeds.rules.rule import Rule
from afresh.lab.metrics.averages import mean_defined
from afresh.lab.metrics.tally import ratio
from afresh.lab.replay.matched import calibrate, has_price
from afresh.lab.replay.period import Period
from afresh.lab.replay.playback import Keep, Playback
from afresh.lab.replay.run import trained
from afresh.lab.replay.trace import Floats, Trace

#: names of the spans and their ends, seconds after the first poll
SPANS = (("hour", HOUR), ("day", DAY), ("week", WEEK), ("month", 28.0 * DAY), ("later", math.inf))


@dataclass(frozen=True, slots=True, kw_only=True)
class Age:
    """What was published in a span after the first poll, and how late it was found."""

    span: str
    polls: int  # made in it, without each feed's first
    found: int  # of the entries published in it, sooner or later
    delay_feeds: float  # seconds; NaN: nothing found
    delay_entries: float


def by_age(
    trace: Trace, rule: Rule, reference: Rule | None, *, period: Period, seed: int = 0, jobs: int = 1
) -> tuple[Age, ...]:
    """The spans of ``SPANS`` as far as the period reaches; with a reference a priced rule spends what that one does."""
    price = math.nan
    if reference is not None and has_price(rule):
        price = calibrate(trace, rule, reference, period=period, seed=seed, jobs=jobs).price
    delays = np.full(len(trace.times), np.nan)
    playback = Playback(
        trace,
        rule,
        start=period.start,
        seed=seed,
        profiles=trained(trace, rule, period, 0, len(trace)),
        keep=Keep(delays=delays),
    )
    playback.set_price(price)
    ends = [min(period.start + end, period.end) for _, end in SPANS]
    polls = []
    for end in ends:
        playback.advance(end, jobs=jobs)
        polls.append(playback.executed - len(trace))
    made = np.diff([0, *polls])
    starts = [period.start, *ends[:-1]]
    return tuple(
        _age(trace, delays, name, int(count), start, end)
        for (name, _), count, start, end in zip(SPANS, made, starts, ends, strict=True)
        if end > start
    )


def _age(trace: Trace, delays: Floats, name: str, polls: int, start: float, end: float) -> Age:
    owner = np.repeat(np.arange(len(trace)), np.diff(trace.offsets))
    inside = (trace.times > start) & (trace.times <= end) & ~np.isnan(delays)
    found = np.bincount(owner[inside], minlength=len(trace))
    late = np.bincount(owner[inside], weights=delays[inside], minlength=len(trace))
    count = int(found.sum())
    return Age(
        span=name,
        polls=polls,
        found=count,
        delay_feeds=mean_defined(ratio(late, found)),
        delay_entries=float(late.sum()) / count if count else math.nan,
    )
