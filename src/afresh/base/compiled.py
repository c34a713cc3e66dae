"""The one signature of a predictor's step, and a typed door to numba.

Every predictor's step has the signature ``STEP``, compiled eagerly and cached on disk. A replay kernel that takes
``types.FunctionType(STEP)`` can then call any of them without being compiled again (decision 0002).
"""

import sys
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, cast

import numba
from numba import types
from numba.core import registry

F = TypeVar("F", bound=Callable[..., Any])

_ROW = types.Array(types.float64, 1, "C")
_READONLY_ROW = types.Array(types.float64, 1, "C", readonly=True)

#: step(params, state, now, window, new, hints, u) -> absolute time of the next poll
STEP = types.float64(
    _READONLY_ROW,  # params: alpha, beta, eta, then the rule's own (see core.predictors)
    _ROW,  # state: the feed's row, changed in place
    types.float64,  # now: time of this poll
    _READONLY_ROW,  # window: corrected publication times, ascending
    types.int64,  # new: how many of the window's entries were not in the previous one
    _READONLY_ROW,  # hints: see core.hints
    types.float64,  # u: a uniform random number of the caller
)
STEP_TYPE = types.FunctionType(STEP)


@cache
def _fill_registries() -> None:
    """Lets numba fill its registries without importing SciPy's linear algebra, where it looks for a BLAS.

    No kernel here does linear algebra, and the search costs a quarter of a second in every process.
    """
    hidden = "scipy.linalg" not in sys.modules
    if hidden:
        sys.modules["scipy.linalg"] = None  # type: ignore[assignment]
    try:
        registry.cpu_target.typing_context.refresh()
        registry.cpu_target.target_context.refresh()
    finally:
        if hidden:
            del sys.modules["scipy.linalg"]


def compiled(signature: Any = None, **options: Any) -> Callable[[F], F]:
    """``numba.njit`` with caching, keeping the function's Python type for the type checker."""

    def decorate(function: F) -> F:
        options.setdefault("cache", True)
        options.setdefault("nogil", True)
        _fill_registries()
        jit = numba.njit(signature, **options) if signature is not None else numba.njit(**options)
        return cast("F", jit(function))

    return decorate


def plain(function: F) -> F:
    """The function behind a compiled one: for a single call compiling would take longer."""
    return cast("F", cast("Any", function).py_func)
