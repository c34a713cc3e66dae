"""Sources as arrays between two refreshes: expected divergence and utility grow, a round chooses, a refresh resets.

Nothing is recomputed from the last refresh: every model's expectation is additive over time, so a round costs one call
of the model a source, whatever the interval. 45 bytes a source besides the model's own row (8 for a single rate).
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from afresh.base.compiled import compiled
from afresh.base.errors import ModelError
from afresh.base.models import Row
from afresh.base.signatures import F2, F, S, types
from afresh.feeds.estimators.model import EXPECT_TYPE, Estimator, Expect
from afresh.feeds.strategies.round import STANDINGS, Singles, Standings, Strategy

UTILITY = 0  #: a refresh is worth x·Λ(x) − ∫Λ.  [H12] Eq. 4.5
WAITING = 1  #: a refresh is worth ∫Λ, the time that entries have waited


@compiled(types.void(EXPECT_TYPE, F, F2, types.int64, types.float64, types.float64, F, S, S, S, STANDINGS), _nrt=False)
def accumulate(
    expect: Expect,
    params: Row,
    states: Row,
    measure: int,
    before: float,
    now: float,
    last: Row,
    windows: Singles,
    selectivity: Singles,
    weights: Singles,
    sources: Standings,
) -> None:
    """Adds what is expected between ``before`` and ``now`` to each source's divergence and utility.

    ``selectivity`` is the part of the entries that the queries want; ``weights`` are worth over cost.
    """
    total = sources.total
    for i in range(len(total)):
        begin = max(before, last[i])
        span = now - begin
        if not span > 0.0:
            continue
        count, moment = expect(params, states[i], begin, now)
        if measure == WAITING:
            gain = total[i] * span + span * count - moment
        else:
            gain = moment + (begin - last[i]) * count
        total[i] += count
        sources.utility[i] += weights[i] * selectivity[i] * gain
        sources.available[i] = selectivity[i] * min(total[i], windows[i])


@dataclass(slots=True)
class Sources:
    """The sources of one planner. Change ``windows`` when a document shows another size than before."""

    estimator: Estimator
    states: NDArray[np.float64]  # [sources, the model's floats]
    last: Row
    windows: Singles
    selectivity: Singles
    weights: Singles
    standings: Standings
    now: float

    @classmethod
    def of(
        cls,
        estimator: Estimator,
        windows: ArrayLike,
        *,
        now: float,
        selectivity: ArrayLike = 1.0,
        worth: ArrayLike = 1.0,
        cost: ArrayLike = 1.0,
    ) -> Self:
        """Sources that were all refreshed at ``now``; ``worth`` and ``cost`` of a refresh weigh its utility."""
        sizes = np.array(windows, dtype=np.float32)
        n = len(sizes)
        weights = np.broadcast_to(np.asarray(worth, dtype=np.float64) / np.asarray(cost, dtype=np.float64), (n,))
        part = np.broadcast_to(np.asarray(selectivity, dtype=np.float64), (n,))
        if not (sizes >= 1).all():
            raise ModelError("a window must show at least one entry")
        if not (np.isfinite(weights).all() and (weights >= 0).all()):
            raise ModelError("worth must not be negative and cost must be positive")
        if not ((part >= 0) & (part <= 1)).all():
            raise ModelError("selectivity must lie between 0 and 1")
        return cls(
            estimator=estimator,
            states=np.zeros((n, estimator.state_size)),
            last=np.full(n, now),
            windows=sizes,
            selectivity=part.astype(np.float32),
            weights=weights.astype(np.float32),
            standings=Standings.of(n),
            now=now,
        )

    def __len__(self) -> int:
        return len(self.last)

    def advance(self, now: float, measure: int = UTILITY) -> None:
        """Let time pass."""
        accumulate(
            type(self.estimator).expect,
            self.estimator.params(),
            self.states,
            measure,
            self.now,
            now,
            self.last,
            self.windows,
            self.selectivity,
            self.weights,
            self.standings,
        )
        self.now = now

    def choose(
        self, strategy: Strategy, params: Row, control: Row, resting: NDArray[np.bool_] | None = None
    ) -> NDArray[np.int64]:
        """One round: the sources to refresh now. Among saturated equals the one that has lost most goes first.

        Those that are ``resting`` look as if nothing could be had of them; a strategy that does not look may name them.
        """
        np.divide(self.standings.total, self.windows, out=self.standings.ties, casting="same_kind")
        self.standings.chosen[:] = 0
        seen = self.standings
        if resting is not None and resting.any():
            seen = seen._replace(total=seen.total.copy(), available=seen.available.copy(), utility=seen.utility.copy())
            for amount in (seen.total, seen.available, seen.utility):
                amount[resting] = 0.0
        type(strategy).choose(params, control, self.now, self.windows, seen)
        return np.flatnonzero(self.standings.chosen)

    def put(self, source: int, *, last: float, state: Row, window: float, weight: float) -> None:
        """A source as it is known now, refreshed at ``last``: what is expected since then is counted from there."""
        self.last[source], self.states[source] = last, state
        self.windows[source], self.weights[source] = max(1.0, window), weight
        count, moment = type(self.estimator).expect(self.estimator.params(), self.states[source], last, self.now)
        total = max(0.0, float(count))
        self.standings.total[source] = total
        self.standings.available[source] = self.selectivity[source] * min(total, float(self.windows[source]))
        self.standings.utility[source] = weight * self.selectivity[source] * float(moment)

    def join(self, count: int) -> None:
        """Room for more sources, behind those that are there; each is to be ``put``."""
        self._take(Sources.of(self.estimator, np.ones(count), now=self.now), np.arange(len(self)))

    def leave(self, sources: NDArray[np.int64]) -> None:
        """These are no more; those behind them move up."""
        nothing = Sources.of(self.estimator, np.ones(0), now=self.now)
        self._take(nothing, np.delete(np.arange(len(self)), sources))

    def _take(self, more: Self, kept: NDArray[np.int64]) -> None:
        for name in ("states", "last", "windows", "selectivity", "weights"):
            setattr(self, name, np.concatenate([getattr(self, name)[kept], getattr(more, name)]))
        mine, new = self.standings, more.standings
        self.standings = Standings(
            total=np.concatenate([mine.total[kept], new.total]),
            available=np.concatenate([mine.available[kept], new.available]),
            utility=np.concatenate([mine.utility[kept], new.utility]),
            ties=np.concatenate([mine.ties[kept], new.ties]),
            due=mine.due,
            chosen=np.concatenate([mine.chosen[kept], new.chosen]),
        )

    def refreshed(self, source: int, count: float, *, is_full: bool, is_first: bool = False) -> None:
        """Take in a refresh at the present time; ``is_full``: no entry of the window was known before.

        The first refresh only shows which entries exist; its count says nothing about a rate.
        """
        if not is_first:
            type(self.estimator).update(
                self.estimator.params(),
                self.states[source],
                float(self.last[source]),
                self.now,
                float(count),
                float(is_full),
                float(self.windows[source]),
            )
        self.last[source] = self.now
        for amount in (self.standings.total, self.standings.available, self.standings.utility):
            amount[source] = 0.0
