"""Asks a service of afresh over HTTP: what is asked is a value, what goes wrong one of afresh's errors.

A service that is away or busy is asked again, ever more slowly, for as long as the caller is patient: what is asked
must be harmless twice.
"""

import asyncio
import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import aiohttp
import orjson

from afresh.base.durations import format_duration
from afresh.base.errors import (
    AccessDenied,
    AfreshError,
    Conflict,
    NotFound,
    ServiceAway,
    ServiceError,
    StoreAway,
    UsageError,
)

T = TypeVar("T")
PREFIX = "/api/v1"
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 60.0  # seconds
_RETRIED = frozenset((429, 500, 502, 503, 504))
_FAILED = 500
_NO_SUCH_PLACE = frozenset((404, 405, 501))  # what other servers say to our questions
_SHOWN = 200  # characters of an answer that is no problem document
_log = logging.getLogger(__name__)


class Stranger(ServiceError):
    """Somebody answers at this address, but not as a service of afresh does; ``how`` instead."""

    def __init__(self, address: str, how: str) -> None:
        super().__init__(f"{address} is no service of afresh: {how}")
        self.how = how


class NotThere(NotFound):
    """What a service does not have; in its own words."""

    words = "{}"


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request, and how its answer is read."""

    method: str
    path: str
    read: Callable[[bytes], T]
    body: Any = None  # JSON; bytes are sent as they are
    query: Mapping[str, str | int] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    most_failures: int = 0  # so many times HTTP 500 are an answer; 0: asked again for as long as one is patient


class HttpService:
    """One service at one address. ``patience``: seconds to go on trying while it does not answer."""

    def __init__(self, base: str, *, token: str = "", timeout: float = 60.0, patience: float = 60.0) -> None:
        if not base.startswith(("http://", "https://")):
            raise UsageError(f"not the address of a service: {base!r}; write it like http://127.0.0.1:8080")
        self._base = base.rstrip("/").removesuffix(PREFIX) + PREFIX
        self._timeout = aiohttp.ClientTimeout(total=timeout)
        self._patience = patience
        self._session: aiohttp.ClientSession | None = None
        self.token = token
        self.retries = 0

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def ask(self, call: Call[T]) -> T:
        """What it answers; ServiceAway when patience is at an end."""
        data, headers = self._written(call)
        waits, failures = Waits(self._patience), 0
        while True:
            try:
                status, content = await self._send(call, data, headers)
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                status, content = 0, _trouble(error).encode()
            if 200 <= status < 300:
                return self._understood(call, content)
            if status in _NO_SUCH_PLACE and not _is_problem(content):
                raise Stranger(self.address, f"it answers with HTTP {status}")
            if status and status not in _RETRIED:
                raise error_of(status, content)
            failures += status == _FAILED
            wait = waits.next()
            if wait is None or 0 < call.most_failures <= failures:
                raise error_of(status, content)
            self.retries += 1
            _log.log(
                logging.WARNING if wait > 1 else logging.INFO,
                "%s does not answer %s (%s); again in %s",
                self._base, call.path, f"HTTP {status}" if status else _detail(content), format_duration(wait),
            )  # fmt: skip
            await asyncio.sleep(wait)

    @property
    def address(self) -> str:
        """As a person wrote it."""
        return self._base.removesuffix(PREFIX)

    def _understood(self, call: Call[T], content: bytes) -> T:
        try:
            return call.read(content)
        except (ValueError, LookupError, TypeError) as error:
            raise Stranger(self.address, "its answer cannot be read") from error

    def _written(self, call: Call[Any]) -> tuple[bytes | None, dict[str, str]]:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        if call.body is None:
            return None, headers | dict(call.headers)
        data = call.body if isinstance(call.body, bytes) else orjson.dumps(call.body)
        return data, headers | {"Content-Type": "application/json"} | dict(call.headers)

    async def _send(self, call: Call[Any], data: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        if self._session is None:
            self._session = aiohttp.ClientSession(  # asks for gzip and unpacks it
                timeout=self._timeout, skip_auto_headers=("Content-Type",)
            )
        where = self._base + call.path
        async with self._session.request(
            call.method, where, params=call.query, data=data, headers=headers, allow_redirects=False
        ) as response:
            return response.status, await response.read()


def _trouble(error: Exception) -> str:
    """What went wrong, without the insides of the client."""
    if isinstance(error, aiohttp.ClientConnectorError) and error.os_error.errno:
        return os.strerror(error.os_error.errno).lower()
    return str(error) or type(error).__name__


class Waits:
    """How long to wait before each further try: twice as long each time, and not beyond one's patience.

    >>> waits = Waits(1.0)
    >>> [waits.next() for _ in range(5)]
    [0.1, 0.2, 0.4, None, None]
    """

    def __init__(self, patience: float) -> None:
        self._left, self._wait = patience, _FIRST_WAIT

    def next(self) -> float | None:
        """Seconds; None: no more."""
        wait, self._wait = self._wait, min(_LONGEST_WAIT, 2.0 * self._wait)
        self._left -= wait
        return wait if self._left >= 0.0 else None


def not_an_administrator(base: str, token: str) -> AccessDenied:
    """What is said to somebody whom a frontier lets in with no token, or not with this one."""
    if not token:
        return AccessDenied(f"{base} wants an administrator's token; give it with --token or AFRESH_TOKEN")
    how = "give one of its service.tokens with --token or AFRESH_TOKEN, or none if it has none"
    return AccessDenied(f"{base} does not take this token as an administrator's; {how}")


def error_of(status: int, content: bytes) -> AfreshError:
    """What a problem document says, as the error it was before it was written.

    >>> error_of(409, b'{"detail": "taken"}')
    Conflict('taken')
    """
    detail = _detail(content)
    match status:
        case 0:
            return ServiceAway(f"no answer: {detail}")
        case 401 | 403:
            return AccessDenied(f"{status} {detail}")
        case 404 | 410:
            return NotThere(detail)
        case 409:
            return Conflict(detail)
        case 429 | 502 | 504:
            return ServiceAway(detail)
        case 503:
            return StoreAway(detail)
        case _ if 400 <= status < 500:
            return UsageError(detail)
    return ServiceError(f"{status}: {detail}")


def _detail(content: bytes) -> str:
    try:
        return str(orjson.loads(content)["detail"])
    except (ValueError, KeyError, TypeError):
        return content[:_SHOWN].decode(errors="replace")


def _is_problem(content: bytes) -> bool:
    """Whether it is a problem document, as our services write."""
    try:
        return "detail" in orjson.loads(content)
    except (ValueError, TypeError):
        return False
