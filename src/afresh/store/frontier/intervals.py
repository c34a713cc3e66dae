"""How long until a page is worth a visit again: the freshness-optimal interval at its site's price.

A page that changes at ``rate`` is visited after the tau at which the index V(tau) = g(rate tau)/rate reaches the price
(``base.marginals``); the price, in seconds of staleness, is its site's: it rises while more pages are due than
the site's delay allows and falls while there is room, so that each site settles at the price of its own capacity.
Pages that change faster than 1/price are not chased: they would be stale on arrival.
"""

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

FIRST_PRICE = 21_600.0  # seconds of staleness a visit must save, before a site has taught its own
PRIOR_RATE = 1.0 / (7 * 86_400.0)  # changes a second of a page not compared yet
_RISE, _FALL = 1.05, 0.98
_LOWEST, _HIGHEST = 1.0, 1e8


def revisit_intervals(
    rate: NDArray[np.float64], price: NDArray[np.float64], *, shortest: float, longest: float
) -> NDArray[np.float64]:
    """Seconds until the next visit, page by page.

    >>> revisit_intervals(np.array([1e-5]), np.array([21_600.0]), shortest=60.0, longest=1e9).round() / 3600.0
    array([24.12...])
    """
    rate = np.where(rate > 0.0, rate, PRIOR_RATE)
    q = rate * price
    gain_inverse = _gain_inverse()
    x = np.array([gain_inverse(value) if value < 1.0 else np.inf for value in q.tolist()])
    return np.clip(x / rate, shortest, longest)


def next_price(price: float, *, more_is_due: bool) -> float:
    """A site's price after a list: up if it could not hold all that was due, else down."""
    return min(max((price or FIRST_PRICE) * (_RISE if more_is_due else _FALL), _LOWEST), _HIGHEST)


@lru_cache(maxsize=1)
def _gain_inverse() -> Callable[[float], float]:
    """Compiled code, loaded when it is first needed: a scheduler that was killed is back in half the time."""
    found: Callable[[float], float] = import_module("afresh.base.marginals").gain_inverse
    return found
