"""Several rules on one trace, side by side: the rows of ``afresh lab replay`` and of most experiments."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from afresh.base.errors import UsageError
from afresh.base.models import Bounds
from afresh.feeds.rules import load, names, values_of
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
from afresh.lab.replay.matched import has_price, replay_within
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One rule's line: what it spent and what it got, and its goodness among the others."""

    spec: str
    result: ReplayResult
    averages: Averages
    delays: DelayDistribution | None
    goodness_feeds: float = math.nan
    goodness_entries: float = math.nan
    goodness: float = math.nan
    ages: tuple[Age, ...] = ()  # delay by the age of our knowledge, where it was asked for

    def as_dict(self) -> dict[str, object]:
        """Flat, for JSON and CSV; delays in seconds."""
        rule = self.result.rule
        flat: dict[str, object] = {
            "name": rule.name,
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


def compare(
    trace: Trace,
    specs: Sequence[str],
    *,
    period: Period,
    bounds: Bounds,
    match: str | None = None,
    where: Sequence[str] = (),
    weights: Weights = EQUAL,
    modes: tuple[float, float] = (1.0, 1.0),
    jobs: int = 1,
    seed: int = 0,
    distribution: bool = False,
    ages: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> list[Compared]:
    """Replay each rule on the feeds listed throughout; with ``match`` priced rules spend what that rule spends.

    ``where``: conditions on columns of the trace; ``modes``: what averages over feeds and over entries count;
    ``ages``: also the delay by the age of our knowledge, in a second run that starts with nothing learnt.
    """
    rules = [load(spec, bounds) for spec in specs]  # all names are checked before the first long run
    reference = load(match, bounds) if match else None
    chosen = trace.select(population(trace, period) & selected(trace, where))
    if not len(chosen):
        asked = f" and is one where {', '.join(where)}" if where else ""
        raise UsageError(f"no feed of trace {trace.name} was listed throughout the period{asked}")
    rows = compare_on(
        Here(chosen, jobs=jobs),
        specs,
        rules,
        period=period,
        reference=reference,
        weights=weights,
        modes=modes,
        seed=seed,
        distribution=distribution,
        progress=progress,
    )
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
        result = _replayed(stage, rule, reference, period=period, seed=seed, keep_delays=distribution)
        rows.append(_row(stage, spec, result))
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


def _replayed(
    stage: Stage,
    rule: Rule,
    reference: Rule | None,
    *,
    period: Period,
    seed: int,
    keep_delays: bool,
) -> ReplayResult:
    if reference is not None and has_price(rule):
        return replay_within(stage, rule, reference, period=period, seed=seed, keep_delays=keep_delays)
    return stage.replay(rule, period=period, seed=seed, keep_delays=keep_delays)


def _row(stage: Stage, spec: str, result: ReplayResult) -> Compared:
    tally = Tally.of(
        polls=result.polls, found=result.found, missed=result.missed, open=result.open, delay_sum=result.delay_sum
    )
    return Compared(spec=spec, result=result, averages=average(tally), delays=_distribution(stage, result))


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
