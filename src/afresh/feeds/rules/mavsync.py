"""MAVSync: moving average over the window, synchronised with the newest entry, stretched by silence."""

import math
from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import STEP, compiled
from afresh.base.durations import format_duration
from afresh.base.models import Explanation, Row
from afresh.base.protocols import Step
from afresh.feeds.rules.hints import TTL
from afresh.feeds.rules.rule import Rule, bounded_words, choice, duration, explained


@compiled(STEP)
def next_poll(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """Moving average with virtual entry and synchronisation.  [R12] Alg. 2, eq. 4.9-4.11.

    The synchronised time counts exactly if the wait for it lies within the bounds; it is never clamped. ttl as lower
    bound or as interval replaces alpha, or alpha and beta ([R12] §5.2, spec §7).
    """
    alpha = params[0]
    beta = params[1]
    eta = params[2]
    if params[7] > 0.0 and hints[TTL] > 0.0:
        alpha = min(beta, max(alpha, hints[TTL]))
        eta = max(alpha, eta)
        if params[7] == 2.0:
            return float(now + alpha)
    n = len(window)
    if n == 0:
        return float(now + (eta if math.isnan(params[5]) else min(beta, max(alpha, params[5]))))
    oldest = window[0]
    if n >= 2:
        newest = window[n - 1]
        sync = newest + (newest - oldest) / (n - 1) + params[3]
        if alpha <= sync - now <= beta:
            return float(sync)
    interval = (now - oldest) / n
    if interval > 0.0:
        return float(now + min(beta, max(alpha, interval)))
    if not math.isnan(params[6]):
        return float(now + min(beta, max(alpha, params[6])))
    return float(now + (eta if params[4] == 0.0 else alpha))


@dataclass(frozen=True, slots=True, kw_only=True)
class MAVSync(Rule):
    """The thesis's own rule: a regular publisher is met when its next entry appears, a silent one ever more rarely.

    With W the window and z the poll: sync at t_end + (t_end - t_start)/(|W| - 1) + kappa if that is between alpha and
    beta away, else after (now - t_start)/|W|, as if an entry had come at the poll. [R12] Alg. 2.
    """

    name: ClassVar[str] = "mavsync"
    step: ClassVar[Step] = staticmethod(next_poll)

    kappa: float = duration(0.0, open_low=False)  # added to the synchronised time: building a document takes seconds
    zero_interval: str = choice("eta", "alpha")  # what an interval of zero means (Alg. 2 as printed: alpha)
    eta_empty: float = duration(math.nan)  # standard interval of a document without entries; not set: eta
    eta_undated: float = duration(math.nan)  # standard interval where all times are the poll's own; not set: eta
    ttl: str = choice("ignore", "lower", "interval")  # the server's ttl: no matter, lower bound, the interval itself

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:
        due = float(next_poll(self.params(), state.copy(), now, window, 0, hints, 0.0))
        wait, n = due - now, len(window)
        if n == 0:
            return explained(self, f"no entries known: next poll in {format_duration(wait)}", interval=wait)
        mean = (window[-1] - window[0]) / (n - 1) if n > 1 else math.nan
        sync = window[-1] + mean + self.kappa
        if due == sync:
            words = f"{n} entries came every {format_duration(mean)} on average: the next is expected at that distance"
        else:
            words = (
                f"the next entry is overdue or too near: {n} entries in {format_duration(now - window[0])}, counting "
                f"this poll as one, make {bounded_words(self, (now - window[0]) / n)}"
            )
        return explained(self, words, interval=wait, mean_gap=float(mean), entries=float(n))
