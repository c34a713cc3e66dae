"""IndHist and IndHist/TTL: an hourly profile of the feed's own history, and a threshold on expected entries."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from afresh.base.calendar import hour_of_day, next_hour
from afresh.base.compiled import READ, STEP, compiled
from afresh.base.models import Explanation, Row
from afresh.base.protocols import Step
from afresh.feeds.rules.hints import PROFILE
from afresh.feeds.rules.limits import bounded
from afresh.feeds.rules.profiles import daily_profile
from afresh.feeds.rules.rule import Rule, bounded_words, duration, explained, number

HOURS = 24


@compiled(f"float64({READ})")
def daily_rate(hints: Row) -> float:
    """Expected entries of a whole day."""
    total = 0.0
    for h in range(HOURS):
        total += hints[PROFILE + h]
    return total


@compiled(f"float64({READ}, float64, float64)")
def expected(hints: Row, start: float, end: float) -> float:
    """Expected entries between two times, the hours weighted with the share that is covered."""
    days = math.floor((end - start) / 86_400.0)
    total = days * daily_rate(hints)
    t = start + days * 86_400.0
    while t < end:
        stop = min(end, next_hour(t))
        total += hints[PROFILE + hour_of_day(t)] * (stop - t) / 3_600.0
        t = stop
    return total


@compiled(f"float64({READ}, float64, float64, float64)")
def reach(hints: Row, now: float, theta: float, beta: float) -> float:
    """The interval after which theta entries are expected; 0 where none ever are, beta where it takes longer."""
    daily = daily_rate(hints)
    if not daily > 0.0:
        return 0.0
    days = math.floor(theta / daily)  # whole days at once: the cost is that of 24 hours, not of the interval
    need = theta - days * daily
    t = now + days * 86_400.0
    if days >= 1.0 and need <= 0.0:
        return days * 86_400.0
    while t - now <= beta:
        rate = hints[PROFILE + hour_of_day(t)]
        end = next_hour(t)
        gain = rate * (end - t) / 3_600.0
        if rate > 0.0 and gain >= need:
            return float(t + need / rate * 3_600.0 - now)
        need -= gain
        t = end
    return beta


@compiled(STEP)
def next_poll(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """Poll when theta entries are expected since the last poll.  [R12] §4.2.4."""
    return float(now + bounded(params, reach(hints, now, params[3], params[1])))


@compiled(STEP)
def next_poll_ttl(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """IndHist, but AdaptiveTTL for this one prediction if the recent past shows a burst.  [R12] §4.2.4."""
    n = len(window)
    observed = 0
    while observed < n and window[n - 1 - observed] > now - params[5]:
        observed += 1
    predicted = expected(hints, now - params[5], now)
    burst = observed > 0 if predicted <= 0.0 else observed / predicted > params[6]
    if burst:
        return float(now + bounded(params, params[4] * (now - window[n - 1]) if n >= 1 else 0.0))
    return float(now + bounded(params, reach(hints, now, params[3], params[1])))


@dataclass(frozen=True, slots=True, kw_only=True)
class IndHist(Rule):
    """Inhomogeneous Poisson model with 24 hourly rates; polls when ``theta`` new entries are expected.

    0.7 is best over entries, 10 over feeds ([R12] tables A.3, A.4). The profile is trained beforehand and static.
    """

    name: ClassVar[str] = "indhist"
    profile_size: ClassVar[int] = HOURS
    has_calendar: ClassVar[bool] = True
    step: ClassVar[Step] = staticmethod(next_poll)

    theta: float = number(0.7)

    def train(self, times: Row, start: float, end: float) -> Row:  # noqa: ARG002
        """The hourly rates a feed's history shows."""
        return daily_profile(times, end, slots=HOURS)

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:  # noqa: ARG002
        interval = float(reach(hints, now, self.theta, self.bounds.longest))
        words = f"{self.theta:g} entries are expected after {bounded_words(self, interval)}"
        return explained(self, words, rate_per_day=float(daily_rate(hints)), interval=interval)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndHistTTL(IndHist):
    """IndHist with a way out: AdaptiveTTL when the last ``V`` seconds brought ``t_burst`` times what was expected.

    Observed entries are counted in the window, so at most as many as it shows.
    """

    name: ClassVar[str] = "indhist_ttl"
    step: ClassVar[Step] = staticmethod(next_poll_ttl)

    M: float = number(0.1)
    V: float = duration(3_600.0)
    t_burst: float = number(2.0)

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:
        wait = self.wait(state, now, window, hints)
        seen = float(np.count_nonzero(window > now - self.V))
        predicted = float(expected(hints, now - self.V, now))
        burst = seen > self.t_burst * predicted and seen > 0
        words = "a burst: a fraction of the newest entry's age" if burst else f"{self.theta:g} entries are expected"
        return explained(
            self, f"{words}, {bounded_words(self, wait)}", observed=seen, predicted=predicted, interval=wait
        )
