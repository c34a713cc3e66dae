"""Posting to an address of the web: no redirects, no cookies, and never to an address that is not public."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from afresh.base.errors import FetchError
from afresh.base.settings.sections import FetchSettings
from afresh.http.answer import Answer
from afresh.http.failures import detail_of
from afresh.http.guard import Guard
from afresh.http.location import Location, locate
from afresh.http.pool import Pool, written
from afresh.http.resolver import is_local_name

if TYPE_CHECKING:
    from afresh.base.protocols import Clock

_TIMEOUT = 30.0


class Poster:
    """Posts, each on a connection of its own."""

    def __init__(self, settings: FetchSettings, *, clock: Clock) -> None:
        self._settings, self._clock = settings, clock
        self._guard = Guard.of(settings)
        self._pool: Pool | None = None

    def place(self, target: str) -> Location:
        """Where a post would go; raises FetchError for an address that nothing is ever posted to."""
        place = locate(target)
        self._guard.check_port(place.port)
        self._guard.check_host(place.host)
        if is_local_name(place.host.rstrip(".")):
            self._guard.check_host("127.0.0.1")
        return place

    async def tell(self, who: str, target: str, body: bytes, headers: Mapping[str, str]) -> str:
        """Posts to somebody (``who``, in words): empty if it was taken, else what went wrong. Never raises for that."""
        try:
            async with asyncio.timeout(_TIMEOUT):
                status = await self.post(target, body, headers)
        except TimeoutError:
            return f"{who} did not answer within {_TIMEOUT:g} s"
        except (FetchError, OSError, ValueError) as error:
            return detail_of(error)
        return "" if 200 <= status < 300 else f"{who} answered {status}"

    async def post(self, target: str, body: bytes, headers: Mapping[str, str]) -> int:
        """The status of the answer; raises FetchError or OSError."""
        place = self.place(target)
        if self._pool is None:  # made at the first post because it belongs to the running loop
            self._pool = Pool(self._settings, now=self._clock.now)
        told = {"User-Agent": self._settings.user_agent, **headers, "Content-Length": str(len(body))}
        if place.authorization:
            told["Authorization"] = place.authorization
        answer = Answer(limit=self._settings.max_bytes, enough=1)
        connection = await self._pool.take(place, seconds=_TIMEOUT)
        try:
            content = self._pool.head("POST", place, written({**told, "Connection": "close"})) + body
            await connection.ask(content, answer, seconds=_TIMEOUT)
        finally:
            self._pool.give_back(place, connection)
        return answer.status

    async def close(self) -> None:
        if self._pool is not None:
            await self._pool.close()
        self._pool = None
