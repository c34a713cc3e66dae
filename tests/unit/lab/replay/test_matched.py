"""A priced rule at the polls of another: calibrated on the past, corrected by what is known in time."""

import math

import numpy as np
import pytest

from afresh.base.errors import ModelError
from afresh.feeds.rules import load
from afresh.lab.replay import Keep, Period, Playback, Trace, calibrate, replay, replay_matched, replay_within
from afresh.lab.replay.matched import solve_price
from afresh.lab.replay.shadow import Shadow

DAY = 86_400.0
MAVSYNC, SQRT = load("mavsync"), load("sqrt")
PERIOD = Period(20 * DAY, 34 * DAY, 62 * DAY)


def a_trace(speed_up: float = 1.0, seed: int = 5) -> Trace:
    """Sixty feeds of heavy-tailed rates with a daily rhythm; in the test part they may publish faster."""
    rng = np.random.default_rng(seed)
    streams = []
    for rate in rng.pareto(0.9, 60) * 0.3 + 0.02:
        days = rng.uniform(0.0, 62.0, rng.poisson(min(rate, 60.0) * 62.0 * speed_up))
        keep = (days >= 34.0) | (rng.random(len(days)) < 1.0 / speed_up)
        days = days[keep & (rng.random(len(days)) < 0.5 + 0.5 * np.sin(2 * math.pi * days))]
        streams.append(np.sort(days) * DAY)
    return Trace(
        name="sixty",
        feed_ids=np.arange(60),
        offsets=np.cumsum([0, *map(len, streams)]),
        times=np.concatenate(streams),
        windows=np.full(60, 15),
    )


def test_the_price_meets_the_polls_of_the_training_part() -> None:
    found = calibrate(a_trace(), SQRT, MAVSYNC, period=PERIOD)
    assert abs(found.error) < 0.005
    assert -1.0 < found.elasticity < -0.05


@pytest.mark.parametrize("speed_up", [1.0, 1.6])
def test_polls_of_the_test_part_stay_within_two_percent(speed_up: float) -> None:
    """Even when feeds publish faster than in training, which the price of the past does not know."""
    trace = a_trace(speed_up)
    matched = replay_matched(trace, SQRT, MAVSYNC, period=PERIOD)
    reference = replay(trace, MAVSYNC, period=PERIOD)
    assert matched.polls.sum() == pytest.approx(reference.polls.sum(), rel=0.02)
    assert matched.series is not None
    assert len(set(matched.series.prices.tolist())) > 50
    assert matched.delay_sum.sum() / matched.found.sum() < reference.delay_sum.sum() / reference.found.sum()


@pytest.mark.parametrize(("speed_up", "seed"), [(1.0, 5), (1.0, 6), (1.6, 5), (0.7, 7)])
def test_never_more_polls_than_the_reference_and_hardly_fewer(speed_up: float, seed: int) -> None:
    trace = a_trace(speed_up, seed)
    within = replay_within(trace, SQRT, MAVSYNC, period=PERIOD)
    allowed = replay(trace, MAVSYNC, period=PERIOD).polls.sum()
    assert 0.98 * allowed <= within.polls.sum() <= allowed


def test_where_no_price_is_high_enough_the_cheapest_run_is_the_answer() -> None:
    """The reference waits ten days, the rule at most one: however dear a poll is, it makes more."""
    trace, period = a_trace(), Period(20 * DAY, 34 * DAY, 44 * DAY)
    reference = load("fix:interval=10d,longest=10d")
    within = replay_within(trace, SQRT, reference, period=period)
    at_any_price = replay(trace, load("sqrt:price=1000000000000"), period=period).polls.sum()
    assert at_any_price > replay(trace, reference, period=period).polls.sum()
    assert within.polls.sum() == pytest.approx(at_any_price, rel=0.02)


def test_the_future_has_no_influence() -> None:
    """Two traces that differ only after the tenth day of the test part have the same prices until then."""
    trace = a_trace()
    cut = PERIOD.test + 10 * DAY
    times = np.where(trace.times > cut, PERIOD.end + trace.times, trace.times)
    other = Trace(
        name="silent",
        feed_ids=trace.feed_ids,
        offsets=trace.offsets,
        times=times,
        windows=trace.windows,
    )
    one, two = (replay_matched(t, SQRT, MAVSYNC, period=PERIOD).series for t in (trace, other))
    assert one is not None
    assert two is not None
    before = one.times <= cut
    assert one.prices[before].tolist() == two.prices[before].tolist()
    assert one.prices[-1] != two.prices[-1]


def test_the_shadow_counts_what_the_reference_would_have_polled() -> None:
    """Everything found (hourly polls miss nothing here), the shadow makes exactly the reference's polls."""
    trace = a_trace()
    known = np.zeros(len(trace.times), dtype=np.uint8)
    playback = Playback(trace, load("fix:interval=15m"), start=PERIOD.test, keep=Keep(known=known))
    shadow = Shadow(trace, MAVSYNC, start=PERIOD.test, seed=0, known=known)
    truth = Playback(trace, MAVSYNC, start=PERIOD.test)
    for day in range(2, 12):
        playback.advance(PERIOD.test + day * DAY)
        truth.advance(PERIOD.test + (day - 1) * DAY)
        assert shadow.polls_until(PERIOD.test + (day - 1) * DAY) == truth.executed


def test_the_shadow_is_not_shown_what_was_not_found() -> None:
    trace = a_trace()
    known = np.zeros(len(trace.times), dtype=np.uint8)
    shadow = Shadow(trace, MAVSYNC, start=PERIOD.test, seed=0, known=known)
    empty = Playback(trace.select(np.zeros(60, dtype=np.bool_)), MAVSYNC, start=PERIOD.test)
    assert len(empty.next_polls) == 0
    # without a known entry every feed is polled hourly, at eta
    assert shadow.polls_until(PERIOD.test + DAY) == 60 * 25


def test_without_price_or_training_part() -> None:
    with pytest.raises(ModelError, match="mavsync has no price"):
        calibrate(a_trace(), MAVSYNC, MAVSYNC, period=PERIOD)
    with pytest.raises(ModelError, match="a training part is needed"):
        calibrate(a_trace(), SQRT, MAVSYNC, period=Period(34 * DAY, 34 * DAY, 60 * DAY))


@pytest.mark.parametrize("exponent", [-0.5, -0.2, -1.0])
@pytest.mark.parametrize("target", [5_000.0, 20_000.0, 80_000.0])
def test_solving_for_the_price(exponent: float, target: float) -> None:
    made = []

    def polls_at(price: float) -> int:
        made.append(price)
        return round(100.0 + 1e6 * price**exponent)

    price, slope = solve_price(polls_at, target, 1_000.0)
    assert polls_at(price) == pytest.approx(target, rel=0.01)
    assert slope < 0
    assert len(made) <= 15


def test_an_unreachable_target_ends() -> None:
    """When no price changes the polls (all feeds at a bound), the search gives up and answers."""
    price, _ = solve_price(lambda _: 1_000, 2_000.0, 1_000.0)
    assert price > 0
