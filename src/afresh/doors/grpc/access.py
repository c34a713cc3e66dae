"""Who may call: as at the REST door, with a token where tokens are set; without any, only from this machine."""

from collections.abc import Iterable
from typing import Any

import grpc

from afresh.doors.rest.who_asks import Caller, Doorkeeper, Need, TooMany

#: Calls that only an administrator may make where tokens are set; all others also a registered fetcher.
ADMIN_ONLY = frozenset({"DeleteCrawl", "DeleteQueue", "PurgeURLs", "SetActive", "SetLogLevel"})


class Denied(Exception):
    """A caller who may not."""

    def __init__(self, code: grpc.StatusCode, words: str) -> None:
        super().__init__(words)
        self.code = code


async def admit(keeper: Doorkeeper, call: str, context: Any) -> None:
    """Denied unless the caller may make this call."""
    header = _authorization(context.invocation_metadata() or ())
    caller = await keeper.caller(header, peer_address(context.peer()))
    need = Need.ADMIN if call in ADMIN_ONLY else Need.MEMBER
    match caller:
        case Caller() if caller.may(need):
            return
        case Caller():
            raise Denied(grpc.StatusCode.PERMISSION_DENIED, "this token does not allow that")
        case TooMany(wait):
            raise Denied(grpc.StatusCode.RESOURCE_EXHAUSTED, f"too many wrong tokens; wait {wait:.0f} s")
        case None:
            raise Denied(grpc.StatusCode.UNAUTHENTICATED, 'send the metadata "authorization: Bearer TOKEN"')


def _authorization(metadata: Iterable[tuple[str, str | bytes]]) -> str:
    found = next((value for name, value in metadata if name == "authorization"), "")
    return found if isinstance(found, str) else ""


def peer_address(peer: str) -> str:
    """The address of a peer as gRPC writes it.

    >>> peer_address("ipv4:192.0.2.7:5000"), peer_address("ipv6:%5B2001:db8::1%5D:5000"), peer_address("unix:")
    ('192.0.2.7', '2001:db8::1', '')
    """
    kind, _, rest = peer.partition(":")
    if kind not in ("ipv4", "ipv6"):
        return ""
    return rest.rpartition(":")[0].replace("%5B", "").replace("%5D", "").strip("[]")
