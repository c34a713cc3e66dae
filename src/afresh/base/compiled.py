"""Functions that numba compiles where it is installed, and the one signature of a rule's step.

``@compiled`` costs nothing until the function is first called: then numba is imported and the function compiled, or
read from the cache on disk. A start that needs no number yet does not wait for numba. With a signature there is one
compiled form, which a replay kernel can take as an argument without being compiled again (decision 0002).

Without numba (the extra ``fast``) the same functions run as the Python they are: slower by a factor that a daemon does
not feel, one step a visit, and a replay does.
"""

import sys
from collections.abc import Callable
from functools import cache, partial, update_wrapper
from types import FunctionType
from typing import Any, TypeVar, cast

from afresh.base.extras import is_installed
from afresh.base.lazy import attribute
from afresh.base.out_of_descriptors import is_shortage

F = TypeVar("F", bound=Callable[..., Any])

#: words of signatures, which numba reads: a row of floats that may be changed, one that may only be read, a table
ROW = "Array(float64, 1, 'C')"
READ = "Array(float64, 1, 'C', readonly=True)"
ROWS = "Array(float64, 2, 'C')"

#: step(params, state, now, window, new, hints, u) -> absolute time of the next visit:
#: params: shortest, longest and first interval, then the rule's own (feeds.rules.rule); state: the feed's row, changed
#: in place; now: time of this visit; window: corrected publication times, ascending; new: how many of these entries
#: were not in the previous window; hints: feeds.rules.hints; u: a uniform random number of the caller
STEP = f"float64({READ}, {ROW}, float64, {READ}, int64, {READ}, float64)"


#: why numba cannot be loaded in this process; empty: it can, as far as is known
_UNLOADABLE: list[str] = []


class Compiled:
    """A function that is compiled when it is first used; numba takes it for what it has become."""

    def __init__(self, function: Callable[..., Any], signature: Any, options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._signature, self._options = signature, options
        self._takes_functions = "FunctionType" in str(signature)
        self._ready: Any = None
        self.is_awaited = False  # somebody prepares it: until then it is interpreted

    @property
    def is_compiled_into_callers(self) -> bool:
        """Whether it has no compiled form of its own."""
        return self._signature is None

    @property
    def dispatcher(self) -> Any:
        """What numba made of the function; without numba the function itself."""
        if self._ready is None:  # two threads may make it twice, which does no harm
            self._ready = self._made() if is_installed("fast") else self.py_func
        return self._ready

    def _made(self) -> Any:
        """Compiled; interpreted where numba could not be loaded whole, for a second try would find half of it."""
        if not _UNLOADABLE:
            try:
                make = attribute("afresh.base.compiler:dispatcher")
                return make(self.py_func, self._signature, self._options)
            except Exception as error:
                if not (is_shortage(error) or "afresh.base.compiler" not in sys.modules):
                    raise
                _UNLOADABLE.append(str(error))
                _tell(f"numba could not be loaded ({error}): until the next start all is computed without it, slower")
        return interpreted(self)

    @property
    def _numba_type_(self) -> Any:
        """Asked by numba where compiled code calls this function."""
        return self.dispatcher._numba_type_

    def __call__(self, *args: Any) -> Any:
        if self._takes_functions:
            args = tuple(item.dispatcher if isinstance(item, Compiled) else item for item in args)
        if self.is_awaited and self._ready is None:
            return interpreted(self)(*args)
        return (self._ready or self.dispatcher)(*args)

    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
        """Another process finds it where it stands, and compiles it there."""
        return attribute, (f"{self.__module__}:{self.__qualname__}",)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "dispatcher":  # that, if to make it has failed with an AttributeError
            raise AttributeError(name)
        return getattr(self.dispatcher, name)


def _tell(words: str) -> None:
    import logging  # noqa: PLC0415 (algorithms load none)

    logging.getLogger("afresh.compiled").warning(words)


def compiled(signature: Any = None, **options: Any) -> Callable[[F], F]:
    """``numba.njit`` with caching, at the first call, keeping the function's Python type for the type checker."""
    made = partial(Compiled, signature=signature, options={"cache": True, "nogil": True, **options})
    return cast("Callable[[F], F]", made)


def prepare(function: Callable[..., Any]) -> None:
    """Compile a function now, or read it from the cache, so that nobody waits for it later."""
    if isinstance(function, Compiled):
        function.dispatcher  # noqa: B018 (asking for it makes it)


def interpret_until_prepared(function: Callable[..., Any]) -> None:
    """Who calls it before ``prepare`` has come to its end gets an answer at once, computed slowly.

    To compile takes up to a minute on a busy machine, once after an installation; nothing would be recorded meanwhile.
    """
    if isinstance(function, Compiled):
        function.is_awaited = True


def plain(function: F) -> F:
    """The function behind a compiled one: for a single call compiling would take longer."""
    return cast("F", cast("Any", function).py_func)


def interpreted(function: F) -> F:
    """The function behind a compiled one, with all that it calls uncompiled too: slow, but there at once."""
    return cast("F", _interpreted(cast("Any", function).py_func))


@cache
def _interpreted(function: FunctionType) -> FunctionType:
    around = function.__globals__
    called = {name: around[name] for name in function.__code__.co_names if isinstance(around.get(name), Compiled)}
    known = {**around, **{name: _interpreted(cast("Any", one).py_func) for name, one in called.items()}}
    return FunctionType(function.__code__, known, function.__name__, function.__defaults__, function.__closure__)
