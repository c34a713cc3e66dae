"""A run of one strategy on sources whose whole future is known to the scorer, and to nobody else."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from afresh.base.errors import ModelError
from afresh.feeds.estimators import Estimator
from afresh.feeds.estimators.single import SingleVariable
from afresh.feeds.strategies import Strategy
from afresh.feeds.strategies.round import Standings
from afresh.lab.refresh import kernel
from afresh.lab.refresh.kernel import Floats, Ints, Progress, Singles

_NO_FLOATS = np.empty(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """Sources and all they will ever publish; entries ``offsets[i]:offsets[i + 1]`` belong to source ``i``."""

    offsets: Ints
    times: Floats  # ascending within a source
    windows: Singles
    relevant: NDArray[np.bool_] | None = None  # which entries the query wants; None: all
    selectivity: Singles = field(default_factory=lambda: np.empty(0, dtype=np.float32))  # expected part; empty: 1
    weights: Singles = field(default_factory=lambda: np.empty(0, dtype=np.float32))  # worth over cost; empty: 1

    def __len__(self) -> int:
        return len(self.windows)

    def published(self, start: float, end: float) -> Ints:
        """Relevant entries of each source in (start, end]."""
        inside = (self.times > start) & (self.times <= end)
        if self.relevant is not None:
            inside &= self.relevant
        sums = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(inside)])
        return np.asarray(sums[self.offsets[1:]] - sums[self.offsets[:-1]], dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """What a strategy is told: the truth (``estimator`` None), or what a model expects.

    ``exact`` and ``random_ties`` belong to the truth; ``true_counts`` feeds models the number published where a window
    has lost some, which only a simulator can do.
    """

    estimator: Estimator | None = None
    states: Floats | None = None  # the models' rows to begin with; None: nothing learnt
    exact: bool = False
    random_ties: bool = True
    true_counts: bool = False
    waiting: bool = False  # refreshes are worth the time that entries have waited, not Eq. 4.5
    errors: bool = False  # keep the divergence error of every cycle
    scales: Singles | None = None  # of these errors; None: 1
    sample: bool = True  # keep the freshness of every cycle

    @property
    def mode(self) -> int:
        return (
            (kernel.TRUTH if self.estimator is None else 0)
            | (kernel.EXACT if self.exact else 0)
            | (kernel.RANDOM_TIES if self.random_ties else 0)
            | (kernel.TRUE_COUNTS if self.true_counts else 0)
            | (kernel.WAITING if self.waiting else 0)
            | (kernel.ERRORS if self.errors else 0)
            | (kernel.SAMPLE if self.sample else 0)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a stretch of cycles came to."""

    start: float
    end: float
    refreshes: Ints  # by source
    got: Ints  # relevant entries fetched, by source
    published: Ints  # relevant entries published, by source
    series: Floats  # [cycles, kernel.SERIES]

    @property
    def cost(self) -> int:
        return int(self.refreshes.sum())

    @property
    def completeness(self) -> float:
        """Fetched over published in this stretch, pooled over the sources; 1 where nothing was published."""
        total = int(self.published.sum())
        return float(self.got.sum() / total) if total else 1.0

    @property
    def freshness(self) -> float:
        """Mean over the cycles of the freshness at their ends."""
        return float(self.series[:, kernel.FRESHNESS].mean())

    @property
    def thresholds(self) -> Floats:
        return self.series[:, kernel.THRESHOLD]

    @property
    def used(self) -> Floats:
        return self.series[:, kernel.USED]

    @property
    def error(self) -> float:
        """Mean divergence error."""
        return float(self.series[:, kernel.ERROR].mean())


class Simulation:
    """One strategy on one web, advanced part by part. All sources are as good as refreshed at ``start``."""

    def __init__(
        self,
        web: Web,
        strategy: Strategy,
        knowledge: Knowledge | None = None,
        *,
        start: float = 0.0,
        cycle: float = 1.0,
        seed: int = 0,
        keep_delays: bool = False,
    ) -> None:
        if not cycle > 0.0:
            raise ModelError(f"a cycle must take some time, not {cycle:g}")
        knowledge = knowledge or Knowledge()
        n = len(web)
        self.web, self.strategy, self.cycle, self.seed = web, strategy, cycle, seed
        self.estimator = knowledge.estimator or SingleVariable()
        self.mode = knowledge.mode
        self.now = start
        self.params, self.control = strategy.params(), strategy.control()
        self.states = np.zeros((n, self.estimator.state_size)) if knowledge.states is None else knowledge.states.copy()
        self.delays = np.full(len(web.times), np.nan) if keep_delays else _NO_FLOATS
        relevant = np.ones(len(web.times), dtype=np.bool_) if web.relevant is None else web.relevant
        self._wanted = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(relevant, dtype=np.int64)])
        self._moments = np.concatenate([np.zeros(1), np.cumsum(np.where(relevant, web.times, 0.0))])
        ones = np.ones(n, dtype=np.float32)
        self._selectivity = web.selectivity if len(web.selectivity) else ones
        self._weights = web.weights if len(web.weights) else ones
        self._scales = ones if knowledge.scales is None else knowledge.scales
        head = web.offsets[:-1].copy()
        kernel.publish(start, web.offsets, web.times, head)
        none = np.zeros(n, dtype=np.int64)
        self._progress = Progress(head, head.copy(), np.full(n, start), self.states, none, none, self.delays)
        self._standings = Standings.of(n, due=np.full(n, start))
        self._played = 0

    def freeze(self, *, frozen: bool = True) -> None:
        """Stop the models from learning, or let them learn again."""
        self.mode = self.mode | kernel.FROZEN if frozen else self.mode & ~kernel.FROZEN

    def refresh_all(self) -> None:
        """Refresh every source now, at no cost, and begin to keep delays afresh: the beginning of a test part."""
        web, progress = self.web, self._uncounted()
        kernel.publish(self.now, web.offsets, web.times, progress.head)
        update, model = type(self.estimator).update, self.estimator.params()
        for i in range(len(web)):
            kernel.refresh(
                update, model, self.mode, self.now, i, web.times, self._wanted, web.windows, progress, self._standings
            )
        if len(self.delays):
            self.delays[:] = np.nan

    def advance(self, cycles: int) -> Part:
        """Play so many cycles."""
        web, progress = self.web, self._uncounted()
        series = np.zeros((cycles, kernel.SERIES))
        kernel.play(
            type(self.strategy).choose,
            self.params,
            self.control,
            type(self.estimator).expect,
            type(self.estimator).update,
            self.estimator.params(),
            self.mode,
            self.seed,
            self.now,
            self.cycle,
            self._played,
            web.offsets,
            web.times,
            self._wanted,
            self._moments,
            web.windows,
            self._selectivity,
            self._weights,
            self._scales,
            progress,
            self._standings,
            series,
        )
        start, self.now = self.now, self.now + cycles * self.cycle
        self._played += cycles
        return Part(
            start=start,
            end=self.now,
            refreshes=progress.refreshes,
            got=progress.got,
            published=web.published(start, self.now),
            series=series,
        )

    def _uncounted(self) -> Progress:
        """Where the sources are, with no refresh counted yet."""
        refreshes, got = np.zeros((2, len(self.web)), dtype=np.int64)
        return self._progress._replace(refreshes=refreshes, got=got)
