"""Sinks that put whole files: some lines each, named after the store and the first and last of them."""

import asyncio
from collections.abc import Callable, Sequence
from typing import ClassVar

from afresh.base.records.sinks import Line
from afresh.sinks.amounts import amount, seconds
from afresh.sinks.folders import folder_at

Encode = Callable[[Sequence[Line]], bytes]


class WholeFiles:
    """Puts a file of up to ``lines`` lines when there are as many, or the first has waited for ``every``.

    The name says what is in it (MARK-FIRST-LAST), so a file that was put just before a crash is not put again.
    """

    stream: ClassVar[str] = ""

    def __init__(self, where: str, *, ending: str, encode: Encode, lines: str = "10000", every: str = "1m") -> None:
        self._folder, self._ending, self._encode = folder_at(where), ending, encode
        self.most, self.patience = amount(lines), seconds(every)
        self._mark = ""

    async def open(self, mark: str) -> int:
        self._mark = mark
        names = await asyncio.to_thread(self._folder.names, beginning=f"{mark}-", ending=self._ending)
        return max((_last(name.removesuffix(self._ending)) for name in names), default=0)

    async def write(self, lines: Sequence[Line]) -> None:
        name = f"{self._mark}-{lines[0].number:020d}-{lines[-1].number:020d}{self._ending}"
        await asyncio.to_thread(lambda: self._folder.put(name, self._encode(lines)))

    async def close(self) -> None:
        """Nothing is held open."""


def _last(name: str) -> int:
    """
    >>> _last("5f00c0ffee00-00000000000000000001-00000000000000000099"), _last("something-else")
    (99, 0)
    """
    number = name.rpartition("-")[2]
    return int(number) if number.isdecimal() and len(number) == 20 else 0
