"""Completeness and window freshness: what was lost for good, and what was missing for a while.  [H12] Ch. 2."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from afresh.base.compiled import compiled
from afresh.base.errors import ModelError
from afresh.base.models import Row
from afresh.base.signatures import WF, F, N, types

Flags = NDArray[np.bool_]
Counts = NDArray[np.int64]


def completeness(fetched: ArrayLike, published: ArrayLike) -> float:
    """Fetched over published, pooled over all sources: not a mean of their ratios.  [H12] Def. 2.2.2.

    What is published and not yet fetched counts as missing, whether or not it can still be had. 1 where nothing was.

    >>> completeness([3, 0], [4, 1])
    0.6
    """
    total = float(np.sum(published))
    return float(np.sum(fetched)) / total if total > 0 else 1.0


def timeliness(waits: Row, published: Counts, *, most: float, fairness: float, feed: float) -> float:
    """How soon entries were had, between 0 (all lost) and 1 (at once), for entries and feeds as ``fairness`` has it.

    An entry loses the part of ``most`` that it waited, and everything after that or if it was never had (infinity).
    Each counts 1 - fairness; the mean over the entries of each feed counts fairness, times the ``feed`` entries that a
    feed is worth. ``waits`` are those of ``published[0]`` entries of the first feed, then of the second, and so on.

    >>> waits, published = np.array([0.0, 0.0, 0.0, np.inf]), np.array([3, 1])
    >>> [timeliness(waits, published, most=60.0, fairness=f, feed=2.0) for f in (0.0, 1.0)]
    [0.75, 0.5]
    """
    late = np.minimum(waits, most) / most
    source = np.repeat(np.arange(len(published)), published)
    sums = np.bincount(source, weights=late, minlength=len(published))
    active = published > 0
    entries, feeds = 1.0 - fairness, fairness * feed
    lost = entries * float(late.sum()) + feeds * float((sums[active] / published[active]).sum())
    whole = entries * len(late) + feeds * int(active.sum())
    return 1.0 - lost / whole if whole > 0 else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamQuality:
    """One source under one query."""

    fetched: int
    published: int
    freshness: float  # mean over time

    @property
    def completeness(self) -> float:
        return completeness(self.fetched, self.published)


def stream_quality(
    times: Row, refreshes: Row, window: int, *, start: float, end: float, relevant: Flags | None = None
) -> StreamQuality:
    """Both measures of one source from its entries and refresh times in (start, end], event by event.

    An entry published at the time of a refresh is fetched by it. Entries before ``start`` count as seen.
    """
    if window < 1 or not end > start:
        raise ModelError("a window must show at least one entry, and time must pass")
    wanted = np.ones(len(times), dtype=np.bool_) if relevant is None else np.asarray(relevant, dtype=np.bool_)
    shown: list[tuple[bool, bool]] = []  # (relevant, seen), oldest first
    events = [(float(t), 0, k) for k, t in enumerate(times) if t <= end]
    events += [(float(t), 1, -1) for t in refreshes if start < t <= end]
    fetched = published = 0
    area, now = 0.0, start
    for t, kind, k in sorted(events):
        if t > now:
            area += _share_seen(shown) * (t - now)
            now = t
        if kind == 1:
            fetched += sum(is_wanted and not is_seen for is_wanted, is_seen in shown)
            shown = [(is_wanted, True) for is_wanted, _ in shown]
        else:
            shown = [*shown, (bool(wanted[k]), t <= start)][-window:]
            published += bool(wanted[k]) and t > start
    area += _share_seen(shown) * (end - now)
    return StreamQuality(fetched=fetched, published=published, freshness=area / (end - start))


def _share_seen(shown: list[tuple[bool, bool]]) -> float:
    """Window freshness: the part of the relevant entries in the window that has been seen.  [H12] Def. 2.3.1."""
    seen = [is_seen for is_wanted, is_seen in shown if is_wanted]
    return sum(seen) / len(seen) if seen else 1.0


@compiled(WF(F, N, N, F, types.float64, types.float64))
def _freshness(times: Row, offsets: Counts, windows: Counts, delays: Row, start: float, end: float) -> Row:
    out = np.ones(len(windows))
    for i in range(len(windows)):
        low, high, window = offsets[i], offsets[i + 1], windows[i]
        missing = 0.0
        for k in range(low, high):
            t = times[k]
            if t <= start:
                continue
            if t > end:
                break
            # an entry is missing until it is found, or displaced by as many newer ones as the window holds
            leave = end
            if not np.isnan(delays[k]):
                leave = min(leave, t + delays[k])
            if k + window < high:
                leave = min(leave, times[k + window])
            j = k
            while t < leave:
                size = min(window, j - low + 1)
                until = leave
                if size < window and j + 1 < high:
                    until = min(leave, times[j + 1])
                missing += (until - t) / size
                t = until
                j += 1
        out[i] = 1.0 - missing / (end - start)
    return out


def freshness_over_time(
    times: Row, offsets: Counts, windows: ArrayLike, delays: Row, *, start: float, end: float
) -> Row:
    """Mean window freshness of each source from the delay of every entry; NaN: never found.

    Source i owns ``times[offsets[i]:offsets[i + 1]]``. Entries before ``start`` count as seen. Exact, and for millions
    of entries; ``stream_quality`` says the same slowly.
    """
    sizes = np.ascontiguousarray(windows, dtype=np.int64)
    if not end > start:
        raise ModelError("time must pass between start and end")
    if len(delays) != len(times) or len(offsets) != len(sizes) + 1:
        raise ModelError("one delay an entry and one window a source are needed")
    found: Row = _freshness(times, offsets, sizes, delays, start, end)
    return found


def query_freshness(by_source: ArrayLike, sources: ArrayLike) -> float:
    """Freshness of a query feed: the mean over the sources it reads.  [H12] Def. 2.3.2."""
    chosen = np.asarray(by_source, dtype=np.float64)[np.asarray(sources, dtype=np.int64)]
    return float(chosen.mean()) if len(chosen) else 1.0
