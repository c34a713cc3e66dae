"""Posting to an address of the web: no redirects, no cookies, and never to an address that is not public."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

import aiohttp
from yarl import URL

from afresh.base.errors import FetchError
from afresh.base.settings.fetching import FetchSettings
from afresh.http.failures import detail_of
from afresh.http.guard import Guard
from afresh.http.location import Location, locate
from afresh.http.resolver import GuardedResolver, default_lookup, is_local_name

if TYPE_CHECKING:
    from afresh.base.protocols import Clock

_TIMEOUT = 30.0


class Poster:
    """One session for everything that is posted."""

    def __init__(self, settings: FetchSettings, *, clock: Clock) -> None:
        self._settings, self._clock = settings, clock
        self._guard = Guard.of(settings)
        self._session: aiohttp.ClientSession | None = None
        self._resolver: GuardedResolver | None = None

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
        except (FetchError, aiohttp.ClientError, OSError, ValueError) as error:
            return detail_of(error)
        return "" if 200 <= status < 300 else f"{who} answered {status}"

    async def post(self, target: str, body: bytes, headers: Mapping[str, str]) -> int:
        """The status of the answer; raises FetchError, aiohttp.ClientError or OSError."""
        place = self.place(target)
        sent = {"User-Agent": self._settings.user_agent, **headers}
        if place.authorization:
            sent["Authorization"] = place.authorization
        url = URL(place.url, encoded=True)
        async with self._open().post(url, data=body, headers=sent, allow_redirects=False) as answer:
            return answer.status

    def _open(self) -> aiohttp.ClientSession:
        """The session, made at the first post because it belongs to the running loop."""
        if self._session is None:
            # Behind a proxy every connection goes to the proxy, whose address the operator chose.
            guard = Guard(allow_private=True) if self._settings.proxy else self._guard
            self._resolver = GuardedResolver(guard, lookup=default_lookup(), now=self._clock.now)
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(resolver=self._resolver, use_dns_cache=False, limit=8, force_close=True),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
                proxy=self._settings.proxy or None,
            )
        return self._session

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
        if self._resolver is not None:
            await self._resolver.close()
        self._session = self._resolver = None
