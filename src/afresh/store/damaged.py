"""What is read of a damaged file: text, and rows that were mended in memory."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar


class DamagedText(str):
    """Text as far as it can be read of bytes that are none; only a file can hold such, a server refuses them."""

    __slots__ = ()
    is_seen: ClassVar[bool] = False  # whether there ever was one: spares looking at every column of every row

    @classmethod
    def of(cls, text: bytes) -> str:
        try:
            return text.decode()
        except UnicodeDecodeError:
            DamagedText.is_seen = True
            return cls(text.decode("utf-8", "replace"))


class Values:
    """A row made by hand."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def __getitem__(self, key: str, /) -> Any:
        return self._values[key]

    def keys(self) -> list[str]:
        return list(self._values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values.values())
