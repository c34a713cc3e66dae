"""Which part trains, which tests, and which feeds take part."""

from dataclasses import replace

import numpy as np
import pytest

from afresh.base.errors import ModelError, UsageError
from afresh.lab.replay import Period, RecordedPolls, Trace, period_of, population

DAY = 86_400.0
T0 = 20_000 * DAY  # 2024-10-04


def a_trace(days: float = 100.0, **columns: list[str]) -> Trace:
    return Trace(
        name="t",
        feed_ids=np.array([1, 2]),
        offsets=np.array([0, 2, 2]),
        times=np.array([T0, T0 + days * DAY]),
        windows=np.array([5, 5]),
        columns=columns,
    )


def test_the_test_part_ends_with_the_trace() -> None:
    assert period_of(a_trace(), train=28 * DAY, test=56 * DAY) == Period(T0 + 16 * DAY, T0 + 44 * DAY, T0 + 100 * DAY)


def test_start_is_the_beginning_of_training() -> None:
    period = period_of(a_trace(), start=T0 + DAY, train=28 * DAY, test=56 * DAY)
    assert (period.start, period.test, period.end) == (T0 + DAY, T0 + 29 * DAY, T0 + 85 * DAY)


@pytest.mark.parametrize(
    ("start", "train", "test"), [(None, 28.0, 90.0), (T0 + 50 * DAY, 28.0, 56.0), (T0 - 20 * DAY, 5.0, 5.0)]
)
def test_longer_than_the_trace(start: float | None, train: float, test: float) -> None:
    with pytest.raises(
        UsageError, match=r"--train .* and --test .* would take .* complete from 2024-10-04 to 2025-01-12"
    ):
        period_of(a_trace(), start=start, train=train * DAY, test=test * DAY)


def a_short_trace(**columns: list[str]) -> Trace:
    """28 days of two feeds, and three entries of years before that fill the windows."""
    times = [T0 - 900 * DAY, T0 - 100 * DAY, T0 + 0.5 * DAY, T0 + 28 * DAY, T0 - 300 * DAY, T0 + DAY]
    return Trace(
        name="short",
        feed_ids=np.array([1, 2]),
        offsets=np.array([0, 4, 6]),
        times=np.array(times),
        windows=np.array([5, 5]),
        columns=columns,
    )


def test_a_trace_knows_from_when_on_it_is_complete() -> None:
    assert a_short_trace().complete_from == T0 - 900 * DAY  # nothing says otherwise
    assert a_short_trace(complete_from=["", f"{T0:.0f}"]).complete_from == T0
    assert a_short_trace(complete_from=["2024-10-04", "2024-10-05"]).complete_from == T0
    assert a_short_trace(complete_from=["", ""]).complete_from == T0 - 900 * DAY
    for counted in ("prehistory", "n_prehistory"):
        assert a_short_trace(**{counted: ["2", "1"]}).complete_from == T0 + 0.5 * DAY
    assert a_short_trace(prehistory=["4", "2"]).complete_from == T0 - 900 * DAY  # silent in the whole period
    polls = RecordedPolls(
        offsets=np.array([0, 1, 2]), times=np.array([T0 + 2.0, T0 + 1.0]), windows=np.array([5, 5]), sizes=np.zeros(2)
    )
    assert replace(a_short_trace(), polls=polls).complete_from == T0 + 1.0


def test_what_is_not_told_is_fitted_to_what_the_trace_has() -> None:
    short = a_short_trace(complete_from=[f"{T0}", f"{T0}"])
    assert lengths(period_of(short)) == (9.0, 19.0)
    assert lengths(period_of(short, test=20 * DAY)) == (8.0, 20.0)
    assert lengths(period_of(short, train=5 * DAY)) == (5.0, 23.0)
    assert lengths(period_of(short, start=T0 + 13 * DAY)) == (5.0, 10.0)
    assert lengths(period_of(a_trace())) == (28.0, 56.0)
    assert lengths(period_of(a_trace(83.5))) == (28.0, 56.0)  # the last entry need not lie on the border
    assert lengths(period_of(a_trace(0.3))) == pytest.approx((0.1, 0.2))


def lengths(period: Period) -> tuple[float, float]:
    return period.train_seconds / DAY, period.test_seconds / DAY


@pytest.mark.parametrize(
    "asked", [{"test": 900 * DAY}, {"train": 28 * DAY, "test": 56 * DAY}, {"start": T0 - 30 * DAY}, {"train": 40 * DAY}]
)
def test_a_period_does_not_reach_into_what_only_fills_the_windows(asked: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="trace short is complete from 2024-10-04 to 2024-11-01 only; shorten"):
        period_of(a_short_trace(complete_from=[f"{T0}", f"{T0}"]), **asked)


def test_a_period_says_its_days() -> None:
    period = Period(T0, T0 + 9 * DAY, T0 + 28 * DAY)
    assert str(period) == "learnt from 2024-10-04 to 2024-10-13 (9d), tested from then to 2024-11-01 (19d)"


def test_nothing_to_test() -> None:
    with pytest.raises(UsageError, match="--test must be positive"):
        period_of(a_trace(), train=DAY, test=0.0)
    empty = a_trace().select(np.array([False, True]))
    with pytest.raises(UsageError, match="no entries"):
        period_of(empty, train=DAY, test=DAY)


def test_population_was_listed_throughout() -> None:
    period = Period(T0 + 10 * DAY, T0 + 20 * DAY, T0 + 30 * DAY)  # 2024-10-14 to 2024-11-03
    assert population(a_trace(), period).tolist() == [True, True]
    listed = a_trace(listed_from=["2024-10-14", "2024-10-15"], listed_to=["2024-11-03", "2024-11-03"])
    assert population(listed, period).tolist() == [True, False]
    gone = a_trace(listed_from=["2024-10-01", ""], listed_to=["2024-11-02", "2026-01-01"])
    assert population(gone, period).tolist() == [False, False]
    with pytest.raises(ModelError, match=r"column listed_from of feeds\.csv: 'soon' is not a date"):
        population(a_trace(listed_from=["soon", ""]), period)
