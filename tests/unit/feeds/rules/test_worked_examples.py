"""The worked examples of the thesis, by hand computed numbers."""

import numpy as np
import pytest

from afresh.base.calendar import DAY, HOUR, MINUTE, WEEK
from afresh.base.models import Bounds
from afresh.feeds.rules import hints as slots
from afresh.feeds.rules import load
from afresh.feeds.rules.indhist import HOURS, expected
from afresh.feeds.rules.lihz import ALL_DAYS, ALL_UPDATES, FIRST, LAST_DAY, book, probability
from afresh.feeds.rules.profiles import daily_profile
from afresh.feeds.rules.rule import Rule

WIDE = Bounds(shortest=MINUTE, longest=52 * WEEK, standard=HOUR)
HOURLY = HOUR * np.array([0.0, 1.0, 2.0, 3.0])


def clock(hours: float, minutes: float = 0.0, seconds: float = 0.0) -> float:
    return hours * HOUR + minutes * MINUTE + seconds


def ask(
    rule: Rule,
    now: float,
    window: np.ndarray,
    *,
    new: int = 0,
    state: np.ndarray | None = None,
    hints: np.ndarray | None = None,
    u: float = 0.0,
) -> float:
    row = np.zeros(rule.state_size) if state is None else state
    known = slots.row(np.zeros(rule.profile_size)) if hints is None else hints
    return float(type(rule).step(rule.params(), row, now, np.asarray(window, float), new, known, u))


def interval(rule: Rule, now: float, window: np.ndarray, **more: object) -> float:
    return ask(rule, now, window, **more) - now  # type: ignore[arg-type]


def test_fix_ignores_the_bounds() -> None:
    assert interval(load("fix:interval=7d", Bounds(longest=DAY)), 0.0, HOURLY) == 7 * DAY


class TestFixLearned:
    """D.2: four hourly entries."""

    def test_mean_gap_of_the_first_window(self) -> None:
        assert interval(load("fix_learned_w", WIDE), clock(6), HOURLY) == 60 * MINUTE

    @pytest.mark.parametrize(("polled", "minutes"), [(clock(6), 90.0), (clock(3, 20), 50.0)])
    def test_silence_before_the_first_poll_counts(self, polled: float, minutes: float) -> None:
        assert interval(load("fix_learned_a", WIDE), polled, HOURLY) == minutes * MINUTE

    @pytest.mark.parametrize("name", ["fix_learned_w", "fix_learned_a"])
    def test_what_was_learnt_is_kept(self, name: str) -> None:
        rule = load(name, WIDE)
        state = np.zeros(rule.state_size)
        first = interval(rule, clock(6), HOURLY, state=state)
        assert interval(rule, clock(30), HOUR * np.array([29.0, 29.5]), state=state) == first

    @pytest.mark.parametrize("name", ["fix_learned_w", "fix_learned_a"])
    def test_an_empty_start_means_eta_for_good(self, name: str) -> None:
        rule = load(name, WIDE)
        state = np.zeros(rule.state_size)
        assert interval(rule, clock(6), np.empty(0), state=state) == HOUR
        assert interval(rule, clock(7), HOURLY, state=state) == HOUR


class TestLRU2:
    """D.3: equal times collapse, and the stream counts rather than the window."""

    def test_two_newest_distinct_times(self) -> None:
        assert interval(load("lru2", WIDE), clock(2), HOUR * np.array([0.0, 1.0, 1.0])) == 60 * MINUTE

    def test_single_entry_feeds_are_remembered(self) -> None:
        rule = load("lru2", WIDE)
        state = np.zeros(rule.state_size)
        assert interval(rule, clock(1), np.array([0.0]), state=state) == HOUR  # one time only: eta
        assert interval(rule, clock(5), np.array([clock(4)]), state=state) == 4 * HOUR
        assert interval(rule, clock(6), np.array([clock(4)]), state=state) == 4 * HOUR


class TestMAVSync:
    """D.4, D.5 and the table of edge cases."""

    def test_figure_4_4(self) -> None:
        rule = load("mavsync", WIDE)
        polls = [clock(6)]
        for _ in range(3):
            polls.append(ask(rule, polls[-1], HOURLY))
        assert polls[1:] == [clock(7, 30), clock(9, 22, 30), clock(11, 43, 7.5)]
        assert ask(rule, polls[-1], HOUR * np.array([10.0, 10.5, 11.0, 11.5])) == clock(12)

    def test_a_late_poll_is_followed_by_one_in_time(self) -> None:
        assert ask(load("mavsync", WIDE), clock(3, 20), HOURLY) == clock(4)
        assert ask(load("moving_average", WIDE), clock(3, 20), HOURLY) == clock(4, 20)

    def test_kappa_delays_the_synchronised_poll_only(self) -> None:
        rule = load("mavsync:kappa=5s", WIDE)
        assert ask(rule, clock(3, 20), HOURLY) == clock(4, 0, 5)
        assert ask(rule, clock(6), HOURLY) == clock(7, 30)

    @pytest.mark.parametrize(
        ("now", "window", "wait"),
        [
            (clock(3), [], HOUR),  # nothing known: eta
            (clock(3), [clock(1)], 2 * HOUR),  # single entry: its age
            (clock(3), [clock(1)] * 4, HOUR / 2),  # chunked: virtual entry
            (clock(3), [clock(3)] * 4, HOUR),  # all at the poll: eta, not alpha
            (clock(3, 59, 30), HOURLY, clock(3, 59, 30) / 4),  # sync would be 30 s away: virtual entry, not alpha
        ],
    )
    def test_edges(self, now: float, window: list[float], wait: float) -> None:
        assert interval(load("mavsync", WIDE), now, np.array(window)) == wait

    def test_zero_interval_can_mean_alpha(self) -> None:
        window = np.full(4, clock(3))
        assert interval(load("mavsync:zero_interval=alpha", WIDE), clock(3), window) == MINUTE

    def test_sync_beyond_beta_is_not_clamped_but_dropped(self) -> None:
        rule = load("mavsync", Bounds(MINUTE, HOUR, HOUR))
        assert interval(rule, clock(72), 24 * HOUR * np.array([0.0, 1.0, 2.0])) == HOUR

    def test_standard_interval_by_cause(self) -> None:
        rule = load("mavsync:eta_empty=1d,eta_undated=2h", WIDE)
        assert interval(rule, clock(3), np.empty(0)) == DAY
        assert interval(rule, clock(3), np.full(4, clock(3))) == 2 * HOUR

    @pytest.mark.parametrize(
        ("mode", "ttl", "wait"),
        [("ignore", 5 * HOUR, 40.0), ("lower", 5 * HOUR, 300.0), ("lower", 600.0, 40.0), ("interval", 600.0, 10.0)],
    )
    def test_ttl(self, mode: str, ttl: float, wait: float) -> None:
        rule = load(f"mavsync:ttl={mode}", WIDE)
        assert interval(rule, clock(3, 20), HOURLY, hints=slots.row(ttl=ttl)) == wait * MINUTE

    @pytest.mark.parametrize("ttl", [float("nan"), -60.0, 0.0])
    def test_unusable_ttl_is_ignored(self, ttl: float) -> None:
        assert interval(load("mavsync:ttl=interval", WIDE), clock(3, 20), HOURLY, hints=slots.row(ttl=ttl)) == clock(
            0, 40
        )


class TestAdaptiveTTL:
    """D.6 and D.16."""

    def test_fraction_of_the_age(self) -> None:
        window = np.array([clock(2)])
        assert interval(load("adaptive_ttl:M=0.1", WIDE), clock(12), window) == pytest.approx(60 * MINUTE)
        assert interval(load("adaptive_ttl:M=3", WIDE), clock(12), window) == 30 * HOUR

    def test_no_entry_or_one_of_this_moment(self) -> None:
        assert interval(load("adaptive_ttl", WIDE), clock(12), np.empty(0)) == HOUR
        assert interval(load("adaptive_ttl", WIDE), clock(12), np.array([clock(12)])) == HOUR


@pytest.mark.parametrize(
    ("spec", "window", "factor"),
    [
        ("adaptive_ttl:M=0.5", HOURLY, 1.5),
        ("mavsync", HOURLY, 1.25),
        ("mavsync", HOURLY[:1], 2.0),
        ("moving_average", HOURLY, 1.0),
    ],
)
def test_growth_during_silence(spec: str, window: np.ndarray, factor: float) -> None:
    """D.16."""
    rule = load(spec, WIDE)
    first = interval(rule, clock(20), window)
    assert interval(rule, clock(20) + first, window) == pytest.approx(factor * first)


def profile(rates: dict[int, float]) -> np.ndarray:
    return np.array([rates.get(h, 0.0) for h in range(24)])


class TestIndHist:
    """D.7 and D.8."""

    rates = profile({11: 0.125, 12: 0.125, 13: 0.375})

    def test_expectation(self) -> None:
        assert expected(slots.row(self.rates), clock(11, 30), clock(14)) == pytest.approx(0.5625)
        assert expected(slots.row(self.rates), clock(11, 30), clock(14) + 3 * DAY) == pytest.approx(0.5625 + 3 * 0.625)

    def test_threshold(self) -> None:
        rule = load("indhist:theta=0.5", WIDE)
        assert ask(rule, clock(11, 30), np.empty(0), hints=slots.row(self.rates)) == pytest.approx(clock(13, 50))

    def test_whole_days(self) -> None:
        rule = load("indhist:theta=1.25", WIDE)
        assert interval(rule, clock(5), np.empty(0), hints=slots.row(self.rates)) == 2 * DAY

    def test_no_training_entry_means_eta(self) -> None:
        assert interval(load("indhist", WIDE), clock(5), np.empty(0)) == HOUR

    def test_training(self) -> None:
        times = DAY * np.arange(8.0) + clock(11, 59)
        rates = daily_profile(np.append(times, 9 * DAY), end=times[0] + 8 * DAY, slots=HOURS)
        assert rates[11] == 1.0
        assert rates.sum() == 1.0

    @pytest.mark.parametrize(("seen", "wait"), [(4, 4_000.0 / 3.0), (7, 30.0)])
    def test_burst(self, seen: int, wait: float) -> None:
        """Four where three were expected is no burst, seven is: then a tenth of the newest entry's age."""
        rule = load("indhist_ttl:theta=1.1111111111111112,M=0.1", Bounds(1.0, WEEK, HOUR))
        window = clock(12) - 300.0 - np.arange(seen)[::-1]
        hints = slots.row(profile(dict.fromkeys(range(24), 3.0)))
        assert interval(rule, clock(12), window, hints=hints) == pytest.approx(wait)

    def test_nothing_expected_but_something_seen_is_a_burst(self) -> None:
        rule = load("indhist_ttl:M=0.5", WIDE)
        assert interval(rule, clock(12), np.array([clock(11, 30)])) == 15 * MINUTE
        assert interval(rule, clock(12), np.array([clock(10)])) == HOUR  # seen too long ago: no profile, eta


class TestLIHZ:
    """D.9, table 2.2: seven weeks from a Saturday on."""

    weeks = ("1111101", "0011111", "0001101", "001100", "110111", "101000", "011000")  # Saturday ... Friday

    def booked(self) -> np.ndarray:
        state = np.zeros(load("lihz").state_size)
        for column, days in enumerate(self.weeks):
            for had in days:
                book(state, (column + 5) % 7, had == "1")
        return state

    def test_probabilities(self) -> None:
        state = self.booked()
        assert (state[ALL_UPDATES], state[ALL_DAYS]) == (25.0, 45.0)
        names = {"tue": 1, "wed": 2, "sat": 5, "sun": 6, "mon": 0}
        found = {name: round(float(probability(state, day, 0.9)), 4) for name, day in names.items()}
        assert found == {"tue": 0.3556, "wed": 0.8056, "sat": 0.8270, "sun": 0.6984, "mon": 0.4413}
        book(state, 1, False)
        # entering Tuesday as a day without news lowers the overall share only
        assert probability(state, 2, 0.9) == pytest.approx(0.8043, abs=5e-5)

    def test_from_monday_to_wednesday(self) -> None:
        state = self.booked()
        monday = 4 * DAY + clock(8)
        state[FIRST], state[LAST_DAY] = 1.0, 4.0
        assert interval(load("lihz:sigma=1,training=0", WIDE), monday, HOURLY, state=state) == 2 * DAY

    def test_training_is_daily_and_an_empty_feed_falls_back_to_eta(self) -> None:
        rule = load("lihz:training=7d", WIDE)
        state = np.zeros(rule.state_size)
        assert interval(rule, clock(8), np.empty(0), state=state) == DAY
        assert interval(rule, clock(8) + 7 * DAY, np.empty(0), state=state) == HOUR

    def test_a_second_poll_on_a_day_does_not_book_it_again(self) -> None:
        rule = load("lihz:sigma=0.05,training=0", WIDE)
        state = np.zeros(rule.state_size)
        ask(rule, clock(8), np.empty(0), state=state)
        ask(rule, clock(9), HOURLY, new=4, state=state)
        assert (state[ALL_UPDATES], state[ALL_DAYS]) == (1.0, 1.0)


def test_bounds() -> None:
    """D.15."""
    rule = load("moving_average", Bounds(MINUTE, DAY, HOUR))
    assert interval(rule, clock(9), np.array([0.0, 20.0])) == MINUTE
    assert interval(rule, clock(999), np.array([0.0, 3 * DAY])) == DAY
    assert interval(rule, clock(9), np.array([0.0])) == HOUR


class TestRecorder:
    """Equations 3.2 to 3.5."""

    def test_mean_gap(self) -> None:
        assert interval(load("recorder"), clock(9), HOURLY, u=0.9) == HOUR

    @pytest.mark.parametrize("window", [[], [clock(1)], [clock(1)] * 3, [0.0, clock(9)]])
    def test_at_the_limit_polls_are_spread(self, window: list[float]) -> None:
        assert interval(load("recorder"), clock(9), np.array(window), u=0.0) == 6 * HOUR
        assert interval(load("recorder"), clock(9), np.array(window), u=0.5) == 4.5 * HOUR


def test_sqrt_spends_the_price() -> None:
    """Four entries in 8 h: λ = 1/2 per hour; the expected accumulated delay λ x²/2 after x equals the price."""
    wait = interval(load("sqrt:price=3600", WIDE), clock(8), HOURLY)
    assert (4 / clock(8)) * wait**2 / 2 == pytest.approx(3_600.0)
    dear = interval(load("sqrt:price=3600", WIDE), clock(8), HOURLY, hints=slots.row(price=4 * 3_600.0))
    assert dear == pytest.approx(2 * wait)
    worthy = interval(load("sqrt:price=3600", WIDE), clock(8), HOURLY, hints=slots.row(weight=4.0))
    assert worthy == pytest.approx(wait / 2)


def test_sqrt_explains_a_window_without_a_rate() -> None:
    """Entries dated at the moment they are asked for have no rate: the standard interval, and no "every ?"."""
    rule = load("sqrt", WIDE)
    window = np.array([clock(8), clock(8)])
    said = rule.explain(np.zeros(0), clock(8), window, slots.row())
    assert said.summary == "all entries are dated now or later: the standard interval is used"
    assert interval(rule, clock(8), window) == WIDE.standard
    priced = rule.explain(np.zeros(0), clock(8), HOURLY, slots.row(price=1.0))
    assert priced.summary.endswith("a visit must save 1 s of waiting")


class TestRare:
    """Polls when most of the window should be new."""

    ten = HOUR * np.arange(10.0)

    def test_share_of_the_window(self) -> None:
        assert ask(load("rare", WIDE), clock(9, 30), self.ten) == clock(17)

    def test_known_entries_left_over(self) -> None:
        assert ask(load("rare:buffer=3", WIDE), clock(9, 30), self.ten) == clock(16)

    def test_silence(self) -> None:
        assert interval(load("rare", WIDE), clock(40), self.ten) == 32 * HOUR
