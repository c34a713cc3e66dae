"""Every registered rule obeys the laws, found by itself through the registry."""

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

from afresh.base.compiled import STEP, compiled
from afresh.base.models import Bounds
from afresh.feeds.rules import load, names, parameters, spec_of, values_of
from afresh.feeds.rules.rule import Rule
from afresh.lab.draws import uniform
from afresh.lab.replay import Period, Playback, Trace, replay
from tests.laws import rules as checks

DAY = 86_400.0


@pytest.mark.parametrize("law", checks.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("name", names())
def test_law(name: str, law: Callable[[Rule], None]) -> None:
    law(load(name))


@pytest.mark.parametrize("name", names())
def test_contract(name: str) -> None:
    rule = load(name, Bounds(120.0, 2 * DAY, 7_200.0))
    assert isinstance(rule, Rule)
    assert rule.name == name
    assert rule.bounds == Bounds(120.0, 2 * DAY, 7_200.0)
    assert rule.state_size >= 0
    assert (rule.profile_size > 0) == hasattr(rule, "train")
    assert spec_of(rule) == name
    assert set(values_of(rule)) <= set(parameters(name))
    assert load(spec_of(rule), rule.bounds) == rule


def a_trace(seed: int = 3) -> Trace:
    rng = np.random.default_rng(seed)
    streams = [np.sort(DAY * rng.uniform(0.0, 40.0, n)) for n in (0, 1, 3, 40, 300)]
    streams.append(np.repeat(np.arange(0.0, 40.0) * DAY, 3))
    return Trace(
        name="contract",
        feed_ids=np.arange(10, 10 + len(streams)),
        offsets=np.cumsum([0, *map(len, streams)]),
        times=np.concatenate(streams),
        windows=np.array([5, 1, 2, 10, 20, 7]),
    )


@pytest.mark.parametrize("name", names())
def test_one_by_one_agrees_with_batch(name: str) -> None:
    """The daemon's way, one poll of one feed at a time, makes the same polls as the replay of all feeds."""
    trace, period = a_trace(), Period(14 * DAY, 14 * DAY, 24 * DAY)
    rule = load(name)
    result = replay(trace, rule, period=period, seed=11)
    for i in range(len(trace)):
        assert len(polls_one_by_one(rule, trace, i, period, seed=11)) == result.polls[i] + 1


def polls_one_by_one(rule: Rule, trace: Trace, i: int, period: Period, seed: int) -> list[float]:
    times, size = trace.stream(i), int(trace.windows[i])
    profile = None
    if rule.profile_size:
        profile = rule.train(times[times < period.test], period.start, period.test)  # type: ignore[attr-defined]
    state, now, before = np.zeros(rule.state_size), period.test, np.nan
    previous: set[int] = set()
    seen: set[int] = set()
    capacity, made = 0, []
    while now <= period.end:
        visible = int(np.searchsorted(times, now, side="right"))
        shown = set(range(max(0, visible - size), visible))
        new = len(shown - previous)
        missed = float(bool(previous) and bool(shown) and not shown & previous)
        seen |= shown
        capacity = max(capacity, len(shown))
        known = np.array(sorted(times[k] for k in seen))
        week, month = known[known >= now - 7 * DAY], known[known >= now - 30 * DAY]
        hints = checks.slots.row(
            profile,
            previous=before,
            capacity=capacity,
            missed=missed,
            count_7d=len(week),
            oldest_7d=week[0] if len(week) else np.nan,
            count_30d=len(month),
            oldest_30d=month[0] if len(month) else np.nan,
        )
        window = times[max(0, visible - size) : visible]
        u = uniform(seed, int(trace.feed_ids[i]), len(made))
        made.append(now)
        before, previous = now, shown or previous
        now = type(rule).step(rule.params(), state, now, window, new, hints, u)
    return made


# --- the laws can fail -----------------------------------------------------------------------------------------------


@compiled(STEP, cache=False)
def _bad(params, state, now, window, new, hints, u):  # type: ignore[no-untyped-def]
    """In the past when silent, memory across rows none, an hour that is not a parameter, chance without saying so."""
    state[0] += 1.0
    if len(window) == 0:
        return now - 1.0
    return now + 3_600.0 + 10.0 * u + (0.0 if state[0] < 5.0 else params[1])


class Bad(Rule):
    name: ClassVar[str] = "bad"
    state_size: ClassVar[int] = 1
    step: ClassVar = staticmethod(_bad)

    def explain(self, state, now, window, hints):  # type: ignore[no-untyped-def]
        state[0] += 1.0
        return load("fix").explain(state, now, window, hints)


@pytest.mark.parametrize(
    "law",
    [
        checks.an_answer_is_a_finite_time_in_the_future,
        checks.with_no_data_the_prior_answers,
        checks.bounds_are_respected,
        checks.explaining_does_not_change_state,
        checks.chance_is_used_only_where_declared,
        checks.the_unit_of_time_does_not_matter,
    ],
    ids=lambda law: law.__name__,
)
def test_a_bad_rule_breaks(law: Callable[[Rule], None]) -> None:
    with pytest.raises(AssertionError):
        law(Bad())


def test_a_rule_that_stands_still_is_named() -> None:
    playback = Playback(replace(a_trace()), Bad(), start=14 * DAY)
    with pytest.raises(ValueError, match="bad asked for a poll of feed 10 that is not in the future"):
        playback.advance(20 * DAY)
