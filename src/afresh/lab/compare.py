"""Several rules on one trace, side by side: the rows of ``afresh lab replay`` and of most experiments."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypedDict, Unpack, cast

import numpy as np

from afresh.base.errors import UsageError
from afresh.base.models import Bounds
from afresh.feeds.rules import load, names, spec_of, values_of
from afresh.feeds.rules.rule import Rule
from afresh.lab.metrics import (
    EQUAL,
    Averages,
    DelayDistribution,
    Qualities,
    Tally,
    Weights,
    average,
    combine_modes,
    delay_distribution,
    goodness,
)
from afresh.lab.replay.ages import Age, by_age
from afresh.lab.replay.matched import at_price, calibrate, has_price, replay_within
from afresh.lab.replay.period import Period, population
from afresh.lab.replay.result import ReplayResult
from afresh.lab.replay.selection import selected
from afresh.lab.replay.stage import Here, Stage
from afresh.lab.replay.trace import Trace

#: The variants the thesis compares (Tables 4.11, 4.12); a rule that is not here runs with its own defaults.
VARIANTS: dict[str, tuple[str, ...]] = {
    "fix": ("fix:interval=1h", "fix:interval=1d", "fix:interval=7d"),
    "adaptive_ttl": ("adaptive_ttl:M=0.1", "adaptive_ttl:M=3"),
    "indhist": ("indhist:theta=0.7", "indhist:theta=10"),
    "indhist_ttl": ("indhist_ttl:theta=0.7,M=0.1", "indhist_ttl:theta=10,M=3"),
    "lihz": ("lihz:sigma=0.1", "lihz:sigma=1"),
}


def all_specs() -> list[str]:
    """Every registered rule, those with a parameter in the variants of the thesis."""
    return [spec for name in names() for spec in VARIANTS.get(name, (name,))]


#: said of a row whose price was moved while it was tested
STEERED = "steered"


@dataclass(frozen=True, slots=True)
class Steered:
    """Between which prices a rule was held to the polls of another."""

    reference: str
    least: float
    most: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One rule's line: what it spent and what it got, and its goodness among the others."""

    asked: str  # as the rule was asked for
    spec: str  # as it ran: of a priced rule that spends the polls of another, with the price found for that
    result: ReplayResult
    averages: Averages
    delays: DelayDistribution | None
    goodness_feeds: float = math.nan
    goodness_entries: float = math.nan
    goodness: float = math.nan
    ages: tuple[Age, ...] = ()  # delay by the age of our knowledge, where it was asked for
    steered: Steered | None = None  # None: at one price throughout, or without one

    @property
    def label(self) -> str:
        """What ran, in a few words: a price that was moved on the way is not the same as that price kept."""
        return f"{self.spec} {STEERED}" if self.steered else self.spec

    def as_dict(self) -> dict[str, object]:
        """Flat, for JSON and CSV; delays in seconds."""
        rule, steered = self.result.rule, self.steered or Steered("", math.nan, math.nan)
        flat: dict[str, object] = {
            "rule": self.label,
            "name": rule.name,
            "spec": self.spec,
            "asked": self.asked,
            "steered_to": steered.reference,
            "price_least": steered.least,
            "price_most": steered.most,
            "params": dict(values_of(rule)),
            **asdict(self.averages),
            "goodness_feeds": self.goodness_feeds,
            "goodness_entries": self.goodness_entries,
            "goodness": self.goodness,
            "seconds": self.result.seconds,
            "polls_per_second": self.result.polls_per_second,
            "bytes": float(self.result.bytes.sum()),
        }
        if self.delays is not None:
            flat |= {f"delay_{name}": value for name, value in asdict(self.delays).items()}
        if self.ages:
            flat["ages"] = [asdict(age) for age in self.ages]
        return flat


class Terms(TypedDict, total=False):
    """On which terms rules are compared, wherever they are replayed; what is left out is as ``compare_on`` has it."""

    steer: bool
    weights: Weights
    modes: tuple[float, float]
    distribution: bool
    progress: Callable[[str], None]


def compare(
    trace: Trace,
    specs: Sequence[str],
    *,
    period: Period,
    bounds: Bounds,
    match: str | None = None,
    where: Sequence[str] = (),
    jobs: int = 1,
    seed: int = 0,
    ages: bool = False,
    **terms: Unpack[Terms],
) -> list[Compared]:
    """Replay each rule on the feeds listed throughout; with ``match`` priced rules spend what that rule spends.

    Their price is the one at which they do so in the training part; unless ``steer`` is false, it then moves with what
    has been spent. Only a price that stays can be written into settings, and ``spec`` of such a row repeats it.
    ``where``: conditions on columns of the trace; ``modes``: what averages over feeds and over entries count;
    ``ages``: also the delay by the age of our knowledge, in a second run that starts with nothing learnt.
    """
    rules = [load(spec, bounds) for spec in specs]  # all names are checked before the first long run
    reference = load(match, bounds) if match else None
    chosen = trace.select(population(trace, period) & selected(trace, where))
    if not len(chosen):
        asked = f" and is one where {', '.join(where)}" if where else ""
        raise UsageError(f"no feed of trace {trace.name} was listed throughout the period{asked}")
    here = Here(chosen, jobs=jobs)
    rows = compare_on(here, specs, rules, period=period, reference=reference, seed=seed, **terms)
    if not ages:
        return rows
    return [
        replace(row, ages=by_age(chosen, rule, reference, period=period, jobs=jobs, seed=seed))
        for row, rule in zip(rows, rules, strict=True)
    ]


def compare_on(
    stage: Stage,
    specs: Sequence[str],
    rules: Sequence[Rule],
    *,
    period: Period,
    reference: Rule | None = None,
    steer: bool = True,
    weights: Weights = EQUAL,
    modes: tuple[float, float] = (1.0, 1.0),
    seed: int = 0,
    distribution: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> list[Compared]:
    """The same for feeds that are chosen already, wherever they are replayed."""
    rows = []
    for spec, rule in zip(specs, rules, strict=True):
        progress(spec)
        if reference is None or not has_price(rule):
            result = stage.replay(rule, period=period, seed=seed, keep_delays=distribution)
            rows.append(_row(stage, spec, spec, result))
            continue
        result, steered = _matched(
            stage, rule, reference, period=period, steer=steer, seed=seed, keep_delays=distribution
        )
        ran = at_price(spec, float(values_of(result.rule)["price"]))
        rows.append(replace(_row(stage, spec, ran, result), steered=steered))
    return with_goodness(rows, weights, modes)


def with_goodness(
    rows: Sequence[Compared], weights: Weights = EQUAL, modes: tuple[float, float] = (1.0, 1.0)
) -> list[Compared]:
    """The same rows, judged against each other; ``modes``: weight of the averages over feeds, and over entries."""
    feeds = goodness(_qualities(rows, "feeds"), weights=weights).value
    entries = goodness(_qualities(rows, "entries"), weights=weights).value
    both = combine_modes(feeds, entries, feeds_weight=modes[0], entries_weight=modes[1])
    return [
        replace(row, goodness_feeds=float(feeds[i]), goodness_entries=float(entries[i]), goodness=float(both[i]))
        for i, row in enumerate(rows)
    ]


def _matched(
    stage: Stage, rule: Rule, reference: Rule, *, period: Period, steer: bool, seed: int, keep_delays: bool
) -> tuple[ReplayResult, Steered | None]:
    """A priced rule at the polls of the reference."""
    if not steer:
        found = calibrate(stage, rule, reference, period=period, seed=seed)
        kept = replace(cast("Any", rule), price=found.price)
        return stage.replay(kept, period=period, seed=seed, keep_delays=keep_delays), None
    result = replay_within(stage, rule, reference, period=period, seed=seed, keep_delays=keep_delays)
    prices = result.series.prices if result.series is not None else np.full(1, np.nan)
    return result, Steered(spec_of(reference), float(prices.min()), float(prices.max()))


def _row(stage: Stage, asked: str, spec: str, result: ReplayResult) -> Compared:
    tally = Tally.of(
        polls=result.polls, found=result.found, missed=result.missed, open=result.open, delay_sum=result.delay_sum
    )
    delays = _distribution(stage, result)
    return Compared(asked=asked, spec=spec, result=result, averages=average(tally), delays=delays)


def _distribution(stage: Stage, result: ReplayResult) -> DelayDistribution | None:
    if result.delays is None:
        return None
    known, begins = ~np.isnan(result.delays), stage.offsets
    counts = np.add.reduceat(np.append(known, False), begins[:-1]) if len(known) else np.zeros(len(stage))
    counts = np.where(np.diff(begins) > 0, counts, 0)  # reduceat repeats an element for an empty feed
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return delay_distribution(result.delays[known], offsets)


def _qualities(rows: Sequence[Compared], mode: str) -> Qualities:
    def column(name: str) -> list[float]:
        return [getattr(row.averages, f"{name}_{mode}") for row in rows]

    return Qualities.of(delay=column("delay"), ape=column("ape"), recall=column("recall"))
