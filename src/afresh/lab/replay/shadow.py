"""A second rule replayed on what the first has found: what would the reference have spent by now?

The times of entries that a run has found tell what another rule would have done in the past. The shadow is therefore
causal: it stays ``lag`` behind, and it is shown only entries that the run's own polls have brought.
"""

from dataclasses import replace

import numpy as np

from afresh.base.compiled import compiled
from afresh.base.signatures import WF, WN, B, F, N, types
from afresh.feeds.rules.rule import Rule
from afresh.lab.replay.kernel import Bytes, Floats, Ints
from afresh.lab.replay.playback import Playback
from afresh.lab.replay.trace import Trace


@compiled(
    types.void(
        N,
        F,
        B,
        types.float64,
        WF,
        WN,
        WN,
    )
)
def reveal(offsets: Ints, times: Floats, known: Bytes, until: float, shown: Floats, read: Ints, filled: Ints) -> None:
    """Appends to each feed's ``shown`` times the known entries published until then."""
    for i in range(len(offsets) - 1):
        k = read[i]
        to = filled[i]
        while k < offsets[i + 1] and times[k] <= until:
            if known[k] != 0:
                shown[to] = times[k]
                to += 1
            k += 1
        read[i] = k
        filled[i] = to


class Shadow:
    """The reference rule on the entries that a run has found, from the same first poll on."""

    def __init__(self, trace: Trace, reference: Rule, *, start: float, seed: int, known: Bytes) -> None:
        self._trace, self._known = trace, known
        # what is not revealed yet lies in the infinite future
        self._shown = np.full(len(trace.times), np.inf)
        self._read, self._filled = trace.offsets[:-1].copy(), trace.offsets[:-1].copy()
        self._playback = Playback(
            replace(trace, times=self._shown, polls=None, sizes=None), reference, start=start, seed=seed
        )

    def polls_until(self, until: float, *, jobs: int = 1) -> int:
        """Polls the reference would have made by then, first polls included."""
        reveal(self._trace.offsets, self._trace.times, self._known, until, self._shown, self._read, self._filled)
        self._playback.advance(until, jobs=jobs)
        return self._playback.executed
