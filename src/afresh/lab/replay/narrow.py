"""A step behind a call whose arguments fit into registers.

Four arrays are 28 words, which a call through a pointer writes to the stack at every poll: for MAVSync that is as much
work as the poll itself. What stays the same from poll to poll of a feed is therefore written once, into a *frame*.
"""

from functools import cache
from types import FunctionType
from typing import Any

import numpy as np
from numba import carray, types
from numba.extending import intrinsic

from afresh.base.compiled import Compiled
from afresh.base.compiler import dispatcher
from afresh.lab.replay.frame import FRAME, HINTS, HINTS_LENGTH, NARROW, PARAMS, PARAMS_LENGTH, STATE, STATE_LENGTH


@intrinsic
def _floats_at(typingctx, address):  # type: ignore[no-untyped-def] # noqa: ARG001
    pointer = types.CPointer(types.float64)

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def] # noqa: ARG001
        return builder.inttoptr(args[0], context.get_value_type(pointer))

    return pointer(types.int64), generate


def _call(frame: int, now: float, window: int, length: int, new: int, u: float) -> float:
    words = carray(_floats_at(frame), FRAME).view(np.int64)
    return float(
        step(  # type: ignore[name-defined] # noqa: F821 (each copy of this function has a step of its own)
            carray(_floats_at(words[PARAMS]), words[PARAMS_LENGTH]),
            carray(_floats_at(words[STATE]), words[STATE_LENGTH]),
            now,
            carray(_floats_at(window), length),
            new,
            carray(_floats_at(words[HINTS]), words[HINTS_LENGTH]),
            u,
        )
    )


@cache
def narrow(step: Compiled) -> Any:
    """The step with the signature ``NARROW``; cached on disk beside the step itself, and as long."""
    where = step.py_func.__code__
    code = _call.__code__.replace(co_filename=where.co_filename, co_firstlineno=where.co_firstlineno)
    function = FunctionType(code, {**globals(), "step": _callee(step)})
    function.__module__, function.__qualname__ = step.__module__, f"narrow_{step.__qualname__}"
    return dispatcher(function, NARROW, {"cache": True, "nogil": True})


def _callee(step: Compiled) -> Any:
    """A short step is put into the call before it is compiled: behind a call of its own its arrays would be counted as
    in use and let go again, at the price of the whole gain. One that has much compiled into it (``priced``) would take
    seconds to compile once more, and is far longer than its call.
    """
    names = step.py_func.__globals__
    called = [names.get(name) for name in step.py_func.__code__.co_names]
    if any(isinstance(one, Compiled) and one.is_compiled_into_callers for one in called):
        return step.dispatcher
    return dispatcher(step.py_func, None, {"inline": "always"})
