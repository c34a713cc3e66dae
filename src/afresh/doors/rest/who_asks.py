"""Tells who asks, and makes guessing slow: tokens and passwords only so often, passwords at scrypt's price.

People and administrators' tokens may do everything. A frontier also knows fetchers, each by a token of its own, and
tokens that let a fetcher register and nothing else.
"""

import asyncio
import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from ipaddress import ip_address, ip_network
from typing import Protocol, TypeVar

from afresh.base.records.frontier import FetcherAccount
from afresh.doors.listening import require_long_tokens
from afresh.doors.rest import passwords
from afresh.doors.rest.auth import AuthSettings, basic_credentials, is_authorised

Key = TypeVar("Key")
Value = TypeVar("Value")

FREE_GUESSES = 5  # wrong tokens or passwords of an address before it has to wait
LONGEST_WAIT = 60.0  # seconds
_MOST_KEPT = 1_000  # addresses, and people let in
_FORGIVEN = 900.0  # seconds after which an address begins anew
_AT_ONCE = 2  # passwords checked at a time: each takes tens of megabytes


class Need(IntEnum):
    """What an operation asks of its caller, from little to much."""

    MEMBER = 0  # any fetcher
    JOIN = 1  # may register
    OWNER = 2  # the fetcher that is spoken of
    ADMIN = 3


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks; the name is empty for whoever showed a token, and where no login is needed."""

    name: str = ""
    is_admin: bool = False
    may_join: bool = False  # a frontier's token to register with, and nothing else
    account: FetcherAccount | None = None  # of a fetcher

    def may(self, need: Need, uuid: str = "") -> bool:
        """Whether this caller may do what needs so much; ``uuid``: the fetcher that is spoken of."""
        if self.is_admin:
            return True
        match need:
            case Need.MEMBER:
                return self.account is not None
            case Need.JOIN:
                return self.may_join
            case Need.OWNER:
                return self.account is not None and self.account.uuid == uuid
            case Need.ADMIN:
                return False


class Owners(Protocol):
    """Whose secret is it? A frontier knows."""

    async def owner(self, token: str) -> FetcherAccount | None: ...


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

    def __init__(
        self,
        auth: AuthSettings,
        *,
        owners: Owners | None = None,
        join_tokens: Sequence[str] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        require_long_tokens(join_tokens, option="frontier.join_tokens")
        self._auth, self._owners, self._join, self._clock = auth, owners, tuple(join_tokens), clock
        self._known = passwords.read_entries(auth.passwords)
        self._key = secrets.token_bytes(32)
        self._let_in: OrderedDict[bytes, str] = OrderedDict()  # the name is empty for tokens, which are asked for anew
        self._guesses: OrderedDict[str, _Guesses] = OrderedDict()
        self._turn = asyncio.Semaphore(_AT_ONCE)

    async def caller(self, header: str, address: str) -> Caller | TooMany | None:
        """Who sends this ``Authorization`` header from this address; None: nobody we know."""
        # Where nobody needs a token all may do everything; but a fetcher that shows one must show the right one.
        if not self._auth.is_guarded and (self._owners is None or not header):
            return Caller(is_admin=True)
        if not header:
            return None
        seal = hashlib.blake2b(header.encode("utf-8", "replace"), key=self._key).digest()
        name = self._let_in.get(seal)
        if name:
            return Caller(name, is_admin=True)
        address = _neighbourhood(address)
        if name is None and (wait := self._wait(address)) > 0.0:
            return TooMany(wait)
        caller = await self._by_token(header) or await self._by_password(header, address)
        if caller is None:
            self._let_in.pop(seal, None)  # a fetcher that was removed
        elif name is None:
            self._guesses.pop(address, None)
            self._let_in[seal] = caller.name
            _trim(self._let_in)
        return caller

    async def _by_token(self, header: str) -> Caller | None:
        if is_authorised(header, self._auth.tokens):
            return Caller(is_admin=True)
        return None if self._owners is None else await self._fetcher(header, self._owners)

    async def _fetcher(self, header: str, owners: Owners) -> Caller | None:
        if is_authorised(header, self._join):
            return Caller(may_join=True)
        scheme, _, token = header.partition(" ")
        account = await owners.owner(token.strip()) if scheme.lower() == "bearer" else None
        return None if account is None else Caller(account=account)

    async def _by_password(self, header: str, address: str) -> Caller | None:
        """The person with this password; whatever else is shown here was a wrong guess."""
        # Counted before the check, taken back after it: many guesses at the same moment are many guesses.
        self._count(address)
        given = basic_credentials(header)
        if given is None or not self._known:
            return None
        async with self._turn:
            is_right = await asyncio.to_thread(passwords.check, self._known, *given)
        return Caller(given[0], is_admin=True) if is_right else None

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
