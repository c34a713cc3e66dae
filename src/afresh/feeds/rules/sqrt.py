"""Sqrt: the plainest priced rule, one rate per feed and one price for all."""

import math
from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import STEP, compiled
from afresh.base.durations import format_duration
from afresh.base.models import Explanation, Row
from afresh.base.plain_numbers import must_save
from afresh.base.protocols import Step
from afresh.feeds.rules.hints import PRICE, WEIGHT
from afresh.feeds.rules.limits import bounded
from afresh.feeds.rules.rule import Rule, bounded_words, duration, explained


@compiled(STEP)
def next_poll(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """sqrt(2 price / rate), where the expected accumulated delay of the feed equals the price of a request.  DESIGN §3.

    The rate is that of the window with a virtual entry at the poll, |W| / (now - t_start).
    """
    n = len(window)
    if n == 0:
        return float(now + (params[2] if math.isnan(params[4]) else min(params[1], max(params[0], params[4]))))
    price = hints[PRICE] if hints[PRICE] > 0.0 else params[3]
    weight = hints[WEIGHT] if hints[WEIGHT] > 0.0 else 1.0
    return float(now + bounded(params, math.sqrt(max(0.0, 2.0 * price * (now - window[0]) / (n * weight)))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sqrt(Rule):
    """Polls when the entries expected meanwhile have waited, together, as many seconds as a request costs.

    ``price`` is that cost in entry-seconds; the price among the hints, where one is given, goes before it.
    """

    name: ClassVar[str] = "sqrt"
    step: ClassVar[Step] = staticmethod(next_poll)
    is_priced: ClassVar[bool] = True

    price: float = duration(1_000.0)
    eta_empty: float = duration(math.nan)  # standard interval of a document without entries; not set: eta

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:
        n = len(window)
        if n == 0:
            return explained(self, "no entries known: the standard interval is used")
        wait = self.wait(state, now, window, hints)
        if not now > window[0]:
            return explained(self, "all entries are dated now or later: the standard interval is used", interval=wait)
        price = float(hints[PRICE]) if hints[PRICE] > 0.0 else self.price
        rate = n / float(now - window[0])
        words = (
            f"worth it after {bounded_words(self, wait)}: an entry comes every {format_duration(1.0 / rate)}, "
            f"{must_save(price)}"
        )
        return explained(self, words, rate_per_day=rate * 86_400.0, price=price, interval=wait)
