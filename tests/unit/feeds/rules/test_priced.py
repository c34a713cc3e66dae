"""The default rule: its laws, and what it does for each kind of feed."""

import hashlib
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.base.models import Bounds
from afresh.feeds.rules import _clocks as clocks
from afresh.feeds.rules import _intensity as known
from afresh.feeds.rules import _rhythm as told
from afresh.feeds.rules import hints as slots
from afresh.feeds.rules import priced
from afresh.feeds.rules._forecast import worth
from afresh.feeds.rules.outlook import outlook
from afresh.feeds.rules.priced import Priced

DAY, HOUR = 86_400.0, 3_600.0
MONDAY = 1_757_894_400.0  # 2025-09-15 00:00 UTC
Times = np.ndarray


class Reader:
    """Polls one recorded feed as a daemon would, and remembers what came of it."""

    def __init__(
        self,
        times: Times,
        *,
        window: int = 20,
        price: float = 1_000.0,
        bounds: Bounds | None = None,
        day: float = DAY,
    ) -> None:
        self.rule = Priced(price=price, bounds=bounds or Bounds(), day=day)
        self.params, self.state = self.rule.params(), np.zeros(Priced.state_size)
        self.times, self.window = np.sort(times), window
        self.polls: list[float] = []
        self.delays: list[float] = []
        self.seen = 0

    def poll(self, now: float, **given: float) -> float:
        visible = int(np.searchsorted(self.times, now, side="right"))
        oldest = max(0, visible - self.window)
        new = visible - max(oldest, self.seen)
        if self.polls:
            self.delays += list(now - self.times[visible - new : visible])
        hints = slots.row(
            capacity=float(self.window), missed=float(bool(self.polls) and oldest > self.seen > 0), **given
        )
        self.seen = visible
        self.polls.append(now)
        following = self.rule.step(self.params, self.state, now, self.times[oldest:visible], new, hints, 0.5)
        return float(following)

    def run(self, start: float, end: float) -> float:
        now = start
        while now < end:
            now = self.poll(now)
        return now


def poisson(rate_per_day: float, days: float, seed: int = 1, start: float = MONDAY) -> Times:
    rng = np.random.default_rng(seed)
    return start + np.sort(rng.uniform(0.0, days * DAY, rng.poisson(rate_per_day * days)))


# --- laws -------------------------------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(
    ages=st.lists(st.floats(0.0, 4e8) | st.sampled_from([0.0, 60.0, 3_600.0]), max_size=30),
    waits=st.lists(st.floats(1.0, 1e7), max_size=6),
    new=st.integers(0, 30),
    price=st.floats(1e-3, 1e9),
    weight=st.sampled_from([1.0, 0.0, 1e-6, 50.0, math.nan]),
    capacity=st.sampled_from([math.nan, 0.0, 1.0, 10.0]),
    missed=st.sampled_from([0.0, 1.0, math.nan]),
)
def test_the_answer_is_finite_ahead_and_within_bounds_and_nothing_else_is_touched(
    ages: list[float], waits: list[float], new: int, price: float, weight: float, capacity: float, missed: float
) -> None:
    bounds = Bounds(120.0, 2.0 * DAY, 2.0 * HOUR)
    rule = Priced(price=price, bounds=bounds)
    params, state = rule.params(), np.zeros(Priced.state_size)
    now = MONDAY
    hints = slots.row(capacity=capacity, weight=weight, missed=missed)
    for wait in [0.0, *waits]:
        now += wait
        window = np.sort(now - np.array(ages)) if ages else np.empty(0)
        before = params.copy(), window.copy(), hints.copy()
        window.flags.writeable = hints.flags.writeable = False
        following = rule.step(params, state, now, window, min(new, len(window)), hints, 0.5)
        assert bounds.shortest - 1e-6 <= following - now <= bounds.longest + 1e-6
        assert np.all(np.isfinite(state))
        for was, is_now in zip(before, (params, window, hints), strict=True):
            np.testing.assert_array_equal(was, is_now)


def test_the_state_is_all_there_is() -> None:
    one, other = Reader(poisson(6.0, 30.0)), Reader(poisson(6.0, 30.0))
    now = one.run(MONDAY + 10 * DAY, MONDAY + 20 * DAY)
    other.run(MONDAY + 10 * DAY, MONDAY + 20 * DAY)
    other.state = np.frombuffer(other.state.tobytes()).copy()
    assert one.poll(now) == other.poll(now)


def test_a_waiting_time_of_many_days_is_possible_when_allowed() -> None:
    reader = Reader(np.array([MONDAY - 900 * DAY]), price=9_000.0, bounds=Bounds(60.0, 28.0 * DAY, HOUR))
    assert reader.poll(MONDAY) - MONDAY > 2.0 * DAY


# --- price and weight ------------------------------------------------------------------------------------------------


def test_a_higher_price_means_fewer_polls() -> None:
    counts = []
    for price in (100.0, 1_000.0, 10_000.0):
        reader = Reader(poisson(12.0, 40.0), price=price)
        reader.run(MONDAY + 20 * DAY, MONDAY + 40 * DAY)
        counts.append(len(reader.polls))
    assert counts[0] > 2 * counts[1] > 4 * counts[2]


def test_the_price_of_the_hints_goes_before_and_the_weight_divides_it() -> None:
    times = poisson(12.0, 30.0)
    own = Reader(times, price=250.0).poll(MONDAY + 20 * DAY)
    assert Reader(times, price=9_999.0).poll(MONDAY + 20 * DAY, price=250.0) == own
    assert Reader(times, price=1_000.0).poll(MONDAY + 20 * DAY, weight=4.0) == own


def test_a_steady_stream_costs_about_the_square_root() -> None:
    """Poisson entries all day: the mean delay is near sqrt(price / 2 rate), the best any fixed interval can do."""
    reader = Reader(poisson(48.0, 60.0), price=900.0)
    reader.run(MONDAY + 30 * DAY, MONDAY + 60 * DAY)
    interval = 30 * DAY / len(reader.polls)
    assert interval == pytest.approx(math.sqrt(2 * 900.0 * DAY / 48.0), rel=0.12)
    assert np.mean(reader.delays) == pytest.approx(interval / 2.0, rel=0.12)


# --- kinds of feeds --------------------------------------------------------------------------------------------------


def test_an_hourly_robot_is_polled_right_after_its_minute() -> None:
    times = MONDAY + 7 * 60.0 + 20.0 + HOUR * np.arange(24 * 40)
    reader = Reader(times)
    reader.run(MONDAY + 10 * DAY, MONDAY + 40 * DAY)
    assert np.median(reader.delays) <= 60.0
    assert len(reader.polls) <= 1.1 * 24 * 30


def test_a_daily_publisher_is_polled_right_after_its_instant() -> None:
    times = MONDAY + 17 * HOUR + 30.0 + DAY * np.arange(120)
    reader = Reader(times, window=15)
    reader.run(MONDAY + 60 * DAY, MONDAY + 120 * DAY)
    assert np.median(reader.delays) <= 120.0
    assert len(reader.polls) <= 60 * 6


def test_a_dormant_feed_is_polled_once_a_day_and_an_empty_one_too() -> None:
    for times in (np.array([MONDAY - 700 * DAY, MONDAY - 500 * DAY]), np.empty(0)):
        reader = Reader(times)
        reader.run(MONDAY, MONDAY + 200 * DAY)
        late = [p for p in reader.polls if p > MONDAY + 150 * DAY]
        assert np.mean(np.diff(late)) > 0.95 * DAY


def test_a_burst_shortens_the_interval_and_silence_lengthens_it() -> None:
    calm = poisson(2.0, 60.0)
    burst = MONDAY + 60 * DAY + np.sort(np.random.default_rng(2).uniform(0.0, 0.5 * DAY, 40))
    reader = Reader(np.concatenate([calm, burst]))
    now = reader.run(MONDAY + 30 * DAY, MONDAY + 60 * DAY)
    usual = np.mean(np.diff([p for p in reader.polls if p > MONDAY + 45 * DAY]))
    now = reader.run(now, MONDAY + 60.6 * DAY)
    excited = np.mean(np.diff([p for p in reader.polls if p > MONDAY + 60.25 * DAY]))
    reader.run(now, MONDAY + 90 * DAY)
    quiet = np.mean(np.diff([p for p in reader.polls if p > MONDAY + 80 * DAY]))
    assert excited < 0.5 * usual
    assert quiet > 1.1 * usual


def test_a_small_window_is_polled_before_it_overflows() -> None:
    counts, shares = [], []
    for window in (3, 60):
        times = poisson(60.0, 40.0, seed=5)
        reader = Reader(times, window=window, price=4_000.0)
        reader.run(MONDAY + 20 * DAY, MONDAY + 40 * DAY)
        counts.append(len(reader.polls))
        shares.append(len(reader.delays) / np.sum((times > reader.polls[0]) & (times <= reader.polls[-1])))
    assert counts[0] > 1.3 * counts[1]
    assert shares[0] > 0.88  # four in five without regard to the window


@pytest.mark.parametrize(("window", "every"), [(3, 60.0), (5, 30.0), (10, 45.0)])
def test_a_stream_that_never_pauses_is_no_publication_that_cannot_be_had(window: int, every: float) -> None:
    """Entries closer than ten minutes made one endless group, of which most was taken for lost whatever one does."""
    reader = Reader(MONDAY - 600.0 + np.arange(0.0, 4 * HOUR, every), window=window)
    reader.run(MONDAY, MONDAY + 3 * HOUR)
    assert len(reader.delays) == pytest.approx(3 * HOUR / every, abs=2 * window)
    assert np.diff(reader.polls).max() <= window * every


def test_a_window_that_no_poll_can_save_is_polled_as_often_as_may_be() -> None:
    reader = Reader(MONDAY - 600.0 + np.arange(0.0, HOUR, 5.0), window=10)
    reader.run(MONDAY, MONDAY + 0.5 * HOUR)
    assert np.diff(reader.polls)[1:] == pytest.approx(60.0)


def test_a_window_that_is_full_within_a_minute_is_polled_sooner_where_that_is_allowed() -> None:
    times = MONDAY - 600.0 + np.arange(0.0, HOUR, 15.0)
    reader = Reader(times, window=3, bounds=Bounds(shortest=5.0, longest=DAY, standard=HOUR))
    reader.run(MONDAY, MONDAY + 0.5 * HOUR)
    assert np.diff(reader.polls)[5:].max() <= 45.0
    usual = reader.rule.explain(reader.state, reader.polls[-1], times[:3], slots.row(capacity=3.0)).numbers
    assert usual["usual_interval"] < 45.0, "not what waiting alone would be worth"


def test_a_large_window_of_a_steady_stream_costs_no_more_polls_than_its_waiting_is_worth() -> None:
    times = MONDAY - HOUR + np.cumsum(np.random.default_rng(1).exponential(60.0, 600))
    small, large = (Reader(times, window=size) for size in (20, 100))
    for reader in (small, large):
        reader.run(MONDAY, MONDAY + 6 * HOUR)
    assert len(small.polls) < 1.3 * len(large.polls)


def test_a_publication_larger_than_the_window_is_not_polled_for_in_vain() -> None:
    """Forty entries at once every two hours and a window of ten: thirty are lost whenever one looks."""
    times = np.sort((MONDAY - DAY + np.arange(0.0, 3 * DAY, 2 * HOUR))[:, None] + np.arange(40) * 0.5, axis=None)
    reader = Reader(times, window=10)
    reader.run(MONDAY, MONDAY + DAY)
    assert len(reader.polls) < 24 * 6


def test_until_a_rhythm_is_known_the_rate_says_what_is_expected() -> None:
    reader = Reader(MONDAY - 600.0 + np.arange(0.0, HOUR, 60.0), window=3)
    now = MONDAY
    for _ in range(20):
        following = reader.poll(now)
        said = reader.rule.explain(reader.state, now, reader.times[:3], slots.row(capacity=3.0))
        by_rate = said.numbers["lately_per_day"] * (following - now) / DAY
        assert said.numbers["expected_entries"] == pytest.approx(by_rate)
        now = following


def test_what_is_lost_whenever_one_looks_is_said() -> None:
    reader = Reader(MONDAY - 600.0 + np.arange(0.0, HOUR, 5.0), window=10)
    reader.run(MONDAY, MONDAY + 600.0)
    said = reader.rule.explain(reader.state, MONDAY + 600.0, reader.times[:10], slots.row(capacity=10.0))
    assert "more than the 10 that it shows: the others are lost" in said.summary


def test_entries_that_come_at_once_count_as_one_publication_for_the_window() -> None:
    times = np.repeat(MONDAY + DAY * np.arange(60) + 9 * HOUR, 8)
    reader = Reader(times)
    reader.run(MONDAY + 20 * DAY, MONDAY + 40 * DAY)
    assert known.group_size(reader.state) == pytest.approx(8.0, rel=0.35)


def test_an_undated_feed_starts_with_eta_and_learns_its_rate_but_no_rhythm() -> None:
    rule = Priced()
    params, state = rule.params(), np.zeros(Priced.state_size)
    first = rule.step(params, state, MONDAY, np.full(10, MONDAY), 10, slots.row(capacity=10.0), 0.5)
    assert first - MONDAY == rule.bounds.standard
    now, waits = first, []
    for _ in range(200):
        window = np.full(10, now)
        following = rule.step(params, state, now, window, 2, slots.row(capacity=10.0), 0.5)
        waits.append(following - now)
        now = following
    assert waits[-1] < 0.5 * waits[0]
    assert known.dated(state) == 0.0


def test_the_first_window_is_history() -> None:
    busy = Reader(poisson(40.0, 10.0)).poll(MONDAY + 10 * DAY)
    sparse = Reader(np.array([MONDAY - 50 * DAY, MONDAY - 30 * DAY])).poll(MONDAY + 10 * DAY)
    assert busy - MONDAY - 10 * DAY < 2 * HOUR
    assert sparse - MONDAY - 10 * DAY > 4 * HOUR


def test_a_window_shown_again_teaches_nothing() -> None:
    times = poisson(5.0, 10.0)
    reader = Reader(times)
    reader.poll(MONDAY + 10 * DAY)
    counts = reader.state[[known.ENTRIES, known.GAPS]]
    reader.seen = 0  # as if nothing had been seen: the whole window looks new
    reader.poll(MONDAY + 10 * DAY)
    np.testing.assert_allclose(reader.state[[known.ENTRIES, known.GAPS]], counts, atol=1.01)


def test_lost_entries_count_for_the_rate() -> None:
    rates = []
    for missed in (0.0, 1.0):
        rule, state = Priced(), np.zeros(Priced.state_size)
        early = MONDAY + HOUR * np.arange(-4.0, 1.0)
        rule.step(rule.params(), state, MONDAY, early, 5, slots.row(capacity=5.0), 0.5)
        late = MONDAY + DAY + HOUR * np.arange(-4.0, 1.0)
        hints = slots.row(capacity=5.0, missed=missed)
        rule.step(rule.params(), state, MONDAY + DAY + 60.0, late, 5, hints, 0.5)
        rates.append(known.rates(rule.params(), state, MONDAY + DAY + 60.0)[1])
    assert rates[1] > 1.5 * rates[0]


# --- what is learnt ---------------------------------------------------------------------------------------------------


def test_regularity_tells_robots_from_people() -> None:
    rng = np.random.default_rng(8)
    shapes = []
    for gaps in (np.full(200, 6 * HOUR), rng.exponential(6 * HOUR, 200), rng.choice([900.0, 40 * HOUR], 200)):
        reader = Reader(MONDAY + np.cumsum(gaps), window=200)
        reader.poll(MONDAY + float(np.sum(gaps)) + HOUR)
        shapes.append(known.regularity(reader.params, reader.state))
    assert shapes[0] > 1.5 > shapes[1] > shapes[2]


def test_the_rhythm_has_mean_one_and_its_own_hour_stands_out() -> None:
    reader = Reader(MONDAY + 17 * HOUR + DAY * np.arange(60), window=60)
    reader.poll(MONDAY + 61 * DAY)
    quarters, weekdays, minutes = np.empty(96), np.empty(7), np.empty(60)
    told.rhythm(reader.params, reader.state, quarters, weekdays, minutes)
    hours = quarters.reshape(24, 4).sum(axis=1)
    assert np.mean(hours) == pytest.approx(1.0)
    assert np.mean(weekdays) == pytest.approx(1.0, abs=0.01)
    assert np.sum(minutes) == pytest.approx(1.0)
    assert np.argmax(hours) == 17
    assert hours[17] > 8.0
    assert np.argmax(minutes) == 0


@pytest.mark.parametrize("begins", [0.0, 0.75 * HOUR, 16.75 * HOUR])
def test_a_busy_feed_is_not_believed_to_wait_for_a_full_hour_that_nobody_has_seen(begins: float) -> None:
    """An entry every 45 s, watched for less than an hour: once 38 of them were expected within a minute."""
    now = MONDAY + begins
    reader = Reader(np.arange(now - 900.0, now + HOUR, 45.0))
    for _ in range(12):
        following = reader.poll(now)
        assert reader.state[known.AHEAD] < 5.0 * (following - now) / 45.0, now - MONDAY
        now = following


def test_explaining_says_why_and_changes_nothing() -> None:
    reader = Reader(poisson(12.0, 30.0))
    now = reader.polls[-1] if reader.polls else MONDAY + 20 * DAY
    following = reader.poll(now)
    state, hints = reader.state.copy(), slots.row(capacity=20.0)
    said = reader.rule.explain(reader.state, now, reader.times[:20], hints)
    np.testing.assert_array_equal(reader.state, state)
    assert said.rule == "priced"
    assert said.numbers["interval"] == pytest.approx(following - now)
    assert said.numbers["rate_per_day"] == pytest.approx(12.0, rel=0.6)
    assert "a visit must save 17 min of waiting" in said.summary
    assert "never polled" in Priced().explain(np.zeros(Priced.state_size), now, np.empty(0), hints).summary


def test_the_cached_step_is_thrown_away_when_what_is_compiled_into_it_changes() -> None:
    folder = Path(priced.__file__).parent
    parts = ("clocks", "forecast", "intensity", "plan", "rhythm", "window")
    sources = b"".join((folder / f"_{name}.py").read_bytes() for name in parts)
    digest = hashlib.sha256(sources).hexdigest()[:16]
    assert digest == priced.REVISION, f'write REVISION = "{digest}" into priced.py'


@pytest.mark.parametrize("fairness", [0.0, 0.4, 1.0])
def test_at_fairness_1_feeds_count_and_at_0_their_entries(fairness: float) -> None:
    """A feed with an entry a day and one with a hundred: the wait goes with the root of the rate, or is the same."""
    rare, often = (worth(Priced().params(), rate / DAY, fairness) * rate for rate in (1.0, 100.0))
    expected = {0.0: 100.0, 0.4: 100.0 * (1.0 + 0.12 / 150.0) / (1.0 + 0.12 / 1.5), 1.0: 1.0}[fairness]
    assert often / rare == pytest.approx(expected, rel=1e-6)


def test_a_feed_that_will_hardly_publish_counts_less_even_where_all_feeds_are_alike() -> None:
    assert worth(Priced().params(), 0.001 / DAY, 1.0) * 0.001 < 0.1 * worth(Priced().params(), 1.0 / DAY, 1.0)


@pytest.mark.parametrize("price", [2e6, 2e7])
def test_a_full_window_is_met_even_where_requests_are_dear(price: float) -> None:
    """Thirty entries a day fill a window of 15 in half a day; they would be left alone for 1.2 or 3.9 days."""
    rule = Priced(fairness=0.0, bounds=Bounds(60.0, 28 * DAY, 3_600.0))
    times = MONDAY - np.arange(900)[::-1] * DAY / 30.0
    state, said = np.zeros(rule.state_size), slots.row(capacity=15.0, price=price, missed=1.0)
    for now in MONDAY - np.arange(20)[::-1] * DAY:
        shown = times[times <= now][-15:]
        due = Priced.step(rule.params(), state, now, shown, 15, said, 0.0)
    assert 0.2 * DAY < due - MONDAY < 0.9 * DAY


def shapes(reader: Reader) -> tuple[Times, Times, Times]:
    quarters, weekdays, minutes = np.empty(96), np.empty(7), np.empty(60)
    told.rhythm(reader.params, reader.state, quarters, weekdays, minutes)
    return quarters.reshape(24, 4).sum(axis=1), weekdays, minutes


def test_what_was_not_observed_is_unknown_and_not_empty() -> None:
    """Twenty entries within 17 minutes say how many come, and nothing about other hours."""
    reader = Reader(MONDAY + 6 * HOUR + 50.0 * np.arange(21))
    reader.poll(MONDAY + 6 * HOUR + 1_020.0)
    hours, weekdays, _ = shapes(reader)
    np.testing.assert_allclose(hours, 24.0 * told.HOURLY, rtol=0.2)  # neighbours lend each other a third
    np.testing.assert_allclose(weekdays, 7.0 * told.WEEKLY, rtol=0.05)
    ahead = outlook(reader.state, MONDAY + 6 * HOUR + 1_020.0, hours=3)
    assert ahead.expected.max() < 2.0 * ahead.expected.min()
    assert not ahead.is_own
    said = reader.rule.explain(reader.state, MONDAY, reader.times, slots.row()).summary
    assert "its rhythm not known yet" in said


def test_a_feed_that_never_had_an_entry_has_no_rate_silence_or_rhythm_to_tell() -> None:
    reader = Reader(np.empty(0))
    reader.poll(MONDAY)
    reader.poll(MONDAY + 9 * DAY)
    said = reader.rule.explain(reader.state, MONDAY, np.empty(0), slots.row())
    assert "it never had an entry, so it is visited as feeds of which nothing is known: after" in said.summary
    assert said.numbers["rate_per_day"] == 0.0
    assert not {"expected_since_newest", "regularity", "lately_per_day", "busiest_hour"} & set(said.numbers)


@pytest.mark.parametrize("window", [1, 20])
def test_one_entry_is_known(window: int) -> None:
    reader = Reader(np.array([MONDAY - DAY]), window=window)
    reader.poll(MONDAY)
    assert "never had an entry" not in reader.rule.explain(reader.state, MONDAY, reader.times, slots.row()).summary


def test_half_a_day_teaches_about_its_own_hours_only() -> None:
    """Observed from 6 to 18 h, all entries from 9 to 10: that hour stands out, the others by day are quiet, the night
    is as in feeds in general."""
    times = MONDAY + 6 * HOUR + np.array([0.0, *(3 * HOUR + 3_500.0 * np.linspace(0.0, 1.0, 40))])
    reader = Reader(times, window=41)
    reader.poll(MONDAY + 18 * HOUR)
    hours, _, _ = shapes(reader)
    usual = 24.0 * told.HOURLY
    assert hours[9] / usual[9] > 3.0 * hours[2] / usual[2] > 6.0 * hours[14] / usual[14]


@pytest.mark.parametrize(("cycle", "parts"), [(DAY, 96), (7 * DAY, 7), (HOUR, 60)])
@pytest.mark.parametrize("span", [600.0, 5.3 * HOUR, 1.4 * DAY, 9.7 * DAY])
def test_observed_shares_are_those_of_a_watch_that_was_kept(cycle: float, parts: int, span: float) -> None:
    state, seen = np.zeros(known.SIZE), np.empty(parts)
    state[known.SINCE], state[known.POLLED] = MONDAY + 4.56 * HOUR, MONDAY + 4.56 * HOUR + span
    told.observe(state, cycle, 0.0, seen)
    ticks = state[known.SINCE] + (np.arange(200_000) + 0.5) * span / 200_000
    counted = np.bincount((ticks % cycle / cycle * parts).astype(int), minlength=parts) * parts / 200_000
    np.testing.assert_allclose(seen, counted if span < 20 * cycle else 1.0, atol=0.01)


def test_a_day_may_last_a_minute() -> None:
    """A demo: the hours of a short day are learnt and told as those of a long one are, and visits follow them."""
    minute = 60.0
    rhythm = np.concatenate([MONDAY + minute * day + np.linspace(40.0, 44.0, 6) for day in range(20)])
    reader = Reader(rhythm, window=30, price=1.0, day=minute, bounds=Bounds(1.0, 20.0, 5.0))
    now = reader.run(MONDAY + 5 * minute, MONDAY + 18 * minute)
    hours, _, _ = shapes(reader)
    assert set(np.argsort(hours)[-2:]) == {16, 17}  # an hour lasts 2.5 seconds
    ahead = outlook(reader.state, now)
    assert ahead.hour == 2.5
    assert ahead.is_own
    assert ahead.starts[1] - ahead.starts[0] == pytest.approx(2.5)
    assert 40.0 - 2.5 <= ahead.starts[np.argmax(ahead.expected)] % minute <= 45.0
    assert np.sum(ahead.expected) == pytest.approx(6.0, rel=0.25)
    said = reader.rule.explain(reader.state, now, reader.times, slots.row()).summary
    assert "about 6 entries a minute" in said
    assert "h of a day of 1m" in said
    assert np.mean(reader.delays) < 1.5  # every other second would be as dear


def earlier_row(reader: Reader, rate: float, days: float) -> Times:
    """The row that was kept before there was one memory: counts of 230 and 144 days, and the sum of the rhythm."""
    long, middle = (rate * memory * DAY * (1.0 - math.exp(-days / memory)) for memory in (230.0, 144.0))
    rest = np.delete(reader.state[: known.DAY_KINDS], known.ENTRIES)
    return np.insert(np.insert(rest, 3, [long, middle]), 7, known.dated(reader.state))


@pytest.mark.parametrize("has_pace", [True, False])
def test_what_earlier_versions_had_learnt_is_kept(has_pace: bool) -> None:
    days, rate = 100.0, 4.0 / DAY
    reader = Reader(poisson(4.0, days + 10.0))
    reader.run(MONDAY, MONDAY + days * DAY)
    reader.state[known.SINCE] = reader.state[known.POLLED] - days * DAY
    earlier = earlier_row(reader, rate, days)
    assert len(earlier) == 179
    taken = reader.rule.state_from(earlier if has_pace else np.delete(earlier, 15))
    others = np.arange(known.DAY_KINDS) != known.ENTRIES
    np.testing.assert_array_equal(taken[: known.DAY_KINDS][others], reader.state[: known.DAY_KINDS][others])
    assert not taken[known.DAY_KINDS :].any()
    assert known.rates(reader.params, taken, taken[known.POLLED])[0] == pytest.approx(rate, rel=0.02)


def test_a_row_from_before_there_were_kinds_is_weighed_at_the_next_poll() -> None:
    reader = Reader(poisson(4.0, 40.0))
    now = reader.run(MONDAY, MONDAY + 30.0 * DAY)
    reader.state[known.WEIGHED] = 0.0
    taken = reader.rule.state_from(reader.state[: known.DAY_KINDS].copy())
    assert len(taken) == known.SIZE
    np.testing.assert_array_equal(taken[: known.DAY_KINDS], reader.state[: known.DAY_KINDS])
    before = reader.state
    reader.poll(now)
    expected, reader.state = before.copy(), taken
    reader.seen = int(np.searchsorted(reader.times, reader.polls[-2], side="right"))
    reader.poll(now)
    np.testing.assert_allclose(taken, expected)


def test_a_row_of_no_known_version_is_not_guessed_at() -> None:
    assert not Priced().state_from(np.ones(3)).any()
    assert not Priced().state_from(np.zeros(179)).any()


# --- what is believed of feeds in general -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", priced.BELIEFS)
def test_every_belief_is_a_parameter_and_the_step_reads_it(name: str) -> None:
    place = getattr(known, name.upper())
    value = 1.75 * getattr(Priced(), name)
    changed = Priced(**{name: value})
    assert changed.params()[place] == value
    rng = np.random.default_rng(6)
    bursts = (MONDAY + rng.uniform(0.0, 60.0 * DAY, (40, 1)) + rng.exponential(400.0, (40, 3))).ravel()
    if name == "sure":  # asked only when clocks change
        bursts = daily(12.5, moves=1.0)[1::3]
    plans = []
    for rule in (Priced(), changed):
        reader = Reader(bursts)
        reader.rule, reader.params = rule, rule.params()
        reader.run(MONDAY + 20 * DAY, MONDAY + 50 * DAY)
        plans.append(reader.polls)
    assert plans[0] != plans[1]


def test_rates_are_the_means_of_gamma_posteriors() -> None:
    """By hand: seven entries an hour apart, the oldest of a full window not counted, six hours and a half observed."""
    times = MONDAY + HOUR * np.arange(7.0)
    reader = Reader(times, window=7)
    now = MONDAY + 6.5 * HOUR
    reader.poll(now)
    seen = {days: days * DAY * (1.0 - math.exp(-6.5 / 24.0 / days)) for days in (60.0, 3.2)}
    counted = {days: sum(math.exp(-(now - t) / (days * DAY)) for t in times[1:]) for days in (60.0, 3.2)}
    usual = 0.12 / DAY
    for _ in range(200):  # the scale that goes with the rate, the rate that goes with the scale
        usual = (counted[60.0] + 0.25) / (seen[60.0] + 0.5 / (usual + 0.12 / DAY))
    lately = (counted[3.2] + 7.0) / (seen[3.2] + 7.0 / usual)
    assert known.rates(reader.params, reader.state, now) == pytest.approx((usual, lately), rel=1e-9)


def test_few_entries_in_a_short_time_are_believed() -> None:
    """Fourteen gaps of 26 seconds: about 138 an hour, though feeds in general have one entry in eight days."""
    reader = Reader(MONDAY + 26.0 * np.arange(15))
    reader.poll(MONDAY + 390.0)
    usual, lately = (HOUR * rate for rate in known.rates(reader.params, reader.state, MONDAY + 390.0))
    assert 100.0 < usual < 140.0
    assert 100.0 < lately < 140.0


@pytest.mark.parametrize("days", [0.0, 1.0, 10.0, 100.0])
def test_the_rate_of_a_feed_without_entries_falls_from_the_usual_one(days: float) -> None:
    reader = Reader(np.empty(0))
    reader.poll(MONDAY)
    usual, _ = known.rates(reader.params, reader.state, MONDAY + days * DAY)
    assert 0.2 * 0.12 / (1.0 + days) < usual * DAY <= 0.12


# --- kinds of feeds ---------------------------------------------------------------------------------------------------


def test_a_feed_of_a_known_kind_has_its_day_after_few_entries() -> None:
    """Eight entries in Europe's morning: its afternoon is likelier than America's, though neither has had an entry."""
    times = MONDAY + DAY * np.arange(8) + HOUR * np.array([7.2, 8.4, 9.3, 8.7, 9.9, 10.4, 7.8, 9.1])
    reader = Reader(times)
    reader.poll(MONDAY + 8.5 * DAY)
    hours, _, _ = shapes(reader)
    usual = 24.0 * told.HOURLY
    assert hours[12] / usual[12] > 2.0 * hours[20] / usual[20]


def test_a_week_of_its_own_is_believed_and_the_usual_week_is_kept_to() -> None:
    """The belief in the week of feeds in general that weighs most is the weakest, or the firmest."""
    weeks, times = 7 * DAY * np.arange(12.0), HOUR * np.array([9.0, 11.0, 13.0])
    tuesdays = Reader((MONDAY + DAY + weeks[:, None] + times).ravel(), window=36)
    everyday = Reader((MONDAY + weeks[:, None] + DAY * np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.5])).ravel(), window=72)
    for reader, likeliest in ((tuesdays, 0), (everyday, 2)):
        reader.poll(MONDAY + 84 * DAY)
        assert int(np.argmax(reader.state[known.WEEK_BELIEFS : known.WEEK_BELIEFS + told.BELIEFS])) == likeliest
    assert shapes(tuesdays)[1][1] > 5.0


# --- clocks -----------------------------------------------------------------------------------------------------------

OCTOBER, NOVEMBER, MARCH = (
    1_761_440_400.0,
    1_762_066_800.0,
    1_774_746_000.0,
)  # 2025-10-26 1 h, 2025-11-02 7 h, 2026-03-29


@pytest.mark.parametrize(
    ("now", "change"),
    [
        (OCTOBER - 1.0, -1_743_296_400.0),  # 2025-03-30 1 h
        (OCTOBER, OCTOBER),
        (NOVEMBER - 1.0, OCTOBER),
        (NOVEMBER + 90 * DAY, NOVEMBER),
        (MARCH, -MARCH),
        (1_709_251_200.0, 1_699_167_600.0),  # 2024-03-01: 2023-11-05 7 h
        (1_710_054_000.0, -1_710_054_000.0),  # 2024-03-10 7 h, in a leap year
        (0.0, 0.0),
    ],
)
def test_the_clocks_of_europe_and_america_change_on_their_sundays(now: float, change: float) -> None:
    assert clocks.latest_change(now) == change


def daily(hour: float, *, moves: float, days: int = 60) -> Times:
    """Three entries around an hour of each day before and after a change of clocks, from which on they may move."""
    noon = OCTOBER - HOUR + DAY * np.arange(-days, days)[:, None] + HOUR * hour + np.array([-300.0, 0.0, 300.0])
    return (noon + np.where(noon > OCTOBER, moves * HOUR, 0.0)).ravel()


@pytest.mark.parametrize(("moves", "expected"), [(1.0, 13), (0.0, 12)])
def test_a_feed_goes_with_the_clocks_or_does_not_and_a_week_shows_which(moves: float, expected: int) -> None:
    reader = Reader(daily(12.5, moves=moves))
    reader.run(OCTOBER - 50 * DAY, OCTOBER + 7 * DAY)
    hours, _, _ = shapes(reader)
    assert int(np.argmax(hours)) == expected
    assert hours[expected] > 3.0 * hours[25 - expected]
    assert (reader.state[known.MOVED] != 0.0) == (moves == 1.0)
    assert np.mean(reader.delays) < HOUR


def test_until_it_has_shown_the_day_may_be_in_both_places() -> None:
    reader = Reader(daily(12.5, moves=1.0))
    reader.run(OCTOBER - 50 * DAY, OCTOBER - 0.1 * DAY)
    reader.poll(OCTOBER + 60.0)
    hours, _, _ = shapes(reader)
    assert hours[12] == pytest.approx(hours[13], rel=0.2)
    assert reader.state[known.CHANGED] == OCTOBER
