"""Who may ask: loopback without login, any other address only with tokens or passwords."""

import base64
import binascii
import hmac
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass

from afresh.base.errors import ConfigError

MIN_TOKEN_LENGTH = 16  # shorter ones can be guessed over the network


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


def is_loopback(host: str) -> bool:
    """Whether a host name or address can only mean this machine.

    >>> [is_loopback(host) for host in ("localhost", "127.8.0.1", "::1", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):  # RFC 6761 §6.3: resolvers keep these at home
        return True
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False


def require_safe_bind(host: str, tokens: Sequence[str], passwords: Sequence[str] = ()) -> None:
    """Refuses to listen where others can reach us without login, and tokens that are no protection."""
    if not tokens and not passwords and not is_loopback(host):
        raise ConfigError(
            f"refusing to listen on {host} without a token or password: anybody who reaches it could change what is "
            "watched; set service.tokens or service.passwords, or listen on 127.0.0.1",
            option="service.host",
        )
    require_long_tokens(tokens, option="service.tokens")


def require_long_tokens(tokens: Sequence[str], *, option: str) -> None:
    """Refuses tokens that can be guessed, or that no header can carry."""
    for token in tokens:
        # Header values arrive as Latin-1; keeping to printable ASCII spares everybody a surprise.
        if len(token) < MIN_TOKEN_LENGTH or not token.isascii() or not token.isprintable() or " " in token:
            raise ConfigError(
                f"a token needs at least {MIN_TOKEN_LENGTH} printable ASCII characters without spaces; "
                "make one with: python3 -c 'import secrets; print(secrets.token_urlsafe())'",
                option=option,
            )


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
