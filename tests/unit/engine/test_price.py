"""The pace is never exceeded; the price brings the queue on time and does not oscillate."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.engine.price import Bucket, PriceController
from afresh.engine.running_figures import Elastic


@given(
    steps=st.lists(st.tuples(st.floats(0, 600), st.integers(0, 50)), max_size=200),
    rate=st.floats(0.01, 10),
    size=st.floats(1, 100),
)
def test_no_more_than_the_rate_and_one_bucket_ever_passes(
    steps: list[tuple[float, int]], rate: float, size: float
) -> None:
    bucket, now, spent, low = Bucket(rate, size).filled(0.0), 0.0, 0, 0.0
    for wait, wanted in steps:
        now += wait
        low = min(low, spent - rate * now)  # of all windows that end later, the one with most in it begins here
        bucket = bucket.filled(now)
        take = min(wanted, max(0, int(bucket.tokens)))
        bucket, spent = bucket.spent(take), spent + take
        assert spent <= rate * now + size + 1e-6
        assert spent - rate * now - low <= size + 1e-6, "after a long silence no more than one bucket comes at once"


def test_a_clock_that_goes_back_gives_nothing() -> None:
    bucket = Bucket(1.0, 10.0).filled(100.0).filled(105.0)
    assert bucket.filled(50.0).tokens == bucket.tokens == 5.0
    assert bucket.ready_at(8.0) == 108.0


def test_the_price_moves_towards_the_wanted_one_within_its_limits() -> None:
    def moved(wanted: float) -> float:
        return PriceController(100.0, lowest=10.0, highest=1000.0).aim(wanted, gain=0.5)

    assert moved(1e9) == pytest.approx(100.0 * math.sqrt(10.0))
    assert moved(0.0) == pytest.approx(100.0 / math.sqrt(10.0))
    assert moved(math.inf) < 1000.0


def test_the_price_rises_with_debts_and_keeps_a_part() -> None:
    control = PriceController(100.0)
    assert control.settle(saved=-50.0, planned=100.0) > 100.0
    after = control.settle(saved=0.0, planned=100.0)
    assert 100.0 < after < 150.0  # the part that stays
    assert PriceController(100.0).settle(saved=50.0, planned=100.0) < 100.0


@given(
    start=st.floats(1.0, 1e6),
    steps=st.lists(st.tuples(st.booleans(), st.floats(-1e6, 1e6), st.floats(0.01, 1.0)), max_size=30),
)
def test_a_price_never_leaves_its_limits_and_never_jumps(start: float, steps: list[tuple[bool, float, float]]) -> None:
    control = PriceController(start, lowest=0.5, highest=2e6)
    for is_account, value, gain in steps:
        before = control.price
        if is_account:
            control.settle(saved=value, planned=100.0)
        else:
            control.aim(abs(value), gain=gain)
            assert control.price / before <= 4.0 + 1e-9
            assert before / control.price <= 4.0 + 1e-9
        assert 0.5 * (1 - 1e-9) <= control.price <= 2e6 * (1 + 1e-9)


def test_a_mean_that_goes_with_the_root_of_the_price_tells_the_price() -> None:
    delays = Elastic()
    assert delays.price_at(60.0) is None
    assert delays.mean_at(1.0) is None
    delays.note(600.0, 100.0, is_free=True)
    delays.note(300.0, 100.0, is_free=False)
    wanted = delays.price_at(900.0)
    assert wanted is not None
    assert delays.mean_at(wanted) == pytest.approx(900.0)
    assert delays.price_at(100.0) == 0.0, "the fixed part alone is above"
