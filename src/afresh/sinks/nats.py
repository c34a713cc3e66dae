"""NATS: a message a line into a stream of JetStream, which says when it holds it.

Each message carries its key as ``Nats-Msg-Id``: within its window for doubles the server drops what was sent before,
beyond it readers can tell by the key.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, ClassVar
from urllib.parse import unquote, urlsplit

import orjson

from afresh.base.errors import UsageError
from afresh.base.extras import need
from afresh.base.passwords import hide_password
from afresh.base.records.sinks import Column, Line, SinkAway
from afresh.sinks.amounts import amount, seconds

_PATIENCE = 10.0  # seconds for a connection, and for the answers to one batch
_MOST_BYTES = 900_000  # of a message where the server does not say


class NatsSink:
    """Publishes to ``nats://HOST:PORT/SUBJECT``; the stream (``?stream=``, else AFRESH) is made if it is not there."""

    stream: ClassVar[str] = ""

    def __init__(
        self,
        where: str,
        *,
        columns: Sequence[Column] = (),
        stream: str = "AFRESH",
        lines: str = "500",
        window: str = "1h",
    ) -> None:
        del columns  # a line says itself what it holds
        need("nats", "a sink of NATS")
        parts = urlsplit(f"nats:{where}")
        subject = unquote(parts.path.strip("/")).replace("/", ".")
        if not parts.hostname or not subject or set(subject) & set(" *>"):
            raise UsageError(f"{hide_password(where)} is not //HOST:PORT/SUBJECT")
        self._server = f"nats://{parts.netloc}"
        self._subject, self._stream, self._window = subject, stream, seconds(window)
        self.most, self.patience = amount(lines), 0.0
        self._connection: Any = None
        self._js: Any = None

    async def open(self, mark: str) -> int:
        """0: others may write to the stream, so its last message tells nothing; the server knows doubles."""
        del mark  # every message says its key
        nats = import_module("nats")
        try:
            # Who is away is told at once, and looked for by whoever forwards: nothing waits in the client's memory.
            self._connection = await nats.connect(
                self._server,
                allow_reconnect=False,
                connect_timeout=_PATIENCE,
                error_cb=_heard,
                max_reconnect_attempts=0,
            )
            self._js = self._connection.jetstream(timeout=_PATIENCE)
            await self._make_stream()
        except Exception as error:  # the client raises errors of asyncio, of sockets and of its own
            raise self._away(error) from error
        return 0

    async def _make_stream(self) -> None:
        api, errors = import_module("nats.js.api"), import_module("nats.js.errors")
        try:
            await self._js.stream_info(self._stream)
        except errors.NotFoundError:
            config = api.StreamConfig(
                name=self._stream, subjects=[self._subject], storage=api.StorageType.FILE, duplicate_window=self._window
            )
            await self._js.add_stream(config)

    async def write(self, lines: Sequence[Line]) -> None:
        most = min(self._connection.max_payload or _MOST_BYTES, 64_000_000) - 1_000  # for subject and headers
        try:
            taken = []
            for line in lines:  # the server takes them in this order
                headers = {"Nats-Msg-Id": line.key}
                body = fitting(line, most)
                taken.append(
                    await self._js.publish_async(
                        self._subject, body, wait_stall=_PATIENCE, stream=self._stream, headers=headers
                    )
                )
            await asyncio.wait_for(asyncio.gather(*taken), _PATIENCE)
        except Exception as error:  # the client raises errors of asyncio, of sockets and of its own
            raise self._away(error) from error

    async def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):  # it may be gone already
                await connection.close()

    def _away(self, error: Exception) -> SinkAway:
        reason = str(error) or type(error).__name__
        return SinkAway(f"{hide_password(self._server)} did not take it: {reason}")


async def _heard(error: Exception) -> None:
    """What the client would print; whoever waits for an answer is told."""
    del error


def fitting(line: Line, most: int) -> bytes:
    """The line as JSON; its longest fields are left out, and named in ``cut``, until it fits into so many bytes.

    >>> fitting(Line(1, "a-1", {"key": "a-1", "title": "t", "links": ["x" * 90]}), 60)
    b'{"key":"a-1","title":"t","cut":["links"]}'
    """
    data = dict(line.data)
    body = orjson.dumps(data)
    cut: list[str] = []
    while len(body) > most and len(data) > 2:
        longest = max(
            (name for name in data if name not in ("key", "cut")), key=lambda name: len(orjson.dumps(data[name]))
        )
        del data[longest]
        cut.append(longest)
        data["cut"] = cut
        body = orjson.dumps(data)
    return body
