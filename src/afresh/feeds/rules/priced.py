"""Priced, the default: a learnt intensity per feed, and the cheapest plan of polls at the price of a request."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from afresh.base.compiled import STEP, compiled, interpreted, plain
from afresh.base.durations import format_duration
from afresh.base.models import Explanation, Row
from afresh.base.plain_numbers import amount, must_save, often
from afresh.feeds.rules import _intensity as known
from afresh.feeds.rules._clocks import follow, is_asked
from afresh.feeds.rules._earlier import renewed
from afresh.feeds.rules._forecast import forecast, worth
from afresh.feeds.rules._intensity import group_size, learn, rates, regularity
from afresh.feeds.rules._plan import AT, ENTRIES, NODES, PLAIN, ROWS, cheapest
from afresh.feeds.rules._rhythm import is_rhythm_known, learnt_rhythm, rhythm, weigh
from afresh.feeds.rules._window import before_loss, pauses, saved, spacing_within
from afresh.feeds.rules.rule import Rule, duration, explained, number

if TYPE_CHECKING:
    from afresh.base.protocols import Step

#: Digest of the modules that are compiled into the step. A compilation cached on disk is thrown away when this file
#: changes, not when they do; a test keeps the digest right.
REVISION = "602a5622484ce670"

_SIZE, _AHEAD, _PLANNED, _WAITED = known.SIZE, known.AHEAD, known.PLANNED, known.WAITED

#: what is believed of feeds in general, in the order of the params row
BELIEFS = ("memory", "lately", "belief", "usual", "spread", "group", "turn", "sure")

LOOK_AHEAD = 6.0  # the plan's length in ideal intervals
DAILY_LOOK_AHEAD = 2.5 * 86_400.0
LONG = 2.0 * 86_400.0  # waits beyond this are not placed within the day


@compiled(cache=False)
def grid_minutes(interval: float) -> int:
    """Minutes between the poll times that are looked at, a divisor of 60; finer steps gained next to nothing."""
    if interval < 600.0:
        return 1
    if interval < 3_600.0:
        return 3
    if interval < 10_800.0:
        return 5
    return 15 if interval < 28_800.0 else 30


@compiled(cache=False)
def polls_for_a_loss(params: Row, factor: float, price: float) -> float:
    """How many polls a lost entry of the worth ``factor`` costs.

    As much as one that waited as long as a feed with one entry within the memory is left alone.
    """
    rare = 1.0 / (params[known.MEMORY] * known.DAY)
    return factor * math.sqrt(2.0 / (price * rare * worth(params, rare, params[4])))


@compiled(cache=False)
def plan(params: Row, state: Row, now: float, window: Row, hints: Row) -> float:
    """Seconds of the rule's own clock to the next poll; notes in the state how many entries are expected by then."""
    pace = state[known.PACE]
    alpha, beta = params[0] * pace, params[1] * pace
    price = pace * (hints[8] if hints[8] > 0.0 else params[3])
    if hints[9] >= 0.0:
        price /= max(hints[9], 1e-9)
    usual, lately = rates(params, state, now)
    factor = worth(params, usual, params[4])
    ideal = math.sqrt(2.0 * price / (factor * lately))
    group, spacing = group_size(state), spacing_within(window, pace, 60.0 * params[known.GROUP], lately)
    capacity = hints[7] if hints[7] > 0.0 else math.inf
    dear = polls_for_a_loss(params, factor, price)
    if ideal < alpha or min(ideal, beta) > LONG:
        chosen = min(before_loss(ideal, alpha, lately, dear, capacity, group, spacing), beta)
        state[_AHEAD] = chosen * usual
        state[_PLANNED] = chosen
        return float(chosen)
    step = grid_minutes(ideal)
    grid = np.empty((ROWS, NODES))
    horizon = DAILY_LOOK_AHEAD if step == 30 else max(LOOK_AHEAD * ideal, 720.0 * step)
    last = min(int(horizon / (60.0 * step)) + 1, NODES - 2)
    forecast(params, grid, last, step, state, now, price, factor)
    node = cheapest(grid, last, price, alpha, max(1, int(beta / (60.0 * step))))
    # of a stream that does not pause, minutes that were seen once would be taken for a habit
    trust = 1.0 if is_rhythm_known(state) else pauses(lately, spacing)
    while node > 1:
        lag = grid[AT, node]
        expected = trust * grid[ENTRIES, node] / factor + (1.0 - trust) * lately * lag
        if not dear * saved(expected, lag, capacity, group, spacing) > 1.0:
            break
        node -= 1
    lag = soonest = grid[AT, node]
    if node == 1:  # the window may be full before the first node
        rate = trust * grid[ENTRIES, 1] / (factor * lag) + (1.0 - trust) * lately
        soonest = before_loss(lag, alpha, rate, dear, capacity, group, spacing)
    chosen = min(max(soonest, alpha), beta)
    state[_AHEAD] = grid[PLAIN, node] * chosen / lag if lag > 0.0 else chosen * usual
    state[_PLANNED] = chosen
    return float(chosen)


@compiled(STEP)
def next_poll(params: Row, state: Row, now: float, window: Row, new: int, hints: Row, u: float) -> float:  # noqa: ARG001
    """Learn what the poll showed, plan the next one; both on a clock on which a day has 86,400 seconds."""
    n = len(window)
    is_first = state[_PLANNED] == 0.0
    pace = known.DAY / params[5]
    state[known.PACE] = pace
    here = now * pace
    if is_asked(state, here):
        quarters, weekdays, minutes = np.empty(96), np.empty(7), np.empty(60)
        learnt_rhythm(params, state, quarters, weekdays, minutes)
        follow(params, state, here, window, max(0, min(new, n)), quarters)
    learn(params, state, here, window, max(0, min(new, n)), hints[7] if hints[7] > 0.0 else float(n), hints[11] == 1.0)
    weigh(params, state)
    if is_first:
        if n > 0 and window[0] * pace >= here - 1.0:  # undated: nothing can be computed yet
            state[_PLANNED] = params[2] * pace
            state[_AHEAD] = state[_PLANNED] * params[known.USUAL] / known.DAY
            return float(now + params[2])
        state[_WAITED] = rates(params, state, here)[0] * max(0.0, here - window[n - 1] * pace) if n > 0 else 5.0
    return float(now + plan(params, state, here, window, hints) / pace)


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced(Rule):
    """Polls when it is worth its price: the cheapest plan for the entries a feed is expected to publish.

    ``price`` is what a request costs in entry-seconds of waiting; the price among the hints, where one is given, goes
    before it, and the weight among the hints multiplies the worth of the feed's entries. ``fairness`` lies between
    counting all entries alike (0), for which quiet feeds wait, and all feeds alike (1). ``day`` is how long the day
    lasts whose hours are learnt: a demo or a simulation may have a shorter one, which begins when it divides the time
    since 1970. The others are what is believed of feeds in general, with ``memory`` and ``lately`` in such days and
    ``group`` in their minutes: their meaning and their weight are told in docs/theory/priced.md.
    """

    name: ClassVar[str] = "priced"
    state_size: ClassVar[int] = _SIZE
    step: ClassVar[Step] = staticmethod(next_poll)
    is_priced: ClassVar[bool] = True
    warm_up: ClassVar[bool] = True

    price: float = duration(1_000.0)
    fairness: float = number(0.4, high=1.0, open_low=False)
    day: float = duration(known.DAY)
    memory: float = number(60.0)
    lately: float = number(3.2)
    belief: float = number(7.0)
    usual: float = number(0.12)
    spread: float = number(1.2)
    group: float = number(10.0)
    turn: float = number(0.8)
    sure: float = number(3.0)

    def state_from(self, kept: Row) -> Row:
        return Rule.state_from(self, renewed(kept, self.params()))

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:
        if not state[_PLANNED] > 0.0:
            return explained(self, "never polled: nothing is known yet")
        pace, params = float(state[known.PACE]), self.params()
        daily = pace * known.DAY  # of days of 24 hours
        usual, lately = (rate * daily for rate in interpreted(rates)(params, state, now * pace))
        quarters, weekdays, minutes = np.empty(96), np.empty(7), np.empty(60)
        interpreted(rhythm)(params, state, quarters, weekdays, minutes)
        hours = quarters.reshape(24, 4).sum(axis=1)
        price = float(hints[8]) if hints[8] > 0.0 else self.price
        interval = float(state[_PLANNED]) / pace
        if not len(window) and state[known.NEWEST] <= known.NEVER and not state[known.ENTRIES] > 0.0:
            return self._without_entries(usual, price, interval)
        busiest = int(np.argmax(hours))
        clock = "UTC" if self.day == known.DAY else f"of a day of {format_duration(self.day)}"
        is_known = interpreted(is_rhythm_known)(state)
        # before, the forecast takes minutes that were seen once for a habit: the rate is what can be told
        expected = float(state[_AHEAD]) if is_known else lately * interval / 86_400.0
        counts = plain(worth)(params, usual / daily, self.fairness)
        habit = f"most at {busiest:02d} h {clock}" if is_known else "its rhythm not known yet"
        words = (
            f"{_rate_words(usual, lately)}, {habit}: worth a visit after {format_duration(interval)}, "
            f"by when {amount(expected)} entries are expected{_beyond(expected, float(hints[7]))} "
            f"({must_save(price)})"
        )
        return explained(
            self,
            words,
            rate_per_day=usual,
            lately_per_day=lately,
            **(_busiest(hours, weekdays, minutes) if is_known else {}),
            regularity=float(plain(regularity)(params, state)),
            expected_since_newest=float(state[_WAITED]),
            expected_entries=expected,
            price=price,
            fairness=self.fairness,
            entry_counts=counts,
            interval=interval,
            usual_interval=self._before_loss(state, window, hints, usual / daily, price * pace, counts) / pace,
        )

    def _before_loss(self, state: Row, window: Row, hints: Row, rate: float, price: float, counts: float) -> float:
        """The usual interval in the rule's own clock, as short as the window wants it."""
        pace, params = float(state[known.PACE]), self.params()
        wanted = self._usual(rate * pace, price / pace, counts) * pace
        group, spacing = plain(group_size)(state), plain(spacing_within)(window, pace, 60.0 * params[known.GROUP], rate)
        dear = interpreted(polls_for_a_loss)(params, counts, price)
        capacity = float(hints[7]) if hints[7] > 0.0 else math.inf
        shortest = self.bounds.shortest * pace
        return float(interpreted(before_loss)(wanted, shortest, rate, dear, capacity, group, spacing))

    def _without_entries(self, usual: float, price: float, interval: float) -> Explanation:
        """Of a feed that never had an entry: rates and silence would be those of feeds in general, not its own."""
        counts = plain(worth)(self.params(), usual / known.DAY, self.fairness)
        return explained(
            self,
            "it never had an entry, so it is visited as feeds of which nothing is known: after"
            f" {format_duration(interval)} ({must_save(price)})",
            rate_per_day=0.0,
            price=price,
            fairness=self.fairness,
            interval=interval,
            usual_interval=self._usual(usual / 86_400.0, price, counts),
        )

    def _usual(self, rate: float, price: float, counts: float) -> float:
        """The interval at which a feed of that rate is visited on average, seconds: what is averted pays the price."""
        wanted = math.sqrt(2.0 * price / max(1e-12, rate * counts))
        return min(self.bounds.longest, max(self.bounds.shortest, wanted))


def _rate_words(usual: float, lately: float) -> str:
    """How much it publishes in a day; how much lately only where that sounds different."""
    said, now_said = (often(rate, "entry", "entries") for rate in (usual, lately))
    return said if said == now_said else f"{said} ({now_said} lately)"


def _beyond(expected: float, capacity: float) -> str:
    """What is lost whenever it is visited."""
    return f", more than the {capacity:.0f} that it shows: the others are lost" if 0.0 < capacity < expected else ""


def _busiest(hours: Row, weekdays: Row, minutes: Row) -> dict[str, float]:
    return {
        "busiest_hour": float(np.argmax(hours)),
        "busiest_hour_factor": float(np.max(hours)),
        "busiest_weekday": float(np.argmax(weekdays)),
        "weekend_factor": float(weekdays[5:].mean() / max(1e-9, weekdays[:5].mean())),
        "busiest_minute": float(np.argmax(minutes)),
        "busiest_minute_share": float(np.max(minutes)),
    }
