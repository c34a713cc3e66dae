"""The lab on Dask: the same functions on the workers of a cluster, and the same numbers to the last digit.

Feeds are replayed in parts, each by whoever is free; a price that is common to all is moved here, from whole numbers
that the parts report. Strategies and policies, which look at all feeds or pages at once, go to the workers one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from typing import Any, Protocol, TypeVar

import numpy as np

from afresh import __version__
from afresh.base.errors import UsageError
from afresh.base.extras import need
from afresh.base.models import Bounds
from afresh.feeds.rules.rule import Rule
from afresh.lab.replay.period import Period, population
from afresh.lab.replay.result import ReplayResult
from afresh.lab.replay.run import joined
from afresh.lab.replay.selection import selected
from afresh.lab.replay.stage import Conditions, Counts, Here, PairHere
from afresh.lab.replay.trace import Ints, Trace
from afresh.lab.traces.parted import PartedTrace, cut

T = TypeVar("T")

_FEWEST = 256  # feeds of a part of a trace in memory: fewer are not worth a message
_PARTS_EACH = 4  # a worker, so that all end at about the same time
_PATIENCE = 10  # seconds for a scheduler to answer


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of ``tcp://HOST:PORT``, or of so many workers of our own: ``local:4``."""
    need("dask", "--scheduler")
    distributed = import_module("distributed")
    kind, _, rest = address.partition(":")
    if kind == "local" and rest.isdecimal() and int(rest) > 0:
        # One thread a worker: a replay does not let go of it, and threads of one process are what --jobs has.
        made = distributed.LocalCluster(
            n_workers=int(rest), threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=40
        )
    elif "://" in address:
        made = None
    else:
        raise UsageError(f"{address!r} is no scheduler; write it like tcp://127.0.0.1:8786 or local:4")
    try:
        client = distributed.Client(made or address, timeout=_PATIENCE, set_as_default=True)  # actors ask for it
    except (OSError, TimeoutError, ValueError) as error:
        raise UsageError(f"no scheduler answers at {address}: {error}") from error
    try:
        _check_workers(client, address)
        yield client
    finally:
        client.close()
        if made is not None:
            made.close()


def _check_workers(client: Any, address: str) -> None:
    """Others would give other numbers, or none at all."""
    versions = set(client.run(_version).values())
    if not versions:
        raise UsageError(f"the scheduler at {address} has no workers; start some with `dask worker {address}`")
    if versions != {__version__}:
        raise UsageError(f"workers at {address} have afresh {', '.join(sorted(versions))}, this one is {__version__}")


def _version() -> str:
    try:
        return str(import_module("afresh").__version__)
    except ImportError:
        return "not installed"


class Loads(Protocol):
    """Some feeds that can be read: a part of a trace in a file, or one in memory."""

    def load(self) -> Trace: ...


class Held:
    """Feeds that were sent to the workers."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def load(self) -> Trace:
        return self._trace


class Chosen:
    """Of some feeds those that take part."""

    def __init__(self, source: Loads, period: Period, where: Sequence[str]) -> None:
        self._source, self._period, self._where = source, period, tuple(where)

    def load(self) -> Trace:
        trace = self._source.load()
        return trace.select(population(trace, self._period) & selected(trace, self._where))


class DaskStage:
    """A ``Stage`` of parts; nothing of them is in the memory of this process."""

    def __init__(self, client: Any, sources: Sequence[Any]) -> None:
        self._client, self._sources = client, list(sources)
        lengths = self._everywhere(_lengths, {})
        self._lengths: Ints = np.concatenate(lengths) if lengths else np.empty(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._lengths)

    @property
    def offsets(self) -> Ints:
        return np.concatenate(([0], np.cumsum(self._lengths))).astype(np.int64)

    def replay(
        self, rule: Rule, *, period: Period, bounds: Bounds | None = None, seed: int = 0, keep_delays: bool = False
    ) -> ReplayResult:
        told = {"rule": rule, "period": period, "bounds": bounds, "seed": seed, "keep_delays": keep_delays}
        return together(self._everywhere(_replayed, told))

    def training_polls(self, rule: Rule, under: Conditions, *, price: float) -> int:
        told = {"rule": rule, "under": under, "price": price}
        return sum(self._everywhere(_training_polls, told))

    def pair(self, rule: Rule, reference: Rule, under: Conditions, *, price: float) -> DaskPair:
        made = [
            self._client.submit(PairThere, source, rule, reference, under, price, actor=True, pure=False)
            for source in self._sources
        ]
        return DaskPair([future.result() for future in made])

    def _everywhere(self, function: Callable[[Loads, Mapping[str, Any]], T], told: Mapping[str, Any]) -> list[T]:
        """What a function makes of each part, in their order."""
        found: list[T] = self._client.gather(
            [self._client.submit(function, source, told, pure=False) for source in self._sources]
        )
        return found


class PairThere:
    """One part of a ``Pair``, on a worker, which keeps what it has learnt from one slice to the next."""

    def __init__(self, source: Loads, rule: Rule, reference: Rule, under: Conditions, price: float) -> None:
        self._pair = PairHere(Here(source.load()), rule, reference, under, price=price)

    def advance(self, until: float, price: float) -> Counts:
        return self._pair.advance(until, price)

    def reference_polls(self, until: float) -> int:
        return self._pair.reference_polls(until)

    def result(self, end: float) -> ReplayResult:
        return self._pair.result(end)


class DaskPair:
    """A ``Pair`` of parts that move together."""

    def __init__(self, parts: Sequence[Any]) -> None:
        self._parts = parts

    def advance(self, until: float, price: float) -> Counts:
        polls, found, volume, seconds = zip(*self._all("advance", until, price), strict=True)
        return Counts(sum(polls), sum(found), math.fsum(volume), sum(seconds))

    def reference_polls(self, until: float) -> int:
        return sum(self._all("reference_polls", until))

    def result(self, end: float) -> ReplayResult:
        return together(self._all("result", end))

    def _all(self, method: str, *given: object) -> list[Any]:
        asked = [getattr(part, method)(*given) for part in self._parts]
        return [answer.result() for answer in asked]


def together(parts: Sequence[ReplayResult]) -> ReplayResult:
    """The accounts of parts as one, delays included."""
    delays = [part.delays for part in parts if part.delays is not None]
    return replace(joined(parts), delays=np.concatenate(delays) if delays else None)


def in_turn(client: Any, function: Callable[..., T], shared: object, each: Sequence[Sequence[object]]) -> list[T]:
    """What a function makes of something large, sent once, and of each of some small things."""
    sent = client.scatter(shared, broadcast=False, hash=False)
    found: list[T] = client.gather([client.submit(function, sent, *given, pure=False) for given in each])
    return found


def stage_of(client: Any, trace: Trace | PartedTrace, period: Period, where: Sequence[str]) -> DaskStage:
    """The feeds of a trace that take part: read by the workers from its parts, or cut up here and sent to them."""
    if isinstance(trace, Trace):
        chosen = trace.select(population(trace, period) & selected(trace, where))
        workers = len(client.scheduler_info(n_workers=-1)["workers"])
        size = max(_FEWEST, math.ceil(len(chosen) / (_PARTS_EACH * workers)))
        stage = DaskStage(client, [client.scatter(Held(part), hash=False) for part in cut(chosen, size)])
    else:
        stage = DaskStage(client, [Chosen(part, period, where) for part in trace.parts])
    if not len(stage):
        raise UsageError(f"no feed of trace {trace.name} was listed throughout the period and is as was asked for")
    return stage


def _lengths(source: Loads, told: Mapping[str, Any]) -> Ints:
    del told
    return np.diff(source.load().offsets)


def _replayed(source: Loads, told: Mapping[str, Any]) -> ReplayResult:
    return Here(source.load()).replay(**told)


def _training_polls(source: Loads, told: Mapping[str, Any]) -> int:
    return Here(source.load()).training_polls(**told)
