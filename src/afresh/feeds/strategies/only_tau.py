"""OnlyTau and best effort: what is useful enough, by a threshold that follows the budget or stays.  [H12] §4.1."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.feeds.strategies.round import CAP, ROUND, TAU, Choose, Singles, Standings, Strategy
from afresh.feeds.strategies.selection import take_above
from afresh.feeds.strategies.threshold import allowance, settle


@compiled(ROUND)
def choose(params: Row, control: Row, _now: float, _windows: Singles, sources: Standings) -> int:
    """All sources whose utility reaches the threshold; then the threshold follows the budget."""
    allowed = allowance(params, control)
    used = take_above(control[TAU], int(min(params[CAP], len(sources.total))), sources)
    settle(params, control, allowed, used)
    return used


@compiled(ROUND)
def choose_at(params: Row, control: Row, _now: float, _windows: Singles, sources: Standings) -> int:
    """All sources whose utility reaches a threshold that never moves."""
    return take_above(control[TAU], int(min(params[CAP], len(sources.total))), sources)


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlyTau(Strategy):
    """The second step of 2Steps alone."""

    name: ClassVar[str] = "only_tau"
    choose: ClassVar[Choose] = staticmethod(choose)
    is_adaptive: ClassVar[bool] = True


@dataclass(frozen=True, slots=True, kw_only=True)
class BestEffort(Strategy):
    """Refreshes as soon as the utility reaches ``tau``; ``budget`` is not looked at.

    For constant rates the interval is sqrt(2τ/λ), and τ = (Σ sqrt λ)²/(2b²) spends b a round.
    """

    name: ClassVar[str] = "best_effort"
    choose: ClassVar[Choose] = staticmethod(choose_at)
