"""The laws of a rule: each a short function whose name is the law.

A law takes a rule and drives its step through small made-up lives of a feed, as the daemon would: state from
zeros, windows growing, hints filled. ``LAWS`` lists them all; a new rule passes them by being registered.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from afresh.base.models import Bounds, Row
from afresh.feeds.rules import hints as slots
from afresh.feeds.rules.rule import Rule, parameters_of

START = 1_700_000_000.0
HOUR = 3_600.0
DAY = 86_400.0
#: hints that are times or spans, and therefore change with the unit of time
SPANS = (
    slots.PREVIOUS,
    slots.TTL,
    slots.MAX_AGE,
    slots.OLDEST_7D,
    slots.OLDEST_30D,
    slots.PRICE,
    slots.RETRY_AFTER,
)


@dataclass(frozen=True, slots=True)
class Poll:
    """What a step is given, but for params and state."""

    now: float
    window: Row
    new: int
    hints: Row
    u: float


# --- material --------------------------------------------------------------------------------------------------------


def lives(rule: Rule, seed: int = 1) -> Iterator[list[Poll]]:
    """Polls of feeds of all kinds: empty, single entry, undated, regular, irregular, bursty, dead, gone empty."""
    rng = np.random.default_rng(seed)
    yield _life(rule, np.empty(0), rng)
    yield _life(rule, np.array([START - DAY]), rng)
    yield _life(rule, np.full(5, START), rng)
    yield _life(rule, START + HOUR * np.arange(-20.0, 60.0), rng)
    yield _life(rule, np.sort(START + DAY * rng.uniform(-6.0, 4.0, 60)), rng)
    yield _life(rule, np.repeat(START + 7 * HOUR * np.arange(-3.0, 9.0), 5), rng)
    yield _life(rule, START - 900.0 * DAY + 60.0 * np.arange(10.0), rng)
    yield _life(rule, START + 2.0 * np.arange(-50.0, 4_000.0), rng)


def _life(rule: Rule, times: Row, rng: np.random.Generator, polls: int = 24) -> list[Poll]:
    profile = rng.uniform(0.0, 0.1, rule.profile_size)
    made, seen, before, now = [], 0, math.nan, START
    for _ in range(polls):
        visible = int(np.searchsorted(times, now, side="right"))
        window = times[max(0, visible - 10) : visible]
        week, month = times[:visible] >= now - 7 * DAY, times[:visible] >= now - 30 * DAY
        hints = slots.row(
            profile,
            previous=before,
            ttl=1_800.0,
            count_7d=float(week.sum()),
            oldest_7d=float(times[:visible][week].min(initial=now)),
            count_30d=float(month.sum()),
            oldest_30d=float(times[:visible][month].min(initial=now)),
            capacity=10.0,
            missed=0.0,
        )
        made.append(Poll(now, window, min(len(window), visible - seen), hints, float(rng.uniform())))
        seen, before = visible, now
        now += float(rng.choice([61.0, 1_234.5, HOUR, 7.3 * HOUR, 1.7 * DAY]))
    return made


def answers(rule: Rule, polls: Sequence[Poll], state: Row | None = None) -> list[float]:
    """The next poll after each of these, with a state that starts from zeros or is given and changed."""
    row = np.zeros(rule.state_size) if state is None else state
    step, params = type(rule).step, rule.params()
    return [float(step(params, row, poll.now, poll.window, poll.new, poll.hints, poll.u)) for poll in polls]


# --- laws ------------------------------------------------------------------------------------------------------------


def params_start_with_the_bounds(rule: Rule) -> None:
    bounds = rule.bounds
    assert rule.params()[:3].tolist() == [bounds.shortest, bounds.longest, bounds.standard]
    assert rule.params().dtype == np.float64


def an_answer_is_a_finite_time_in_the_future(rule: Rule) -> None:
    for polls in lives(rule):
        for poll, due in zip(polls, answers(rule, polls), strict=True):
            assert math.isfinite(due), (rule.name, poll)
            assert due > poll.now, (rule.name, poll)


def with_no_data_the_prior_answers(rule: Rule) -> None:
    """An empty document, no hint, no profile worth anything: still a finite time in the future."""
    hints = slots.row(np.zeros(rule.profile_size))
    due = answers(rule, [Poll(START, np.empty(0), 0, hints, 0.5)])[0]
    assert math.isfinite(due)
    assert due > START


def bounds_are_respected(rule: Rule) -> None:
    if not getattr(rule, "is_bounded", True):
        return
    for bounds in (Bounds(60.0, DAY, HOUR), Bounds(900.0, 1_800.0, 1_200.0), Bounds(2 * HOUR, 9 * DAY, 3 * HOUR)):
        limited = _with(rule, bounds=bounds)
        for polls in lives(limited):
            for poll, due in zip(polls, answers(limited, polls), strict=True):
                # adding an interval to a time of 1.7e9 seconds rounds to a quarter of a microsecond
                wait = due - poll.now
                assert bounds.shortest - 1e-6 <= wait <= bounds.longest + 1e-6, (rule.name, poll, wait)


def nothing_but_the_state_is_changed(rule: Rule) -> None:
    params = rule.params()
    before = params.copy()
    for polls in lives(rule):
        copies = [(poll.window.copy(), poll.hints.copy()) for poll in polls]
        answers(rule, polls)
        for poll, (window, hints) in zip(polls, copies, strict=True):
            assert np.array_equal(poll.window, window)
            assert np.array_equal(poll.hints, hints, equal_nan=True)
    assert np.array_equal(rule.params(), before, equal_nan=True)


def explaining_does_not_change_state(rule: Rule) -> None:
    for polls in lives(rule):
        state = np.zeros(rule.state_size)
        for poll in polls:
            answers(rule, [poll], state)
            before = state.copy()
            told = rule.explain(state, poll.now, poll.window, poll.hints)
            assert np.array_equal(state, before, equal_nan=True)
            assert told.rule == rule.name
            assert told.summary
            assert all(isinstance(value, float) for value in told.numbers.values())


def state_round_trips(rule: Rule) -> None:
    """Written to bytes after any poll and read again, the row continues as if nothing had happened."""
    for polls in lives(rule):
        whole = answers(rule, polls)
        first = np.zeros(rule.state_size)
        half = len(polls) // 2
        answers(rule, polls[:half], first)
        second = np.frombuffer(first.tobytes(), dtype=np.float64).copy()
        assert answers(rule, polls[half:], second) == whole[half:]


def the_same_seed_gives_the_same_answer(rule: Rule) -> None:
    for one, other in zip(lives(rule, 5), lives(rule, 5), strict=True):
        assert answers(rule, one) == answers(rule, other)


def chance_is_used_only_where_declared(rule: Rule) -> None:
    if getattr(rule, "is_random", False):
        return
    for polls in lives(rule):
        others = [replace(poll, u=1.0 - poll.u) for poll in polls]
        assert answers(rule, polls) == answers(rule, others)


def feeds_do_not_disturb_each_other(rule: Rule) -> None:
    """Interleaving the polls of two feeds, each with its own row, changes neither: no memory but the state."""
    one, other = list(lives(rule))[3:5]
    rows = np.zeros((2, rule.state_size))
    mixed = [(answers(rule, [a], rows[0])[0], answers(rule, [b], rows[1])[0]) for a, b in zip(one, other, strict=True)]
    assert [a for a, _ in mixed] == answers(rule, one)
    assert [b for _, b in mixed] == answers(rule, other)


def the_unit_of_time_does_not_matter(rule: Rule) -> None:
    """Hours instead of seconds change only the unit of the answer; catches constants that silently mean "days"."""
    if getattr(rule, "has_calendar", False):
        return
    slow = _in_hours(rule)
    for polls in lives(rule):
        seconds = answers(rule, polls)
        hours = answers(slow, [_poll_in_hours(poll) for poll in polls])
        for poll, a, b in zip(polls, seconds, hours, strict=True):
            assert math.isclose(a - poll.now, (b - poll.now / HOUR) * HOUR, rel_tol=1e-6, abs_tol=1e-3), (
                rule.name,
                poll,
            )


LAWS: tuple[Callable[[Rule], None], ...] = (
    params_start_with_the_bounds,
    an_answer_is_a_finite_time_in_the_future,
    with_no_data_the_prior_answers,
    bounds_are_respected,
    nothing_but_the_state_is_changed,
    explaining_does_not_change_state,
    state_round_trips,
    the_same_seed_gives_the_same_answer,
    chance_is_used_only_where_declared,
    feeds_do_not_disturb_each_other,
    the_unit_of_time_does_not_matter,
)


def _with(rule: Rule, **changes: Any) -> Rule:
    return cast("Rule", replace(cast("Any", rule), **changes))


def _in_hours(rule: Rule) -> Rule:
    bounds = rule.bounds
    changes: dict[str, Any] = {"bounds": Bounds(bounds.shortest / HOUR, bounds.longest / HOUR, bounds.standard / HOUR)}
    for item in parameters_of(cast("Any", type(rule))):
        if item.metadata.get("kind") == "duration":
            changes[item.name] = getattr(rule, item.name) / HOUR
    return _with(rule, **changes)


def _poll_in_hours(poll: Poll) -> Poll:
    hints = poll.hints.copy()
    hints[list(SPANS)] /= HOUR
    return replace(poll, now=poll.now / HOUR, window=poll.window / HOUR, hints=hints)
