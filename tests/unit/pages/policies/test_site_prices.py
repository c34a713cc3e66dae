"""A site's own price: the root of its demand, whatever the pages are like."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.base.models import Row
from afresh.pages.policies.announced import learn_announced
from afresh.pages.policies.belief import BELIEF, EVIDENCE, EXPOSURE
from afresh.pages.policies.site_prices import demand, site_price
from afresh.pages.policies.world import WATCHED

DAY = 86_400.0


def arguments(rows: Row, *, longest: float = 1e15) -> Any:
    count = len(rows)
    world = np.zeros(BELIEF.world_size)
    return (False, BELIEF.parameters(), rows, world, np.full(count, 1e-9), np.full(count, longest))


def wanted(args: Any, price: float) -> float:
    call: Any = demand
    return float(call(*args, price))


def own_price(args: Any, *more: float) -> float:
    call: Any = site_price
    return float(call(*args, *more))


def pages(weights: list[float], rates: list[float]) -> Row:
    rows = np.zeros((len(rates), BELIEF.page_size))
    rows[:, 0], rows[:, EVIDENCE], rows[:, EXPOSURE] = weights, 2.0, [2.0 / rate for rate in rates]
    return rows


rate = st.floats(1e-9, 1e-1)
weight = st.floats(1e-3, 1e3)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(weight, rate), min_size=1, max_size=20), st.floats(1e-3, 1e6), st.floats(0.01, 0.99))
def test_at_its_price_a_site_asks_for_what_it_bears(
    known: list[tuple[float, float]], price: float, part: float
) -> None:
    rows = pages([w for w, _ in known], [r for _, r in known])
    args = arguments(rows)
    cap = part * wanted(args, price)
    own = own_price(args, cap, price, 0.0)
    assert own >= price
    assert wanted(args, own) == pytest.approx(cap, rel=1e-3)
    assert own_price(args, cap, price / 7.0, own) == pytest.approx(own, rel=1e-3), "not a matter of the price of all"


def test_a_site_with_room_has_no_price_and_one_without_any_an_infinite_one() -> None:
    rows = pages([1.0, 1.0], [1 / DAY, 3 / DAY])
    args = arguments(rows)
    assert own_price(args, 2.0 * wanted(args, 100.0), 100.0, 0.0) == 0.0
    held = arguments(rows, longest=DAY)
    assert own_price(held, 1e-9, 100.0, 0.0) == math.inf, "two visits a day are asked for at any price"


def test_pages_of_no_weight_ask_for_nothing() -> None:
    assert wanted(arguments(pages([0.0, -1.0, math.nan], [1 / DAY] * 3)), 1.0) == 0.0


def test_an_announced_change_ends_a_waiting_time() -> None:
    page, world = pages([1.0], [1 / DAY])[0], np.zeros(BELIEF.world_size)
    learn_announced(BELIEF.parameters(), page, world, DAY)
    assert page[EVIDENCE] == pytest.approx(3.0, rel=1e-2)
    assert page[EXPOSURE] == pytest.approx(3.0 * DAY, rel=2e-1)
    assert world[WATCHED] == DAY
