"""Moving average of the interval between entries, enlarged while nothing comes.  [H12] §5.3.1, of cited work."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import compiled
from afresh.base.errors import ModelError
from afresh.base.models import Row
from afresh.feeds.estimators.model import (
    FLOOR,
    LONGEST_RING,
    MOST,
    UPDATE,
    Estimator,
    Expect,
    Update,
)
from afresh.feeds.estimators.single import expect

# state: the rate, refreshes with news so far, silence since the last news, then (time, entries) of the last of them
_RATE, _NEWS, _SILENCE, _RING = 0, 1, 2, 3


@compiled(UPDATE)
def update(params: Row, state: Row, last: float, now: float, count: float, censored: float, window: float) -> None:  # noqa: ARG001
    """Entries over time of the last refreshes that brought news; the silence since then counts as time."""
    elapsed = now - last
    if not elapsed > 0.0:
        return
    most = int(params[MOST])
    news = int(state[_NEWS])
    state[_SILENCE] += elapsed
    if count > 0.0:
        state[_RING + news % most] = state[_SILENCE]
        state[_RING + most + news % most] = count
        state[_SILENCE] = 0.0
        news += 1
        state[_NEWS] = news
    spent = state[_SILENCE]
    seen = 0.0
    for k in range(min(news, most)):
        spent += state[_RING + k]
        seen += state[_RING + most + k]
    # before any news the silence alone bounds the rate: less than one entry in it
    state[_RATE] = max(params[FLOOR], max(seen, 0.5) / spent)


@dataclass(frozen=True, slots=True, kw_only=True)
class MovingAverage(Estimator):
    """Takes a full window at its face value, as its authors do."""

    name: ClassVar[str] = "moving_average"
    expect: ClassVar[Expect] = staticmethod(expect)
    update: ClassVar[Update] = staticmethod(update)

    observations: int = 10

    def __post_init__(self) -> None:
        Estimator.__post_init__(self)
        if not 1 <= self.observations <= LONGEST_RING:
            raise ModelError(f"{self.name}: observations must lie in 1 … {LONGEST_RING}, not {self.observations}")

    @property
    def state_size(self) -> int:
        return _RING + 2 * self.observations

    def params(self) -> Row:
        row = Estimator.params(self)
        row[MOST] = self.observations
        return row
