"""Synthetic feeds: a whole population as a trace, from a seed."""

import numpy as np
from numpy.typing import NDArray

from afresh.base.errors import ModelError
from afresh.lab.population.feeds import CODES, DAY, Feeds, draw_feeds
from afresh.lab.population.recipe import Recipe, recipe_named
from afresh.lab.population.streams import Period, make_streams
from afresh.lab.population.varying import varying_windows
from afresh.lab.replay.trace import Trace

#: Friday 2011-07-08 05:00 UTC (07:00 in Dresden), a day before the published simulation began.
START = 1_310_101_200.0


def generate(
    n: int,
    seed: int,
    days: float = 28.0,
    kind: str = "stationary",
    *,
    start: float = START,
    stratified: bool = True,
    recipe: Recipe | None = None,
) -> Trace:
    """n synthetic feeds watched for so many days; the same arguments give the same trace.

    Columns: ``class`` (update pattern it was made by), ``rate_per_day`` (expected), ``ttl`` (seconds, empty: none),
    ``size`` (bytes of a document), ``header`` (bytes of a 304), ``conditional`` (1: the server answers 304),
    ``complete_from`` (Unix seconds: the first of those days; what is older only fills the first windows).
    ``stratified`` takes the rates at even quantiles; otherwise at random, and averages over entries then hang on a
    few feeds below 10,000. ``recipe`` replaces the preset of that ``kind`` (stationary, drifting, bursty).
    """
    if n < 1:
        raise ModelError(f"a population needs at least one feed, not {n}")
    if not 0 < days <= 3_660 or not 0 <= start < 4e9:
        raise ModelError(f"days must lie between 0 and 3660 and start in 1970 to 2096: {days}, {start}")
    recipe = recipe_named(kind) if recipe is None else recipe
    rng = np.random.default_rng(seed)
    feeds = draw_feeds(n, recipe, rng, stratified=stratified)
    period = Period(start, start + days * DAY)
    owner, times = make_streams(feeds, recipe, period, rng)
    offsets = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=n)))).astype(np.int64)
    polls = None
    if recipe.variable_windows > 0:
        polls = varying_windows(feeds.window, offsets, times, period, recipe.variable_windows, rng)
    return Trace(
        name=f"{kind}-{n}-{seed}",
        feed_ids=np.arange(1, n + 1),
        offsets=offsets,
        times=times,
        windows=np.maximum(feeds.window, 1),  # an empty feed shows nothing, whatever its window
        columns={**_columns(feeds), "complete_from": [f"{start:.15g}"] * n},
        polls=polls,
    )


def _columns(feeds: Feeds) -> dict[str, list[str]]:
    return {
        "class": [CODES[code].value for code in feeds.pattern.tolist()],
        "rate_per_day": [f"{rate:.6g}" for rate in (feeds.rate / 20.0).tolist()],
        "ttl": _whole(feeds.ttl),
        "size": _whole(feeds.size),
        "header": _whole(feeds.header),
        "conditional": _whole(feeds.conditional.astype(np.float64)),
    }


def _whole(values: NDArray[np.float64]) -> list[str]:
    return ["" if np.isnan(value) else str(int(value)) for value in values.tolist()]


def readme(trace: Trace, *, seed: int, days: float, kind: str) -> str:
    """The text to write beside a generated trace."""
    return f"""# Synthetic feeds: {kind}

{len(trace):,} feeds, {len(trace.times):,} entries, {days:g} days; seed {seed}. Nothing here was observed.

Rates follow a Lomax law and windows the published sizes; classes, rhythms, batches, bursts, ttl and document sizes are
drawn as described in the theory page on synthetic populations. Repeat with

    afresh lab generate feeds --count {len(trace)} --seed {seed} --days {days:g} --kind {kind}

| Column of feeds.csv | Meaning |
|---|---|
| class | update pattern the feed was made by |
| rate_per_day | expected entries a day |
| ttl | seconds; empty: none |
| size, header | bytes of a document and of an answer without news |
| conditional | 1: the server answers 304 when nothing is new |
| complete_from | Unix seconds: the first day; older entries only fill the first windows |
"""
