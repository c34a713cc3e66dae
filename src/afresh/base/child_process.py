"""A child process that answers: how it is started, and how both ends tell where a message stops.

A message has its length in front. The child's first one says that it is there; after that each of ours has one answer.
It ends when its input does. Light, for some children are started before anything else is loaded.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import IO, TYPE_CHECKING, BinaryIO, NoReturn

if TYPE_CHECKING:
    import asyncio

SIZE = 4  # bytes that tell the length of what follows
_THRIFT = {"OPENBLAS_NUM_THREADS": "1"}  # nothing a child does is worth a thread for linear algebra


def command_of(module: str) -> list[str]:
    """What starts a module of ours in a fresh interpreter: a copy of one with an event loop and threads were unsafe."""
    return [sys.executable, "-P", "-m", module]  # -P: never a module of the folder one happens to be in


def start_child(module: str) -> tuple[subprocess.Popen[bytes], IO[bytes], IO[bytes]]:
    """The process, what it is written to by, and what it is heard by."""
    process = subprocess.Popen(  # noqa: S603 (a module of ours)
        command_of(module),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**_THRIFT, **os.environ},
        process_group=0,  # an interrupt from the keyboard is ours to act on
    )
    assert process.stdin is not None
    assert process.stdout is not None
    return process, process.stdin, process.stdout


def framed(content: bytes) -> bytes:
    """A message as it travels.

    >>> framed(b"yes")
    b'\\x00\\x00\\x00\\x03yes'
    """
    return len(content).to_bytes(SIZE, "big") + content


async def receive(reader: asyncio.StreamReader, *, most: int = 2**32) -> bytes:
    """The next message; EOFError when there will be none, or one that is too long."""
    size = int.from_bytes(await reader.readexactly(SIZE), "big")
    if size > most:
        raise EOFError("a message that is too long")
    return await reader.readexactly(size)


def serve(source: BinaryIO, target: BinaryIO, answer: Callable[[bytes], bytes], *, greeting: bytes = b"") -> None:
    """Of the child: answers until there is nobody any more."""
    told = greeting
    while True:
        target.write(framed(told))
        target.flush()
        size = int.from_bytes(source.read(SIZE), "big")
        content = source.read(size)
        if not size or len(content) < size:
            return
        told = answer(content)


def be_child(work: Callable[[BinaryIO, BinaryIO], None]) -> NoReturn:
    """Of the child: works on its standard input and output, and ends with them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who asks ends us
    with suppress(BrokenPipeError, ConnectionResetError):
        work(sys.stdin.buffer, sys.stdout.buffer)
    os._exit(0)  # nothing is left to be written, and the interpreter's farewell is waited for
