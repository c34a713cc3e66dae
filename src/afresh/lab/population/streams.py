"""The entries of a population: what each feed showed at the beginning and what it publishes in the period."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from afresh.feeds.patterns import Pattern
from afresh.lab.population.feeds import DAY, PERIOD, Feeds
from afresh.lab.population.recipe import Recipe
from afresh.lab.population.rhythms import HOUR, WEEK, Rhythms, make_rhythms

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Events = tuple[Ints, Floats]  # owner, time

YEAR = 365 * DAY
ZOMBIE_AGE = 8 * WEEK
BATCH_PART = 0.2  # of its time a feed that publishes in batches spends publishing one, at most


@dataclass(frozen=True, slots=True)
class Period:
    """When the population is watched, seconds."""

    start: float
    end: float

    @property
    def length(self) -> float:
        return self.end - self.start


def make_streams(feeds: Feeds, recipe: Recipe, period: Period, rng: np.random.Generator) -> Events:
    """All entries, sorted by feed and time, in whole milliseconds."""
    rhythms, _, _ = make_rhythms()
    parts = [
        _publish(feeds, recipe, period, rhythms, rng),
        _burst(feeds, recipe, period, rng),
        _tips_of_the_day(feeds, recipe, period, rng),
    ]
    owner, time = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    inside = (time >= period.start) & (time <= period.end)
    past_owner, past_time = _remember(feeds, recipe, period, rhythms, rng)
    owner = np.concatenate((past_owner, owner[inside]))
    time = np.concatenate((past_time, time[inside]))
    rebuilt = feeds.on_the_minute[owner] & (time >= period.start)
    second = rng.uniform(0, 60, len(feeds))[owner[rebuilt]]
    time[rebuilt] = np.minimum(np.ceil((time[rebuilt] - second) / 60) * 60 + second, period.end)
    # Milliseconds: whole seconds would coincide with polls at whole seconds, which no real clock does.
    time = np.floor(time * 1000) / 1000
    order = np.lexsort((time, owner))
    return owner[order], time[order]


def _publish(feeds: Feeds, recipe: Recipe, period: Period, rhythms: Rhythms, rng: np.random.Generator) -> Events:
    """New entries of the period: batches at random (or even) places of operational time."""
    everyone = np.arange(len(feeds))
    begin = rhythms.to_operational(feeds.profile, np.full(len(feeds), period.start))
    end = rhythms.to_operational(feeds.profile, np.full(len(feeds), period.end))
    expected = feeds.rate * (WEEK / PERIOD) * (end - begin) * feeds.life / feeds.batch
    expected = np.where(feeds.bursts, expected / (1 + _burst_surplus(recipe)), expected)
    even = np.isfinite(feeds.regular)
    counts = np.where(even, np.round(expected).astype(np.int64), rng.poisson(expected))
    owner = np.repeat(everyone, counts)
    x = rng.random(len(owner))
    if even.any():
        rows = even[owner]
        x[rows] = _even_places(owner[rows], counts, feeds.regular, rng)
    rows = feeds.of(Pattern.SLICED, Pattern.SPONTANEOUS)[owner]
    x[rows] = _by_day(x[rows], owner[rows], len(feeds), period, recipe.day_spread, rng)
    x = _drifted(x, feeds.drift[owner]) * feeds.life[owner]
    times = rhythms.to_clock(feeds.profile[owner], begin[owner] + x * (end - begin)[owner])
    return _in_batches(feeds, owner, times, recipe, rng)


def _even_places(owner: Ints, counts: Ints, freedom: Floats, rng: np.random.Generator) -> Floats:
    """The k-th of n events at (k + freedom·u)/n, wrapped around."""
    starts = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=len(counts)))))[owner]
    k = np.arange(len(owner)) - starts
    return np.asarray(((k + freedom[owner] * rng.random(len(owner))) / counts[owner]) % 1.0)


def _by_day(x: Floats, owner: Ints, n: int, period: Period, spread: float, rng: np.random.Generator) -> Floats:
    """Even places crowded into busy days: each day of each feed has its own gamma-distributed weight."""
    if spread <= 0:
        return x
    days = max(1, round(period.length / DAY))
    weights = rng.gamma(1 / spread**2, size=(n, days)) + 1e-9
    upto = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True)
    upto[:, -1] = 1.0
    # one sorted array for all feeds: feed i owns the stretch from i to i + 1
    place = np.searchsorted((upto + np.arange(n)[:, None]).ravel(), owner + x, side="right")
    day = np.minimum(place - owner * days, days - 1)
    low = np.where(day > 0, upto[owner, np.maximum(day - 1, 0)], 0.0)
    return np.asarray((day + np.clip((x - low) / (upto[owner, day] - low), 0.0, 1.0)) / days)


def _drifted(x: Floats, drift: Floats) -> Floats:
    """Even places pulled to one end, so that the rate changes by e^drift from beginning to end."""
    moved = np.abs(drift) > 1e-9
    out = x.copy()
    out[moved] = np.log1p(x[moved] * np.expm1(drift[moved])) / drift[moved]
    return out


def _in_batches(feeds: Feeds, owner: Ints, times: Floats, recipe: Recipe, rng: np.random.Generator) -> Events:
    """Each event becomes one entry or several, at the same second or shortly after each other."""
    sizes = rng.geometric(1.0 / feeds.batch[owner])
    chunked = feeds.of(Pattern.CHUNKED)[owner]
    sizes[chunked] = feeds.window[owner[chunked]]
    first = np.concatenate(([0], np.cumsum(sizes)[:-1])) if len(sizes) else np.empty(0, dtype=np.int64)
    place = np.arange(int(sizes.sum())) - np.repeat(first, sizes)
    owner, times = np.repeat(owner, sizes), np.repeat(times, sizes)
    # a batch is over well before the next one comes
    apart = np.minimum(recipe.batch_spread, BATCH_PART * PERIOD / feeds.rate[owner])
    steps = place * apart * rng.uniform(0.5, 1.5, len(owner))
    return owner, times + np.where(feeds.same_second[owner], 0.0, steps)


def _burst_surplus(recipe: Recipe) -> float:
    """Entries that bursts add, per entry of the usual stream."""
    factor, hours = sum(recipe.burst_factor) / 2 - 1, sum(recipe.burst_hours) / 2
    return recipe.bursts_per_week * factor * hours * HOUR / WEEK


def _burst(feeds: Feeds, recipe: Recipe, period: Period, rng: np.random.Generator) -> Events:
    """Hours in which a feed publishes several times as much as usual."""
    bursting = np.flatnonzero(feeds.bursts)
    episodes = np.repeat(bursting, rng.poisson(recipe.bursts_per_week * period.length / WEEK, len(bursting)))
    n = len(episodes)
    begin = period.start + period.length * rng.random(n) * feeds.life[episodes]
    length = rng.uniform(*recipe.burst_hours, n) * HOUR
    usual = feeds.rate[episodes] / PERIOD / (1 + _burst_surplus(recipe))
    counts = rng.poisson(usual * (rng.uniform(*recipe.burst_factor, n) - 1) * length)
    return np.repeat(episodes, counts), np.repeat(begin, counts) + np.repeat(length, counts) * rng.random(counts.sum())


def _tips_of_the_day(feeds: Feeds, recipe: Recipe, period: Period, rng: np.random.Generator) -> Events:
    """A few single-entry feeds are replaced once a day, at their own hour."""
    chosen = np.flatnonzero(feeds.of(Pattern.SINGLE_ENTRY) & (rng.random(len(feeds)) < recipe.daily_single))
    feeds.rate[chosen] = PERIOD / DAY
    days = int(np.ceil(period.length / DAY))
    hour = rng.uniform(0, DAY, len(chosen))
    times = period.start + hour[:, None] + DAY * np.arange(days)[None, :]
    return np.repeat(chosen, days), times.ravel()


# --- the past --------------------------------------------------------------------------------------------------------


def _remember(feeds: Feeds, recipe: Recipe, period: Period, rhythms: Rhythms, rng: np.random.Generator) -> Events:
    """The first window of every feed: entries from before the period, not older than the feed."""
    n = len(feeds)
    owner = np.repeat(np.arange(n), feeds.window)
    starts = np.concatenate(([0], np.cumsum(feeds.window)))[:-1]
    place = np.arange(len(owner)) - starts[owner]  # 0 is the newest
    gaps = rng.exponential(size=len(owner))
    even = np.isfinite(feeds.regular)[owner]
    gaps[even] = rng.gamma(20.0, 1 / 20.0, int(even.sum()))
    together = (rng.random(len(owner)) >= 1.0 / np.maximum(feeds.batch[owner], 1.0)) & (place > 0)
    gaps[together] = 0.0
    newest, between = _ages(feeds, recipe, rng)
    scaled = np.where(place == 0, gaps * newest[owner], gaps * between[owner])
    running = np.cumsum(scaled)
    before = np.concatenate(([0.0], running))[starts[owner]]
    age = running - before
    age = _settle(feeds, owner, place, age, rng)
    times = _past_clock(feeds, owner, age, period, rhythms)
    birth = period.start - rng.uniform(0.5, 8.0, n) * YEAR
    old = feeds.of(Pattern.ZOMBIE, Pattern.SINGLE_ENTRY)
    birth[old] = period.start - 25 * YEAR
    times = np.where(place == 0, np.maximum(times, birth[owner]), times)
    kept = times >= birth[owner]
    return owner[kept], np.minimum(times[kept], period.start - 1.0)


def _ages(feeds: Feeds, recipe: Recipe, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Mean age of the newest entry and mean gap between older ones, seconds."""
    n = len(feeds)
    with np.errstate(divide="ignore"):
        gap = PERIOD / feeds.rate * feeds.batch
    gap = gap / _rate_at_start(feeds.drift)
    silent = (feeds.rate == 0) & feeds.of(Pattern.SPONTANEOUS)
    gap[silent] = rng.uniform(3.0, 40.0, int(silent.sum())) * DAY
    newest = gap.copy()
    between = np.where(silent, gap, gap / feeds.past)
    zombie = feeds.of(Pattern.ZOMBIE)
    dense = rng.lognormal(np.log(recipe.zombie_gap), recipe.zombie_spread, n)
    longest = np.minimum(8 * YEAR / np.maximum(feeds.window, 1), 0.5 * YEAR)  # nobody published before 1990
    between[zombie] = np.minimum(dense, longest)[zombie]
    newest[zombie] = 0.0  # set by _settle
    single = feeds.of(Pattern.SINGLE_ENTRY)
    newest[single] = np.minimum(rng.lognormal(np.log(200 * DAY), 1.0, n), 5 * YEAR)[single]
    unpublished = ~np.isfinite(newest) | ~np.isfinite(between)
    newest[unpublished] = between[unpublished] = 0.0
    return newest, between


def _rate_at_start(drift: Floats) -> Floats:
    """Rate at the beginning of the period over its mean; 1 without drift."""
    moved = np.abs(drift) > 1e-9
    out = np.ones(len(drift))
    out[moved] = drift[moved] / np.expm1(drift[moved])
    return out


def _settle(feeds: Feeds, owner: Ints, place: Ints, age: Floats, rng: np.random.Generator) -> Floats:
    """Zombies are silent for at least eight weeks and eight of their median gaps; a chunk has one time."""
    out = age.copy()
    span = np.zeros(len(feeds))
    np.maximum.at(span, owner, age)
    mean_gap = span / np.maximum(feeds.window - 1, 1)
    silence = np.maximum(ZOMBIE_AGE, 8 * mean_gap) * np.exp(rng.exponential(1.0, len(feeds)))
    silence = np.maximum(np.minimum(silence, 12 * YEAR), np.maximum(ZOMBIE_AGE, 8 * mean_gap))
    zombie = feeds.of(Pattern.ZOMBIE)
    out += np.where(zombie, silence, 0.0)[owner]
    chunked = feeds.of(Pattern.CHUNKED)[owner]
    firsts = np.zeros(len(feeds))
    firsts[owner[place == 0]] = age[place == 0]
    out[chunked] = firsts[owner[chunked]]
    return out


def _past_clock(feeds: Feeds, owner: Ints, age: Floats, period: Period, rhythms: Rhythms) -> Floats:
    """Ages are operational time for feeds with a rhythm."""
    begin = rhythms.to_operational(feeds.profile, np.full(len(feeds), period.start))
    return rhythms.to_clock(feeds.profile[owner], begin[owner] - age / WEEK)
