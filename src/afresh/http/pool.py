"""Connections to servers: made to approved addresses only, kept a while for the next request."""

from __future__ import annotations

import asyncio
import socket
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from aiohappyeyeballs import AddrInfoType, start_connection

from afresh.base.value_class import dataclass
from afresh.http.answer import Answer, BadAnswer, ConnectionEnded
from afresh.http.connection import STOOD_STILL, Connection
from afresh.http.failures import RefusedSocket
from afresh.http.guard import Guard, allowing
from afresh.http.location import Location, Origin, locate
from afresh.http.resolver import GuardedResolver, Lookup

if TYPE_CHECKING:
    import ssl

    from afresh.base.settings.sections import FetchSettings

_MAX_IDLE = 256  # hosts whose connection is kept; past it we ask servers to close, or descriptors run out
_NEXT_ADDRESS = 0.25  # seconds after which the next address of a name is tried, too (RFC 8305)


class Pool:
    """Hands out connections, an idle one if there is one.

    Addresses are approved after name resolution and again where the socket is made. Behind a proxy every connection
    goes to the proxy, whose address the operator chose, and names are resolved by it.
    """

    def __init__(
        self,
        settings: FetchSettings,
        *,
        now: Callable[[], float],
        lookup: Lookup | None = None,
        ssl_context: ssl.SSLContext | None = None,
        insecure: bool = False,  # certificates are not looked at
    ) -> None:
        self._settings, self._now, self._ssl, self._insecure = settings, now, ssl_context, insecure
        self._guard = Guard(allow_private=True) if settings.proxy else Guard.of(settings)
        self._resolver = GuardedResolver(self._guard, lookup=lookup, now=now, ttl=settings.dns_ttl)
        self._proxy = None if not settings.proxy else _Proxy.at(settings.proxy)
        self._recent: OrderedDict[Origin, float] = OrderedDict()
        self._idle: dict[Origin, list[Connection]] = {}
        self._busy: set[Connection] = set()
        self._is_closed = False

    def head(self, method: str, place: Location, lines: str) -> bytes:
        """A request as it goes over the wire, with these ``written`` headers and without a body.

        A proxy that asks for us is told the whole address.
        """
        start = len(place.scheme) + 3
        path = place.url.index("/", start)
        target, more = place.url[path:], ""
        if self._proxy is not None and place.scheme == "http":
            target, more = place.url, self._proxy.fields
        return f"{method} {target} HTTP/1.1\r\nHost: {place.url[start:path]}\r\n{lines}{more}\r\n".encode()

    async def take(self, place: Location, *, seconds: float) -> Connection:
        """A connection to the place, for one request; made within so many seconds if there is none."""
        waiting = self._idle.get(place.origin)
        while waiting:
            connection = waiting.pop()
            if connection.is_ready():
                self._busy.add(connection)
                return connection
            connection.abort()
        connection = await self._connect_within(place, min(seconds, self._settings.connect_timeout))
        if self._is_closed:
            connection.abort()
            raise ConnectionEnded("the client was closed")
        self._busy.add(connection)
        return connection

    def give_back(self, place: Location, connection: Connection) -> None:
        """After the request: kept, if it can be asked again."""
        self._busy.discard(connection)
        if connection.is_ready() and not self._is_closed and place.origin in self._recent:
            self._idle.setdefault(place.origin, []).append(connection)
        else:
            connection.abort()

    def may_keep(self, place: Location) -> bool:
        """Whether a connection there may stay open: no, when many hosts already hold one."""
        now, recent, origin = self._now(), self._recent, place.origin
        while recent and next(iter(recent.values())) < now - self._settings.keep_alive:
            self._drop(recent.popitem(last=False)[0])
        if origin not in recent and len(recent) >= _MAX_IDLE:
            return False
        recent[origin] = now
        recent.move_to_end(origin)
        return True

    def _drop(self, origin: Origin) -> None:
        for connection in self._idle.pop(origin, ()):
            connection.abort()

    async def close(self) -> None:
        """Ends all connections."""
        self._is_closed = True
        for origin in tuple(self._idle):
            self._drop(origin)
        for connection in tuple(self._busy):
            connection.abort()
        await self._resolver.close()
        await asyncio.sleep(0)  # the loop closes sockets in its next turn

    # --- connecting ---------------------------------------------------------------------------------------------------

    async def _connect_within(self, place: Location, seconds: float) -> Connection:
        """Tried once more where the time ran out while this process stood still: nothing has been asked yet."""
        try:
            async with asyncio.timeout(seconds) as limit:
                return await self._connect(place)
        except TimeoutError:
            until = limit.when() if limit.expired() else None
            if until is None or asyncio.get_running_loop().time() - until < STOOD_STILL:
                raise
        async with asyncio.timeout(seconds):
            return await self._connect(place)

    async def _connect(self, place: Location) -> Connection:
        if self._proxy is None:
            return await self._dial(place)
        connection = await self._dial(self._proxy.place)
        if place.scheme == "https":
            try:
                await self._tunnel(connection, place, self._proxy)
            except BaseException:
                connection.abort()
                raise
        return connection

    async def _dial(self, place: Location) -> Connection:
        loop = asyncio.get_running_loop()
        found = await self._resolver.resolve(place.host, place.port)
        sock = await start_connection(
            found, happy_eyeballs_delay=_NEXT_ADDRESS, interleave=1, loop=loop, socket_factory=self._make_socket
        )
        secure = place.scheme == "https"
        try:
            _, connection = await loop.create_connection(
                partial(Connection, self._settings, loop),
                sock=sock,
                ssl=self._context() if secure else None,
                server_hostname=_name_of(place) if secure else None,
            )
        except BaseException:
            sock.close()
            raise
        return connection

    async def _tunnel(self, connection: Connection, place: Location, proxy: _Proxy) -> None:
        """Has the proxy connect us to the place, and goes on in TLS with that (RFC 9110 §9.3.6)."""
        where = f"{place.host}:{place.port}"
        request = f"CONNECT {where} HTTP/1.1\r\nHost: {where}\r\n{proxy.fields}\r\n".encode()
        answer = Answer(limit=0, is_tunnel=True)
        await connection.ask(request, answer, seconds=self._settings.connect_timeout)
        if answer.status != 200:
            raise BadAnswer(f"the proxy answers {answer.status}")
        start_tls = asyncio.get_running_loop().start_tls
        await connection.encrypt(partial(start_tls, sslcontext=self._context(), server_hostname=_name_of(place)))

    def _make_socket(self, info: AddrInfoType) -> socket.socket:
        """For approved addresses only: the address checked is the address connected to."""
        family, kind, proto, _, address = info
        if not self._guard.approves(str(address[0])):
            raise RefusedSocket(f"not a public address: {address[0]!r}; {allowing(str(address[0]))}")
        return socket.socket(family, kind, proto)

    def _context(self) -> ssl.SSLContext:
        """Made for the first connection that needs it: to read all certificates of the system takes a while."""
        if self._ssl is None:
            import ssl  # noqa: PLC0415

            self._ssl = ssl.create_default_context()
            self._ssl.set_alpn_protocols(["http/1.1"])
            if self._insecure:
                self._ssl.check_hostname, self._ssl.verify_mode = False, ssl.CERT_NONE
        return self._ssl


def written(fields: Mapping[str, str]) -> str:
    """Headers as lines."""
    return "".join([f"{name}: {value}\r\n" for name, value in fields.items()])


def _name_of(place: Location) -> str:
    """As certificates have it."""
    return place.host.strip("[]").rstrip(".")


@dataclass(frozen=True, slots=True)
class _Proxy:
    """Who asks for us."""

    place: Location
    fields: str  # what it is told beside the request, as lines

    @classmethod
    def at(cls, url: str) -> _Proxy:
        place = locate(url)
        return cls(place, f"Proxy-Authorization: {place.authorization}\r\n" if place.authorization else "")
