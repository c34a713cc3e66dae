"""Listening where it is safe: on loopback without login, on any other address only with tokens or passwords.

Where a daemon listens is kept in its store, for commands beside it: of each machine, the daemon that began last.
"""

from __future__ import annotations

import ipaddress
import json
import socket
from collections.abc import Sequence
from typing import TYPE_CHECKING

from afresh.base.errors import ConfigError
from afresh.base.settings import ServiceSettings

if TYPE_CHECKING:
    from afresh.base.protocols import Store

MIN_TOKEN_LENGTH = 16  # shorter ones can be guessed over the network


def bind(settings: ServiceSettings) -> socket.socket:
    """The listening socket; refuses what would be unsafe before anything else is started."""
    require_safe_bind(settings.host, settings.tokens, settings.passwords)
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family, backlog=256)
    except OSError as error:
        raise ConfigError(
            f"cannot listen on {settings.host}:{settings.port}: {error.strerror or error}; "
            "is another afresh running? --port 0 takes any free port",
            option="service.port",
        ) from error


def address_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def keep_address(store: Store, daemon: str, address: str) -> None:
    """``daemon``: its name, machine and process."""
    store.put_setting(_key(daemon), json.dumps([daemon, address]))


def kept_address(store: Store, daemon: str) -> str:
    """What it said; empty: nothing, or another one has begun there since."""
    name, address = json.loads(store.get_setting(_key(daemon)) or '["", ""]')
    return str(address) if name == daemon else ""


def _key(daemon: str) -> str:
    return f"address/{daemon.rpartition(':')[0]}"


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
                f"a token of {option} needs at least {MIN_TOKEN_LENGTH} printable ASCII characters without spaces; "
                "make one with: python3 -c 'import secrets; print(secrets.token_urlsafe())'",
                option=option,
            )
