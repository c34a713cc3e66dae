"""Tells who asks, and makes guessing slow: tokens at once, passwords at scrypt's price and only so often."""

import asyncio
import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import TypeVar

from afresh.doors.rest import passwords
from afresh.doors.rest.auth import AuthSettings, basic_credentials, is_authorised

Key = TypeVar("Key")
Value = TypeVar("Value")

FREE_GUESSES = 5  # wrong passwords of an address before it has to wait
LONGEST_WAIT = 60.0  # seconds
_MOST_KEPT = 1_000  # addresses, and people let in
_FORGIVEN = 900.0  # seconds after which an address begins anew
_AT_ONCE = 2  # passwords checked at a time: each takes tens of megabytes


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks; the name is empty for whoever showed a token, and where no login is needed."""

    name: str = ""


@dataclass(frozen=True, slots=True)
class TooMany:
    """This address guessed too often; seconds to wait."""

    wait: float


@dataclass(slots=True)
class _Guesses:
    count: int
    last: float

    @property
    def free_at(self) -> float:
        beyond = self.count - FREE_GUESSES
        return self.last + (min(2.0**beyond, LONGEST_WAIT) if beyond >= 0 else 0.0)


class Doorkeeper:
    """Remembers for a while who was let in (as keyed digests), and which addresses guessed wrongly.

    Browsers send the password with every request: scrypt at each would make the pages slow. Behind a reverse proxy all
    guesses come from its one address; who was let in before is not made to wait for the guesses of others.
    """

    def __init__(self, auth: AuthSettings, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._auth, self._clock = auth, clock
        self._known = passwords.read_entries(auth.passwords)
        self._key = secrets.token_bytes(32)
        self._let_in: OrderedDict[bytes, str] = OrderedDict()
        self._guesses: OrderedDict[str, _Guesses] = OrderedDict()
        self._turn = asyncio.Semaphore(_AT_ONCE)

    async def caller(self, header: str, address: str) -> Caller | TooMany | None:
        """Who sends this ``Authorization`` header from this address; None: nobody we know."""
        if not self._auth.is_guarded or is_authorised(header, self._auth.tokens):
            return Caller()
        given = basic_credentials(header)
        if given is None or not self._known:
            return None
        seal = hashlib.blake2b(header.encode("utf-8", "replace"), key=self._key).digest()
        if (name := self._let_in.get(seal)) is not None:
            return Caller(name)
        address = _neighbourhood(address)
        if (wait := self._wait(address)) > 0.0:
            return TooMany(wait)
        return await self._check(given, seal, address)

    async def _check(self, given: tuple[str, str], seal: bytes, address: str) -> Caller | None:
        # Counted before the check, taken back after it: many guesses at the same moment are many guesses.
        self._count(address)
        async with self._turn:
            is_right = await asyncio.to_thread(passwords.check, self._known, *given)
        if not is_right:
            return None
        self._guesses.pop(address, None)
        self._let_in[seal] = given[0]
        _trim(self._let_in)
        return Caller(given[0])

    def _wait(self, address: str) -> float:
        guesses = self._guesses.get(address)
        if guesses is None:
            return 0.0
        if self._clock() - guesses.last > _FORGIVEN:
            del self._guesses[address]
            return 0.0
        return guesses.free_at - self._clock()

    def _count(self, address: str) -> None:
        before = self._guesses.pop(address, None)
        self._guesses[address] = _Guesses(1 + (before.count if before else 0), self._clock())
        _trim(self._guesses)


def _neighbourhood(address: str) -> str:
    """Whom guesses are counted against: a subscriber has 2^64 addresses of IPv6, all of one network.

    >>> _neighbourhood("192.0.2.7"), _neighbourhood("2001:db8:1:2:3::4")
    ('192.0.2.7', '2001:db8:1:2::/64')
    """
    if ":" not in address:
        return address
    try:
        written = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    mapped = getattr(written, "ipv4_mapped", None)
    return str(mapped) if mapped is not None else str(ip_network((written, 64), strict=False))


def _trim(kept: OrderedDict[Key, Value]) -> None:
    while len(kept) > _MOST_KEPT:
        kept.popitem(last=False)
