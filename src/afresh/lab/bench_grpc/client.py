"""A client of URLFrontier's gRPC interface: every call of the wire under its name."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import grpc

from afresh.frontier.urlfrontier.protocol import protocol_schema
from afresh.frontier.urlfrontier.schema import Call


class FrontierClient(AbstractContextManager["FrontierClient"]):
    """``client.call("GetStats", crawlID="…")``; fields of the message are named, streams are iterables of messages.

    With ``is_raw`` messages are bytes, for those who count every microsecond.
    """

    def __init__(self, address: str, *, token: str = "", certificate: str = "", is_raw: bool = False) -> None:
        options = [("grpc.max_receive_message_length", -1)]
        if certificate:
            credentials = grpc.ssl_channel_credentials(Path(certificate).read_bytes())
            self._channel = grpc.secure_channel(address, credentials, options=options)
        else:
            self._channel = grpc.insecure_channel(address, options=options)
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()
        schema = protocol_schema()
        self.messages = schema.messages
        self._takes = {call.name: schema.messages[call.takes] for call in schema.calls}
        self._calls = {call.name: self._method(schema.service, call, is_raw) for call in schema.calls}

    def _method(self, service: str, call: Call, is_raw: bool) -> Callable[..., Any]:
        ways = ("stream" if call.streams_in else "unary", "stream" if call.streams_out else "unary")
        method: Callable[..., Any] = getattr(self._channel, "_".join(ways))(
            f"/{service}/{call.name}",
            request_serializer=None if is_raw else self.messages[call.takes].SerializeToString,
            response_deserializer=None if is_raw else self.messages[call.gives].FromString,
        )
        return method

    def call(
        self, name: str, given: Iterable[Any] | None = None, *, timeout: float | None = None, **fields: Any
    ) -> Any:
        """One call: of a stream of messages, or of one message with these fields."""
        asked = self._takes[name](**fields) if given is None else iter(given)
        return self._calls[name](asked, metadata=self._metadata, timeout=timeout)

    def ask_raw(self, name: str, asked: Any) -> Any:
        """One call of a raw client with one message."""
        return self._calls[name](asked.SerializeToString(), metadata=self._metadata)

    def close(self) -> None:
        self._channel.close()

    def __exit__(self, *_: object) -> None:
        self.close()
