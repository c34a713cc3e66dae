"""What estimators make of a log of visits."""

import numpy as np
import pytest

from afresh.base.models import Result, Visit
from afresh.feeds.estimates import beliefs, learnt, model_of
from afresh.feeds.estimators import ESTIMATORS

DAY = 86_400.0
START = 1_700_006_400.0  # midnight


def visits(counts: list[int], *, every: float = 3_600.0) -> list[Visit]:
    """Newest first, as the store has them."""
    made = [
        Visit(resource=1, started=at, finished=at, result=Result.NEW if new else Result.SAME, new=new)
        for number, new in enumerate(counts)
        for at in [START + number * every]
    ]
    return made[::-1]


@pytest.mark.parametrize("name", ESTIMATORS.names())
def test_the_log_teaches_what_refreshes_teach(name: str) -> None:
    """Uncompiled and visit by visit, the numbers are those of the compiled model."""
    log = visits([5, 1, 0, 2, 10, 0, 1, 1, 3, 0] * 4)
    model = model_of(name)
    row, params = np.zeros(model.state_size), model.params()
    for before, after in zip(log[::-1], log[::-1][1:], strict=False):
        type(model).update(params, row, before.finished, after.finished, float(after.new), 0.0, 20.0)
    found = learnt(model, log, window=20.0)
    now = log[0].finished + 1_800.0
    expect = type(model).expect
    assert expect(params, found, now, now + DAY)[0] == pytest.approx(expect(params, row, now, now + DAY)[0])


def test_each_says_what_it_expects() -> None:
    log = visits([0, *[2] * 200])
    found = {one.estimator: one for one in beliefs(log, now=log[0].finished + 3_600.0, window=20.0)}
    assert set(found) == set(ESTIMATORS)
    for name, one in found.items():
        # an hour of the day was seen eight times; of 16 hours that are kept, a belief of half a day holds back
        if name in ("periodic", "shapes", "censored"):
            assert 20.0 < one.per_day < 48.0
        else:
            assert one.per_day == pytest.approx(48.0, rel=0.05), one
            assert one.next_hour == pytest.approx(2.0, rel=0.05)
            assert one.unseen == pytest.approx(2.0, rel=0.05)


def test_the_last_interval_forgets_and_shapes_smooth() -> None:
    log = visits([0, *[2] * 100, 8])
    found = {one.estimator: one.next_hour for one in beliefs(log, now=log[0].finished, window=20.0)}
    assert found["last_interval"] == pytest.approx(8.0)
    assert found["single"] < 3.0
    daily = visits([0, *([0] * 11 + [6] + [0] * 12) * 8])
    peak = {one.estimator: one for one in beliefs(daily, now=START + 9 * DAY + 11 * 3_600.0, window=20.0)}
    assert peak["periodic"].next_hour > 3 * peak["single"].next_hour
    assert peak["shapes"].per_day == pytest.approx(peak["periodic"].per_day, rel=1e-6)


def test_one_visit_is_no_interval() -> None:
    assert beliefs(visits([3]), now=START, window=10.0) == ()
