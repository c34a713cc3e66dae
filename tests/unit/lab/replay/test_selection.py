"""Which feeds take part, by what a trace says of them."""

import numpy as np
import pytest

from afresh.base.errors import UsageError
from afresh.lab.replay import Trace
from afresh.lab.replay.selection import selected


def a_trace(**columns: list[str]) -> Trace:
    return Trace(
        name="t",
        feed_ids=np.array([1, 2, 3]),
        offsets=np.array([0, 0, 0, 0]),
        times=np.array([]),
        windows=np.array([5, 5, 5]),
        columns=columns,
    )


TRACE = a_trace(has_dates=["1", "0", "1"], failed=["3", "0", ""], format=["rss20", "atom10", "rss20 "])


@pytest.mark.parametrize(
    ("conditions", "wanted"),
    [
        ((), [True, True, True]),
        (("has_dates=1",), [True, False, True]),
        (("has_dates = 1.0",), [True, False, True]),
        (("has_dates!=1",), [False, True, False]),
        (("failed<=3",), [True, True, False]),
        (("failed<3",), [False, True, False]),
        (("failed>0",), [True, False, False]),
        (("failed>=0", "has_dates=1"), [True, False, False]),
        (("failed=",), [False, False, True]),
        (("format=rss20",), [True, False, True]),
        (("format!=rss20",), [False, True, False]),
    ],
)
def test_every_condition_holds(conditions: tuple[str, ...], wanted: list[bool]) -> None:
    assert selected(TRACE, conditions).tolist() == wanted


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("has_dates", "write it like has_dates=1"),
        ("errors>3", "says nothing of 'errors'; feeds.csv has failed, format, has_dates"),
        ("format<rss", "'rss' is not a number"),
    ],
)
def test_what_cannot_be_asked(condition: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        selected(TRACE, [condition])
