"""Divergence and utility as they are defined, counted entry by entry: what a source has published since its last
refresh, and what of it can be had.  [H12] §2.1, §4.4."""

import numpy as np
from numpy.typing import NDArray

from afresh.base.models import Row

Flags = NDArray[np.bool_]


def _interesting(times: Row, relevant: Flags | None) -> Flags:
    return np.ones(len(times), dtype=np.bool_) if relevant is None else np.asarray(relevant, dtype=np.bool_)


def stream_divergence(times: Row, last: float, now: float, relevant: Flags | None = None) -> int:
    """Entries published in (last, now]; with ``relevant`` only those a query wants.  Div, Div_F."""
    fresh = (times > last) & (times <= now)
    return int((fresh & _interesting(times, relevant)).sum())


def window_divergence(times: Row, window: int, last: float, now: float, relevant: Flags | None = None) -> int:
    """The same, counting only what the document still shows.  Div_A.

    The window holds the newest entries, all of them: irrelevant newcomers push out relevant ones.
    """
    visible = int(np.searchsorted(times, now, side="right"))
    shown = slice(max(0, visible - window), visible)
    return int(((times[shown] > last) & _interesting(times, relevant)[shown]).sum())


def query_set_divergence(
    times: Row, last: float, now: float, wanted: NDArray[np.bool_], *, disjoint: bool = True
) -> int:
    """Divergence for several queries; ``wanted[k, q]``: query q wants entry k.

    For disjoint queries the sum over them; for overlapping ones the distinct entries that any of them wants.
    """
    if disjoint:
        return sum(stream_divergence(times, last, now, wanted[:, q]) for q in range(wanted.shape[1]))
    return stream_divergence(times, last, now, np.asarray(wanted.any(axis=1)))


def is_saturated(total: float, window: float) -> bool:
    """Whether the window has turned over: the next entry is the first to be lost.  [H12] Def. 2.1.4."""
    return total >= window


def exact_utility(times: Row, last: float, now: float, relevant: Flags | None = None) -> float:
    """Σ (t_i − T_r) over the unseen entries, which is (t − T_r)·Div − ∫Div.  [H12] Eq. 4.5, by parts."""
    unseen = (times > last) & (times <= now) & _interesting(times, relevant)
    return float((times[unseen] - last).sum())


def approximate_utility(elapsed: float, divergence: float) -> float:
    """Half the rectangle: what an even stream is expected to have above its divergence curve.  [H12] §4.4.1."""
    return 0.5 * elapsed * divergence


def constant_rate_utility(elapsed: float, rate: float) -> float:
    """λ x² / 2."""
    return 0.5 * rate * elapsed * elapsed


def constant_rate_interval(tau: float, rate: float) -> float:
    """When the utility of a constant rate reaches the threshold: sqrt(2τ/λ); infinite for a silent source."""
    return float(np.sqrt(2.0 * tau / rate)) if rate > 0.0 else np.inf
