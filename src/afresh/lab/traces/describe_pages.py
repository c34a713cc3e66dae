"""What a page trace is like: how many pages, how often they change, when."""

import math
from dataclasses import asdict, dataclass

import numpy as np

from afresh.lab.traces.describe import DAY, as_duration, plain, quantiles, shares
from afresh.lab.traces.pages import PageTrace


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDescription:
    """Statistics of a page trace; times in seconds."""

    name: str
    pages: int
    changes: int
    seen_once: int  # pages observed for no time at all, which cannot tell whether they change
    never_changed: float  # share of the others
    start: float
    end: float
    observed_days: dict[str, float]  # from a page's first version to the end of its observation; not of pages seen once
    rate_per_day: dict[str, float]  # quantiles over the same pages, the unchanged ones included
    interval: dict[str, float]  # quantiles over all intervals
    hours: list[float]
    weekdays: list[float]

    def as_dict(self) -> dict[str, object]:
        """For JSON: plain values, None for what is undefined."""
        return plain(asdict(self))


def describe_pages(trace: PageTrace) -> PageDescription:
    """Describes the changes of a page trace; the first version of a page is no change.

    A page is observed until its column ``observed_until`` says, else until the last version of any page.
    """
    counts = np.maximum(np.diff(trace.offsets) - 1, 0)
    seen = np.diff(trace.offsets) > 0
    first = np.full(len(trace), np.nan)
    first[seen] = trace.times[trace.offsets[:-1][seen]]
    end = float(trace.times.max()) if len(trace.times) else 0.0
    days = (_until(trace, end) - first) / DAY
    watched = seen & (days > 0.0)
    is_change = np.ones(len(trace.times), dtype=np.bool_)
    is_change[trace.offsets[:-1][seen]] = False
    changes = trace.times[is_change]
    gaps = np.diff(trace.times, prepend=np.nan)[is_change]
    return PageDescription(
        name=trace.name,
        pages=len(trace),
        changes=len(changes),
        seen_once=int(seen.sum() - watched.sum()),
        never_changed=float((counts[watched] == 0).mean()) if watched.any() else float("nan"),
        start=float(trace.times.min()) if len(trace.times) else 0.0,
        end=end,
        observed_days=quantiles(days[watched]),
        rate_per_day=quantiles(counts[watched] / days[watched]),
        interval=quantiles(gaps),
        hours=shares(changes // 3_600 % 24, 24),
        weekdays=shares((changes // DAY + 3) % 7, 7),
    )


def _until(trace: PageTrace, end: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    texts = trace.columns.get("observed_until", [""] * len(trace))
    return np.array([float(text) if text.replace(".", "", 1).isdigit() else end for text in texts], dtype=np.float64)


def pages_as_text(d: PageDescription) -> str:
    """The description for a terminal."""
    head = f"{d.name}: {d.pages:,} pages, {d.changes:,} changes; "
    if math.isnan(d.never_changed):
        return head + "none was seen for long enough to tell whether it changes\n"
    once = f"{d.seen_once:,} were seen once; of the others " if d.seen_once else ""
    lines = [
        f"{head}{once}{d.never_changed:.1%} never changed",
        "observed         " + "  ".join(f"{name} {as_duration(DAY * days)}" for name, days in d.observed_days.items()),
        "changes a day    " + "  ".join(f"{name} {value:.3g}" for name, value in d.rate_per_day.items()),
        "interval         " + "  ".join(f"{name} {as_duration(value)}" for name, value in d.interval.items()),
        "hours (UTC, ‰)   " + " ".join(f"{1000 * share:.0f}" for share in d.hours),
        "Mon-Sun (%)      " + " ".join(f"{100 * share:.1f}" for share in d.weekdays),
    ]
    return "\n".join(lines) + "\n"
