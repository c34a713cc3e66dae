"""Which pages of a trace take part in a replay, and what is warm-up."""

import numpy as np
import pytest

from afresh.base.errors import UsageError
from afresh.lab.revisit.histories import DAY, histories_of
from afresh.lab.traces import PageTrace


def _trace(**columns: list[str]) -> PageTrace:
    """Three pages: 300 days with three changes, 300 days without, 50 days."""
    times = np.array([0.0, 10.0, 150.0, 299.0, 0.0, 20.0, 30.0]) * DAY
    usual = {
        "source": ["a", "b", "a"],
        "host": ["x.example", "", ""],
        "repo": ["r", "r", "r"],
        "observed_from": ["0", "0", str(20 * DAY)],
        "observed_until": [str(300 * DAY), str(300 * DAY), str(70 * DAY)],
    }
    return PageTrace(
        name="t",
        page_ids=np.array([7, 8, 9]),
        offsets=np.array([0, 4, 5, 7]),
        times=times,
        columns={**usual, **columns},
    )


def test_pages_sites_and_periods() -> None:
    histories = histories_of(_trace())
    assert histories.page_ids.tolist() == [7, 8]
    assert [histories.site_names[i] for i in histories.site] == ["x.example", "r"]
    assert (histories.scored / DAY).tolist() == [100.0, 100.0]
    assert (histories.changes / DAY).tolist() == [10.0, 150.0, 299.0]
    assert (histories.scored_rates() * 200 * DAY).tolist() == [2.0, 0.0]


def test_changes_outside_of_the_observation_do_not_count() -> None:
    histories = histories_of(_trace(observed_until=[str(200 * DAY), str(200 * DAY), str(25 * DAY)]))
    assert (histories.changes / DAY).tolist() == [10.0, 150.0]


def test_where_no_page_was_observed_for_long_half_of_the_longest_will_do() -> None:
    short = _trace(observed_until=[str(100 * DAY), str(49 * DAY), str(70 * DAY)])
    assert histories_of(short).page_ids.tolist() == [7, 9]
    assert histories_of(short, least_days=60.0).page_ids.tolist() == [7]
    with pytest.raises(UsageError, match="observed for any time"):
        histories_of(_trace(observed_until=["0", "0", "0"]))


def test_conditions() -> None:
    assert histories_of(_trace(), where={"source": "b"}).page_ids.tolist() == [8]
    with pytest.raises(UsageError, match="no page with source=zzz; its values are: a, b"):
        histories_of(_trace(), where={"source": "zzz"})
    with pytest.raises(UsageError, match="no column 'colour'"):
        histories_of(_trace(), where={"colour": "red"})
    with pytest.raises(UsageError, match="observed for 1000 days"):
        histories_of(_trace(), least_days=1000.0)


@pytest.mark.parametrize("weight", ["-1", "nan", "inf"])
def test_senseless_weights_name_the_page(weight: str) -> None:
    with pytest.raises(UsageError, match="page 8: weight"):
        histories_of(_trace(weight=["1", weight, "1"]))


def test_numbers_that_are_none() -> None:
    with pytest.raises(UsageError, match="page 7: observed_until is not a number: 'soon'"):
        histories_of(_trace(observed_until=["soon", "", ""]))
