"""A run that spends what it may and never more: what it aims at is moved until it comes out right from below."""

import math
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_NEAR = 0.999  # of what is allowed: where the next aim is put
_ENOUGH = 0.996  # of what is allowed: nobody need try again for the rest
_TRIES = 10


def within(run: Callable[[float], T], made: Callable[[T], int], allowed: float) -> T:
    """The run that makes most of what is ``allowed``, of those that make no more.

    ``run`` takes its aim as a part of what is allowed; what it makes follows the aim roughly, and never falls with it.
    Only the aim is known from hindsight. Where no aim is low enough, the run that makes least is the answer.
    """
    aim, low, high = _NEAR, 0.0, 4.0
    best: T | None = None
    before: tuple[float, int] | None = None
    for _ in range(_TRIES):
        result = run(aim)
        count = made(result)
        if best is None or _is_better(count, made(best), allowed):
            best = result
        if _ENOUGH * allowed <= count <= allowed:
            break
        low, high = (low, aim) if count > allowed else (aim, high)
        wanted = aim * (_NEAR * allowed / max(1, count)) ** (1.0 / _answer(before, (aim, count)))
        before = aim, count
        aim = wanted if low < wanted < high else (low + high) / 2.0
    assert best is not None
    return best


def _answer(one: tuple[float, int] | None, two: tuple[float, int]) -> float:
    """How strongly what is made answers to the aim, by the last two tries: as its power."""
    if one is None or one[0] == two[0] or min(one[1], two[1]) < 1:
        return 1.0
    return min(2.0, max(0.1, math.log(two[1] / one[1]) / math.log(two[0] / one[0])))


def _is_better(count: int, before: int, allowed: float) -> bool:
    """Whether it is nearer to what is allowed from below, or, where that was not reached yet, less."""
    return before < count <= allowed if before <= allowed else count < before
