"""Runs whose models learn in phases, with requests of their own for it.  [H12] §7.3.4."""

from collections.abc import Iterator

from afresh.feeds.strategies.round import BUDGET
from afresh.lab.refresh.phases import Learning
from afresh.lab.refresh.simulator import Part, Simulation


def learn_in_phases(run: Simulation, learning: Learning, cycles: int) -> Iterator[tuple[bool, Part]]:
    """Advance a run phase by phase: (whether it was learning, what that phase came to)."""
    start, usual = run.now, float(run.params[BUDGET])
    left = cycles
    while left > 0:
        is_learning = learning.is_learning(start=start, now=run.now)
        change = learning.next_change(start=start, now=run.now)
        span = left if change == float("inf") else max(1, round((change - run.now) / run.cycle))
        count = min(left, span)
        run.freeze(frozen=not is_learning)
        run.params[BUDGET] = usual * (learning.budget if is_learning else 1.0)
        yield is_learning, run.advance(count)
        left -= count
    run.params[BUDGET] = usual
