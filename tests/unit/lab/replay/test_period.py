"""Which part trains, which tests, and which feeds take part."""

import numpy as np
import pytest

from afresh.base.errors import ModelError, UsageError
from afresh.lab.replay import Period, Trace, period_of, population

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
    with pytest.raises(UsageError, match=r"--train .* and --test .* need .* has entries from 2024-10-04 to 2025-01-12"):
        period_of(a_trace(), start=start, train=train * DAY, test=test * DAY)


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
