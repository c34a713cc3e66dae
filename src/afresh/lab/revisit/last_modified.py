"""Change rate where the server says when a page was last modified (spec §6; [CG03b] §5)."""

import math

import numpy as np
from numpy.typing import ArrayLike

from afresh.base.errors import ModelError
from afresh.lab.revisit.rate_from_visits import observations


def last_modified_rate(
    intervals: ArrayLike, changed: ArrayLike, modified_ago: ArrayLike, *, corrected: bool = True
) -> float:
    """X over the time known to have been quiet: sum of min(B_j, I_j), B_j = time of visit - Last-Modified.

    Seen backwards from a visit the time to the last change is exponential, censored at the visit before, so this is its
    maximum-likelihood rate. ``corrected`` replaces X by (X - 1) - X/(n ln(1 - X/n)), which takes the bias away. Best of
    all estimators while the header is honest; a B_j that is negative (a clock ahead of ours) counts as 0, and a visit
    without the header as one that says nothing but the bit.

    >>> last_modified_rate([10.0, 10.0], [True, False], [2.0, 12.0], corrected=False)
    0.08333333333333333
    """
    lengths, bits = observations(intervals, changed)
    ago = np.atleast_1d(np.asarray(modified_ago, dtype=np.float64))
    if ago.shape != lengths.shape:
        raise ModelError(f"{lengths.size} intervals, but {ago.size} times of modification")
    if not len(lengths):
        return math.nan
    ago = np.where(np.isnan(ago), np.where(bits, 0.5 * lengths, lengths), ago)
    quiet = float(np.minimum(np.maximum(ago, 0.0), lengths).sum())
    n, x = len(lengths), int(bits.sum())
    found = float(x)
    if corrected and 0 < x < n:
        found = (x - 1) - x / (n * math.log1p(-x / n))
    elif corrected and x == n:
        found = max(x - 1.0, 0.5)  # the limit: the logarithm's term vanishes
    if quiet <= 0.0:
        return math.inf if found > 0.0 else 0.0
    return found / quiet


def complete_history_rate(count: int, seconds: float, *, prior: float = 0.5, prior_seconds: float = 43_200.0) -> float:
    """Rate where every change is known (a sitemap, a feed): (count + 1/2)/(time + half a day).

    >>> complete_history_rate(0, 0.0) * 86_400
    1.0
    """
    if count < 0 or not (math.isfinite(seconds) and seconds >= 0.0):
        raise ModelError(f"{count} changes in {seconds} seconds make no sense")
    return (count + prior) / (seconds + prior_seconds)
