"""Sources with a daily shape (peaks, uniform, waves), or with one after another.  [H12] §6.4, §7.3."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from afresh.base.calendar import DAY, HOUR
from afresh.base.errors import ModelError
from afresh.lab.refresh.simulator import Web
from afresh.lab.replay.trace import Floats

SHAPES = ("peaks", "uniform", "waves")
SLOTS = 24


def shape_of(name: str) -> Floats:
    """Relative intensity of each hour of the day, mean 1."""
    hours = np.arange(SLOTS)
    if name == "uniform":
        return np.ones(SLOTS)
    if name == "peaks":  # one hour in four, as the example of [H12] Fig. 6.5
        return np.where(hours % 4 == 0, 4.0, 0.0)
    if name == "waves":
        return np.asarray(1.0 + np.cos(2.0 * np.pi * (hours - 15) / SLOTS), dtype=np.float64)
    raise ModelError(f"unknown shape {name!r}; there are {', '.join(SHAPES)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Regime:
    """A shape for so many days."""

    shape: str
    days: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shaped:
    """Poisson sources that follow daily shapes, one after the other."""

    web: Web
    rates: Floats  # entries a day of each source
    regimes: tuple[Regime, ...]

    def table(self, regime: int = 0) -> Floats:
        """The true rates by hour (entries a second) of each source in a regime."""
        return np.asarray(self.rates[:, None] / DAY * shape_of(self.regimes[regime].shape)[None, :], dtype=np.float64)


def shaped(
    rng: np.random.Generator,
    regimes: Sequence[Regime],
    *,
    sources: int = 10,
    low: float = 24.0,
    high: float = 96.0,
    window: int = 20,
) -> Shaped:
    """Sources with rates drawn evenly between ``low`` and ``high`` entries a day; time begins at 0."""
    if not regimes or sources < 1:
        raise ModelError("at least one regime and one source are needed")
    rates = rng.uniform(low, high, sources)
    hourly = np.concatenate([np.tile(shape_of(regime.shape), regime.days) for regime in regimes]) / SLOTS
    streams = []
    for rate in rates:
        counts = rng.poisson(rate * hourly)
        begin = np.repeat(np.arange(len(hourly)) * HOUR, counts)
        streams.append(np.sort(begin + rng.uniform(0.0, HOUR, len(begin))))
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum([len(s) for s in streams])]).astype(np.int64)
    web = Web(offsets=offsets, times=np.concatenate(streams), windows=np.full(sources, float(window), dtype=np.float32))
    return Shaped(web=web, rates=rates, regimes=tuple(regimes))
