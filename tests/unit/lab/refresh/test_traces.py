"""Strategies on a recorded history: budgets held, honest scores, bad input."""

import math

import numpy as np
import pytest

from afresh.base.durations import format_duration
from afresh.base.errors import UsageError
from afresh.base.models import Bounds
from afresh.lab.refresh.target import meet_delay
from afresh.lab.refresh.traces import STRATEGIES, refresh, setting_of
from afresh.lab.replay.period import Period
from afresh.lab.replay.trace import Trace

DAY = 86_400.0
START = 1_700_006_400.0  # a midnight
PERIOD = Period(START, START + 6 * DAY, START + 16 * DAY)
BOUNDS = Bounds(shortest=300.0, longest=8 * DAY, standard=3_600.0)


@pytest.fixture(scope="module")
def trace() -> Trace:
    rng = np.random.default_rng(5)
    streams = []
    for per_day in 4 * [0.0, 0.2, 1.0, 3.0, 10.0, 40.0, 90.0, 5.0]:
        n = rng.poisson(per_day * 20)
        streams.append(np.sort(START - 3 * DAY + rng.uniform(0.0, 20 * DAY, n)))
    streams[-1] = streams[-1][streams[-1] > PERIOD.test + DAY]  # a feed that was empty when the test began
    offsets = np.concatenate([[0], np.cumsum([len(s) for s in streams])]).astype(np.int64)
    return Trace(
        name="made",
        feed_ids=np.arange(len(streams)),
        offsets=offsets,
        times=np.concatenate(streams),
        windows=np.full(len(streams), 10),
    )


@pytest.mark.parametrize("knowledge", ["online", "known"])
def test_all_strategies_keep_to_the_budget(trace: Trace, knowledge: str) -> None:
    rows = refresh(trace, STRATEGIES, period=PERIOD, budget=0.5, knowledge=knowledge, bounds=BOUNDS)
    assert [row.strategy for row in rows] == list(STRATEGIES)
    for row in rows:
        assert row.requests <= 1.06 * row.allowed, row
        assert 0.0 < row.completeness <= 1.0
        assert 0.0 < row.freshness <= 1.0
        assert row.estimator == knowledge
    by_name = {row.strategy: row for row in rows}
    assert by_name["uniform"].requests == pytest.approx(by_name["uniform"].allowed, rel=0.02)
    assert by_name["priced"].requests == pytest.approx(by_name["priced"].allowed, rel=0.06)
    assert by_name["priced"].quality > by_name["uniform"].quality


@pytest.mark.parametrize("budget", [0.03, 0.1])
def test_nobody_spends_more_than_the_budget_and_priced_is_best_for_entries(trace: Trace, budget: float) -> None:
    rows = refresh(trace, STRATEGIES, period=PERIOD, budget=budget, bounds=BOUNDS, fairness=0.0)
    by_name = {row.strategy: row for row in rows}
    assert all(row.requests <= row.allowed for row in rows), rows
    assert by_name["priced"].timeliness == max(row.timeliness for row in rows), rows


def test_a_fair_rule_lets_quiet_feeds_wait_less_and_entries_more(trace: Trace) -> None:
    entries, feeds = (
        refresh(trace, ["priced"], period=PERIOD, budget=0.2, bounds=BOUNDS, fairness=fairness)[0]
        for fairness in (0.0, 1.0)
    )
    assert feeds.delay_feeds < 0.8 * entries.delay_feeds
    assert feeds.completeness < entries.completeness


def test_who_sees_the_truth_finds_everything_at_once(trace: Trace) -> None:
    [row] = refresh(trace, ["only_tau"], period=PERIOD, budget=3.0, knowledge="true", bounds=BOUNDS)
    assert row.completeness > 0.99
    assert row.delay_entries <= 300.0


def test_the_first_entries_of_an_empty_feed_count(trace: Trace) -> None:
    """With plenty of requests all is found, also what [R12] would take for an initial window."""
    [row] = refresh(trace, ["priced"], period=PERIOD, budget=30.0, bounds=BOUNDS)
    assert row.missed <= 3
    assert row.freshness > 0.98


def test_budgets_buy_quality(trace: Trace) -> None:
    for name in ("two_steps", "priced"):
        low, high = (refresh(trace, [name], period=PERIOD, budget=b, bounds=BOUNDS)[0].quality for b in (0.1, 2.0))
        assert high > low


def test_it_repeats_exactly(trace: Trace) -> None:
    one, two = (refresh(trace, ["two_steps", "priced"], period=PERIOD, budget=0.7, bounds=BOUNDS) for _ in range(2))
    assert one == two


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"budget": 0.0}, "budget"),
        ({"budget": -2.0}, "budget"),
        ({"budget": math.nan}, "budget"),
        ({"budget": math.inf}, "budget"),
        ({"knowledge": "oracle"}, "unknown estimator"),
        ({"strategies": ["three_steps"]}, "unknown strategy"),
        ({"period": Period(START, START, START + DAY)}, "--train"),
        ({"period": Period(START - 400 * DAY, START - 390 * DAY, START)}, "no entry"),
    ],
)
def test_bad_input(trace: Trace, changes: dict[str, object], word: str) -> None:
    given = {"strategies": ["uniform"], "budget": 1.0, "period": PERIOD, **changes}
    with pytest.raises(UsageError, match=word):
        refresh(trace, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("target", [900.0, 3600.0])
def test_a_mean_delay_is_reached_with_the_polls_it_takes(trace: Trace, target: float) -> None:
    told: list[str] = []
    line = meet_delay(setting_of(trace, period=PERIOD, budget=1.0, bounds=BOUNDS), target, progress=told.append)
    assert told[0] == "looking for the price to begin with: replay 1 of the training part, at most 8"
    assert told[-1].startswith(f"holding a mean delay of {format_duration(target)}: 9")
    assert line.target == target
    assert line.delay_entries == pytest.approx(target, rel=0.1)
    assert line.is_met
    # the same polls spent as a budget come to the same delay: none were wasted
    [spent] = refresh(trace, ["priced"], period=PERIOD, budget=line.budget, bounds=BOUNDS)
    assert spent.delay_entries == pytest.approx(line.delay_entries, rel=0.1)
    assert spent.requests == pytest.approx(line.requests, rel=0.06)
    assert spent.is_met is None


@pytest.mark.parametrize("target", [0.0, -60.0, math.nan, math.inf])
def test_a_delay_that_is_none_is_refused(trace: Trace, target: float) -> None:
    with pytest.raises(UsageError, match="--mean-delay"):
        meet_delay(setting_of(trace, period=PERIOD, budget=1.0, bounds=BOUNDS), target)
