"""The distributions a population is drawn from: rates, windows, documents, ttl."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: Window sizes and how common they are: peaks at 10, 15, 20, 25, 50; mean 16.7, median 10.  [R12] §3.7.2.
WINDOWS = np.array([*range(26), 30, 40, 50, 100, 200, 500, 1000], dtype=np.int64)
WINDOW_SHARES = np.concatenate(
    (
        [0.085, 0.095],
        np.full(8, 0.025),
        [0.28],
        np.full(4, 0.01),
        [0.08],
        np.full(4, 0.005),
        [0.08],
        np.full(4, 0.0025),
        [0.05, 0.011, 0.006, 0.022, 0.013, 0.003, 0.002, 0.003],
    )
)

#: ttl in minutes and its shares among the feeds that have one.  [R12] §3.7.7.
TTL_MINUTES = np.array([10, 60, 5, 15, 30, 120, 360, 720, 1440], dtype=np.float64)
TTL_SHARES = np.concatenate(([0.65, 0.125], np.full(7, 0.225 / 7)))

SMALLEST_DOCUMENT, LARGEST_DOCUMENT = 40.0, 3.0e6
HEADER_MEAN, HEADER_SPREAD = 369.0, 100.0


def lomax_quantile(u: Floats, *, scale: float, shape: float, fastest: float) -> Floats:
    """Quantiles of P(X > x) = (1 + x/scale)^-shape, cut at ``fastest``.

    >>> float(lomax_quantile(np.array([0.5]), scale=4.0, shape=1.0, fastest=1e12)[0].round(6))
    4.0
    """
    reach = 1.0 - (1.0 + fastest / scale) ** -shape
    return np.asarray(scale * ((1.0 - u * reach) ** (-1.0 / shape) - 1.0))


def uniforms(n: int, rng: np.random.Generator, *, stratified: bool) -> Floats:
    """n numbers in (0, 1) ascending: the middles of n equal parts, or random.

    With a tail this heavy a random draw makes every average over entries hang on one or two feeds.
    """
    return (np.arange(n) + 0.5) / n if stratified else np.sort(rng.random(n))


def draw_windows(n: int, rng: np.random.Generator) -> Ints:
    """Windows of feeds with two entries or more: 0 and 1 are the empty and the single-entry feeds."""
    shares = WINDOW_SHARES[2:] / WINDOW_SHARES[2:].sum()
    return np.asarray(rng.choice(WINDOWS[2:], n, p=shares))


def enlarge(windows: Ints, rates: Floats) -> Ints:
    """Fast feeds show more: up to 50 entries, growing with the logarithm of the rate."""
    wanted = np.minimum(50.0, windows * (1.0 + np.log10(1.0 + rates / 100.0)))
    return np.maximum(windows, np.round(wanted).astype(np.int64))


def draw_ttl(n: int, share: float, rng: np.random.Generator) -> Floats:
    """Seconds, NaN where a feed has none; unrelated to the true rate, as observed."""
    minutes = rng.choice(TTL_MINUTES, n, p=TTL_SHARES)
    return np.where(rng.random(n) < share, minutes * 60.0, np.nan)


def draw_sizes(windows: Ints, rng: np.random.Generator, *, median: float, spread: float) -> Floats:
    """Bytes of documents: lognormal over the population, longer windows having larger ones (correlation 0.6)."""
    n = len(windows)
    # ranks of the windows as normal scores: the marginal law stays exactly lognormal; ties in random order
    order = np.lexsort((rng.random(n), windows))
    scores = np.empty(n)
    scores[order] = np.sort(rng.standard_normal(n))
    noise = rng.standard_normal(n)
    logs = np.log(median) + spread * (0.6 * scores + 0.8 * noise)
    return np.asarray(np.clip(np.round(np.exp(logs)), SMALLEST_DOCUMENT, LARGEST_DOCUMENT))


def draw_headers(n: int, rng: np.random.Generator) -> Floats:
    """Bytes of a 304 answer."""
    return np.clip(np.round(rng.normal(HEADER_MEAN, HEADER_SPREAD, n)), 120.0, 700.0)


def rate_shares_found(rates: Floats, windows: Ints, interval_days: float, *, days: float = 20.0) -> Floats:
    """Share of its entries each feed with a rate yields to polls at a fixed interval: closed form.

    At most a window a poll; entries after the last poll stay open. The check of a population against the published
    recall of Fix1h, Fix1d and Fix7d needs no replay.
    """
    polls = np.floor(days / interval_days)
    found = np.minimum(rates * (days / 20.0) * (polls * interval_days / days), windows * polls)
    return np.asarray(found / np.where(rates > 0, rates * (days / 20.0), np.nan))
