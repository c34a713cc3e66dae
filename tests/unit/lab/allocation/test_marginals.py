"""The closed forms against scipy, against exact decimals, and against each other."""

import math
from collections.abc import Callable
from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy.special import gammainc, gammaincinv

from afresh.base import marginals
from afresh.base.marginals import AGE, ALWAYS, BELIEF, FRESHNESS, HARMONIC, NEVER, OBJECTIVES, POISSON
from tests.replication import allocation_oracle

QUANTILES = np.concatenate(
    [10.0 ** np.arange(-300, 0, 3.7), np.linspace(0.001, 0.999, 300), 1.0 - 10.0 ** -np.arange(1, 15.1, 0.5)]
)


@pytest.mark.parametrize("inverse", [marginals.gain_inverse, marginals.gain_inverse_fast])
def test_inverse_of_the_freshness_gain(inverse: Callable[[float], float]) -> None:
    ours = np.array([inverse(q) for q in QUANTILES])
    np.testing.assert_allclose(ours, gammaincinv(2.0, QUANTILES), rtol=1e-12)


def test_freshness_gain_is_a_gamma_distribution() -> None:
    x = 10.0 ** np.linspace(-150, 2.5, 800)
    np.testing.assert_allclose([marginals.gain(one) for one in x], gammainc(2.0, x), rtol=1e-12)


def test_fast_inverse_has_a_knot_for_every_quantile() -> None:
    last = math.nextafter(1.0, 0.0)
    assert marginals.gain_inverse_fast(last) == pytest.approx(marginals.gain_inverse(last), rel=1e-12)
    assert marginals.gain_inverse_fast(5e-324) >= 0.0


@pytest.mark.parametrize(
    ("gain", "inverse", "exact"),
    [
        (marginals.age_gain, marginals.age_gain_inverse, lambda x: x * x / 2 - 1 + (1 + x) * (-x).exp()),
        (marginals.harmonic_gain, marginals.harmonic_gain_inverse, lambda x: x - 1 + (-x).exp()),
    ],
)
def test_gains_against_sixty_digits(
    gain: Callable[[float], float], inverse: Callable[[float], float], exact: Callable[[Decimal], Decimal]
) -> None:
    with localcontext() as context:
        context.prec = 60
        for x in 10.0 ** np.linspace(-9, 6, 120):
            value = float(exact(Decimal(float(x))))
            assert gain(x) == pytest.approx(value, rel=1e-12)
            assert inverse(value) == pytest.approx(x, rel=1e-12)


@pytest.mark.parametrize("shape", [0.01, 0.3, 0.5, 0.999999, 1.0, 1.0000001, 1.5, 3.0, 50.0, 1e4])
def test_belief_gain_against_sixty_digits(shape: float) -> None:
    a = Decimal(shape)
    with localcontext() as context:
        context.prec = 60
        for z in 10.0 ** np.linspace(-8, 2, 60):
            if (shape - 1.0) * z > 15.0:
                continue  # v is at its limit to the last digit: the inverse has nothing to go by
            s = Decimal(float(z)).exp()
            limit = Decimal(float(z)) - 1 + 1 / s
            exact = limit if a == 1 else (1 - s ** (1 - a)) / (a - 1) - (1 - 1 / s) * s ** (1 - a)
            assert marginals.belief_gain(shape, z) == pytest.approx(float(exact), rel=2e-12)
            assert marginals.belief_gain_inverse(shape, float(exact)) == pytest.approx(z, rel=1e-7)


def test_a_sure_belief_is_a_known_rate() -> None:
    for tau in (0.01, 1.0, 20.0):
        known = marginals.index(FRESHNESS, tau, 0.7, 1.0, 2.0)
        assert marginals.index(BELIEF, tau, 0.7, 1e7, 2.0) == pytest.approx(known, rel=1e-5)


@pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES.keys())
def test_frequency_inverts_the_index_and_knows_its_slope(objective: int) -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        rate, weight, shape = 10.0 ** rng.uniform(-12, 6), 10.0 ** rng.uniform(-3, 3), 10.0 ** rng.uniform(-1, 1)
        top = marginals.limit(objective, rate, shape, weight)
        scale = weight / rate if objective != AGE else weight / rate**2
        price = (top if math.isfinite(top) else scale) * 10.0 ** rng.uniform(-9, -0.1)
        f, slope = marginals.frequency(objective, price, rate, shape, weight, 0.0)
        assert marginals.index(objective, 1.0 / f, rate, shape, weight) == pytest.approx(price, rel=1e-9)
        up = marginals.frequency(objective, price * math.exp(1e-4), rate, shape, weight, 0.0)[0]
        down = marginals.frequency(objective, price * math.exp(-1e-4), rate, shape, weight, 0.0)[0]
        assert slope == pytest.approx((up - down) / 2e-4, rel=1e-5)


@pytest.mark.parametrize("objective", ["freshness", "age", "harmonic", "belief"])
def test_index_is_what_the_cost_rate_says(objective: str) -> None:
    for f, shape in ((0.1, 0.4), (1.0, 1.0), (8.0, 3.0)):
        slow = allocation_oracle.marginal_by_quadrature(objective, f, 0.7, shape, 2.0)
        assert marginals.index(OBJECTIVES[objective], 1.0 / f, 0.7, shape, 2.0) == pytest.approx(slow, rel=1e-8)


@pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES.keys())
def test_pages_not_worth_a_visit(objective: int) -> None:
    assert marginals.frequency(objective, 1.0, 1.0, 0.5, 0.0, 0.0) == (0.0, 0.0)
    assert marginals.frequency(objective, 1.0, 0.0, 0.5, 1.0, 0.0) == (0.0, 0.0)
    assert marginals.frequency(objective, 1.0, NEVER, 0.5, 1.0, 0.0) == (0.0, 0.0)
    endless = marginals.frequency(objective, 1.0, math.inf, 0.5, 1.0, 0.0)[0]
    if objective in (FRESHNESS, BELIEF, POISSON):
        assert endless == 0.0
    else:
        assert endless == pytest.approx(marginals.frequency(objective, 1.0, 1e12, 0.5, 1.0, 0.0)[0], rel=1e-6)


@pytest.mark.parametrize("objective", [FRESHNESS, POISSON])
def test_starving_begins_at_the_limit(objective: int) -> None:
    top = marginals.limit(objective, 3.0, 1.0, 2.0)
    assert top == pytest.approx(2.0 / 3.0)
    assert marginals.frequency(objective, top, 3.0, 1.0, 2.0, 0.0)[0] == 0.0
    assert marginals.frequency(objective, top * 0.999, 3.0, 1.0, 2.0, 0.0)[0] > 0.0


def test_only_a_firm_belief_starves() -> None:
    assert marginals.limit(BELIEF, 1.0, 1.0, 1.0) == math.inf
    assert marginals.limit(BELIEF, 1.0, 2.0, 1.0) == pytest.approx(2.0)
    assert marginals.limit(AGE, 1.0, 2.0, 1.0) == math.inf
    assert marginals.limit(HARMONIC, 1.0, 2.0, 1.0) == math.inf


def test_mean_freshness_and_age() -> None:
    assert marginals.mean_freshness(1.0, 1.0) == pytest.approx(1.0 - math.exp(-1.0))
    assert marginals.mean_age(1.0, 1.0) == pytest.approx(0.5 - math.exp(-1.0))
    assert marginals.mean_age(1.0, 0.00999999) == pytest.approx(marginals.mean_age(1.0, 0.01000001), rel=1e-5)
    assert (marginals.mean_freshness(0.0, 1.0), marginals.mean_freshness(0.0, 0.0)) == (0.0, 1.0)
    assert (marginals.mean_age(0.0, 1.0), marginals.mean_age(0.0, 0.0)) == (math.inf, 0.0)
    assert marginals.mean_freshness(1.0, ALWAYS) == 0.0
