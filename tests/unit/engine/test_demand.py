"""Demand as a function of the price, beside the same computed slowly; and who is visited ahead of time."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.engine.demand import Census, Prices

spans = st.floats(10.0, 1e6)


@st.composite
def plans(draw: st.DrawFn) -> dict[str, float | bool]:
    shortest = draw(st.floats(1.0, 1e4))
    longest = shortest * draw(st.floats(1.0, 1e4))
    return {
        "interval": min(longest, max(shortest, draw(spans))),
        "cost": draw(st.floats(1e-2, 1e5)),
        "shortest": shortest,
        "longest": longest,
        "is_free": draw(st.booleans()),
        "size": draw(st.floats(1.0, 1e6)),
        "own": draw(st.sampled_from([0.0, 0.0, 1e3])),
        "visited": draw(st.floats(0.0, 1e6)),
    }


def census_of(rows: list[dict[str, float | bool]]) -> Census:
    census = Census()
    for number, row in enumerate(rows):
        given_row = {name: value for name, value in row.items() if name not in ("shortest", "longest")}
        census.note(number, bounds=(row["shortest"], row["longest"]), **given_row)
    return census


def interval(row: dict[str, float | bool], prices: Prices) -> float:
    """What a plan would give, said slowly."""
    if not row["is_free"]:
        return row["interval"]
    own = row["own"] if row["own"] > row["cost"] else 0.0
    paid, cost = max(row["cost"], row["own"]), max(prices.request + prices.byte * row["size"], own)
    return min(row["longest"], max(row["shortest"], row["interval"] * math.sqrt(cost / paid)))


@given(st.lists(plans(), min_size=1, max_size=20), st.floats(1e-3, 1e6), st.floats(0.0, 1e-2))
def test_demand_is_what_the_plans_ask_for(rows: list[dict[str, float | bool]], request: float, byte: float) -> None:
    prices = Prices(request, byte)
    requests, received = census_of(rows).demand(prices)
    assert requests == pytest.approx(sum(1.0 / interval(row, prices) for row in rows), rel=1e-9)
    assert received == pytest.approx(sum(row["size"] / interval(row, prices) for row in rows), rel=1e-9)


@given(st.lists(plans(), min_size=1, max_size=20), st.floats(0.01, 0.99))
def test_the_price_spends_the_budget_where_a_price_can(rows: list[dict[str, float | bool]], share: float) -> None:
    census = census_of(rows)
    most, least = census.demand(Prices(1e-30))[0], census.demand(Prices(1e30))[0]
    budget = least + share * (most - least)
    prices = census.prices_for(requests=budget, bytes_=None)
    if prices is None:
        assert not any(row["is_free"] for row in rows)
    else:
        assert census.demand(prices)[0] == pytest.approx(budget, rel=1e-3)


def test_a_budget_out_of_reach_stops_where_prices_move_nothing() -> None:
    census = census_of([{"interval": 600.0, "cost": 100.0, "shortest": 60.0, "longest": 6_000.0, "visited": 0.0}])
    assert census.prices_for(requests=1.0, bytes_=None) == Prices(pytest.approx(1.0))
    assert census.prices_for(requests=1e-9, bytes_=None) == Prices(pytest.approx(10_000.0))


def test_bounds_that_are_nearly_one_leave_nothing_to_look_for() -> None:
    """Found by the law above: the logarithms of both ends were the same, and their difference a divisor."""
    longest = math.nextafter(math.nextafter(4_734.0, 5e3), 5e3)
    census = census_of([{"interval": 4_734.0, "cost": 100.0, "shortest": 4_734.0, "longest": longest, "visited": 0.0}])
    most, least = census.demand(Prices(1e-30))[0], census.demand(Prices(1e30))[0]
    assert census.prices_for(requests=(most + least) / 2.0, bytes_=None) == Prices(pytest.approx(100.0))


@given(st.lists(plans(), min_size=2, max_size=12), st.floats(0.1, 0.9), st.floats(0.1, 0.9))
def test_of_two_budgets_neither_is_exceeded(rows: list[dict[str, float | bool]], some: float, other: float) -> None:
    rows = [{**row, "is_free": True, "own": 0.0} for row in rows]
    census = census_of(rows)
    most, least = census.demand(Prices(1e-30)), census.demand(Prices(1e30))
    wanted = least[0] + some * (most[0] - least[0]), least[1] + other * (most[1] - least[1])
    prices = census.prices_for(requests=wanted[0], bytes_=wanted[1])
    assert prices is not None
    asked = census.demand(prices)
    assert asked[0] <= wanted[0] * 1.001
    assert asked[1] <= wanted[1] * 1.001


def test_the_most_urgent_are_those_worth_most_and_none_too_soon() -> None:
    census = Census()
    for number, (wait, shortest) in enumerate([(100.0, 60.0), (400.0, 60.0), (100.0, 600.0), (900.0, 60.0)]):
        census.note(number, interval=wait, cost=1.0, bounds=(shortest, 1e6), visited=0.0)
    assert census.most_urgent(59.0, Prices(1.0), 9) == []
    assert census.most_urgent(200.0, Prices(1.0), 2) == [0, 1], "the one for whom most has gathered, then the next"
    assert census.most_urgent(200.0, Prices(1.0), 9) == [3], "nobody is called twice, and nobody too soon"
    census.note(0, interval=100.0, cost=1.0, bounds=(60.0, 1e6), visited=200.0)
    assert census.most_urgent(260.0, Prices(1.0), 9) == [0]


def test_who_is_gone_asks_for_nothing() -> None:
    census = Census()
    for number in range(200):
        census.note(number, interval=100.0 + number, cost=1.0, bounds=(1.0, 1e6), visited=0.0)
    census.keep_only(set(range(0, 200, 7)))
    census.forget(0)
    census.forget(0)
    left = range(7, 200, 7)
    assert len(census) == len(left)
    assert census.demand(Prices(1.0))[0] == pytest.approx(sum(1.0 / (100.0 + number) for number in left))
    assert sorted(census.most_urgent(1e4, Prices(1.0), 999)) == list(left)


def test_what_was_not_asked_is_called_again() -> None:
    census = Census()
    for number in range(2):
        census.note(number, interval=100.0, cost=1.0, bounds=(60.0, 1e6), visited=0.0)
    assert sorted(census.most_urgent(200.0, Prices(1.0), 9)) == [0, 1]
    assert census.most_urgent(200.0, Prices(1.0), 9) == []
    for number in (1, 2):  # 2 is not known
        census.note_unasked(number)
    assert census.most_urgent(200.0, Prices(1.0), 9) == [1]
    census.end_calls()
    assert sorted(census.most_urgent(200.0, Prices(1.0), 9)) == [0, 1]
    assert census.demand(Prices(1.0))[0] == pytest.approx(0.02), "the plans stand"


def test_an_interval_at_a_bound_tells_only_the_side() -> None:
    """What was known of a resource stays where the bound agrees with it, if the census is to remember."""
    for remembers, asked in ((True, 1.0 / 200.0), (False, 1.0)):
        census = Census(remembers=remembers)
        census.note(1, interval=200.0, cost=100.0, bounds=(1.0, 1_000.0), visited=0.0)
        census.note(1, interval=1_000.0, cost=1e12, bounds=(1.0, 1_000.0), visited=0.0)
        assert census.demand(Prices(100.0))[0] == pytest.approx(asked, rel=1e-6)
    census = Census(remembers=True)
    census.note(1, interval=200.0, cost=100.0, bounds=(1.0, 1_000.0), visited=0.0)
    census.note(1, interval=1_000.0, cost=200.0, bounds=(1.0, 1_000.0), visited=0.0)
    assert census.demand(Prices(100.0))[0] == pytest.approx(2**0.5 / 1_000.0), "it has become quieter"
    census.note(1, interval=1.0, cost=100.0, bounds=(1.0, 1_000.0), visited=0.0)
    assert census.demand(Prices(100.0))[0] == pytest.approx(1.0)
