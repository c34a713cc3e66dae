"""One figure of a trace: rhythm, windows, tail and patterns."""

from pathlib import Path
from typing import Any

import numpy as np

from afresh.base.extras import need
from afresh.lab.replay.trace import Trace
from afresh.lab.traces.describe import Description


def plot_description(trace: Trace, d: Description, path: str | Path) -> Path:
    """Writes a figure (format by suffix: .png, .svg, .pdf) with six panels; needs the ``lab`` extra."""
    need("lab", "a plot in a file")
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    figure = Figure(figsize=(12, 7), layout="constrained")
    axes = figure.subplots(2, 3).ravel()
    _bars(axes[0], range(24), [100 * share for share in d.hours], "Entries by hour (UTC)", "%")
    _bars(axes[1], ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"], [100 * s for s in d.weekdays], "By weekday (UTC)", "%")
    _bars(axes[2], list(d.patterns), list(d.patterns.values()), "Update patterns", "feeds")
    axes[2].tick_params(axis="x", rotation=30)
    _tail(axes[3], trace, d)
    sizes, counts = np.unique(np.minimum(trace.windows, 51), return_counts=True)
    _bars(axes[4], sizes.tolist(), counts.tolist(), "Window size (51: larger)", "feeds")
    _intervals(axes[5], trace)
    figure.suptitle(f"{d.name}: {d.feeds:,} feeds, {d.entries:,} entries, {d.days:.0f} days")
    path = Path(path)
    figure.savefig(path, dpi=120)
    return path


def _bars(axis: Any, x: Any, heights: list[float] | list[int], title: str, unit: str) -> None:
    axis.bar(list(x), heights, color="#3b6ea5")
    axis.set_title(title)
    axis.set_ylabel(unit)


def _tail(axis: Any, trace: Trace, d: Description) -> None:
    """Feeds by number of entries, log-log, with the fitted line."""
    counts = np.diff(trace.offsets)
    x, y = np.unique(counts[counts > 0], return_counts=True)
    axis.set_title("Feeds by number of entries")
    if not len(x):
        return
    axis.loglog(x, y, ".", color="#3b6ea5", markersize=3)
    if d.power_law is not None:
        axis.loglog(x, d.power_law.a * x**d.power_law.b, "-", color="#b3483b", linewidth=1)


def _intervals(axis: Any, trace: Trace) -> None:
    """Intervals between entries of a feed, logarithmic."""
    gaps = np.concatenate([np.empty(0), *(np.diff(trace.stream(i)) for i in range(len(trace)))])
    axis.set_title("Intervals (seconds)")
    axis.set_xscale("log")
    gaps = gaps[gaps > 0]
    if len(gaps):
        axis.hist(gaps, bins=np.geomspace(max(gaps.min(), 0.1), gaps.max() * 1.01, 60), color="#3b6ea5")
