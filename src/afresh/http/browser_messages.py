"""What a program and the process that holds its browser tell each other: messages with their length in front."""

import asyncio
from typing import Protocol

import msgspec

from afresh.base import child_process
from afresh.base.child_process import framed

_MOST = 64_000_000  # bytes of a message


class Task(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Render this document."""

    url: str
    body: bytes
    content_type: str
    agent: str
    program: str  # path of a Chromium; empty: the one that Playwright has installed
    time: float
    settle: float
    heap: int  # bytes that its scripts may hold
    most: int  # bytes of the document they may make
    screenshot: bool = False  # with a picture, for which pictures and fonts are loaded, too


class Ready(msgspec.Struct, tag=True, frozen=True):
    """The browser has started."""


class Ask(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """The page wants this."""

    number: int
    url: str


class Answer(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """What came of it; status 0: nothing."""

    number: int
    status: int = 0
    content_type: str = ""
    body: bytes = b""


class Rendered(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """The document as its scripts left it."""

    body: bytes
    at_rest: bool  # False: it was still loading
    picture: bytes = b""  # empty: none was wanted, or none could be taken


class Broken(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """No document; ``cause`` is a ``Failure``."""

    cause: str
    detail: str


Message = Task | Ready | Ask | Answer | Rendered | Broken
_decoder = msgspec.msgpack.Decoder(Message)


class Writer(Protocol):
    """What bytes are written to."""

    def write(self, data: bytes, /) -> None: ...

    async def drain(self) -> None: ...


async def send(writer: Writer, message: Message) -> None:
    """One message, whole."""
    writer.write(framed(msgspec.msgpack.encode(message)))
    await writer.drain()


async def receive(reader: asyncio.StreamReader) -> Message:
    """The next message; EOFError when there will be none, or none that makes sense."""
    try:
        message: Message = _decoder.decode(await child_process.receive(reader, most=_MOST))
    except (asyncio.IncompleteReadError, msgspec.MsgspecError, OSError) as error:
        raise EOFError(str(error)) from error
    return message
