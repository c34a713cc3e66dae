"""Passwords of people: kept as scrypt digests, checked in constant time, guessed at slowly.

An entry of ``doors.rest.passwords`` is ``name:scrypt$N$r$p$SALT$DIGEST``, salt and digest in URL-safe Base64. The costs
stand in the entry, so that they can grow with the machines without making old entries useless.
"""

import base64
import binascii
import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from afresh.base.errors import ConfigError, UsageError

MIN_PASSWORD_LENGTH = 10
MAX_PASSWORD_BYTES = 1024
COST: Final = (2**15, 8, 1)  # N, r, p: 32 MB and about 80 ms (OWASP's second choice is 2^16, 8, 2)
_LEAST_N, _MOST_MEMORY, _MOST_WORK = 2**14, 128 * 2**20, 2**21  # an entry must neither be weak nor stop the service
_SALT, _DIGEST = 16, 32  # bytes
_NAME = re.compile(r"[^\s:\x00-\x1f\x7f]{1,60}")
_EXPLAINED = "make an entry with: afresh config password NAME"


@dataclass(frozen=True, slots=True)
class Password:
    """Somebody's password, as far as we know it."""

    name: str
    cost: tuple[int, int, int]
    salt: bytes
    digest: bytes

    def matches(self, password: str) -> bool:
        """Costs what it is meant to cost: call it where waiting does no harm."""
        return hmac.compare_digest(_digest(password, self.salt, self.cost), self.digest)


def make_entry(name: str, password: str, *, cost: tuple[int, int, int] = COST) -> str:
    """The line for ``doors.rest.passwords``; raises UsageError for a name or password that cannot be used."""
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot be a name: up to 60 characters without spaces and colons")
    if len(password) < MIN_PASSWORD_LENGTH or len(password.encode("utf-8", "replace")) > MAX_PASSWORD_BYTES:
        raise UsageError(f"a password needs at least {MIN_PASSWORD_LENGTH} characters, and at most 1 kB")
    salt = secrets.token_bytes(_SALT)
    digest = _digest(password, salt, cost)
    return f"{name}:scrypt${'$'.join(map(str, cost))}${_text(salt)}${_text(digest)}"


def read_entries(entries: Sequence[str]) -> tuple[Password, ...]:
    """What the option says; raises ConfigError (which never repeats an entry) for what cannot be relied on."""
    found = tuple(_read(place, entry) for place, entry in enumerate(entries, 1))
    names = [password.name for password in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ConfigError(f"{twice} has two passwords; leave one of them out", option="service.passwords")
    return found


def check(passwords: Sequence[Password], name: str, password: str) -> bool:
    """Whether this is that person's password; a name nobody has takes as long as one that somebody has."""
    if not passwords or len(password.encode("utf-8", "replace")) > MAX_PASSWORD_BYTES:
        return False
    asked = next((known for known in passwords if hmac.compare_digest(known.name.encode(), name.encode())), None)
    return (asked or passwords[0]).matches(password) and asked is not None


def _read(place: int, entry: str) -> Password:
    name, _, rest = entry.partition(":")
    parts = rest.split("$")
    if not _NAME.fullmatch(name) or len(parts) != 6 or parts[0] != "scrypt":
        raise _wrong(place, "is not of the form name:scrypt$N$r$p$SALT$DIGEST")
    if not all(part.isascii() and part.isdecimal() and len(part) < 10 for part in parts[1:4]):
        raise _wrong(place, "has costs that are no numbers")
    n, r, p = (int(part) for part in parts[1:4])
    if n < _LEAST_N or n & (n - 1) or r < 1 or p < 1 or 128 * n * r > _MOST_MEMORY or n * r * p > _MOST_WORK:
        raise _wrong(place, "has costs that are too low to protect, or too high to be served")
    try:
        salt, digest = (base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)) for part in parts[4:])
    except (binascii.Error, ValueError):
        raise _wrong(place, "has a salt or digest that is no Base64") from None
    if len(salt) < _SALT or len(digest) != _DIGEST:
        raise _wrong(place, "has a salt or digest that was cut off")
    return Password(name, (n, r, p), salt, digest)


def _wrong(place: int, what: str) -> ConfigError:
    return ConfigError(f"password {place} {what}; {_EXPLAINED}", option="service.passwords")


def _digest(password: str, salt: bytes, cost: tuple[int, int, int]) -> bytes:
    n, r, p = cost
    given = password.encode("utf-8", "replace")
    return hashlib.scrypt(given, salt=salt, n=n, r=r, p=p, maxmem=2 * 128 * n * r + 2**20, dklen=_DIGEST)


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()
