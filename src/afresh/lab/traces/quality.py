"""How complete a recording is: potential gaps per feed and their distribution."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from afresh.lab.replay.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """Potential gaps: two consecutive windows that share no entry.  [R12] Eq. 3.1, §3.7.8."""

    source: str  # "polls", "misses" (a column), or "" where nothing tells
    feeds_without_gap: float  # share
    feeds_with_gaps: int
    gaps: int
    largest: int
    cumulative: dict[int, float]  # share of feeds with at most so many gaps


def quality_report(trace: Trace) -> Quality:
    """Potential gaps of a trace: counted from its recorded polls, or taken from its column ``misses``."""
    gaps, source = potential_gaps(trace)
    n = max(len(gaps), 1)
    steps = [0, 1, 2, 5, 10, 28, 100]
    return Quality(
        source=source,
        feeds_without_gap=float((gaps == 0).sum() / n),
        feeds_with_gaps=int((gaps > 0).sum()),
        gaps=int(gaps.sum()),
        largest=int(gaps.max(initial=0)),
        cumulative={step: float((gaps <= step).sum() / n) for step in steps},
    )


def potential_gaps(trace: Trace) -> tuple[NDArray[np.int64], str]:
    """Gaps of each feed and what they were counted from."""
    if "misses" in trace.columns:
        return trace.numbers("misses", default=0.0).astype(np.int64), "misses"
    if trace.polls is None:
        return np.zeros(len(trace), dtype=np.int64), ""
    polls, out = trace.polls, np.zeros(len(trace), dtype=np.int64)
    for i in range(len(trace)):
        rows = slice(polls.offsets[i], polls.offsets[i + 1])
        shown = polls.windows[rows] > 0  # an empty document does not replace the window before it
        published = np.searchsorted(trace.stream(i), polls.times[rows][shown], side="right")
        out[i] = int((np.diff(published) >= polls.windows[rows][shown][1:]).sum())
    return out, "polls"
