"""How a client lets somebody else decide about each hop of a request."""

from collections.abc import Awaitable
from typing import Protocol

from afresh.base.errors import FetchError
from afresh.base.models import Failed, Failure, Outcome, Request, Trip
from afresh.http.location import Location


class Hop(Protocol):
    """Asked before every request that leaves, redirects included: returns when it may, raises ``HopRefused`` if not.

    ``is_part``: it is for something that the page wants which was asked for last. That is part of the page's turn.
    """

    def __call__(self, place: Location, *, is_part: bool = False) -> Awaitable[None]: ...


class HopRefused(FetchError):
    """A hop that is not made; becomes the outcome of its request."""

    def __init__(self, message: str, *, cause: Failure, url: str = "", retry_after: float | None = None) -> None:
        super().__init__(message, url=url)
        self.cause, self.retry_after = cause, retry_after
        self.site_rest = 0.0  # seconds that the site of the caller's lease is to be left alone

    def outcome(self, trip: Trip) -> Failed:
        """What becomes of the request."""
        return Failed(
            trip=trip, cause=self.cause, detail=str(self), retry_after=self.retry_after, site_rest=self.site_rest
        )


class Client(Protocol):
    """An HTTP client whose every hop can be held up or refused. Only the gate has one."""

    async def fetch(self, request: Request, *, hop: Hop | None = None) -> Outcome: ...

    async def close(self) -> None: ...
