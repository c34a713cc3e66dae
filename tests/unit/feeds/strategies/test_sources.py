"""Sources between refreshes: accumulated expectations, rounds, and what a refresh teaches."""

import numpy as np
import pytest

from afresh.base.errors import ModelError
from afresh.feeds.strategies.sources import UTILITY, WAITING, Sources
from afresh.lab.refresh.catalogue import estimator, strategy
from tests.bench.refresh import bytes_per_source

DAY = 86_400.0


def made(n: int = 3, **changes: object) -> Sources:
    return Sources.of(estimator("single", prior=2.0 / DAY), [10.0] * n, now=0.0, **changes)  # type: ignore[arg-type]


def test_divergence_and_utility_grow_as_the_model_says() -> None:
    sources = made(1)
    for now in (0.1 * DAY, 0.5 * DAY, DAY):
        sources.advance(now, UTILITY)
    assert sources.standings.total[0] == pytest.approx(2.0)
    assert sources.standings.utility[0] == pytest.approx(DAY)  # λ x² / 2
    assert sources.standings.available[0] == pytest.approx(2.0)


def test_waiting_is_the_area_below_the_curve() -> None:
    sources = made(1)
    for now in (0.1 * DAY, 0.5 * DAY, DAY):
        sources.advance(now, WAITING)
    assert sources.standings.utility[0] == pytest.approx(DAY)  # for a constant rate both areas are equal
    daily = Sources.of(estimator("known"), [10.0], now=0.0)
    daily.states[0] = 1e-9
    daily.states[0, 18:] = 4.0 / (6 * 3_600.0)  # four entries, all in the last quarter of the day
    late = Sources.of(estimator("known"), [10.0], now=0.0)
    late.states[:] = daily.states
    daily.advance(DAY, UTILITY)
    late.advance(DAY, WAITING)
    assert daily.standings.utility[0] == pytest.approx(4 * 0.875 * DAY, rel=1e-3)
    assert late.standings.utility[0] == pytest.approx(4 * 0.125 * DAY, rel=1e-3)


def test_a_full_window_is_all_that_is_available() -> None:
    sources = made(1, selectivity=0.5)
    sources.advance(20 * DAY)
    assert sources.standings.total[0] == pytest.approx(40.0)
    assert sources.standings.available[0] == pytest.approx(5.0)


def test_worth_and_cost_weigh_the_utility() -> None:
    sources = made(3, worth=[1.0, 3.0, 1.0], cost=[1.0, 1.0, 2.0])
    sources.advance(DAY)
    assert sources.standings.utility == pytest.approx(DAY * np.array([1.0, 3.0, 0.5]), rel=1e-6)


def test_a_round_and_its_refreshes() -> None:
    sources = made(3, worth=[1.0, 3.0, 1.0])
    rule = strategy("only_tau", budget=1.0, tau=2.0 * DAY)
    control = rule.control()
    sources.advance(DAY)
    assert sources.choose(rule, rule.params(), control).tolist() == [1]
    sources.refreshed(1, 4, is_full=False)
    assert sources.standings.total[1] == 0.0
    assert sources.states[1, 0] == pytest.approx((0.1 * 4 + 0.9 * 2) / DAY)
    sources.advance(1.5 * DAY)
    assert sources.standings.total[1] == pytest.approx(1.1)
    assert sources.standings.total[0] == pytest.approx(3.0)


def test_the_first_refresh_teaches_nothing() -> None:
    sources = made(1)
    sources.advance(DAY)
    sources.refreshed(0, 10, is_full=True, is_first=True)
    assert sources.states[0, 0] == 0.0
    assert sources.last[0] == DAY


def test_a_source_takes_less_than_64_bytes() -> None:
    assert bytes_per_source(made(1_000)) <= 64


@pytest.mark.parametrize("changes", [{"cost": 0.0}, {"worth": -1.0}, {"selectivity": 1.5}, {"worth": float("nan")}])
def test_nonsense_is_refused(changes: dict[str, float]) -> None:
    with pytest.raises(ModelError), np.errstate(divide="ignore"):
        made(2, **changes)
    with pytest.raises(ModelError, match="window"):
        Sources.of(estimator("single"), [0.0], now=0.0)
