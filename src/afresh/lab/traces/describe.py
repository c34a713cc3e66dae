"""What a trace is like: sizes, rates, intervals, rhythm, windows, patterns, tail."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from afresh.feeds.patterns import classify_all
from afresh.lab.replay.trace import Trace
from afresh.lab.traces.attributes import Attribute, attribute_report
from afresh.lab.traces.quality import Quality, quality_report

Floats = NDArray[np.float64]

DAY = 86_400.0
QUANTILES = {"p5": 0.05, "p10": 0.10, "p25": 0.25, "p50": 0.50, "p75": 0.75, "p90": 0.90, "p95": 0.95, "max": 1.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerLaw:
    """``feeds = a · entries^b``, a straight line through the log-log histogram of entries per feed.  [R12] Fig. 3.9.

    A visual fit over the bins that are not empty, comparable with published ones (a = 677, b = -0.74); not a density.
    """

    a: float
    b: float
    points: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """Statistics of a trace; times in seconds, shares of 1, NaN where nothing can be said."""

    name: str
    feeds: int
    entries: int
    silent: int  # feeds without an entry in the period
    start: float  # of the period described
    end: float
    days: float
    rate_per_day: dict[str, float]  # quantiles over the feeds that published
    interval: dict[str, float]  # quantiles over all intervals
    feed_interval: dict[str, float]  # quantiles over feeds of their median interval
    entries_per_feed: dict[str, float]
    hours: list[float]  # share of entries by hour, UTC
    weekdays: list[float]  # Monday first
    windows: dict[str, float]
    common_windows: dict[int, float]  # most common sizes and their shares
    equal_times: float  # share of entries at the same time as the one before
    patterns: dict[str, int]
    fills_window_within_hour: (
        float  # share of the feeds with more than a window of entries whose window typically turns over within an hour
    )
    power_law: PowerLaw | None
    quality: Quality
    attributes: list[Attribute]

    def as_dict(self) -> dict[str, object]:
        """For JSON: plain values, None for what is undefined."""
        return plain(asdict(self))


def plain(values: dict[str, Any]) -> dict[str, object]:
    """A dictionary fit for JSON: text keys, None where a number is undefined."""
    return {str(key): _plain_value(value) for key, value in values.items()}


def _plain_value(value: object) -> object:
    if isinstance(value, dict):
        return plain(value)
    if isinstance(value, list):
        return [_plain_value(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value


def describe(
    trace: Trace, *, start: float | None = None, end: float | None = None, strict_chunked: bool = False
) -> Description:
    """Describes the entries between ``start`` and ``end`` (default: the whole trace).

    Patterns are judged at ``end`` from everything known by then, the entries before ``start`` included.
    """
    start = (trace.first if len(trace.times) else 0.0) if start is None else start
    end = (trace.last if len(trace.times) else start) if end is None else end
    patterns = Counter(p.value for p in classify_all(trace.times, trace.offsets, end, strict_chunked=strict_chunked))
    inside = _between(trace, start, end)
    counts = np.diff(inside.offsets)
    days = max((end - start) / DAY, 1 / 24)
    gaps = _gaps(inside)
    medians = np.array([np.median(g) for g in gaps if len(g)])
    pooled = np.concatenate([np.empty(0), *gaps])
    rates = counts[counts > 0] / days
    return Description(
        name=trace.name,
        feeds=len(trace),
        entries=len(inside.times),
        silent=int((counts == 0).sum()),
        start=start,
        end=end,
        days=days,
        rate_per_day=quantiles(rates),
        interval=quantiles(pooled),
        feed_interval=quantiles(medians),
        entries_per_feed=quantiles(counts.astype(np.float64)) | {"mean": _mean(counts)},
        hours=shares(inside.times // 3_600 % 24, 24),
        weekdays=shares((inside.times // DAY + 3) % 7, 7),  # 1970-01-01 was a Thursday
        windows=quantiles(trace.windows.astype(np.float64)) | {"mean": _mean(trace.windows)},
        common_windows=_common(trace.windows),
        equal_times=_mean(pooled == 0),
        patterns=dict(sorted(patterns.items(), key=lambda item: -item[1])),
        fills_window_within_hour=_mean(_turns_over(inside, 3_600.0)),
        power_law=fit_power_law(counts),
        quality=quality_report(trace),
        attributes=attribute_report(trace),
    )


def _between(trace: Trace, start: float, end: float) -> Trace:
    kept = (trace.times >= start) & (trace.times <= end)
    owner = np.repeat(np.arange(len(trace)), np.diff(trace.offsets))[kept]
    offsets = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=len(trace))))).astype(np.int64)
    return replace(trace, times=trace.times[kept], offsets=offsets, sizes=None, polls=None)


def _gaps(trace: Trace) -> list[Floats]:
    return [np.diff(trace.stream(i)) for i in range(len(trace))]


def _turns_over(trace: Trace, within: float) -> NDArray[np.bool_]:
    """Whether a whole window of entries typically takes less than this, for feeds that published more than one."""
    out = []
    for i, window in enumerate(trace.windows.tolist()):
        stream = trace.stream(i)
        if len(stream) > window:
            out.append(bool(np.median(stream[window:] - stream[:-window]) <= within))
    return np.array(out, dtype=np.bool_)


def quantiles(values: Floats) -> dict[str, float]:
    """The quantiles by name; NaN without values."""
    if not len(values):
        return dict.fromkeys(QUANTILES, float("nan"))
    found = np.quantile(values, list(QUANTILES.values()))
    return {name: float(value) for name, value in zip(QUANTILES, found, strict=True)}


def _mean(values: NDArray[np.bool_] | NDArray[np.int64] | Floats) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def shares(values: Floats, bins: int) -> list[float]:
    """Share of the values that equal 0, 1, ... bins - 1."""
    counts = np.bincount(values.astype(np.int64), minlength=bins)
    return [float(share) for share in counts / max(len(values), 1)]


def _common(windows: NDArray[np.int64], most: int = 8) -> dict[int, float]:
    sizes, counts = np.unique(windows, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:most]
    return {int(sizes[i]): float(counts[i] / len(windows)) for i in order}


def fit_power_law(entries_per_feed: NDArray[np.int64]) -> PowerLaw | None:
    """Least squares in log-log space over the numbers of entries that occur; None below three of them.

    >>> fit_power_law(np.repeat([1, 10, 100], [100, 10, 1])).b
    -1.0
    """
    x, y = np.unique(entries_per_feed[entries_per_feed > 0], return_counts=True)
    if len(x) < 3:
        return None
    slope, intercept = np.polyfit(np.log10(x), np.log10(y), 1)
    return PowerLaw(a=float(10**intercept), b=round(float(slope), 6), points=len(x))


# --- words ------------------------------------------------------------------------------------------------------------


def as_text(d: Description) -> str:
    """The description for a terminal or a README."""
    lines = [
        f"{d.name}: {d.feeds:,} feeds, {d.entries:,} entries in {d.days:.1f} days; {d.silent:,} feeds silent",
        _line("entries a day", d.rate_per_day, "{:.3g}"),
        _line("entries a feed", d.entries_per_feed, "{:.4g}"),
        "interval         " + "  ".join(f"{name} {as_duration(v)}" for name, v in d.interval.items()),
        "median interval  " + "  ".join(f"{name} {as_duration(v)}" for name, v in d.feed_interval.items()),
        _line("window", d.windows, "{:.3g}"),
        "common windows   " + "  ".join(f"{size}: {share:.1%}" for size, share in d.common_windows.items()),
        "hours (UTC, ‰)   " + " ".join(f"{1000 * share:.0f}" for share in d.hours),
        "Mon-Sun (%)      " + " ".join(f"{100 * share:.1f}" for share in d.weekdays),
        f"equal times      {d.equal_times:.2%} of the intervals are 0",
        f"turnover         {d.fills_window_within_hour:.2%} of the feeds with a full window fill it within an hour",
        "patterns         " + "  ".join(f"{name} {count:,}" for name, count in d.patterns.items()),
    ]
    if d.power_law is not None:
        lines.append(f"power law        feeds = {d.power_law.a:.3g} · entries^{d.power_law.b:.2f}")
    if d.quality.source:
        q = d.quality
        lines.append(f"potential gaps   {q.gaps:,} in {q.feeds_with_gaps:,} feeds; none in {q.feeds_without_gap:.1%}")
    return "\n".join([*lines, *_attribute_lines(d.attributes)]) + "\n"


def _line(label: str, quantiles: dict[str, float], form: str) -> str:
    return f"{label:<17}" + "  ".join(f"{name} {form.format(value)}" for name, value in quantiles.items())


def _attribute_lines(attributes: Sequence[Attribute]) -> list[str]:
    out = []
    for a in attributes:
        values = ", ".join(f"{value} {count:,}" for value, count in list(a.values.items())[:6])
        shares = f"{a.feeds_share:6.1%} of feeds, {a.entries_share:6.1%} of entries"
        out.append(f"  {a.name:<22} {shares}{'; ' + values if values else ''}")
    return ["attributes", *out] if out else []


def as_duration(seconds: float) -> str:
    """Seconds in the largest unit that fits, three digits."""
    if not np.isfinite(seconds):
        return "-"
    for unit, length in (("d", DAY), ("h", 3_600.0), ("min", 60.0)):
        if seconds >= length:
            return f"{seconds / length:.3g}{unit}"
    return f"{seconds:.3g}s"
