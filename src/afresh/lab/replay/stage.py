"""Where feeds are replayed: in this process, or in parts elsewhere; the accounts are the same to the last digit.

Feeds know nothing of each other but a common price, so whatever adds up whole numbers and joins rows in their order
will do: ``Here`` is one process, ``afresh.lab.on_dask`` many.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from afresh.base.models import Bounds
from afresh.feeds.rules.rule import Rule
from afresh.lab.replay.period import Period
from afresh.lab.replay.playback import Keep, Playback
from afresh.lab.replay.result import ReplayResult
from afresh.lab.replay.run import replay, started, trained
from afresh.lab.replay.shadow import Shadow
from afresh.lab.replay.trace import Ints, Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """Under which rules are replayed together."""

    period: Period
    seed: int = 0
    dedupe: str = "previous_window"
    keep_delays: bool = False


class Counts(NamedTuple):
    """What a replay has come to so far."""

    polls: int  # first polls included
    found: int
    bytes: float
    seconds: float


class Pair(Protocol):
    """A priced rule on its way, beside what the reference would have done on what was found."""

    def advance(self, until: float, price: float) -> Counts:
        """Makes all polls due until then, at this price."""
        ...

    def reference_polls(self, until: float) -> int:
        """Polls the reference would have made by then, first polls included."""
        ...

    def result(self, end: float) -> ReplayResult: ...


class Stage(Protocol):
    """The feeds of a replay and who replays them."""

    def __len__(self) -> int:
        """How many feeds."""
        ...

    @property
    def offsets(self) -> Ints:
        """Where the entries of each feed begin, as in a trace of all of them."""
        ...

    def replay(
        self, rule: Rule, *, period: Period, bounds: Bounds | None = None, seed: int = 0, keep_delays: bool = False
    ) -> ReplayResult: ...

    def training_polls(self, rule: Rule, under: Conditions, *, price: float) -> int:
        """Polls a rule makes in the training part, started there with nothing learnt."""
        ...

    def pair(self, rule: Rule, reference: Rule, under: Conditions, *, price: float) -> Pair: ...


class Here:
    """A trace in the memory of this process."""

    def __init__(self, trace: Trace, *, jobs: int = 1) -> None:
        self.trace, self.jobs = trace, jobs

    def __len__(self) -> int:
        return len(self.trace)

    @property
    def offsets(self) -> Ints:
        return self.trace.offsets

    def replay(
        self, rule: Rule, *, period: Period, bounds: Bounds | None = None, seed: int = 0, keep_delays: bool = False
    ) -> ReplayResult:
        return replay(
            self.trace, rule, period=period, bounds=bounds, seed=seed, jobs=self.jobs, keep_delays=keep_delays
        )

    def training_polls(self, rule: Rule, under: Conditions, *, price: float) -> int:
        return training_polls(self.trace, rule, under, jobs=self.jobs, price=price)

    def pair(self, rule: Rule, reference: Rule, under: Conditions, *, price: float) -> "PairHere":
        return PairHere(self, rule, reference, under, price=price)


class PairHere:
    """A ``Pair`` over a trace in memory."""

    def __init__(self, here: Here, rule: Rule, reference: Rule, under: Conditions, *, price: float) -> None:
        trace, self._jobs = here.trace, here.jobs
        period, seed = under.period, under.seed
        known = np.zeros(len(trace.times), dtype=np.uint8)
        delays = np.full(len(trace.times), np.nan) if under.keep_delays else None
        keep = Keep(delays=delays, known=known)
        self._playback = started(trace, rule, period, seed, here.jobs, under.dedupe, keep=keep, price=price)
        self._shadow = Shadow(trace, reference, start=period.test, seed=seed, known=known)

    def advance(self, until: float, price: float) -> Counts:
        playback = self._playback
        playback.set_price(price)
        playback.advance(until, jobs=self._jobs)
        return Counts(playback.executed, playback.found, playback.volume, playback.seconds)

    def reference_polls(self, until: float) -> int:
        return self._shadow.polls_until(until, jobs=self._jobs)

    def result(self, end: float) -> ReplayResult:
        return self._playback.result(end)


def staged(trace: Trace | Stage, jobs: int = 1) -> Stage:
    """A trace in this process, or where it is already."""
    return Here(trace, jobs=jobs) if isinstance(trace, Trace) else trace


def training_polls(trace: Trace, rule: Rule, under: Conditions, *, jobs: int, price: float) -> int:
    """Polls a rule makes in the training part, started there with nothing learnt."""
    period = under.period
    playback = Playback(
        trace,
        rule,
        start=period.start,
        seed=under.seed,
        dedupe=under.dedupe,
        profiles=trained(trace, rule, period, 0, len(trace)),
    )
    playback.set_price(price)
    playback.advance(float(np.nextafter(period.test, -np.inf)), jobs=jobs)
    return playback.executed
