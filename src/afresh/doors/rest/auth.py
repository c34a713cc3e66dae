"""Who may ask: whoever bears a token or a password, where there are any. Where that is a must: ``doors.listening``."""

import base64
import binascii
import hmac
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthSettings:
    """How the door is guarded.

    With tokens or passwords, every request needs one. Without, the address must be loopback and the ``Host`` header
    must name it, so that a foreign page cannot reach us by rebinding its own name to 127.0.0.1.
    """

    host: str = "127.0.0.1"  # the address bound
    tokens: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # further host names we answer to (a reverse proxy's)
    passwords: tuple[str, ...] = ()  # of people, see service.passwords
    push_names: tuple[str, ...] = ()  # names for hubs, who call us and fetch query feeds: nothing else answers to them

    @property
    def is_guarded(self) -> bool:
        """Whether every request must say who it comes from."""
        return bool(self.tokens or self.passwords)


def is_authorised(header: str, tokens: Sequence[str]) -> bool:
    """Whether an ``Authorization`` header carries one of the tokens, as Bearer or as the password of Basic.

    Basic exists for browsers, which cannot be told to send a bearer token when a person opens a page.
    """
    scheme, _, credentials = header.partition(" ")
    credentials = credentials.strip()
    match scheme.lower():
        case "bearer":
            given = credentials
        case "basic":
            given = (basic_credentials(header) or ("", ""))[1]
        case _:
            return False
    # Every token is compared, in constant time: neither content nor position shows in the time taken.
    matches = [hmac.compare_digest(given.encode("utf-8", "replace"), token.encode()) for token in tokens]
    return any(matches)


def basic_credentials(header: str) -> tuple[str, str] | None:
    """Name and password of a Basic ``Authorization`` header; None: it is none.

    >>> basic_credentials("Basic bWU6cHc="), basic_credentials("Bearer x")
    (('me', 'pw'), None)
    """
    scheme, _, credentials = header.partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        decoded = base64.b64decode(credentials.strip(), validate=True).decode()
    except (binascii.Error, ValueError):  # ValueError: non-ASCII credentials, undecodable bytes
        return None
    name, colon, password = decoded.partition(":")
    return (name, password) if colon else None
