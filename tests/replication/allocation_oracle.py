"""The slow, obvious way to share a budget: nested bisection, marginals written down as in the works."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.special import exp1

Floats = NDArray[np.float64]


def cost_rate(objective: str, rate: float, shape: float, weight: float) -> Callable[[float], float]:
    """Expected cost per second, u seconds after a visit."""
    if objective == "freshness":
        return lambda u: weight * -math.expm1(-rate * u)
    if objective == "age":
        return lambda u: weight * (u + math.expm1(-rate * u) / rate)
    if objective == "harmonic":
        return lambda u: weight * (math.log(rate * u) + np.euler_gamma + exp1(rate * u)) if u > 0 else 0.0
    b = shape / rate
    return lambda u: weight * (1.0 - (b / (b + u)) ** shape)


def marginal_by_quadrature(objective: str, f: float, rate: float, shape: float, weight: float) -> float:
    """What one more visit a second is worth: V(tau) = tau c(tau) - integral of c from 0 to tau."""
    tau = 1.0 / f
    cost = cost_rate(objective, rate, shape, weight)
    return tau * cost(tau) - quad(cost, 0.0, tau, epsabs=1e-14, epsrel=1e-12, limit=200)[0]


def marginal(objective: str, f: Floats, rate: Floats, shape: Floats, weight: Floats) -> Floats:
    """The same in closed form, as printed; good for ordinary numbers only."""
    x = rate / f
    if objective == "freshness":
        return weight / rate * (1 - (1 + x) * np.exp(-x))
    if objective == "age":
        return weight * (1 / (2 * f * f) - (1 - (1 + x) * np.exp(-x)) / rate**2)
    if objective == "harmonic":
        return weight / rate * (x - 1 + np.exp(-x))
    if objective == "poisson":
        return weight * rate / (f + rate) ** 2
    if objective == "poisson_harmonic":
        return weight * rate / (f * (f + rate))
    b = shape / rate
    left = b / (b + 1 / f)
    d = np.where(shape == 1, 1, shape - 1)
    first = np.where(shape == 1, -np.log(left) * b, b / d * (1 - left**d))
    return weight * (first - left**shape / f)


def frequency(objective: str, price: float, rate: Floats, shape: Floats, weight: Floats) -> Floats:
    """The f with marginal(f) = price, by bisection on log f; 0 where even a very rare visit is worth less."""
    low, high = np.log(rate * 1e-4), np.log(rate * 1e4)
    starved = marginal(objective, np.exp(low), rate, shape, weight) <= price
    for _ in range(50):
        middle = 0.5 * (low + high)
        worth = marginal(objective, np.exp(middle), rate, shape, weight) > price
        low, high = np.where(worth, middle, low), np.where(worth, high, middle)
    return np.where(starved, 0.0, np.exp(low))


def allocate(
    objective: str, rate: Floats, shape: Floats, weight: Floats, site: Floats, caps: list[float], budget: float
) -> Floats:
    """Frequencies by bisection for each site's price, inside a bisection for the price of all."""

    def solve(target: float, at: Callable[[float], Floats]) -> Floats:
        low, high = -20.0, 20.0
        for _ in range(50):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if at(math.exp(middle)).sum() > target else (low, middle)
        return at(math.exp(high))

    def at(price: float) -> Floats:
        out = frequency(objective, price, rate, shape, weight)
        for s, cap in enumerate(caps):
            mine = site == s
            if out[mine].sum() > cap:
                own = solve(cap, lambda k, mine=mine: frequency(objective, k, rate[mine], shape[mine], weight[mine]))
                out[mine] = own
        return out

    return solve(budget, at)


def best_by_slsqp(rates: Floats, weights: Floats, sites: Floats, caps: Floats, budget: float) -> float:
    """Value of the freshness problem found by a general solver."""

    def value(f: Floats) -> float:
        x = rates / np.maximum(f, 1e-9)
        return float(np.sum(weights * -np.expm1(-x) / x))

    constraints = [{"type": "eq", "fun": lambda f: f.sum() - budget}]
    constraints += [{"type": "ineq", "fun": lambda f, s=s: caps[s] - f[sites == s].sum()} for s in range(len(caps))]
    start = np.full(len(rates), 0.5 * budget / len(rates))
    found = minimize(
        lambda f: -value(f),
        start,
        bounds=[(0.0, None)] * len(rates),
        constraints=constraints,
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    return value(found.x)
