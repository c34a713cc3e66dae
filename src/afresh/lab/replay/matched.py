"""A priced rule at the polls of another: price calibrated on the training part, corrected by what has been spent.

Nothing of the test part is used before it has happened. The controller compares its own polls with those that the
reference would have made, told from the entries found so far (``shadow``), and spreads the difference over the days
ahead; the price moves by as much as the calibration has shown polls to answer to it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, cast

import numpy as np

from afresh.base.calendar import DAY, HOUR, WEEK
from afresh.base.errors import ModelError
from afresh.base.registry import read_spec
from afresh.engine.price import PriceController
from afresh.feeds.rules.rule import Rule
from afresh.lab.replay.period import Period
from afresh.lab.replay.result import ReplayResult
from afresh.lab.replay.run import prepared, series_of, slice_ends
from afresh.lab.replay.stage import Conditions, Stage, staged
from afresh.lab.replay.trace import Trace
from afresh.lab.replay.within import within

SLICE = 6.0 * HOUR
#: the shadow stays at least this far behind when beta is no limit
MOST_LAG = WEEK


@dataclass(frozen=True, slots=True)
class Calibration:
    """The price at which a rule's polls in the training part equal the reference's."""

    price: float
    elasticity: float  # d log polls / d log price, negative
    polls: int  # of the rule in the training part at that price
    reference: int  # of the reference there

    @property
    def error(self) -> float:
        return self.polls / self.reference - 1.0 if self.reference else math.nan


def has_price(rule: Rule) -> bool:
    """Whether the rule has a price to be calibrated."""
    return any(item.name == "price" for item in fields(cast("Any", rule)))


def writable(price: float) -> float:
    """The price to four digits: one that is found can be written down, and what is written is what ran.

    >>> writable(504.7847259519293)
    504.8
    """
    return float(f"{price:.4g}")


def at_price(spec: str, price: float) -> str:
    """The rule of a specification at this price, as it is written into ``predict.rule``.

    >>> at_price("priced", 504.8), at_price("priced:memory=30,price=1h", 1e6)
    ('priced:price=504.8', 'priced:price=1000000,memory=30')
    """
    name, given = read_spec(spec)
    parts = {"price": np.format_float_positional(price, trim="-")} | {k: v for k, v in given.items() if k != "price"}
    return f"{name}:" + ",".join(f"{key}={value}" for key, value in parts.items())


def solve_price(
    polls_at: Callable[[float], int], target: float, guess: float, *, tolerance: float = 0.002
) -> tuple[float, float]:
    """The price at which ``polls_at`` meets ``target``, and the elasticity there.

    Polls fall with the price, about as its square root: a secant on logarithms, kept inside a bracket.
    """
    low, high = math.log(1e-3), math.log(1e12)
    x, slope = math.log(guess), -0.5
    points: list[tuple[float, float]] = []
    best = (math.inf, x)
    for _ in range(14):
        y = math.log(max(1, polls_at(math.exp(x))) / max(1.0, target))
        best = min(best, (abs(y), x))
        if abs(y) <= tolerance:
            break
        low, high = (max(low, x), high) if y > 0 else (low, min(high, x))
        if points and abs(x - points[-1][0]) > 1e-9:
            slope = min(-0.05, max(-2.0, (y - points[-1][1]) / (x - points[-1][0])))
        points.append((x, y))
        x = x - y / slope
        if not low < x < high:
            x = (low + high) / 2.0
    return math.exp(best[1]), slope


def calibrate(
    trace: Trace | Stage, rule: Rule, reference: Rule, *, period: Period, seed: int = 0, jobs: int = 1
) -> Calibration:
    """The price for the reference's number of polls in the training part."""
    if not has_price(rule):
        raise ModelError(f"{rule.name} has no price that could be calibrated")
    if not period.train_seconds > 0:
        raise ModelError("to calibrate a price a training part is needed; give --train")
    stage = staged(trace, jobs)
    under = Conditions(period=period, seed=seed)
    target = stage.training_polls(reference, under, price=math.nan)
    made: dict[float, int] = {}

    def polls_at(price: float) -> int:
        tried = writable(price)
        made[tried] = stage.training_polls(rule, under, price=tried)
        return made[tried]

    # from the same guess whatever price was written: that one is replaced, and must not show in the last digits
    guess = next(cast("float", item.default) for item in fields(cast("Any", rule)) if item.name == "price")
    price, elasticity = solve_price(polls_at, target, guess if guess > 0 else 1_000.0)
    return Calibration(writable(price), elasticity, made[writable(price)], target)


def replay_matched(
    trace: Trace | Stage,
    rule: Rule,
    reference: Rule,
    *,
    period: Period,
    seed: int = 0,
    keep_delays: bool = False,
    aim: float = 1.0,
    found: Calibration | None = None,
) -> ReplayResult:
    """A replay of a priced rule that spends, as well as can be known in time, ``aim`` times the reference's polls."""
    rule, reference = prepared(rule, period, None), prepared(reference, period, None)
    stage = staged(trace)
    found = found or calibrate(stage, rule, reference, period=period, seed=seed)
    under = Conditions(period=period, seed=seed, keep_delays=keep_delays)
    pair = stage.pair(rule, reference, under, price=found.price)
    controller = _Controller(period, found, reference, len(stage), aim)
    rows, spent = [], 0.0
    for until in slice_ends(period, SLICE):
        price = controller.price
        made = pair.advance(until, price)
        rows.append((until, made.polls, made.found, made.bytes, price))
        spent = made.seconds
        if until < period.end:
            seen = max(period.test, until - controller.lag)
            controller.correct(until, made.polls, seen, pair.reference_polls(seen))
    calibrated = replace(cast("Any", rule), price=found.price)
    return replace(pair.result(period.end), rule=calibrated, seconds=spent, series=series_of(rows))


def replay_within(
    trace: Trace | Stage, rule: Rule, reference: Rule, *, period: Period, seed: int = 0, keep_delays: bool = False
) -> ReplayResult:
    """``replay_matched`` that never makes more polls than the reference, and hardly fewer.

    What is aimed at is the one thing that is known only afterwards: a run that came out above the reference is thrown
    away and repeated with a lower aim, one that came out far below with a higher one. Where no price is high enough,
    because all feeds wait their longest already, the cheapest run is the answer.
    """
    stage = staged(trace)
    allowed = int(stage.replay(reference, period=period, seed=seed).polls.sum())
    found = calibrate(stage, rule, reference, period=period, seed=seed)

    def run(aim: float) -> ReplayResult:
        return replay_matched(
            stage, rule, reference, period=period, seed=seed, keep_delays=keep_delays, aim=aim, found=found
        )

    return within(run, lambda result: int(result.polls.sum()), allowed)


class _Controller:
    """Moves the price so that polls made and polls allowed meet at the end.

    Allowed by now: the shadow's polls up to where it has come, and from there on its mean rate, in which the rate of
    the training part weighs as much as a week.
    """

    def __init__(self, period: Period, found: Calibration, reference: Rule, feeds: int, aim: float) -> None:
        self.lag = min(reference.bounds.longest, MOST_LAG)
        self._period, self._feeds, self._aim = period, feeds, aim
        self._control = PriceController(found.price, elasticity=found.elasticity)
        self._prior = max(0, found.reference - feeds) / period.train_seconds

    @property
    def price(self) -> float:
        return self._control.price

    def correct(self, now: float, made: int, seen: float, reference: int) -> None:
        """A new price, from own polls made by ``now`` and the reference's by ``seen`` (first polls in both)."""
        elapsed = seen - self._period.test
        rate = (self._prior * WEEK + (reference - self._feeds)) / (WEEK + elapsed)
        allowed = self._aim * (reference - self._feeds + rate * (now - seen))
        ahead = self._period.end - now
        horizon = min(WEEK, ahead + DAY / 2.0)
        self._control.settle(saved=allowed - (made - self._feeds), planned=rate * horizon)
