"""Listening where it is safe: what every serving command begins with."""

import socket

from afresh.base.errors import ConfigError
from afresh.base.settings import ServiceSettings
from afresh.doors.rest.auth import require_safe_bind


def bind(settings: ServiceSettings) -> socket.socket:
    """The listening socket; refuses what would be unsafe before anything else is started."""
    require_safe_bind(settings.host, settings.tokens, settings.passwords)
    try:
        return socket.create_server((settings.host, settings.port), family=_family(settings.host), backlog=256)
    except OSError as error:
        raise ConfigError(
            f"cannot listen on {settings.host}:{settings.port}: {error.strerror or error}; "
            "is another afresh running? --port 0 takes any free port",
            option="service.port",
        ) from error


def address_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET
