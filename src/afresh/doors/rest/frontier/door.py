"""Operations: from a request to a use case, with all that the OpenAPI document says about them."""

import asyncio
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from types import NoneType
from typing import Any, Generic, Protocol, TypeVar, get_args

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from afresh.doors.rest.encoding import encode
from afresh.doors.rest.frontier.reading import decode
from afresh.doors.rest.incoming_gate import CALLER
from afresh.doors.rest.known_parameters import refuse_unknown
from afresh.doors.rest.problems import Refused
from afresh.doors.rest.queue_metrics import QueueMetrics
from afresh.doors.rest.who_asks import Caller, Need
from afresh.frontier.scheduling import Frontier

#: Media types of an import's body.
IMPORT_TYPES = frozenset({"application/json", "application/x-ndjson", "application/jsonl", "text/plain"})
_VARY = {"Vary": "Accept-Encoding"}
COMPRESS_ABOVE = 150_000  # bytes; Gäbeler §5.2.2 (his prototype's 150 bytes were a slip)

Body = TypeVar("Body")


class ExampleMaker(Protocol):
    """Fills a store with the example database of the test system (development only)."""

    def __call__(self, frontier: Frontier, wanted: Any) -> Awaitable[None]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """What the operations need."""

    frontier: Frontier
    dev: bool = False
    public_url: str = ""  # where fetchers reach us; empty: as they addressed us
    make_example: ExampleMaker | None = None
    metrics: QueueMetrics = field(default_factory=QueueMetrics)


@dataclass(frozen=True, slots=True)
class Asked(Generic[Body]):
    """A request that got in; without a body it is None."""

    door: Door
    caller: Caller
    request: Request
    body: Body

    def must(self, need: Need, uuid: str = "") -> None:
        """Refuses a caller who may not."""
        if not self.caller.may(need, uuid):
            raise Refused(403, "this token does not allow that; it belongs to somebody else")


Handler = Callable[[Asked[Any]], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path, with all that the OpenAPI document says about it."""

    method: str
    path: str
    handle: Handler
    tag: str
    summary: str
    description: str
    _: KW_ONLY
    body: Any = None  # type of the body; None: no body
    raw_types: tuple[str, ...] = ()  # media types of a body that the handler reads by itself
    answer: Any = None  # type of the answer; None: empty
    media_type: str = "application/json"  # of the answer
    status: int = 200
    problems: tuple[int, ...] = ()  # beside those that every operation may answer with
    need: Need | None = None  # None: the handler decides, when it knows who is spoken of
    parameters: tuple[Mapping[str, Any], ...] = ()
    dev: bool = False
    _decoder: Any = field(init=False)
    _known: frozenset[str] = field(init=False)  # parameters of the query

    def __post_init__(self) -> None:
        known = frozenset(one["name"] for one in self.parameters if one["in"] == "query")
        object.__setattr__(self, "_known", known)
        object.__setattr__(self, "_decoder", None if self.body is None else msgspec.json.Decoder(self.body))

    @property
    def name(self) -> str:
        """Of the operation, for programs made from the document: its handler's."""
        return self.handle.__name__

    async def __call__(self, door: Door, request: Request) -> Response:
        """The answer; whoever may not ask, and bodies that cannot be read, are Refused."""
        caller: Caller = request.scope[CALLER]
        if self.need is not None and not caller.may(self.need):
            raise Refused(403, "this token does not allow that; ask with an administrator's")
        if request.query_params:
            refuse_unknown(dict.fromkeys(request.query_params.keys()), self._known)
        body = None if self._decoder is None else decode(self._decoder, await request.body())
        return await self.handle(Asked(door, caller, request, body))


class Routes:
    """Operations in the order they are declared in, each by the function that does it.

    Its docstring is what the document says of it, ``Asked[…]`` in its signature the type of the body.
    """

    def __init__(self) -> None:
        self.operations: list[Operation] = []

    def __call__(self, method: str, path: str, tag: str, summary: str, **told: Any) -> Callable[[Handler], Handler]:
        """Declares one; ``told``: the other fields of an Operation."""

        def declare(handle: Handler) -> Handler:
            (body,) = get_args(handle.__annotations__["asked"])
            told["body"] = None if body is NoneType else body
            description = " ".join((handle.__doc__ or "").split())
            self.operations.append(Operation(method, path, handle, tag, summary, description, **told))
            return handle

        return declare


def in_query(name: str, words: str, **schema: Any) -> dict[str, Any]:
    """A parameter of the query; text, unless a schema says otherwise."""
    text = {"type": "string", "maxLength": 8_192, "pattern": "^[^\\x00]*$"}
    return {"name": name, "in": "query", "required": False, "description": words, "schema": schema or text}


async def answer(request: Request, content: Any, *, status: int = 200) -> Response:
    """JSON, packed if it is large and the client can unpack it."""
    body = encode(content)
    headers = dict(_VARY)
    if len(body) > COMPRESS_ABOVE and _takes_gzip(request):
        body = await asyncio.get_running_loop().run_in_executor(None, partial(zlib.compress, body, 1, wbits=31))
        headers["Content-Encoding"] = "gzip"
    return Response(body, status_code=status, media_type="application/json", headers=headers)


def stream(request: Request, pieces: AsyncIterator[bytes], *, media_type: str = "application/json") -> Response:
    """What is too long to be held at once; packed if the client can unpack it."""
    if not _takes_gzip(request):
        return StreamingResponse(pieces, media_type=media_type, headers=_VARY)
    return StreamingResponse(_packed(pieces), media_type=media_type, headers={**_VARY, "Content-Encoding": "gzip"})


async def _packed(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    packer = zlib.compressobj(1, wbits=31)
    async for piece in pieces:
        yield packer.compress(piece) + packer.flush(zlib.Z_SYNC_FLUSH)
    yield packer.flush()


def _takes_gzip(request: Request) -> bool:
    return "gzip" in request.headers.get("accept-encoding", "").lower()
