"""A quality target on a recorded history: the mean delay that shall be reached, for as few requests as it takes.

[H12] (Conclusion) names it as future work, without an algorithm. It is the budget turned round: the price that is moved
until requests meet a budget is moved until delays meet the target, by the daemon's code (``engine.quality_targets``).
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from afresh.base.calendar import HOUR
from afresh.base.durations import format_duration
from afresh.base.errors import UsageError
from afresh.engine.price import PriceController
from afresh.engine.quality_targets import Target, Wanted
from afresh.feeds.rules.rule import Rule
from afresh.lab.refresh.traces import Refreshed, Setting, rule_of, scored
from afresh.lab.replay.playback import Keep, Playback
from afresh.lab.replay.run import slice_ends, started
from afresh.lab.replay.trace import Floats

CONTROL = 6.0 * HOUR  # between two corrections of the price
GAIN = 0.3
_TRIES = 8


def meet_delay(where: Setting, target: float, *, progress: Callable[[str], None] = lambda _: None) -> Refreshed:
    """The default rule with a mean delay to hold; its line's ``budget`` is what that took, in polls per entry.

    ``progress`` is told what is done next.
    """
    period, jobs = where.period, where.jobs
    if not 0.0 < target < math.inf:
        raise UsageError(f"--mean-delay must be a positive duration like 20m, not {target:g} s")
    rule = rule_of(where)
    held = Target(Wanted("all", mean_delay=target), PriceController(_begin(where, rule, target, progress)))
    delays = np.full(len(where.trace.times), np.nan)
    playback = started(where.trace, rule, period, where.seed, jobs, keep=Keep(delays=delays), price=held.price)
    playback.advance(period.test, jobs=jobs)  # the poll of every feed with which the test begins
    playback.count_first_entries()
    _hold(playback, held, delays, where, progress)
    line = scored(where, "priced", "online", "priced", delays, playback.result(period.end).polls)
    spent = line.requests / period.test_seconds * period.train_seconds / where.entries
    return replace(line, budget=spent, allowed=float(line.requests), target=target)


def _hold(playback: Playback, held: Target, delays: Floats, where: Setting, progress: Callable[[str], None]) -> None:
    """Play the test part; after each slice the price learns from the delays that have ended in it."""
    counted = ~np.isnan(delays) | (where.trace.times <= where.period.test)
    ends = list(slice_ends(where.period, CONTROL))
    for number, until in enumerate(ends):
        progress(f"holding a mean delay of {format_duration(held.wanted.mean_delay or 0.0)}: {number / len(ends):.0%}")
        playback.advance(until, jobs=where.jobs)
        ended = ~np.isnan(delays) & ~counted
        if ended.any():
            held.note_delay(float(delays[ended].mean()), times=float(ended.sum()))
            counted |= ended
            playback.set_price(held.correct(gain=GAIN))


def _begin(where: Setting, rule: Rule, target: float, progress: Callable[[str], None]) -> float:
    """The price at which the training part comes to the target; delays go with its root."""
    price, best = 1_000.0, (math.inf, 1_000.0)
    for number in range(1, _TRIES + 1):
        progress(f"looking for the price to begin with: replay {number} of the training part, at most {_TRIES}")
        delay = _training_delay(where, rule, price)
        if not delay > 0.0:
            return price
        error = math.log(target / delay)
        best = min(best, (abs(error), price))
        if abs(error) < 0.02:
            break
        price = min(1e12, max(1e-3, price * math.exp(2.0 * error)))
    return best[1]


def _training_delay(where: Setting, rule: Rule, price: float) -> float:
    """Mean delay of the entries that the rule finds in the training part at a price."""
    trace, period = where.trace, where.period
    delays = np.full(len(trace.times), np.nan)
    playback = Playback(trace, rule, start=period.start, seed=where.seed, keep=Keep(delays=delays))
    playback.set_price(price)
    playback.advance(float(np.nextafter(period.test, -np.inf)), jobs=where.jobs)
    inside = (trace.times > period.start) & (trace.times < period.test) & ~np.isnan(delays)
    return float(delays[inside].mean()) if inside.any() else 0.0
