"""Replays a rule on a trace: training part, test part, accounts."""

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any, cast

import numpy as np

from afresh.base.models import Bounds, Row
from afresh.feeds.rules.hints import PROFILE
from afresh.feeds.rules.rule import Rule
from afresh.lab.replay.period import Period
from afresh.lab.replay.playback import Keep, Playback
from afresh.lab.replay.result import ReplayResult, Series
from afresh.lab.replay.trace import Floats, Ints, Trace

#: float64s of hints and state held at a time: a profile of 1,440 minutes is not kept for all feeds at once
_AT_ONCE = 16_000_000


def replay(
    trace: Trace,
    rule: Rule,
    *,
    period: Period,
    bounds: Bounds | None = None,
    seed: int = 0,
    jobs: int = 1,
    dedupe: str = "previous_window",
    keep_delays: bool = False,
    slices: float | None = None,
) -> ReplayResult:
    """The accounts of a rule on all feeds of a trace (choose them with ``population`` and ``Trace.select``).

    A rule that learns while it polls (``warm_up``) polls through the training part first; one with a profile is trained
    on the entries published before the test part. Counting starts with the first poll of every feed at ``period.test``.
    ``slices``: keep totals every so many seconds.
    """
    rule = prepared(rule, period, bounds)
    delays = np.full(len(trace.times), np.nan) if keep_delays else None
    parts = []
    for first, last in blocks(trace, rule):
        playback = started(trace, rule, period, seed, jobs, dedupe, first, last, Keep(delays=delays))
        parts.append(_tested(playback, period, jobs, slices))
    return joined(parts)


def prepared(rule: Rule, period: Period, bounds: Bounds | None) -> Rule:
    """The rule under these bounds, told how long its training lasts if that is among its parameters."""
    changes: dict[str, Any] = {}
    if bounds is not None:
        changes["bounds"] = bounds
    if any(item.name == "training" for item in fields(cast("Any", rule))) and period.train_seconds > 0:
        changes["training"] = period.train_seconds
    return replace(cast("Any", rule), **changes) if changes else rule


def blocks(trace: Trace, rule: Rule) -> Iterator[tuple[int, int]]:
    """Ranges of feeds small enough that their rows fit into memory together."""
    width = PROFILE + rule.profile_size + rule.state_size
    size = max(1_024, _AT_ONCE // width)
    for first in range(0, max(1, len(trace)), size):
        yield first, min(first + size, len(trace))


def started(
    trace: Trace,
    rule: Rule,
    period: Period,
    seed: int = 0,
    jobs: int = 1,
    dedupe: str = "previous_window",
    first: int = 0,
    last: int | None = None,
    keep: Keep | None = None,
    price: float = float("nan"),
) -> Playback:
    """A playback that has its training behind it and waits for the first poll of the test part."""
    last = len(trace) if last is None else last
    warm = bool(getattr(rule, "warm_up", False)) and period.train_seconds > 0
    playback = Playback(
        trace,
        rule,
        start=period.start if warm else period.test,
        seed=seed,
        dedupe=dedupe,
        first=first,
        last=last,
        profiles=trained(trace, rule, period, first, last),
        keep=keep,
    )
    playback.set_price(price)
    if warm:
        playback.advance(float(np.nextafter(period.test, -np.inf)), jobs=jobs)
        playback.restart(period.test)
    return playback


def trained(trace: Trace, rule: Rule, period: Period, first: int, last: int) -> Sequence[Row] | None:
    """Profiles from what was published before the test part, a perfect log of it ([R12] §4.4.1); None: not needed."""
    if not rule.profile_size:
        return None
    train = cast("Any", rule).train
    rows = np.empty((last - first, rule.profile_size))
    for i in range(first, last):
        stream = trace.stream(i)
        rows[i - first] = train(stream[: np.searchsorted(stream, period.test)], period.start, period.test)
    return cast("Sequence[Row]", rows)


def joined(parts: Sequence[ReplayResult]) -> ReplayResult:
    """The accounts of several groups of feeds as one."""
    if len(parts) == 1:
        return parts[0]

    def floats(name: str) -> Floats:
        return np.concatenate([getattr(part, name) for part in parts])

    def ints(name: str) -> Ints:
        return np.concatenate([getattr(part, name) for part in parts])

    return replace(
        parts[0],
        feed_ids=ints("feed_ids"),
        polls=ints("polls"),
        found=ints("found"),
        missed=ints("missed"),
        open=ints("open"),
        delay_sum=floats("delay_sum"),
        delay_max=floats("delay_max"),
        bytes=floats("bytes"),
        seconds=sum(part.seconds for part in parts),
        series=_joined_series([part.series for part in parts]),
    )


def _joined_series(parts: Sequence[Series | None]) -> Series | None:
    known = [part for part in parts if part is not None]
    if not known:
        return None
    return replace(
        known[0],
        polls=np.sum([part.polls for part in known], axis=0),
        found=np.sum([part.found for part in known], axis=0),
        bytes=np.sum([part.bytes for part in known], axis=0),
    )


def _tested(playback: Playback, period: Period, jobs: int, slices: float | None) -> ReplayResult:
    if slices is None:
        playback.advance(period.end, jobs=jobs)
        return playback.result(period.end)
    rows = []
    for until in slice_ends(period, slices):
        playback.advance(until, jobs=jobs)
        rows.append((until, playback.executed, playback.found, playback.volume, float("nan")))
    return replace(playback.result(period.end), series=series_of(rows))


def slice_ends(period: Period, seconds: float) -> Iterator[float]:
    """Ends of slices of the test part; the last is its end."""
    count = max(1, int(np.ceil(period.test_seconds / seconds - 1e-9)))
    for k in range(1, count):
        yield period.test + k * seconds
    yield period.end


def series_of(rows: Sequence[tuple[float, int, int, float, float]]) -> Series:
    """Totals by slice: end, polls, found, bytes, price."""
    times, polls, found, volume, prices = zip(*rows, strict=True)
    return Series(
        times=np.array(times),
        polls=np.array(polls, dtype=np.int64),
        found=np.array(found, dtype=np.int64),
        bytes=np.array(volume),
        prices=np.array(prices),
    )
