"""NDJSON: a line of JSON for each line, appended to files of a folder, or in files put whole to another address."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import IO, ClassVar

import orjson

from afresh.base.errors import StoreError
from afresh.base.records.sinks import Column, Line, Sink, SinkAway
from afresh.sinks.amounts import amount
from afresh.sinks.cursors import number_of
from afresh.sinks.folders import away, keep_names
from afresh.sinks.whole_files import WholeFiles
from afresh.store.sqlite.lockfile import LockFile

_ENDING = ".ndjson"
_STEP = 65_536  # bytes read at a time from the end of a file


def encoded(lines: Sequence[Line]) -> bytes:
    """A line each, with an end of line behind it."""
    return b"".join(orjson.dumps(dict(line.data), option=orjson.OPT_APPEND_NEWLINE) for line in lines)


def make_ndjson(where: str, *, columns: Sequence[Column] = (), **given: str) -> Sink:
    """Files that grow, in a folder of this machine; whole ones at an address of fsspec."""
    if "://" in where and not where.startswith("file://"):
        return WholeFiles(where, ending=_ENDING, encode=encoded, **given)
    return NdjsonFiles(where.removeprefix("file://"), columns=columns, **given)


class NdjsonFiles:
    """Appends to the newest file of a folder and makes sure of it; a new file is begun at ``rotate`` bytes.

    A file is called MARK-NUMBER.ndjson after the store and its first line. A last line that a crash has torn is cut off
    when the folder is opened: its end was never promised, and it is written again.
    """

    stream: ClassVar[str] = ""

    def __init__(
        self, where: str, *, columns: Sequence[Column] = (), rotate: str = "64MB", lines: str = "1000"
    ) -> None:
        del columns  # a line says itself what it holds
        self._folder, self._rotate = Path(where), amount(rotate)
        self.most, self.patience = amount(lines), 0.0
        self._lock = LockFile(self._folder / "sink")
        self._mark = ""
        self._file: IO[bytes] | None = None
        self._size = 0

    async def open(self, mark: str) -> int:
        return await asyncio.to_thread(self._open, mark)

    async def write(self, lines: Sequence[Line]) -> None:
        await asyncio.to_thread(self._write, lines)

    async def close(self) -> None:
        await asyncio.to_thread(self._close)

    def _open(self, mark: str) -> int:
        self._close()
        self._mark = mark
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
            return self._resume()
        except OSError as error:
            raise away(self._folder, error) from error
        except StoreError as error:
            raise SinkAway(str(error)) from error

    def _resume(self) -> int:
        """Goes on with the newest file that holds a whole line; the number of that line."""
        for path in sorted(self._folder.glob(f"{self._mark}-*{_ENDING}"), reverse=True):
            last = repaired(path)
            if last:
                self._file = path.open("ab", buffering=0)
                self._size = path.stat().st_size
                return number_of(self._mark, orjson.loads(last)["key"])
            path.unlink()
        return 0

    def _write(self, lines: Sequence[Line]) -> None:
        if self._file is None or self._size >= self._rotate:
            self._begin(lines[0].number)
        assert self._file is not None
        body = encoded(lines)
        try:
            view = memoryview(body)
            while view:
                view = view[self._file.write(view) :]
            os.fsync(self._file.fileno())
        except OSError as error:  # a full disk: what was written of it is cut off when the folder is opened again
            raise away(self._folder, error) from error
        self._size += len(body)

    def _begin(self, number: int) -> None:
        try:
            if self._file is not None:
                self._file.close()
            self._file = (self._folder / f"{self._mark}-{number:020d}{_ENDING}").open("ab", buffering=0)
            self._size = 0
            keep_names(self._folder)
        except OSError as error:
            raise away(self._folder, error) from error

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
        self._lock.release()


def repaired(path: Path) -> bytes:
    """The last whole line of a file, what follows it cut off; b'': there is none."""
    with path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        tail = b""
        while end > 0 and tail.count(b"\n") < 2:
            start = max(0, end - _STEP)
            file.seek(start)
            tail, end = file.read(end - start) + tail, start
        whole = tail.rpartition(b"\n")[0]
        length = end + len(whole) + 1 if b"\n" in tail else 0
        file.truncate(length)
        os.fsync(file.fileno())
    return whole.rpartition(b"\n")[2]
