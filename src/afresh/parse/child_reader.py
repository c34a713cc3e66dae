"""Documents read in a process of their own: whatever one is made of, it holds up nobody here, and not for long.

C libraries do not give up the interpreter while they read, and each has a document on which it takes minutes. So a
program that has other things to do (``reading_apart``) hands over what is larger than ``SMALL`` and ends a process that
takes too long. Nothing that comes back can run code here: it is JSON.
"""

from __future__ import annotations

import marshal
import os
import selectors
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from afresh.base.child_process import SIZE, framed, start_child
from afresh.base.errors import ParseError
from afresh.base.out_of_descriptors import is_shortage

if TYPE_CHECKING:
    from afresh.base.page_text import PageText

SMALL = 32_768  # bytes: whatever these are made of, it takes a few hundredths of a second
PATIENCE = 4.0  # seconds of work until reading is given up, counted by the process that works
_WAIT = 20.0  # seconds until it is given up on a machine so busy that nobody gets to work
MOST_TOLD = 12_000_000  # bytes of an answer: unpacking more would hold up those it was kept away from
READ, REFUSED = b"+", b"-"  # how an answer begins
_START = 60.0  # seconds the other process may take until it is there; a busy machine is no fault of the document
_SPARE = 2  # processes kept for the next document
_GONE = "the process that read it ended"

T = TypeVar("T")
#: Module and name of a reader, the document, and what else the reader is given.
Job = tuple[str, str, bytes, dict[str, str]]


class TooSlow(ParseError):
    """A document that takes longer to read than anybody should wait for."""


class _Child:
    """Another process and the pipes to and from it; it ends when its input does."""

    def __init__(self) -> None:
        self._process, self._jobs, self._answers = start_child("afresh.parse.child_reader_process")
        self._arrived = selectors.DefaultSelector()
        self._arrived.register(self._answers, selectors.EVENT_READ)
        self._take(time.monotonic() + _START)  # its first word says that it is there

    def ask(self, job: Job, *, patience: float) -> bytes:
        """The answer; TimeoutError and other OSErrors mean that nothing more can be asked."""
        self._jobs.write(framed(marshal.dumps((patience, job))))
        self._jobs.flush()
        try:
            return self._take(time.monotonic() + _WAIT)
        except ConnectionResetError:
            if self._process.wait() == -signal.SIGPROF:
                raise TimeoutError from None
            raise

    def _take(self, end: float) -> bytes:
        size = int.from_bytes(self._read(SIZE, end), "big")
        return self._read(size, end)

    def _read(self, count: int, end: float) -> bytes:
        got = bytearray()
        while len(got) < count:
            if not self._arrived.select(max(0.0, end - time.monotonic())):
                raise TimeoutError
            piece = os.read(self._answers.fileno(), min(count - len(got), 2**20))
            if not piece:
                raise ConnectionResetError(_GONE)
            got += piece
        return bytes(got)

    def end(self) -> None:
        """At once: it has nothing to finish."""
        self._process.kill()
        self._process.wait()
        self._arrived.close()
        for pipe in (self._jobs, self._answers):
            with suppress(OSError):
                pipe.close()


class _Pool:
    """As many processes as read at the same time; a few are kept."""

    def __init__(self, above: int) -> None:
        self.above = above
        self._idle: list[_Child] = []
        self._lock = threading.Lock()
        self._is_closed = False

    def read(self, job: Job, *, patience: float) -> bytes:
        with self._lock:
            child = self._idle.pop() if self._idle else None
        child = child or _Child()
        try:
            answer = child.ask(job, patience=patience)
        except TimeoutError:
            child.end()
            raise TooSlow(f"takes longer than {patience:g} s to be read; given up") from None
        except BaseException:
            child.end()
            raise
        with self._lock:
            is_kept = not self._is_closed and len(self._idle) < _SPARE
            if is_kept:
                self._idle.append(child)
        if not is_kept:
            child.end()
        return answer

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for child in idle:
            child.end()


#: Set where a program with other things to do begins; None: documents are read where they are asked for.
_pool: _Pool | None = None


@contextmanager
def reading_apart(*, above: int = SMALL) -> Iterator[None]:
    """For as long as the block runs, documents of more than ``above`` bytes are read in processes of their own."""
    global _pool
    before, _pool = _pool, _Pool(above)
    try:
        yield
    finally:
        pool, _pool = _pool, before
        pool.close()


def read(reader: Callable[..., T], kind: type[T], body: bytes, **given: str) -> T:
    """What a reader of this package makes of a document, a ``kind``; ParseError also if it takes too long."""
    pool = _pool
    if pool is None or len(body) <= pool.above:
        return reader(body, **given)
    import msgspec  # noqa: PLC0415 (only where there is something to read apart)

    try:
        answer = pool.read((reader.__module__, reader.__name__, body, given), patience=PATIENCE)
        if answer[:1] == READ:
            return msgspec.json.decode(answer[1:], type=kind)
        told: dict[str, Any] = msgspec.json.decode(answer[1:])
    except OSError as error:
        if is_shortage(error):  # no fault of the document
            raise
        raise ParseError(f"cannot be read: {error.strerror or error}") from error
    except msgspec.MsgspecError as error:
        raise ParseError(f"cannot be read: {error}") from error
    raise ParseError(told["message"], position=told["position"], excerpt=told["excerpt"])


def read_text(reader: Callable[..., PageText], body: bytes, *, url: str = "", content_type: str = "") -> PageText:
    """The same for readers that never fail: of a page that takes too long nothing is read."""
    from afresh.base.page_text import PageText  # noqa: PLC0415 (feeds have none)

    try:
        return read(reader, PageText, body, url=url, content_type=content_type)
    except ParseError:
        return PageText(url=url, kind="binary", truncated=True)
