"""What one more visit is worth: marginal value of frequency, and the frequency bought at a price, for each objective.

Every objective has a cost rate c(u), expected u seconds after a visit. With equal spacing tau = 1/f the marginal value
of frequency is the *index* V(tau) = tau c(tau) - integral of c from 0 to tau  [SL; CG03 §5]. V rises with tau, so
"frequency at price k" is the f at which V(1/f) = k, and zero where V never gets that far (the page is *starved*).

A page is three numbers: ``rate`` (changes a second; for a belief its mean), ``shape`` (of a Gamma belief, else unused)
and ``weight``. With x = rate * tau:

    FRESHNESS         V = (w/rate) g(x)                 g(x) = 1 - (1+x) exp(-x)          starves above w/rate
    AGE               V = (w/rate^2) (x^2/2 - g(x))                                       never starves
    HARMONIC          V = (w/rate) (x - 1 + exp(-x))                                      never starves
    BELIEF            V = w b v(tau/b), see ``belief_value``; b = shape/rate              starves if shape > 1
    POISSON           V = w rate / (f + rate)^2         visits at Poisson times           starves above w/rate
    POISSON_HARMONIC  V = w rate / (f (f + rate))       visits at Poisson times           never starves

A rate up to ``NEVER`` counts as no change at all, one from ``ALWAYS`` on as a page that no visit can keep fresh.
"""

import math

import numpy as np
from numpy.typing import NDArray

from afresh.base.compiled import compiled

FRESHNESS = 0
AGE = 1
HARMONIC = 2
BELIEF = 3
POISSON = 4
POISSON_HARMONIC = 5

#: objective by name, as settings and commands spell it
OBJECTIVES = {
    "freshness": FRESHNESS,
    "age": AGE,
    "harmonic": HARMONIC,
    "belief": BELIEF,
    "poisson": POISSON,
    "poisson_harmonic": POISSON_HARMONIC,
}

NEVER = 1e-30  #: changes a second at or below which a page counts as unchanging
ALWAYS = 1e30  #: changes a second from which on a page counts as always changed

_LAST = 36.8  # -log1p(-q) of the largest q below 1
_KNOTS = 4096
_STEP = math.sqrt(2.0 * _LAST) / (_KNOTS - 2)


@compiled()
def gain(x: float) -> float:
    """g(x) = 1 - (1+x) exp(-x), to 1e-12 for every x >= 0; a series where the terms would cancel."""
    if x < 0.03:
        return x * x * (0.5 - x * (1 / 3 - x * (1 / 8 - x * (1 / 30 - x * (1 / 144 - x / 840)))))
    return -math.expm1(-x) - x * math.exp(-x)


@compiled()
def excess(x: float) -> float:
    """x - log1p(x), without cancellation."""
    if x < 0.02:
        return x * x * (0.5 - x * (1 / 3 - x * (1 / 4 - x * (1 / 5 - x * (1 / 6 - x * (1 / 7 - x / 8))))))
    return x - math.log1p(x)


@compiled()
def gain_inverse(q: float) -> float:
    """The x with g(x) = q, for 0 < q < 1, by Newton's method on x - log1p(x) = -log1p(-q)."""
    y = -math.log1p(-q)
    s = math.sqrt(2.0 * y)
    if y <= 3.0:
        x = s * (1.0 + s * (1 / 3 + s * (1 / 36 - s * (1 / 270 - s / 4320))))
    else:
        more = math.log1p(y)
        x = y + more + more / (1.0 + y)
    for _ in range(3):
        x -= (excess(x) - y) * (1.0 + x) / x
    return x


def _knots() -> NDArray[np.float64]:
    """x(s)/s and its slope times the step, where x - log1p(x) = s^2/2: the smooth part of ``gain_inverse``."""
    s = np.arange(_KNOTS) * _STEP
    y = s * s / 2.0
    x = np.where(y <= 3.0, s * (1 + s * (1 / 3 + s * (1 / 36 - s * (1 / 270 - s / 4320)))), y + np.log1p(y) * 1.2)
    x[0] = 1.0
    for _ in range(8):
        small = x**2 * (0.5 - x * (1 / 3 - x * (1 / 4 - x * (1 / 5 - x * (1 / 6 - x * (1 / 7 - x / 8))))))
        x = x - (np.where(x < 0.02, small, x - np.log1p(x)) - y) * (1.0 + x) / x
        x[0] = 1.0
    table = np.empty((_KNOTS, 2))
    table[1:, 0] = x[1:] / s[1:]
    # dx/ds = s (1+x)/x, so d(x/s)/ds = (1+x)/x - x/s^2
    table[1:, 1] = ((1.0 + x[1:]) / x[1:] - x[1:] / s[1:] ** 2) * _STEP
    near = s < 0.01  # both terms of the slope grow like 1/s there: take the series
    table[near, 0] = 1 + s[near] * (1 / 3 + s[near] * (1 / 36 - s[near] * (1 / 270 - s[near] / 4320)))
    table[near, 1] = (1 / 3 + s[near] * (1 / 18 - s[near] * (1 / 90 - s[near] / 1080))) * _STEP
    return table


_TABLE = _knots()


@compiled()
def gain_inverse_fast(q: float) -> float:
    """``gain_inverse`` to about 1e-12 by one logarithm and a cubic between tabulated knots."""
    if q < 0.01:
        # log1p is several times slower than log, and its series is short here
        y = q * (1.0 + q * (1 / 2 + q * (1 / 3 + q * (1 / 4 + q * (1 / 5 + q * (1 / 6 + q * (1 / 7 + q / 8)))))))
    else:
        y = -math.log(1.0 - q)
    s = math.sqrt(2.0 * y)
    at = s * (1.0 / _STEP)
    k = int(at)
    t = at - k
    p0: float = _TABLE[k, 0]
    m0: float = _TABLE[k, 1]
    p1: float = _TABLE[k + 1, 0]
    m1: float = _TABLE[k + 1, 1]
    rise = p1 - p0
    return s * (p0 + t * (m0 + t * (3.0 * rise - 2.0 * m0 - m1 + t * (m0 + m1 - 2.0 * rise))))


@compiled()
def age_gain(x: float) -> float:
    """x^2/2 - g(x), without cancellation."""
    if x < 0.2:
        tail = 1 / 840 - x * (1 / 5760 - x * (1 / 45_360 - x * (1 / 403_200 - x / 3_991_680)))
        return x * x * x * (1 / 3 - x * (1 / 8 - x * (1 / 30 - x * (1 / 144 - x * tail))))
    return 0.5 * x * x + math.expm1(-x) + x * math.exp(-x)


@compiled()
def age_gain_inverse(q: float) -> float:
    """The x with x^2/2 - g(x) = q, for q > 0."""
    if q > 1e12:
        return math.sqrt(2.0 * (q + 1.0))
    c = (3.0 * q) ** (1.0 / 3.0)
    # c is exact as x -> 0 and sqrt(2(q+1)) as x -> infinity; in between the larger of two lower bounds is close
    x = c * (1.0 + 0.125 * c) if c < 1.5 else math.sqrt(2.0 * (q + 1.0))
    for _ in range(8):
        step = (age_gain(x) - q) / (-x * math.expm1(-x))
        x = max(x - step, 0.1 * x)
        if abs(step) <= 1e-14 * x:
            break
    return x


@compiled()
def harmonic_gain(x: float) -> float:
    """x - 1 + exp(-x), without cancellation."""
    if x < 0.03:
        return x * x * (0.5 - x * (1 / 6 - x * (1 / 24 - x * (1 / 120 - x * (1 / 720 - x / 5040)))))
    return x + math.expm1(-x)


@compiled()
def harmonic_gain_inverse(q: float) -> float:
    """The x with x - 1 + exp(-x) = q, for q > 0."""
    if q > 40.0:
        return q + 1.0
    s = math.sqrt(2.0 * q)
    x = s * (1.0 + s * (1 / 6 + s / 72)) if q < 2.0 else q + 1.0 - math.exp(-q - 1.0)
    for _ in range(8):
        step = (harmonic_gain(x) - q) / -math.expm1(-x)
        x = max(x - step, 0.1 * x)
        if abs(step) <= 1e-14 * x:
            break
    return x


@compiled()
def belief_gain(a: float, log_s: float) -> float:
    """v(u) = integral of a t (1+t)^(-a-1) from 0 to u = exp(log_s) - 1: the index of a Gamma(a, b) rate over w b.

    In closed form (1 - s^(1-a))/(a-1) - (1 - 1/s) s^(1-a), s = 1+u; for a = 1 the limit log s - 1 + 1/s.
    """
    u = math.expm1(log_s)
    if (a + 3.0) * u < 0.1:
        # the two terms are nearly equal: sum the binomial series of the integral instead
        term = a * u * u
        total = 0.5 * term
        for j in range(1, 14):
            term *= -(a + j) * u / j
            total += term / (j + 2)
        return total
    d = a - 1.0
    decay = math.exp(-d * log_s)
    first = log_s if abs(d * log_s) < 1e-13 else -math.expm1(-d * log_s) / d
    return first + math.expm1(-log_s) * decay


@compiled()
def belief_gain_inverse(a: float, q: float) -> float:
    """log(1 + u) for the u with v(u) = q; infinite where v never reaches q (a > 1) or u is past all numbers."""
    d = a - 1.0
    if d > 0.0 and q * d >= 1.0:
        return math.inf
    if d > 0.0 and q * d > 0.5:
        return _belief_tail(d, math.log1p(-q * d))
    x = math.sqrt(2.0 * q / a)
    low = math.log1p(x)  # v(u) <= a u^2/2, so the root is not below
    if d < 0.0 and -d * q > 1.0:
        low = max(low, math.log(-d * q) / -d)
    z = low
    for _ in range(60):
        # Newton on log v against log z: straight near 0 for every a, and for a = 1 far out as well
        if z > 700.0:
            return math.inf
        value = belief_gain(a, z)
        slope = -a * math.expm1(-z) * math.exp(-d * z)
        ratio = math.log(value / q) * value / (slope * z)
        step = z * math.expm1(-min(max(ratio, -2.0), 2.0))
        z += step
        if abs(step) <= 1e-14 * z:
            break
    return z


@compiled()
def _belief_tail(d: float, log_rest: float) -> float:
    """The log s at which 1 - (a-1) v has fallen to exp(log_rest): almost a straight line in log s."""
    z = (math.log1p(d) - log_rest) / d
    for _ in range(50):
        gone = -math.expm1(-z)
        value = -d * z + math.log1p(d * gone) - log_rest
        slope = -d + d * (1.0 - gone) / (1.0 + d * gone)
        step = value / slope
        z = max(z - step, 0.1 * z)
        if abs(step) <= 1e-14 * z:
            break
    return z


@compiled()
def frequency(
    objective: int, price: float, rate: float, shape: float, weight: float, blur: float
) -> tuple[float, float]:
    """Visits a second bought at ``price`` (> 0), and how they change with its logarithm (<= 0).

    Just below the price that starves a page its frequency falls with infinite slope. With many pages some are always
    there, and their slopes say nothing about a step of ordinary length: ``blur``, the length of the step in log
    price, averages them.
    """
    if weight <= 0.0 or rate <= NEVER:
        return 0.0, 0.0
    if objective == FRESHNESS:
        q = price * rate / weight
        if q >= 1.0 or rate >= ALWAYS:
            return 0.0, 0.0
        x = gain_inverse_fast(q)
        inverse = 1.0 / x
        f = rate * inverse
        return f, -f * (q * inverse) * (inverse + 1.0) / max(1.0 - q, blur)
    if objective == BELIEF:
        return _belief_frequency(price, rate, shape, weight)
    if objective == AGE:
        rate = min(rate, ALWAYS)
        q = price * rate * (rate / weight)
        x = age_gain_inverse(q)
        return rate / x, rate / x * (q / x / x) / math.expm1(-x)
    q = price * min(rate, ALWAYS) / weight
    if objective == HARMONIC:
        rate = min(rate, ALWAYS)
        x = harmonic_gain_inverse(q)
        return rate / x, rate / x * (q / x) / math.expm1(-x)
    if objective == POISSON:
        if q >= 1.0 or rate >= ALWAYS:
            return 0.0, 0.0
        root = math.sqrt(q)
        return rate * (1.0 - q) / (root * (1.0 + root)), -0.5 * rate / root
    root = math.sqrt(1.0 + 4.0 / q)
    rate = min(rate, ALWAYS)
    return rate * (2.0 / q) / (root + 1.0), -rate / (q * root)


@compiled()
def _belief_frequency(price: float, rate: float, shape: float, weight: float) -> tuple[float, float]:
    if rate >= ALWAYS:
        return 0.0, 0.0
    b = shape / rate
    q = price / (weight * b)
    z = belief_gain_inverse(shape, q)
    if z > 700.0:
        return 0.0, 0.0
    u = math.expm1(z)
    f = 1.0 / (b * u)
    # dv/du = a u s^(-a-1);  df/dlog k = -f (q/u) / (dv/du)
    return f, -f * (q / u / u) / shape * math.exp((shape + 1.0) * z)


@compiled()
def index(objective: int, tau: float, rate: float, shape: float, weight: float) -> float:
    """V(tau): what a visit ``tau`` seconds after the last one is worth; for Poisson visits tau is 1/f."""
    if weight <= 0.0 or rate <= NEVER or tau <= 0.0:
        return 0.0
    rate = min(rate, ALWAYS)
    x = rate * tau
    if objective == FRESHNESS:
        return weight / rate * gain(x)
    if objective == AGE:
        return weight / rate * (age_gain(x) / rate)
    if objective == HARMONIC:
        return weight / rate * harmonic_gain(x)
    if objective == BELIEF:
        b = shape / rate
        return weight * b * belief_gain(shape, math.log1p(tau / b))
    if objective == POISSON:
        return weight / rate * (x / (1.0 + x)) ** 2
    return weight * tau * x / (1.0 + x)


@compiled()
def limit(objective: int, rate: float, shape: float, weight: float) -> float:
    """The price from which on the page is starved; infinite where no price starves it, 0 where every one does."""
    if weight <= 0.0 or rate <= NEVER:
        return 0.0
    if objective in (FRESHNESS, POISSON):
        return 0.0 if rate >= ALWAYS else weight / rate
    if objective == BELIEF:
        if rate >= ALWAYS:
            return 0.0
        return weight * (shape / rate) / (shape - 1.0) if shape > 1.0 else math.inf
    return math.inf


@compiled()
def mean_freshness(f: float, rate: float) -> float:
    """A*(f) = (1 - exp(-x))/x with x = rate/f: share of time a page visited every 1/f is up to date.  [CG03] §4."""
    if rate <= NEVER:
        return 1.0
    if f <= 0.0 or rate >= ALWAYS:
        return 0.0
    x = rate / f
    return -math.expm1(-x) / x if x > 1e-12 else 1.0 - 0.5 * x


@compiled()
def mean_age(f: float, rate: float) -> float:
    """Mean age of a page visited every 1/f: 1/(2f) - (1 - A*)/rate; infinite if it changes and is never visited."""
    if rate <= NEVER:
        return 0.0
    if f <= 0.0:
        return math.inf
    x = min(rate, ALWAYS) / f
    if x < 1e-2:
        # 1/2 - (x - 1 + exp(-x))/x^2 = x/6 - x^2/24 + x^3/120 - ...
        return x * (1 / 6 - x * (1 / 24 - x * (1 / 120 - x * (1 / 720 - x / 5040)))) / f
    return (0.5 - (x + math.expm1(-x)) / (x * x)) / f
