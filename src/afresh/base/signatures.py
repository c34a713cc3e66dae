"""Signatures of compiled functions in numba's words, written down without numba.

``types.float64(types.int64)`` is kept as what was said, and becomes numba's own type when a function is compiled: where
nothing is compiled, numba need not be there, and nobody waits for its import.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Words:
    """Something said with numba's types; ``spoken`` says it to numba."""

    __slots__ = ("_say", "_text")

    def __init__(self, say: Callable[[], Any], text: str) -> None:
        self._say, self._text = say, text

    def spoken(self) -> Any:
        """The type of numba."""
        return self._say()

    def __str__(self) -> str:
        return self._text

    def __getattr__(self, name: str) -> Words:
        if name.startswith("__"):
            raise AttributeError(name)
        return Words(lambda: getattr(self.spoken(), name), f"{self}.{name}")

    def __call__(self, *args: Any, **named: Any) -> Words:
        text = f"{self}({', '.join(str(one) for one in args)})"
        return Words(lambda: self.spoken()(*spoken(args), **{name: spoken(one) for name, one in named.items()}), text)

    def __getitem__(self, key: Any) -> Words:
        return Words(lambda: self.spoken()[key], f"{self}[…]")


def spoken(said: Any) -> Any:
    """What was said with these words, also within tuples and lists; everything else as it is."""
    if isinstance(said, Words):
        return said.spoken()
    if type(said) in (tuple, list):
        return type(said)(spoken(one) for one in said)
    return said


def function_type(signature: str) -> Words:
    """The type of arguments that are functions of this signature, for the signature of a kernel that takes them."""

    def say() -> Any:
        from numba.core import sigutils  # noqa: PLC0415 (an extra)

        arguments, result = sigutils.normalize_signature(signature)
        return _types().FunctionType(result(*arguments))

    return Words(say, f"FunctionType({signature})")


def _types() -> Any:
    from numba import types  # noqa: PLC0415 (an extra, and a second to import)

    return types


types = Words(_types, "types")

#: arrays in signatures: of floats, single floats, whole numbers or bytes; 2: tables; W: such as are written to
F, WF = types.Array(types.float64, 1, "C", readonly=True), types.Array(types.float64, 1, "C")
F2, WF2 = types.Array(types.float64, 2, "C", readonly=True), types.Array(types.float64, 2, "C")
S, WS = types.Array(types.float32, 1, "C", readonly=True), types.Array(types.float32, 1, "C")
N, WN, WN2 = (
    types.Array(types.int64, 1, "C", readonly=True),
    types.Array(types.int64, 1, "C"),
    types.Array(types.int64, 2, "C"),
)
B, WB = types.Array(types.uint8, 1, "C", readonly=True), types.Array(types.uint8, 1, "C")
