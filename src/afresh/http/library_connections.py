"""Judges the connections that a library makes on its own: when a socket connects, after every name resolution.

Python tells audit hooks (PEP 578) of each connection and each datagram, with the very address that the system is about
to be given; a hook that raises prevents it. So neither a name that changes its address between two lookups nor a
redirect leads such a library to an address the guard does not approve.

A hook cannot be taken away again: it stays for the life of the process, and looks away wherever no guard is in force.
It holds for the thread that asked; threads that the library starts by itself are not covered.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EACCES
from functools import cache

from afresh.http.guard import Guard

_EVENTS = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_thread = threading.local()


@contextmanager
def judged_by(guard: Guard) -> Iterator[list[str]]:
    """While this is in force, the thread reaches no address but those approved; gives a list of those refused."""
    _install()
    refused: list[str] = []
    before = getattr(_thread, "judge", None)
    _thread.judge = (guard, refused)
    try:
        yield refused
    finally:
        _thread.judge = before


@cache
def _install() -> None:
    sys.addaudithook(_heed)


def _heed(event: str, args: tuple[object, ...]) -> None:
    if event not in _EVENTS:
        return
    judge = getattr(_thread, "judge", None)
    address = args[1]
    # Sockets of this machine (a path) are none of the network's; None: a datagram on a connection that was judged.
    if judge is None or not isinstance(address, tuple) or not address:
        return
    guard, refused = judge
    host = str(address[0])
    if not guard.approves(host):  # a name is no address either: it would be resolved behind our back
        refused.append(host)
        # As the system would say it: libraries close the socket, and try the next address or give up.
        raise PermissionError(EACCES, f"not a public address: {host}")
