"""A catalogue of algorithms by name."""

from importlib import import_module
from typing import Any


def attribute(place: str) -> Any:
    """What stands at "module:attribute"; the module is imported now, if nobody has asked for it before."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
