"""How a client lets somebody else decide about each hop of a request; promises alone, for annotations."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from afresh.base.models import Outcome, Request
from afresh.http.location import Location

#: Asked before every request that leaves, redirects included: returns when it may, raises ``HopRefused`` if not.
Hop = Callable[[Location], Awaitable[None]]


class Client(Protocol):
    """An HTTP client whose every hop can be held up or refused. Only the gate has one."""

    async def fetch(self, request: Request, *, hop: Hop | None = None) -> Outcome: ...

    async def close(self) -> None: ...
