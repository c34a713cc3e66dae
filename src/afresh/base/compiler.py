"""The door to numba: loaded when the first function is compiled, for numba alone takes as long as all else."""

import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numba
from numba.core import registry
from numba.core.compiler_lock import global_compiler_lock


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


def dispatcher(function: Callable[..., Any], signature: Any, options: Mapping[str, Any]) -> Any:
    """``numba.njit``; with a signature the function is compiled, or read from the cache, here and now."""
    with global_compiler_lock:  # threads may ask at the same time; what one has compiled the other reads from the cache
        _fill_registries()
        try:
            return _compile(function, signature, options)
        except ModuleNotFoundError:  # the cache knows modules of an older version that have moved since
            numba.njit(**options)(function)._cache.flush()
            return _compile(function, signature, options)
        except RuntimeError as error:  # numba finds no folder that it may write to, and says so in words only
            if "cannot cache" not in str(error):
                raise
            return _compile(function, signature, {**options, "cache": False})


def _compile(function: Callable[..., Any], signature: Any, options: Mapping[str, Any]) -> Any:
    if signature is None:
        return numba.njit(**options)(function)
    if not isinstance(signature, str):  # said with types that have no name, as a kernel's own tuples
        from afresh.base.signatures import spoken  # noqa: PLC0415 (rules and policies write text)

        signature = spoken(signature)
    return numba.njit(signature, **options)(function)
