"""Raw documents, a file each, with a file beside it that says where it came from."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar

import orjson

from afresh.base.records.sinks import DOCUMENTS, Column, Line
from afresh.sinks.amounts import amount
from afresh.sinks.folders import folder_at

_TOLD = ".json"


class DocumentSink:
    """Puts MARK-NUMBER.body and, when that is there, MARK-NUMBER.json: who finds the second has both."""

    stream: ClassVar[str] = DOCUMENTS

    def __init__(self, where: str, *, columns: Sequence[Column] = (), lines: str = "100") -> None:
        del columns  # what is told of a document stands in a file of its own
        self._folder = folder_at(where)
        self.most, self.patience = amount(lines), 0.0
        self._mark = ""

    async def open(self, mark: str) -> int:
        self._mark = mark
        names = await asyncio.to_thread(self._folder.names, beginning=f"{mark}-", ending=_TOLD)
        numbers = [name.removesuffix(_TOLD).rpartition("-")[2] for name in names]
        return max((int(number) for number in numbers if number.isdecimal()), default=0)

    async def write(self, lines: Sequence[Line]) -> None:
        await asyncio.to_thread(self._put, lines)

    def _put(self, lines: Sequence[Line]) -> None:
        for line in lines:  # in order: the last there is, all before it are
            name = f"{self._mark}-{line.number:020d}"
            self._folder.put(f"{name}.body", line.body)
            self._folder.put(f"{name}{_TOLD}", orjson.dumps(dict(line.data)))

    async def close(self) -> None:
        """Nothing is held open."""
