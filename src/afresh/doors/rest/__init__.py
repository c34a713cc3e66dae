"""The REST door: ``create_app`` makes an ASGI app from a running afresh."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from afresh.doors.rest.app import create_app
    from afresh.doors.rest.auth import AuthSettings
    from afresh.doors.rest.context import ServiceContext
    from afresh.doors.rest.openapi import openapi_text

__all__ = ["AuthSettings", "ServiceContext", "create_app", "openapi_text"]

_HOMES = {
    "AuthSettings": "auth",
    "ServiceContext": "context",
    "create_app": "app",
    "openapi_text": "openapi",
}


def __getattr__(name: str) -> Any:
    """Loaded when first used: the frontier's door shares modules of this package, and starts in a fifth of the time."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
