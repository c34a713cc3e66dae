"""A trace in memory: consistent, or refused; cut to some of its feeds."""

import numpy as np
import pytest

from afresh.base.errors import ModelError
from afresh.lab.replay import RecordedPolls, Trace


def a_trace(**changes: object) -> Trace:
    values: dict = {
        "name": "t",
        "feed_ids": np.array([4, 7, 9]),
        "offsets": np.array([0, 2, 2, 5]),
        "times": np.array([1.0, 2.0, 5.0, 5.0, 8.0]),
        "windows": np.array([3, 1, 2]),
        "columns": {"ttl": ["60", "", "90"], "kind": ["a", "b", "c"]},
    }
    return Trace(**{**values, **changes})


def test_select_keeps_order_and_everything_of_the_chosen() -> None:
    polls = RecordedPolls(
        offsets=np.array([0, 1, 3, 4]),
        times=np.arange(4.0),
        windows=np.array([5, 6, 7, 8]),
        sizes=np.arange(4.0) * 10,
    )
    cut = a_trace(polls=polls, sizes=np.arange(5.0)).select(np.array([False, True, True]))
    assert cut.feed_ids.tolist() == [7, 9]
    assert cut.offsets.tolist() == [0, 0, 3]
    assert cut.stream(1).tolist() == [5.0, 5.0, 8.0]
    assert cut.columns == {"ttl": ["", "90"], "kind": ["b", "c"]}
    assert cut.sizes is not None
    assert cut.sizes.tolist() == [2.0, 3.0, 4.0]
    assert cut.polls is not None
    assert (cut.polls.offsets.tolist(), cut.polls.windows.tolist()) == ([0, 2, 3], [6, 7, 8])


def test_numbers() -> None:
    assert np.array_equal(a_trace().numbers("ttl"), [60.0, np.nan, 90.0], equal_nan=True)
    assert a_trace().numbers("absent", 1.0).tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(ModelError, match="column kind"):
        a_trace().numbers("kind")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"windows": np.array([3, 0, 2])}, "at least one entry"),
        ({"windows": np.array([3, 2])}, "differ in length"),
        ({"columns": {"kind": ["a"]}}, "differ in length"),
        ({"offsets": np.array([0, 2, 1, 5])}, "do not cut"),
        ({"offsets": np.array([0, 2, 2, 4])}, "do not cut"),
        ({"sizes": np.zeros(4)}, "as many sizes"),
    ],
)
def test_an_inconsistent_trace_is_refused(changes: dict, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        a_trace(**changes)
