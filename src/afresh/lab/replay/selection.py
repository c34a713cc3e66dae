"""Which feeds of a trace take part, by what its columns say of them.  [R12] §4.3.2 leaves out feeds with many errors.

A condition is ``column=value``, ``!=``, ``<``, ``<=``, ``>`` or ``>=``; all of them must hold. Numbers are compared as
numbers, anything else as text; where a column says nothing, no comparison with a number holds.
"""

import math
import operator
import re
from collections.abc import Callable, Sequence

import numpy as np

from afresh.base.errors import UsageError
from afresh.lab.replay.trace import Mask, Trace

_CONDITION = re.compile(r"\s*([\w.-]+)\s*(<=|>=|!=|=|<|>)\s*(.*?)\s*")
_ORDER: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def selected(trace: Trace, conditions: Sequence[str]) -> Mask:
    """The feeds for which every condition holds; UsageError for one that cannot be asked of this trace."""
    mask = np.ones(len(trace), dtype=np.bool_)
    for condition in conditions:
        mask &= _holds(trace, condition)
    return mask


def _holds(trace: Trace, condition: str) -> Mask:
    found = _CONDITION.fullmatch(condition)
    if found is None:
        raise UsageError(f"not a condition: {condition!r}; write it like has_dates=1 or misses<=3")
    column, sign, wanted = found.groups()
    if column not in trace.columns:
        known = ", ".join(sorted(trace.columns)) or "no columns at all"
        raise UsageError(f"trace {trace.name} says nothing of {column!r}; feeds.csv has {known}")
    number, texts = _number(wanted), trace.columns[column]
    if sign in _ORDER:
        if math.isnan(number):
            raise UsageError(f"{condition!r}: {wanted!r} is not a number; text can only be = or !=")
        return np.array([_ORDER[sign](_number(text), number) for text in texts], dtype=np.bool_)
    same = (text.strip() == wanted or _number(text) == number for text in texts)
    return np.array([is_same == (sign == "=") for is_same in same], dtype=np.bool_)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
