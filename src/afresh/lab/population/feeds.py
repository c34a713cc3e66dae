"""The feeds of a population before they publish anything: class, rate, window, rhythm, habits, hints."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from afresh.feeds.patterns import Pattern
from afresh.lab.population.laws import (
    draw_headers,
    draw_sizes,
    draw_ttl,
    draw_windows,
    enlarge,
    lomax_quantile,
    uniforms,
)
from afresh.lab.population.recipe import Recipe
from afresh.lab.population.rhythms import FLAT, HOUR, make_rhythms

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

DAY = 86_400.0
PERIOD = 20 * DAY  # rates are entries in this time
NEVER_SILENT = 2 * HOUR  # longest gap of a constant feed
FAST = 100.0  # a feed that publishes so much in 20 days does so in batches
SLOWEST_CONSTANT = 264.0  # a tenth faster than one entry in two hours, to leave room for some rhythm
PLANTED = 3  # fastest feeds with a window of 50 and a ttl that is too long
PLANTED_WINDOW = 50
ENTRY_SIZE = 1_700.0  # median document over median window, bytes
MOST_LOST = 0.6  # what they lose when they obey it, in the original
CODES = tuple(Pattern)


@dataclass(slots=True)
class Feeds:
    """Columns of a population under construction, one element a feed."""

    pattern: Ints  # place in CODES
    rate: Floats  # expected entries in 20 days
    window: Ints
    profile: Ints  # row of the rhythms
    batch: Floats  # mean entries that come together
    regular: Floats  # gaps are even but for this share of one; infinite: random (Poisson)
    same_second: Mask
    on_the_minute: Mask
    bursts: Mask
    past: Floats  # how much busier the past was; below 1: slower
    drift: Floats  # logarithmic change of rate over the period
    life: Floats  # part of the period in which the feed publishes
    ttl: Floats  # seconds, NaN: none
    size: Floats
    header: Floats
    conditional: Mask

    def __len__(self) -> int:
        return len(self.rate)

    def of(self, *patterns: Pattern) -> Mask:
        """Which feeds are of these classes."""
        return np.isin(self.pattern, [CODES.index(p) for p in patterns])


def draw_feeds(n: int, recipe: Recipe, rng: np.random.Generator, *, stratified: bool) -> Feeds:
    """Draws all feeds, in random order; the entries come later."""
    pattern, rate = _classes_and_rates(n, recipe, rng, stratified=stratified)
    window = enlarge(draw_windows(n, rng), rate)
    window[pattern == CODES.index(Pattern.SINGLE_ENTRY)] = 1
    window[pattern == CODES.index(Pattern.EMPTY)] = 0
    feeds = Feeds(
        pattern=pattern,
        rate=rate,
        window=window,
        profile=np.full(n, FLAT),
        batch=np.full(n, recipe.batch_mean),
        regular=np.full(n, np.inf),
        same_second=rng.random(n) < recipe.same_second,
        on_the_minute=rng.random(n) < recipe.on_the_minute,
        bursts=(rng.random(n) < recipe.burst_share) & (rate > 0),
        past=np.ones(n),
        drift=recipe.drift * rng.standard_normal(n),
        life=np.where(rng.random(n) < recipe.dying, rng.random(n), 1.0),
        ttl=draw_ttl(n, recipe.ttl_share, rng),
        size=draw_sizes(window, rng, median=recipe.size_median, spread=recipe.size_spread),
        header=draw_headers(n, rng),
        conditional=rng.random(n) < recipe.conditional,
    )
    _give_habits(feeds, recipe, rng)
    _plant_fastest(feeds, recipe)
    return feeds


def _classes_and_rates(n: int, recipe: Recipe, rng: np.random.Generator, *, stratified: bool) -> tuple[Ints, Floats]:
    """Classes by rate: the fastest are constant, then sliced, then spontaneous; chunked ones are anywhere below."""
    total = sum(recipe.classes.values())
    wanted = {p: round(n * share / total) for p, share in recipe.classes.items()}
    publishing = round(recipe.publishing * n)
    u = uniforms(publishing, rng, stratified=stratified)
    rates = lomax_quantile(u, scale=recipe.scale, shape=recipe.shape, fastest=recipe.fastest)[::-1]
    classes = np.full(n, CODES.index(Pattern.ZOMBIE))
    constant = min(int((rates >= SLOWEST_CONSTANT).sum()), wanted.get(Pattern.CONSTANT, 0))
    classes[:constant] = CODES.index(Pattern.CONSTANT)
    rest = np.arange(constant, publishing)
    chunked = rng.choice(rest, min(wanted.get(Pattern.CHUNKED, 0), len(rest)), replace=False)
    classes[chunked] = CODES.index(Pattern.CHUNKED)
    rest = np.setdiff1d(rest, chunked)
    sliced = wanted.get(Pattern.SLICED, 0) + wanted.get(Pattern.CONSTANT, 0) - constant
    classes[rest[:sliced]] = CODES.index(Pattern.SLICED)
    classes[rest[sliced:]] = CODES.index(Pattern.SPONTANEOUS)
    # what is missing of the spontaneous ones is silent for the time being, like the other classes behind them
    silent = max(0, wanted.get(Pattern.SPONTANEOUS, 0) - len(rest[sliced:]))
    at = publishing
    for p, count in ((Pattern.SPONTANEOUS, silent), (Pattern.SINGLE_ENTRY, None), (Pattern.EMPTY, None)):
        many = min(wanted.get(p, 0) if count is None else count, n - at)
        classes[at : at + many] = CODES.index(p)
        at += many
    rate = np.concatenate((rates, np.zeros(n - publishing)))
    shuffle = rng.permutation(n)
    return classes[shuffle], rate[shuffle]


def _give_habits(feeds: Feeds, recipe: Recipe, rng: np.random.Generator) -> None:
    n = len(feeds)
    _, slicing, waves = make_rhythms()
    sliced, chunked = feeds.of(Pattern.SLICED), feeds.of(Pattern.CHUNKED)
    feeds.profile[sliced] = rng.choice(slicing, int(sliced.sum()))
    bulk = (rng.random(n) < recipe.bulk_share) & feeds.of(Pattern.SLICED, Pattern.SPONTANEOUS)
    feeds.batch[bulk] = np.maximum(1.0, feeds.window[bulk] * rng.uniform(0.5, 2.0, int(bulk.sum())))
    feeds.batch[chunked] = feeds.window[chunked]
    feeds.batch[feeds.of(Pattern.ZOMBIE, Pattern.SINGLE_ENTRY, Pattern.EMPTY)] = 1.0
    feeds.same_second |= chunked
    feeds.bursts &= ~chunked
    fading = feeds.of(Pattern.SPONTANEOUS) & (rng.random(n) < recipe.fading)
    feeds.past[fading] = np.maximum(1.0, rng.lognormal(np.log(recipe.fading_factor), 1.5, int(fading.sum())))
    _crowd(feeds, recipe, rng)
    _wake(feeds, recipe, rng)
    _even_out(feeds, waves, rng)


def _crowd(feeds: Feeds, recipe: Recipe, rng: np.random.Generator) -> None:
    """Fast feeds publish several entries at a time, as many as leave a constant feed never silent for long.

    The age of the newest entry then says little about the rate: rules that go by it lose entries ([R12] Table A.2).
    """
    fast = (feeds.rate > FAST) & ~feeds.of(Pattern.CHUNKED)
    wanted = np.maximum(feeds.batch, 1.0 + recipe.crowding * rng.random(len(feeds)) * feeds.window)
    room = np.where(feeds.of(Pattern.CONSTANT), np.maximum(1.0, feeds.rate * NEVER_SILENT / PERIOD / 3), np.inf)
    feeds.batch[fast] = np.minimum(wanted, room)[fast]
    feeds.same_second[fast] = False


def _wake(feeds: Feeds, recipe: Recipe, rng: np.random.Generator) -> None:
    """Some feeds remember a slower past: what their history shows, profile or window, is too slow ([R12] Table A.3)."""
    able = feeds.of(Pattern.SPONTANEOUS, Pattern.SLICED) & (feeds.rate > 0) & (feeds.past == 1.0)
    waking = able & (rng.random(len(feeds)) < recipe.waking)
    factor = rng.lognormal(np.log(recipe.waking_factor), 1.0, int(waking.sum()))
    feeds.past[waking] = 1.0 / np.maximum(1.0, factor)


def _even_out(feeds: Feeds, waves: dict[float, Ints], rng: np.random.Generator) -> None:
    """Constant feeds get as much rhythm and chance as the longest allowed gap leaves room for."""
    for i in np.flatnonzero(feeds.of(Pattern.CONSTANT)):
        slack = NEVER_SILENT * feeds.rate[i] / PERIOD
        if slack < 3 * feeds.batch[i]:
            feeds.batch[i] = 1.0
        slack /= feeds.batch[i]
        amplitude = max(a for a in waves if a <= max(0.0, (slack - 1) / (slack + 1)))
        feeds.profile[i] = rng.choice(waves[amplitude])
        room = slack * (1 - amplitude) - 1
        feeds.regular[i] = room if room < 20 else np.inf
        feeds.bursts[i] &= bool(np.isinf(feeds.regular[i]))


def _plant_fastest(feeds: Feeds, recipe: Recipe) -> None:
    """The three fastest feeds announce a ttl in which their window overflows.

    In the original they hold 16 % of all entries and lose 60 % of them. In a smaller population they hold a larger
    share, so their ttl is solved for: obeying it costs the same part of all entries. ``Recipe.planted_ttl`` takes a
    given one instead.
    """
    top = np.argsort(feeds.rate, kind="stable")[-PLANTED:]
    top = top[feeds.rate[top] > SLOWEST_CONSTANT]
    if not len(top):
        return
    share = feeds.rate[top].sum() / feeds.rate.sum()
    lost = min(MOST_LOST, recipe.ttl_loss / share)
    feeds.window[top] = PLANTED_WINDOW
    feeds.batch[top] = 1.0 + recipe.crowding * PLANTED_WINDOW / 4
    feeds.same_second[top] = False
    feeds.size[top] = PLANTED_WINDOW * ENTRY_SIZE  # most of all bytes are theirs: not left to chance
    feeds.bursts[top] = False
    feeds.profile[top] = FLAT
    feeds.regular[top] = np.inf
    feeds.life[top], feeds.drift[top] = 1.0, 0.0
    solved = np.round(PLANTED_WINDOW * PERIOD / ((1 - lost) * feeds.rate[top]))
    feeds.ttl[top] = solved if np.isnan(recipe.planted_ttl) else recipe.planted_ttl
