"""A property worked out once, without the lock of ``functools.cached_property``: profiles are not shared by threads."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class lazy(Generic[T]):  # noqa: N801 (used like ``property``)
    """The value is kept under the method's own name, so that Python finds it there from then on."""

    def __init__(self, work_out: Callable[[Any], T]) -> None:
        self.work_out = work_out
        self.name = work_out.__name__
        self.__doc__ = work_out.__doc__

    def __get__(self, instance: Any, owner: type) -> T:
        value = instance.__dict__[self.name] = self.work_out(instance)
        return value
