"""The distribution of delays besides its mean: median, 95th percentile, maximum, in both modes."""

from dataclasses import dataclass
from math import nan

import numpy as np

from afresh.base.errors import ModelError
from afresh.base.models import Row
from afresh.lab.metrics.averages import mean_defined
from afresh.lab.metrics.tally import Counts


@dataclass(frozen=True, slots=True, kw_only=True)
class DelayDistribution:
    """Seconds; ``*_feeds`` is the mean over feeds of the feed's own quantile, ``*_entries`` pools all entries."""

    median_feeds: float
    p95_feeds: float
    max_feeds: float
    median_entries: float
    p95_entries: float
    max_entries: float


def _sorted_quantile(ordered: Row, starts: Counts, counts: Counts, q: float) -> Row:
    """Quantile (linear interpolation) of each slice of a slice-wise sorted array; NaN for an empty slice."""
    position = q * np.maximum(counts - 1, 0)
    low = np.floor(position).astype(np.int64)
    high = np.minimum(low + 1, np.maximum(counts - 1, 0))
    out = np.full(len(counts), np.nan)
    some = counts > 0
    left, right = ordered[(starts + low)[some]], ordered[(starts + high)[some]]
    out[some] = left + (right - left) * (position - low)[some]
    return out


def delay_distribution(delays: Row, offsets: Counts | None = None) -> DelayDistribution:
    """From the delays of the found entries; feed i owns ``delays[offsets[i]:offsets[i + 1]]``.

    Without offsets all belong to one feed.
    """
    bounds = np.array([0, len(delays)]) if offsets is None else np.asarray(offsets, dtype=np.int64)
    if bounds[0] != 0 or bounds[-1] != len(delays) or (np.diff(bounds) < 0).any():
        raise ModelError("offsets do not cut the delays into feeds")
    counts = np.diff(bounds)
    owner = np.repeat(np.arange(len(counts)), counts)
    by_feed = delays[np.lexsort((delays, owner))]
    pooled = np.sort(delays)
    whole = (np.zeros(1, dtype=np.int64), np.array([len(delays)]))
    feeds = [mean_defined(_sorted_quantile(by_feed, bounds[:-1], counts, q)) for q in (0.5, 0.95, 1.0)]
    entries = [float(_sorted_quantile(pooled, *whole, q)[0]) for q in (0.5, 0.95, 1.0)]
    return DelayDistribution(
        median_feeds=feeds[0],
        p95_feeds=feeds[1],
        max_feeds=feeds[2],
        median_entries=entries[0],
        p95_entries=entries[1],
        max_entries=entries[2],
    )


def log_edges(*, shortest: float = 1.0, longest: float = 8.0e7, per_decade: int = 40) -> Row:
    """Edges of a histogram of delays: 0, then a geometric grid (6 % wide by default).

    A replay of a billion entries keeps counts, not delays; its quantiles are then exact to the width of a bin.
    """
    decades = np.log10(longest / shortest)
    return np.concatenate(([0.0], np.geomspace(shortest, longest, int(np.ceil(decades * per_decade)) + 1)))


def histogram_quantile(counts: Counts | Row, edges: Row, q: float) -> float:
    """Quantile of a histogram, linear inside the bin; NaN when it is empty.

    >>> histogram_quantile(np.array([10, 10]), np.array([0.0, 1.0, 2.0]), 0.5)
    1.0
    """
    if len(edges) != len(counts) + 1:
        raise ModelError(f"{len(counts)} bins need {len(counts) + 1} edges, not {len(edges)}")
    total = float(np.sum(counts))
    if total == 0:
        return nan
    below = np.concatenate(([0.0], np.cumsum(counts, dtype=np.float64)))
    i = min(int(np.searchsorted(below, q * total, side="left")), len(counts))
    if i == 0:
        i = int(np.flatnonzero(counts)[0]) + 1
    inside = (q * total - below[i - 1]) / (below[i] - below[i - 1])
    return float(edges[i - 1] + inside * (edges[i] - edges[i - 1]))
