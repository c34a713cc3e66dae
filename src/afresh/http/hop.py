"""How a client lets somebody else decide about each hop of a request; promises alone, for annotations."""

from collections.abc import Awaitable
from typing import Protocol

from afresh.base.models import Outcome, Request
from afresh.http.location import Location


class Hop(Protocol):
    """Asked before every request that leaves, redirects included: returns when it may, raises ``HopRefused`` if not.

    ``is_part``: it is for something that the page wants which was asked for last. That is part of the page's turn.
    """

    def __call__(self, place: Location, *, is_part: bool = False) -> Awaitable[None]: ...


class Client(Protocol):
    """An HTTP client whose every hop can be held up or refused. Only the gate has one."""

    async def fetch(self, request: Request, *, hop: Hop | None = None) -> Outcome: ...

    async def close(self) -> None: ...
