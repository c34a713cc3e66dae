"""Things that are loaded and made when somebody first needs them."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from afresh.base.protocols import Store


T = TypeVar("T")


def attribute(place: str) -> Any:
    """What stands at "module:attribute"; the module is imported now, if nobody has asked for it before."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


class Once(Generic[T]):
    """Made when it is first asked for, and once, whichever threads ask."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make, self._lock = make, Lock()
        self.made: T | None = None  # None: nobody has asked yet

    def __call__(self) -> T:
        with self._lock:
            if self.made is None:
                self.made = self._make()
            return self.made

    def look(self) -> T | None:
        """The same; None where there is nothing for it to do yet, which there always is."""
        return self()


class WhenUsed(Once[T]):
    """Something that serves a part of the store, made when that part keeps anything."""

    def __init__(self, make: Callable[[], T], *, store: Store, part: str, every: float = 0.0) -> None:
        super().__init__(make)
        self._store, self._part = store, part
        self._every, self._next = every, 0.0  # seconds between two questions to the store

    def look(self) -> T | None:
        """None: there is nothing for it to do yet. Asks the store until it is made."""
        if self.made is None:
            if time.monotonic() < self._next:
                return None
            self._next = time.monotonic() + self._every
            if self._part not in self._store.in_use():
                return None
        return self()


class lazy(Generic[T]):  # noqa: N801 (used like ``property``)
    """The value is kept under the method's own name, so that Python finds it there from then on."""

    def __init__(self, work_out: Callable[[Any], T]) -> None:
        self.work_out = work_out
        self.name = work_out.__name__
        self.__doc__ = work_out.__doc__

    def __get__(self, instance: Any, owner: type) -> T:
        value = instance.__dict__[self.name] = self.work_out(instance)
        return value
