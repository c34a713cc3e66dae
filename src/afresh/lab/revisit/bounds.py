"""How far an order of visits can fall behind perfect spacing: worst cases, and a certificate for MERGE's 0.9270.

A page is described by x = rate/f (changes per visit) and r = f/(sum of its site's f), its share of the site's requests.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from afresh.base.compiled import compiled
from afresh.lab.orders.golden import PHI

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Worst:
    """A least ratio and where it is taken."""

    ratio: float
    x: float
    r: float


@dataclass(frozen=True, slots=True)
class Certificate:
    """Outcome of the branch and bound: ``holds`` if no box could fall below ``claim``."""

    claim: float
    holds: bool
    boxes: int
    below: float  # bound for x <= 0.05, by concavity
    above: float  # bound for x >= 16


def merge_ratio(x: Floats, r: Floats) -> Floats:
    """MERGE's freshness over that of perfect spacing, at worst over the other pages of the site.  [SL §3.4]

    R = (1 - e^-E)/(1 - e^-x), E = r x + (1 - e^(-r x))(1/r - 1): many slow neighbours, a Poisson number of which
    come between two visits.
    """
    exponent = r * x - np.expm1(-r * x) * (1.0 / r - 1.0)
    return np.asarray(np.expm1(-exponent) / np.expm1(-x))


def random_ratio(x: Floats, r: Floats) -> Floats:
    """The same for visits drawn at random: the number of ticks between two visits is geometric."""
    theta = np.exp(-r * x)
    return np.asarray((1.0 - r * theta / (1.0 - (1.0 - r) * theta)) / -np.expm1(-x))


def merge_age_ratio(x: Floats, r: Floats) -> Floats:
    """MERGE's mean age over that of perfect spacing in the same worst case, f = 1: Age = E T^2/2 - (1 - A)/rate."""
    others = (1.0 - r) / r
    square = r * r * (1.0 + 3.0 * others + others * others)
    exponent = r * x - np.expm1(-r * x) * others
    # Both ages vanish like x/6 as x -> 0: take the third moment of T there, where the difference would cancel.
    age = square / 2.0 - (x + np.expm1(-exponent)) / (x * x)
    third = r**3 * (1.0 + 7.0 * others + 6.0 * others**2 + others**3)
    fourth = r**4 * (1.0 + 15.0 * others + 25.0 * others**2 + 10.0 * others**3 + others**4)
    small = x * third / 6.0 - x * x * fourth / 24.0
    even = 0.5 - (x + np.expm1(-x)) / (x * x)
    even_small = x / 6.0 - x * x / 24.0
    return np.asarray(np.where(x < 2e-3, small / even_small, age / even))


def golden_ratio(x: Floats, r: Floats) -> Floats:
    """GOLDEN's freshness over that of perfect spacing: a slice of length r returns after a, b or a+b ticks.

    With d_a and d_b the distances of a*phi and b*phi from whole numbers, shares of the returns are
    (r - d_a)/r, (r - d_b)/r and (d_a + d_b - r)/r.
    """
    a, b = return_times(r)
    d_a, d_b = np.abs(a * PHI - np.rint(a * PHI)), np.abs(b * PHI - np.rint(b * PHI))
    mean = (
        (r - d_a) * np.exp(-r * x * a) + (r - d_b) * np.exp(-r * x * b) + (d_a + d_b - r) * np.exp(-r * x * (a + b))
    ) / r
    return np.asarray((1.0 - mean) / -np.expm1(-x))


def return_times(r: Floats) -> tuple[Floats, Floats]:
    """The neighbouring Fibonacci numbers a < b with max(d_a, d_b) <= r < d_a + d_b."""
    a, b = np.ones_like(r), np.ones_like(r) * 2.0
    first, second = 1.0, 2.0
    for _ in range(40):
        fits = np.abs(first * PHI - round(first * PHI)) <= r
        waiting = (a == 1.0) & (b == 2.0) & ~(r >= np.abs(PHI - 1.0))
        a, b = np.where(waiting & fits, first, a), np.where(waiting & fits, second, b)
        first, second = second, first + second
    return a, b


def buddy_ratio(x: Floats, s: Floats) -> Floats:
    """Freshness of the best mixture of f/s and 2f/s, neighbouring powers of two of a site's pace, over that of f.

    The best frequencies among powers of two follow the chord of the freshness curve between two of them; all pages but
    one a site sit on an end of their chord.
    """
    share = 2.0 - s  # of the lower one, so that the mean is f
    low, high = x * s, x * s / 2.0
    mixed = share * -np.expm1(-low) / low + (1.0 - share) * -np.expm1(-high) / high
    return np.asarray(mixed / (-np.expm1(-x) / x))


def least(
    ratio: Callable[[Floats, Floats], Floats], x: tuple[float, float], r: tuple[float, float], *, sign: float = 1.0
) -> Worst:
    """The least ratio on a rectangle (the largest with sign -1), by a grid that closes in on its best point."""
    (x0, x1), (r0, r1) = x, r
    at = (0.0, 0.0, 0.0)
    for _ in range(14):
        xs, rs = np.meshgrid(np.linspace(x0, x1, 81), np.linspace(r0, r1, 81))
        values = sign * ratio(xs, rs)
        k = int(np.argmin(values))
        at = (float(sign * values.flat[k]), float(xs.flat[k]), float(rs.flat[k]))
        dx, dr = (x1 - x0) / 8.0, (r1 - r0) / 8.0
        x0, x1 = max(x[0], at[1] - dx), min(x[1], at[1] + dx)
        r0, r1 = max(r[0], at[2] - dr), min(r[1], at[2] + dr)
    return Worst(*at)


def merge_minimum() -> Worst:
    """The worst page for MERGE: 0.92723 at x = 1.6375, r = 0.4404."""
    return least(merge_ratio, (0.05, 16.0), (1e-3, 1.0))


def certificate(claim: float = 0.9270) -> Certificate:
    """Proves R >= claim for every x > 0 and 0 < r <= 1, up to floating-point rounding (slack 1e-12).

    With u = r x, E = (u - 1 + e^-u) + x (1 - e^-u)/u: the first term rises with u, the second falls, and E rises
    with x. So on a box E is at least its first term at the low u plus its second at the high u and low x, and R at
    least (1 - e^-that)/(1 - e^-(high x)). Boxes that do not reach the claim are halved.
    Outside: for x <= 0.05, E >= x (1 - x/2) and concavity give R >= 1 - x/2; for x >= 16, E is not below its least
    value at x = 16, found by the same bounds over u, and R >= 1 - e^-E.
    """
    holds, boxes = _branch_and_bound(claim + 1e-12, 0.05, 16.0)
    below = 1.0 - 0.05 / 2.0
    above = -math.expm1(-_least_exponent(16.0))
    return Certificate(claim, bool(holds and min(below, above) >= claim), int(boxes), below, above)


@compiled()
def _exponent(x: float, u_low: float, u_high: float) -> float:
    """A lower bound of E for u between two values, at x or above."""
    first = u_low + math.expm1(-u_low)
    second = x * (-math.expm1(-u_high) / u_high if u_high > 1e-12 else 1.0)
    return first + second


@compiled()
def _least_exponent(x: float) -> float:
    """A lower bound of E for all u > 0 at x or above, by small steps; past u = x + 2 the first term alone suffices."""
    steps = 20_000
    width = (x + 2.0) / steps
    found = x + 2.0 + math.expm1(-x - 2.0)
    for k in range(steps):
        found = min(found, _exponent(x, k * width, (k + 1) * width))
    return found


@compiled()
def _branch_and_bound(claim: float, x_first: float, x_last: float) -> tuple[bool, int]:
    stack = np.empty((4096, 4))
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = x_first, x_last, 0.0, x_last
    depth = 1
    boxes = 0
    while depth > 0:
        depth -= 1
        x0, x1, u0, u1 = stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3]
        if u0 >= x1:
            continue  # r would exceed 1
        u1 = min(u1, x1)
        boxes += 1
        if math.expm1(-_exponent(x0, u0, u1)) <= claim * math.expm1(-x1):
            continue
        if depth + 2 > len(stack) or boxes > 20_000_000 or (x1 - x0 < 1e-9 and u1 - u0 < 1e-9):
            return False, boxes
        # Both sides matter alike: an error of dx in x and of du in u lower the bound by comparable amounts.
        if x1 - x0 >= u1 - u0:
            middle = 0.5 * (x0 + x1)
            stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3] = x0, middle, u0, u1
            stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2], stack[depth + 1, 3] = middle, x1, u0, u1
        else:
            middle = 0.5 * (u0 + u1)
            stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3] = x0, x1, u0, middle
            stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2], stack[depth + 1, 3] = x0, x1, middle, u1
        depth += 2
    return True, boxes


def exact_merge_freshness(frequencies: Floats, rates: Floats) -> Floats:
    """Freshness of each page of one site under MERGE, the mean over phases, exactly.  [SL §3.4]

    Between two visits of page i page j comes floor(rho) or floor(rho) + 1 times, rho = f_j/f_i, the latter with
    probability frac(rho); independent phases make this a product.
    """
    total = frequencies.sum()
    out = np.empty(len(frequencies))
    for i in range(len(frequencies)):
        theta = math.exp(-rates[i] / total)
        rho = np.delete(frequencies, i) / frequencies[i]
        whole = np.floor(rho)
        mean = theta * np.prod(theta**whole * (1.0 - (rho - whole) * (1.0 - theta)))
        out[i] = frequencies[i] / rates[i] * (1.0 - mean)
    return out
