"""Asks a frontier over gRPC, by URLFrontier's calls; what goes wrong is one of afresh's errors."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import grpc

from afresh.base.errors import AccessDenied, AfreshError, ServiceAway, ServiceError, UsageError
from afresh.frontier.urlfrontier.protocol import protocol_schema
from afresh.http.service import NotThere, Waits

T = TypeVar("T")
_FAIL = 2  # a status: the same may be sent again
_CODES: dict[grpc.StatusCode, type[AfreshError]] = {
    grpc.StatusCode.UNAUTHENTICATED: AccessDenied,
    grpc.StatusCode.PERMISSION_DENIED: AccessDenied,
    grpc.StatusCode.NOT_FOUND: NotThere,
    grpc.StatusCode.INVALID_ARGUMENT: UsageError,
    grpc.StatusCode.UNAVAILABLE: ServiceAway,
    grpc.StatusCode.DEADLINE_EXCEEDED: ServiceAway,
    grpc.StatusCode.RESOURCE_EXHAUSTED: ServiceAway,
}


@dataclass(frozen=True, slots=True)
class GrpcCall(Generic[T]):
    """One call with one message, and how its answer (of a stream: all of them) is read."""

    name: str
    fields: dict[str, Any]
    read: Callable[[Any], T]


@dataclass(frozen=True, slots=True)
class PutCall:
    """URLs to be put, as ``URLItem`` messages; the answer is their statuses, in order."""

    items: Sequence[Any]

    def read(self, statuses: list[int]) -> list[int]:
        return statuses


class GrpcService:
    """One frontier at one address, like ``127.0.0.1:7071``."""

    def __init__(
        self, address: str, *, token: str = "", certificate: str = "", timeout: float = 60.0, patience: float = 60.0
    ) -> None:
        self._address, self._certificate = address, certificate
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self._timeout, self._patience = timeout, patience
        self._schema = protocol_schema()
        self._channel: Any = None
        self.retries = 0

    async def close(self) -> None:
        if self._channel is not None:
            await self._channel.close()

    async def ask(self, call: Any) -> Any:
        """What it answers; ServiceAway when patience is at an end."""
        statuses: dict[int, int] = {}  # of URLs that are acknowledged
        waits = Waits(self._patience)
        while True:
            try:
                answer = await (self._put(call.items, statuses) if isinstance(call, PutCall) else self._ask(call))
                return call.read(answer)
            except grpc.aio.AioRpcError as failure:
                error = _error_of(failure)
            except ServiceAway as away:
                error = away
            wait = waits.next() if isinstance(error, ServiceAway) else None
            if wait is None:
                raise error
            self.retries += 1
            await asyncio.sleep(wait)

    async def _ask(self, call: GrpcCall[Any]) -> Any:
        message = self._schema.messages[self._takes(call.name)](**call.fields)
        answer = self._method(call.name)(message, metadata=self._metadata, timeout=self._timeout)
        return [one async for one in answer] if self._streams(call.name) else await answer

    async def _put(self, items: Sequence[Any], statuses: dict[int, int]) -> list[int]:
        """Sends those that are not acknowledged yet; what a broken stream has acknowledged is not sent again."""
        waiting = [place for place in range(len(items)) if statuses.get(place, _FAIL) == _FAIL]
        stream = self._method("PutURLs")(self._numbered(items, waiting), metadata=self._metadata, timeout=self._timeout)
        async for acknowledged in stream:
            statuses[int(acknowledged.ID)] = acknowledged.status
        if any(statuses.get(place, _FAIL) == _FAIL for place in waiting):
            raise ServiceAway("the frontier has not taken all of the URLs")
        return [statuses[place] for place in range(len(items))]

    def _numbered(self, items: Sequence[Any], places: Iterable[int]) -> Iterable[Any]:
        for place in places:
            item = items[place]
            item.ID = str(place)
            yield item

    def _method(self, name: str) -> Any:
        """Made here, where the loop runs in which it is asked."""
        if self._channel is None:
            self._channel = self._open()
        call = next(call for call in self._schema.calls if call.name == name)
        ways = ("stream" if call.streams_in else "unary", "stream" if call.streams_out else "unary")
        messages = self._schema.messages
        return getattr(self._channel, "_".join(ways))(
            f"/{self._schema.service}/{name}",
            request_serializer=messages[call.takes].SerializeToString,
            response_deserializer=messages[call.gives].FromString,
        )

    def _open(self) -> Any:
        options = [("grpc.max_receive_message_length", -1)]
        if not self._certificate:
            return grpc.aio.insecure_channel(self._address, options=options)
        credentials = grpc.ssl_channel_credentials(Path(self._certificate).read_bytes())
        return grpc.aio.secure_channel(self._address, credentials, options=options)

    def _takes(self, name: str) -> str:
        return next(call.takes for call in self._schema.calls if call.name == name)

    def _streams(self, name: str) -> bool:
        return next(call.streams_out for call in self._schema.calls if call.name == name)


def _error_of(failure: grpc.aio.AioRpcError) -> AfreshError:
    return _CODES.get(failure.code(), ServiceError)(failure.details() or failure.code().name)
