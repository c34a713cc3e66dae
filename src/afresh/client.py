"""afresh asked over the network, by the names of ``afresh.open``: daemons and frontiers over REST, frontiers over gRPC.

Each client exists for callers who wait (``Client``) and for callers who await (``AsyncClient``). What goes wrong is one
of afresh's errors: ``UsageError`` for what makes no sense, ``NotFound``, ``Conflict``, ``AccessDenied``, and
``ServiceAway`` or ``StoreAway`` when patience is at an end.

>>> with Client("http://127.0.0.1:9", patience=0.0) as a:
...     a.why("https://example.org/feed.xml")  # doctest: +ELLIPSIS
Traceback (most recent call last):
afresh.base.errors.ServiceAway: no answer: ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from afresh.doors.python.remote.clients import AsyncClient, AsyncFrontier, Client, Frontier

if TYPE_CHECKING:
    from afresh.doors.python.remote.grpc_clients import AsyncGrpcFrontier, GrpcFrontier

__all__ = ["AsyncClient", "AsyncFrontier", "AsyncGrpcFrontier", "Client", "Frontier", "GrpcFrontier"]


def __getattr__(name: str) -> Any:
    if name in ("GrpcFrontier", "AsyncGrpcFrontier"):
        from afresh.doors.python.remote import grpc_clients  # noqa: PLC0415 (an extra)

        return getattr(grpc_clients, name)
    raise AttributeError(name)
