"""The gRPC door put together: calls by name, who may make them, errors as status codes, the server around it."""

import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from afresh.base.errors import ConfigError, NotFound, StoreAway, StoreError, UsageError
from afresh.base.settings.sections import GrpcSettings
from afresh.doors.grpc.access import Denied, admit
from afresh.doors.grpc.calls import Calls, UrlUnknown
from afresh.doors.grpc.streams import Streams
from afresh.doors.listening import is_loopback
from afresh.doors.rest.queue_metrics import QueueMetrics
from afresh.doors.rest.who_asks import Doorkeeper
from afresh.frontier.queues import Queues
from afresh.frontier.urlfrontier.protocol import protocol_schema

_GRACE = 2.0  # seconds that calls under way are given at the end
_MOST_CALLS = 1_000  # at a time
_LARGEST = 16_000_000  # bytes of a message
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")
_log = logging.getLogger(__name__)

Behaviour = Callable[[Any, Any], Awaitable[Any]]

#: What an error is to a caller.
_CODES: tuple[tuple[type[Exception], grpc.StatusCode], ...] = (
    (StoreAway, grpc.StatusCode.UNAVAILABLE),
    (NotFound, grpc.StatusCode.NOT_FOUND),
    (UrlUnknown, grpc.StatusCode.NOT_FOUND),
    (UsageError, grpc.StatusCode.INVALID_ARGUMENT),
    (DecodeError, grpc.StatusCode.INVALID_ARGUMENT),
    (StoreError, grpc.StatusCode.UNAVAILABLE),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """Where the door is open."""

    port: int
    address: str


@asynccontextmanager
async def serving_grpc(
    queues: Queues,
    settings: GrpcSettings,
    *,
    keeper: Doorkeeper,
    metrics: QueueMetrics,
    shared_port: bool = False,
) -> AsyncIterator[Listening]:
    """The door, open while the block runs. ``shared_port``: other processes of ours listen there as well."""
    options = [
        ("grpc.so_reuseport", int(shared_port)),
        ("grpc.max_receive_message_length", _LARGEST),
        ("grpc.max_metadata_size", 16_384),
    ]
    server = grpc.aio.server(options=options, maximum_concurrent_rpcs=_MOST_CALLS)
    port = _bind(server, settings)
    address = f"{settings.host}:{port}"
    server.add_generic_rpc_handlers((_handlers(queues, keeper, metrics, address, settings),))
    await server.start()
    try:
        yield Listening(port=port, address=address)
    finally:
        await server.stop(_GRACE)


def require_safe_grpc(settings: GrpcSettings, *, is_guarded: bool) -> None:
    """Refuses to listen where others could reach an open door, or read its tokens."""
    if is_loopback(settings.host) or settings.open:
        return
    if not is_guarded:
        raise ConfigError(
            f"refusing to listen on {settings.host} without tokens: whoever reaches it could change the crawl; set "
            "service.tokens, or grpc.open=true in a network that only your crawlers reach",
            option="grpc.listen",
        )
    if not settings.certificate:
        raise ConfigError(
            f"refusing tokens in plain text on {settings.host}; set grpc.certificate and grpc.private_key, or "
            "grpc.open=true in a network that only your crawlers reach",
            option="grpc.certificate",
        )


def _bind(server: Any, settings: GrpcSettings) -> int:
    try:
        if settings.certificate:
            chain, key = Path(settings.certificate).read_bytes(), Path(settings.private_key).read_bytes()
            port: int = server.add_secure_port(settings.listen, grpc.ssl_server_credentials([(key, chain)]))
        else:
            port = server.add_insecure_port(settings.listen)
    except (OSError, RuntimeError) as error:
        raise ConfigError(f"cannot listen on {settings.listen}: {error}", option="grpc.listen") from error
    return port


def _handlers(queues: Queues, keeper: Doorkeeper, metrics: QueueMetrics, address: str, settings: GrpcSettings) -> Any:
    schema = protocol_schema()
    calls = Calls(queues, address=address)
    content_key = settings.content_key if settings.schedule_known == "afresh" else ""
    streams = Streams(queues, calls, metrics, content_key=content_key)
    made: dict[str, Any] = {}
    for call in schema.calls:
        name = _WORD.sub("_", call.name.replace("URL", "Url")).lower()  # GetURLs: get_urls
        takes = schema.messages[call.takes]
        if call.streams_in:
            made[call.name] = grpc.stream_stream_rpc_method_handler(
                _guarded(call.name, keeper, _both_ways(getattr(streams, name)))
            )
        elif call.streams_out:
            made[call.name] = grpc.unary_stream_rpc_method_handler(
                _guarded(call.name, keeper, _outwards(getattr(streams, name), takes))
            )
        else:
            made[call.name] = grpc.unary_unary_rpc_method_handler(
                _guarded(call.name, keeper, _single(getattr(calls, name), takes))
            )
    return grpc.method_handlers_generic_handler(schema.service, made)


def _single(call: Callable[[Any], Awaitable[Any]], takes: Any) -> Behaviour:
    async def answer(asked: bytes, context: Any) -> bytes:  # noqa: ARG001 (gRPC's signature)
        said: bytes = (await call(takes.FromString(asked))).SerializeToString()
        return said

    return answer


def _outwards(call: Callable[[Any, Any], Awaitable[None]], takes: Any) -> Behaviour:
    async def answer(asked: bytes, context: Any) -> None:
        await call(takes.FromString(asked), context.write)

    return answer


def _both_ways(call: Callable[[Any, Any], Awaitable[None]]) -> Behaviour:
    async def answer(_: Any, context: Any) -> None:
        await call(context.read, context.write)

    return answer


def _guarded(name: str, keeper: Doorkeeper, behaviour: Behaviour) -> Behaviour:
    """A behaviour behind the door: callers who may not, and errors, get a status code."""

    async def answer(asked: Any, context: Any) -> Any:
        try:
            await admit(keeper, name, context)
            return await behaviour(asked, context)
        except Denied as error:
            await context.abort(error.code, str(error))
        except grpc.aio.AbortError:
            raise
        except Exception as error:
            code = next((code for kind, code in _CODES if isinstance(error, kind)), grpc.StatusCode.INTERNAL)
            if code is grpc.StatusCode.INTERNAL:
                _log.exception("%s failed", name)
            words = f"{error} is not known" if isinstance(error, UrlUnknown) else str(error)
            await context.abort(code, words if code is not grpc.StatusCode.INTERNAL else f"{name} failed; see the log")

    return answer
