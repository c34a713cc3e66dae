"""The laws of a predictor: each a short function whose name is the law.

A law takes a predictor and drives its step through small made-up lives of a feed, as the daemon would: state from
zeros, windows growing, hints filled. ``LAWS`` lists them all; a new predictor passes them by being registered.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from afresh.base.models import Row
from afresh.base.protocols import Bounds, Predictor
from afresh.feeds.rules import hints as slots
from afresh.feeds.rules.rule import parameters_of

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


def lives(predictor: Predictor, seed: int = 1) -> Iterator[list[Poll]]:
    """Polls of feeds of all kinds: empty, single entry, undated, regular, irregular, bursty, dead, gone empty."""
    rng = np.random.default_rng(seed)
    yield _life(predictor, np.empty(0), rng)
    yield _life(predictor, np.array([START - DAY]), rng)
    yield _life(predictor, np.full(5, START), rng)
    yield _life(predictor, START + HOUR * np.arange(-20.0, 60.0), rng)
    yield _life(predictor, np.sort(START + DAY * rng.uniform(-6.0, 4.0, 60)), rng)
    yield _life(predictor, np.repeat(START + 7 * HOUR * np.arange(-3.0, 9.0), 5), rng)
    yield _life(predictor, START - 900.0 * DAY + 60.0 * np.arange(10.0), rng)
    yield _life(predictor, START + 2.0 * np.arange(-50.0, 4_000.0), rng)


def _life(predictor: Predictor, times: Row, rng: np.random.Generator, polls: int = 24) -> list[Poll]:
    profile = rng.uniform(0.0, 0.1, predictor.profile_size)
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


def answers(predictor: Predictor, polls: Sequence[Poll], state: Row | None = None) -> list[float]:
    """The next poll after each of these, with a state that starts from zeros or is given and changed."""
    row = np.zeros(predictor.state_size) if state is None else state
    step, params = type(predictor).step, predictor.params()
    return [float(step(params, row, poll.now, poll.window, poll.new, poll.hints, poll.u)) for poll in polls]


# --- laws ------------------------------------------------------------------------------------------------------------


def params_start_with_the_bounds(predictor: Predictor) -> None:
    bounds = predictor.bounds
    assert predictor.params()[:3].tolist() == [bounds.alpha, bounds.beta, bounds.eta]
    assert predictor.params().dtype == np.float64


def an_answer_is_a_finite_time_in_the_future(predictor: Predictor) -> None:
    for polls in lives(predictor):
        for poll, due in zip(polls, answers(predictor, polls), strict=True):
            assert math.isfinite(due), (predictor.name, poll)
            assert due > poll.now, (predictor.name, poll)


def with_no_data_the_prior_answers(predictor: Predictor) -> None:
    """An empty document, no hint, no profile worth anything: still a finite time in the future."""
    hints = slots.row(np.zeros(predictor.profile_size))
    due = answers(predictor, [Poll(START, np.empty(0), 0, hints, 0.5)])[0]
    assert math.isfinite(due)
    assert due > START


def bounds_are_respected(predictor: Predictor) -> None:
    if not getattr(predictor, "is_bounded", True):
        return
    for bounds in (Bounds(60.0, DAY, HOUR), Bounds(900.0, 1_800.0, 1_200.0), Bounds(2 * HOUR, 9 * DAY, 3 * HOUR)):
        limited = _with(predictor, bounds=bounds)
        for polls in lives(limited):
            for poll, due in zip(polls, answers(limited, polls), strict=True):
                # adding an interval to a time of 1.7e9 seconds rounds to a quarter of a microsecond
                wait = due - poll.now
                assert bounds.alpha - 1e-6 <= wait <= bounds.beta + 1e-6, (predictor.name, poll, wait)


def nothing_but_the_state_is_changed(predictor: Predictor) -> None:
    params = predictor.params()
    before = params.copy()
    for polls in lives(predictor):
        copies = [(poll.window.copy(), poll.hints.copy()) for poll in polls]
        answers(predictor, polls)
        for poll, (window, hints) in zip(polls, copies, strict=True):
            assert np.array_equal(poll.window, window)
            assert np.array_equal(poll.hints, hints, equal_nan=True)
    assert np.array_equal(predictor.params(), before, equal_nan=True)


def explaining_does_not_change_state(predictor: Predictor) -> None:
    for polls in lives(predictor):
        state = np.zeros(predictor.state_size)
        for poll in polls:
            answers(predictor, [poll], state)
            before = state.copy()
            told = predictor.explain(state, poll.now, poll.window, poll.hints)
            assert np.array_equal(state, before, equal_nan=True)
            assert told.rule == predictor.name
            assert told.summary
            assert all(isinstance(value, float) for value in told.numbers.values())


def state_round_trips(predictor: Predictor) -> None:
    """Written to bytes after any poll and read again, the row continues as if nothing had happened."""
    for polls in lives(predictor):
        whole = answers(predictor, polls)
        first = np.zeros(predictor.state_size)
        half = len(polls) // 2
        answers(predictor, polls[:half], first)
        second = np.frombuffer(first.tobytes(), dtype=np.float64).copy()
        assert answers(predictor, polls[half:], second) == whole[half:]


def the_same_seed_gives_the_same_answer(predictor: Predictor) -> None:
    for one, other in zip(lives(predictor, 5), lives(predictor, 5), strict=True):
        assert answers(predictor, one) == answers(predictor, other)


def chance_is_used_only_where_declared(predictor: Predictor) -> None:
    if getattr(predictor, "is_random", False):
        return
    for polls in lives(predictor):
        others = [replace(poll, u=1.0 - poll.u) for poll in polls]
        assert answers(predictor, polls) == answers(predictor, others)


def feeds_do_not_disturb_each_other(predictor: Predictor) -> None:
    """Interleaving the polls of two feeds, each with its own row, changes neither: no memory but the state."""
    one, other = list(lives(predictor))[3:5]
    rows = np.zeros((2, predictor.state_size))
    mixed = [
        (answers(predictor, [a], rows[0])[0], answers(predictor, [b], rows[1])[0])
        for a, b in zip(one, other, strict=True)
    ]
    assert [a for a, _ in mixed] == answers(predictor, one)
    assert [b for _, b in mixed] == answers(predictor, other)


def the_unit_of_time_does_not_matter(predictor: Predictor) -> None:
    """Hours instead of seconds change only the unit of the answer; catches constants that silently mean "days"."""
    if getattr(predictor, "has_calendar", False):
        return
    slow = _in_hours(predictor)
    for polls in lives(predictor):
        seconds = answers(predictor, polls)
        hours = answers(slow, [_poll_in_hours(poll) for poll in polls])
        for poll, a, b in zip(polls, seconds, hours, strict=True):
            assert math.isclose(a - poll.now, (b - poll.now / HOUR) * HOUR, rel_tol=1e-6, abs_tol=1e-3), (
                predictor.name,
                poll,
            )


LAWS: tuple[Callable[[Predictor], None], ...] = (
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


def _with(predictor: Predictor, **changes: Any) -> Predictor:
    return cast("Predictor", replace(cast("Any", predictor), **changes))


def _in_hours(predictor: Predictor) -> Predictor:
    bounds = predictor.bounds
    changes: dict[str, Any] = {"bounds": Bounds(bounds.alpha / HOUR, bounds.beta / HOUR, bounds.eta / HOUR)}
    for item in parameters_of(cast("Any", type(predictor))):
        if item.metadata.get("kind") == "duration":
            changes[item.name] = getattr(predictor, item.name) / HOUR
    return _with(predictor, **changes)


def _poll_in_hours(poll: Poll) -> Poll:
    hints = poll.hints.copy()
    hints[list(SPANS)] /= HOUR
    return replace(poll, now=poll.now / HOUR, window=poll.window / HOUR, hints=hints)
