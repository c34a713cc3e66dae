"""The slow, obvious way to share a budget: nested bisection, marginals written down as in the works."""

import math
from collections.abc import Callable

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq, minimize


def cost_rate(objective: str, rate: float, shape: float, weight: float) -> Callable[[float], float]:
    """Expected cost per second, u seconds after a visit."""
    if objective == "freshness":
        return lambda u: weight * -math.expm1(-rate * u)
    if objective == "age":
        return lambda u: weight * (u + math.expm1(-rate * u) / rate)
    if objective == "harmonic":
        return lambda u: weight * quad(lambda z: -math.expm1(-z) / z if z > 0 else 1.0, 0.0, rate * u, epsabs=1e-13)[0]
    b = shape / rate
    return lambda u: weight * (1.0 - (b / (b + u)) ** shape)


def marginal(objective: str, f: float, rate: float, shape: float, weight: float) -> float:
    """What one more visit a second is worth: V(tau) = tau c(tau) - integral of c, or the Poisson forms' derivative."""
    if objective == "poisson":
        return weight * rate / (f + rate) ** 2
    if objective == "poisson_harmonic":
        return weight * rate / (f * (f + rate))
    tau = 1.0 / f
    cost = cost_rate(objective, rate, shape, weight)
    return tau * cost(tau) - quad(cost, 0.0, tau, epsabs=1e-14, epsrel=1e-12, limit=200)[0]


def frequency(objective: str, price: float, rate: float, shape: float, weight: float) -> float:
    """The f with marginal(f) = price, by bisection on log f; 0 where even the first visit is worth less."""
    if rate <= 0.0 or weight <= 0.0:
        return 0.0
    lowest = rate * 1e-4
    if marginal(objective, lowest, rate, shape, weight) <= price:
        return 0.0
    return math.exp(
        brentq(
            lambda z: marginal(objective, math.exp(z), rate, shape, weight) - price,
            math.log(lowest),
            math.log(rate * 1e5),
            xtol=1e-13,
        )
    )


def allocate(
    objective: str,
    rates: list[float],
    shapes: list[float],
    weights: list[float],
    sites: list[int],
    caps: list[float],
    budget: float,
) -> np.ndarray:
    """Frequencies by bisection for each site's price, inside a bisection for the price of all."""
    n, m = len(rates), len(caps)

    def of_site(s: int, price: float) -> dict[int, float]:
        return {
            i: frequency(objective, price, rates[i], shapes[i], weights[i]) for i in range(n) if sites[i] == s
        }

    def at(price: float) -> np.ndarray:
        out = np.zeros(n)
        for s in range(m):
            mine = of_site(s, price)
            if sum(mine.values()) > caps[s]:
                own = math.exp(
                    brentq(
                        lambda z, s=s: sum(of_site(s, math.exp(z)).values()) - caps[s],
                        math.log(price),
                        math.log(price) + 60.0,
                        xtol=1e-12,
                    )
                )
                mine = of_site(s, own)
            for i, f in mine.items():
                out[i] = f
        return out

    low, high = -40.0, 40.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if at(math.exp(middle)).sum() > budget:
            low = middle
        else:
            high = middle
    return at(math.exp(high))


def best_by_slsqp(
    rates: np.ndarray, weights: np.ndarray, sites: np.ndarray, caps: np.ndarray, budget: float
) -> float:
    """Value of the freshness problem found by a general solver."""

    def value(f: np.ndarray) -> float:
        x = rates / np.maximum(f, 1e-9)
        return float(np.sum(weights * -np.expm1(-x) / x))

    constraints = [{"type": "eq", "fun": lambda f: f.sum() - budget}]
    for s in range(len(caps)):
        constraints.append({"type": "ineq", "fun": lambda f, s=s: caps[s] - f[sites == s].sum()})
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
