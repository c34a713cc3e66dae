"""Refresh strategies on recorded histories, each with the same requests, and the default rule among them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from afresh.base.calendar import DAY, HOUR, WEEK
from afresh.base.errors import UsageError
from afresh.base.models import Bounds
from afresh.base.settings.sections import RefreshSettings
from afresh.engine.price import PriceController
from afresh.engine.quality_targets import CLOSE
from afresh.feeds.estimators import Estimator
from afresh.feeds.rules import load
from afresh.feeds.rules.priced import Priced
from afresh.feeds.rules.rule import Rule
from afresh.feeds.strategies import Strategy
from afresh.feeds.strategies.divergence import threshold_for
from afresh.lab.metrics import Tally, average
from afresh.lab.metrics.refresh import completeness, freshness_over_time, timeliness
from afresh.lab.refresh.catalogue import ESTIMATORS, estimator, strategy
from afresh.lab.refresh.known import Known
from afresh.lab.refresh.simulator import Knowledge, Simulation, Web
from afresh.lab.replay.matched import solve_price
from afresh.lab.replay.period import Period, population
from afresh.lab.replay.playback import Keep
from afresh.lab.replay.run import prepared, slice_ends, started
from afresh.lab.replay.stage import Conditions, training_polls
from afresh.lab.replay.trace import Floats, Ints, Mask, Trace
from afresh.lab.replay.within import within

#: strategies that a recorded history can be given to
STRATEGIES = ("two_steps", "only_tau", "only_sat", "uniform", "priced")
#: knowledge besides the estimators: ``online`` is the default model, ``true`` the divergence itself, as in [H12] Ch. 4
ONLINE, TRUE = "online", "true"
DEFAULT_ESTIMATOR = "hybrid"
DEFAULT_RULE = "priced"
CONTROL = 6.0 * HOUR  # between two corrections of the price
LOST = 2.0  # rounds: an entry that is found later than this, or never, counts as lost
DEFAULT_FAIRNESS = RefreshSettings().fairness
_SLOW = 10.0  # rounds over which savings and debts are spread, at least
_ROUNDS = 4.0  # that the default rule may leave a feed alone, however short its longest interval is
_ANSWER = -0.3  # of polls to the price, at least: where they stop all at once, a measured answer of 0 throws it far off
LEAST = 10.0  # requests between two moves of the threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class Refreshed:
    """One strategy's line: what it spent and what it got in the test part."""

    strategy: str
    budget: float  # polls per entry of the training part
    estimator: str
    model: str  # what the strategy in fact went by
    completeness: float
    freshness: float
    delay_feeds: float
    delay_entries: float
    requests: int
    allowed: float  # requests by the budget
    missed: int
    feeds: int
    fairness: float  # between entries (0) and feeds (1)
    timeliness: float  # the objective: 1, less the part of the time until an entry would count as lost that it waited
    target: float | None = None  # the mean delay that was to be met; None: a budget was

    @property
    def quality(self) -> float:
        """Geometric mean of completeness and freshness."""
        return math.sqrt(self.completeness * self.freshness)

    @property
    def is_met(self) -> bool | None:
        """Whether the target was met, as the daemon judges its own; None: there was none."""
        return None if self.target is None else self.delay_entries <= CLOSE * self.target

    def as_dict(self) -> dict[str, object]:
        return {**asdict(self), "quality": self.quality, "is_met": self.is_met}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A history, its period and how fast requests may be spent on it."""

    trace: Trace
    period: Period
    budget: float
    bounds: Bounds
    fairness: float = DEFAULT_FAIRNESS
    seed: int = 0
    jobs: int = 1

    @property
    def entries(self) -> int:
        """Entries published in the training part."""
        inside = (self.trace.times >= self.period.start) & (self.trace.times < self.period.test)
        return int(inside.sum())

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.budget * self.entries / self.period.train_seconds

    @property
    def round(self) -> float:
        """Seconds that the budget needs to ask every feed once."""
        return len(self.trace) / self.rate


def refresh(
    trace: Trace,
    strategies: Sequence[str],
    *,
    period: Period,
    budget: float,
    knowledge: str = ONLINE,
    bounds: Bounds | None = None,
    fairness: float = DEFAULT_FAIRNESS,
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[str], None] = lambda _: None,
) -> list[Refreshed]:
    """Each strategy on the feeds listed throughout; it may learn in the training part, and is judged in the test part.

    ``budget``: polls per entry of the training part. Every feed is polled once, for nothing, when the test begins.
    """
    check_strategies(strategies, budget, knowledge, period)
    where = setting_of(trace, period=period, budget=budget, bounds=bounds, fairness=fairness, seed=seed, jobs=jobs)
    rows = []
    for name in strategies:
        progress(name)
        own_rule = name == "priced" and knowledge not in ("known", TRUE)
        rows.append(_priced(where, knowledge) if own_rule else _cycles(where, name, knowledge))
    return rows


def _within(run: Callable[[float], Refreshed], where: Setting) -> Refreshed:
    """A run that does not spend more than the budget; within it thresholds and prices follow what was spent."""
    return within(run, lambda row: row.requests, where.rate * where.period.test_seconds)


def setting_of(
    trace: Trace,
    *,
    period: Period,
    budget: float,
    bounds: Bounds | None = None,
    fairness: float = DEFAULT_FAIRNESS,
    seed: int = 0,
    jobs: int = 1,
) -> Setting:
    """The feeds that were listed throughout, and the budget over them; refused where there is nothing to count by."""
    if not period.train_seconds > 0:
        raise UsageError("what is spent is counted and learnt in the training part; give --train")
    chosen = replace(trace.select(population(trace, period)), polls=None, sizes=None)
    where = Setting(
        trace=chosen,
        period=period,
        budget=budget,
        bounds=bounds or Bounds(longest=28 * DAY),
        fairness=fairness,
        seed=seed,
        jobs=jobs,
    )
    if not len(chosen):
        raise UsageError(f"no feed of trace {trace.name} was listed throughout the period")
    if not where.entries:
        raise UsageError("the training part has no entry, so a budget in polls per entry allows no poll")
    return where


def check_strategies(strategies: Sequence[str], budget: float, knowledge: str, period: Period) -> None:
    for name in strategies:
        if name not in STRATEGIES:
            raise UsageError(f"unknown strategy {name!r}; there are {', '.join(STRATEGIES)}")
    known = (*ESTIMATORS, ONLINE, TRUE)
    if knowledge not in known:
        raise UsageError(f"unknown estimator {knowledge!r}; there are {', '.join(known)}")
    if not 0.0 < budget < math.inf:
        raise UsageError(f"--budget must be a positive number of polls per entry, not {budget:g}")
    if not period.train_seconds > 0:
        raise UsageError("the budget is counted in polls per entry of the training part; give --train")


# --- the strategies of the thesis, cycle by cycle ---------------------------------------------------------------------


def _cycles(where: Setting, name: str, knowledge: str) -> Refreshed:
    return _within(lambda aim: _cycles_at(where, name, knowledge, aim), where)


def _cycles_at(where: Setting, name: str, knowledge: str, aim: float) -> Refreshed:
    cycle = where.bounds.shortest
    period, trace = where.period, where.trace
    web = web_of(trace)
    told = knowledge_of(where, knowledge, waiting=name == "priced")
    chosen = strategy_of(where, name, cycle, aim)
    run = Simulation(web, chosen, told, start=period.start, cycle=cycle, seed=where.seed, keep_delays=True)
    run.advance(round(period.train_seconds / cycle))
    run.now = period.test
    run.refresh_all()
    part = run.advance(round(period.test_seconds / cycle))
    model = told.estimator.name if told.estimator else TRUE
    return scored(where, name, knowledge, model, run.delays, part.refreshes)


def web_of(trace: Trace) -> Web:
    """The feeds of a trace as sources of which everything is wanted."""
    return Web(offsets=trace.offsets, times=trace.times, windows=trace.windows.astype(np.float32))


def strategy_of(where: Setting, name: str, cycle: float, aim: float = 1.0) -> Strategy:
    """The strategy with the budget a cycle; savings are paid back within a day, the threshold moves every ten polls.

    As printed the threshold looks at single cycles; with a request or less in each that would hold the median.
    """
    used = "only_tau" if name == "priced" else name
    prior = np.full(len(where.trace), where.entries / len(where.trace) / where.period.train_seconds)
    return strategy(
        used,
        budget=aim * where.rate * cycle,
        horizon=DAY / cycle,
        least=LEAST,
        tau=threshold_for(prior, where.rate),
        floor=1e-6,
    )


def knowledge_of(where: Setting, knowledge: str, *, waiting: bool = False) -> Knowledge:
    """What strategies go by: a model by name, the rates of the test part, or the true divergence."""
    if knowledge == TRUE:
        return Knowledge(exact=True, random_ties=False, waiting=waiting, sample=False)
    if knowledge == "known":
        model = Known()
        test = where.period.test, where.period.end
        states = np.array([model.table(where.trace.stream(i), *test) for i in range(len(where.trace))])
        return Knowledge(estimator=model, states=states, random_ties=False, waiting=waiting, sample=False)
    return Knowledge(estimator=model_of(knowledge), random_ties=False, waiting=waiting, sample=False)


def model_of(knowledge: str) -> Estimator:
    """The estimator of that name; ``online`` is the default."""
    return estimator(DEFAULT_ESTIMATOR if knowledge == ONLINE else knowledge)


# --- the default rule -----------------------------------------------------------------------------------------------


def _priced(where: Setting, knowledge: str) -> Refreshed:
    rule = rule_of(where)
    calibration = calibrated(where, rule)
    return _within(lambda aim: _held(where, rule, calibration, knowledge, aim), where)


def rule_of(where: Setting) -> Rule:
    """The default rule with this fairness; it may wait as long as the budget has it wait."""
    longest = max(where.bounds.longest, _ROUNDS * where.round)
    bounds = replace(where.bounds, longest=longest)
    return prepared(load(f"{DEFAULT_RULE}:fairness={where.fairness:g}", bounds), where.period, bounds)


def _held(where: Setting, rule: Rule, calibration: tuple[float, float], knowledge: str, aim: float) -> Refreshed:
    period, trace = where.period, where.trace
    price, elasticity = calibration
    control = PriceController(price * aim ** (1.0 / elasticity), elasticity=elasticity)
    delays = np.full(len(trace.times), np.nan)
    playback = started(trace, rule, period, where.seed, where.jobs, keep=Keep(delays=delays), price=control.price)
    playback.advance(period.test, jobs=where.jobs)  # the poll of every feed with which the test begins
    playback.count_first_entries()
    rate = aim * where.rate
    for until in slice_ends(period, CONTROL):
        playback.advance(until, jobs=where.jobs)
        if until < period.end:
            # what is planned stands until it is made: nothing sooner than some rounds answers to the price
            horizon = max(_SLOW * where.round, min(WEEK, period.end - until + DAY / 2.0))
            saved = rate * (until - period.test) - (playback.executed - len(trace))
            playback.set_price(control.settle(saved=saved, planned=rate * horizon))
    return scored(where, "priced", knowledge, "priced", delays, playback.result(period.end).polls)


def calibrated(where: Setting, rule: Rule) -> tuple[float, float]:
    """The price at which the rule spends the budget in the training part, and how its polls answer to the price."""

    under = Conditions(period=where.period, seed=where.seed)

    def polls_at(price: float) -> int:
        made = training_polls(where.trace, rule, under, jobs=where.jobs, price=price)
        return max(1, made - len(where.trace))

    price, elasticity = solve_price(polls_at, where.budget * where.entries, 1_000.0, tolerance=0.01)
    return price, min(elasticity, _ANSWER)


# --- the score ------------------------------------------------------------------------------------------------------


def scored(where: Setting, name: str, knowledge: str, model: str, delays: Floats, polls: Ints) -> Refreshed:
    """The line of one strategy, from the delay of every entry it found and its polls by feed."""
    trace, period = where.trace, where.period
    inside = (trace.times > period.test) & (trace.times <= period.end)
    found = inside & ~np.isnan(delays)
    due, got = _sums(trace, inside), _sums(trace, found)
    waited = _sums(trace, np.where(found, np.nan_to_num(delays), 0.0))
    means = average(Tally.of(polls=polls, found=got, missed=due - got, open=np.zeros(len(trace)), delay_sum=waited))
    waits = np.where(found, np.nan_to_num(delays), _waits_so_far(trace, period.end))[inside]
    timely = timeliness(
        waits,
        due.astype(np.int64),
        most=LOST * where.round,
        fairness=where.fairness,
        feed=Priced().usual / DAY * period.test_seconds,
    )
    fresh = freshness_over_time(trace.times, trace.offsets, trace.windows, delays, start=period.test, end=period.end)
    return Refreshed(
        strategy=name,
        budget=where.budget,
        estimator=knowledge,
        model=model,
        completeness=completeness(got, due),
        freshness=float(fresh.mean()),
        delay_feeds=means.delay_feeds,
        delay_entries=means.delay_entries,
        requests=int(polls.sum()),
        allowed=where.rate * period.test_seconds,
        missed=means.missed,
        feeds=len(trace),
        fairness=where.fairness,
        timeliness=timely,
    )


def _waits_so_far(trace: Trace, end: float) -> Floats:
    """How long what was not found has waited at the end; infinity for what has left its document."""
    waits = np.full(len(trace.times), np.inf)
    for low, high, window in zip(trace.offsets[:-1], trace.offsets[1:], trace.windows, strict=True):
        last = low + np.searchsorted(trace.times[low:high], end, side="right")
        first = max(low, last - window)
        waits[first:last] = end - trace.times[first:last]
    return waits


def _sums(trace: Trace, values: Floats | Mask) -> Floats:
    running = np.concatenate([np.zeros(1), np.cumsum(values, dtype=np.float64)])
    sums: Floats = running[trace.offsets[1:]] - running[trace.offsets[:-1]]
    return sums
