"""What went wrong, in one word: exceptions of the network to causes of failure."""

import asyncio
import ssl

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError

from afresh.base import shortage
from afresh.base.errors import Disallowed, FetchError, StoreAway, StoreBusy, TooLarge, TooManyRedirects
from afresh.base.models import Failure

_DETAIL = 300  # characters kept of a message; some quote what the server sent


class RefusedSocket(PermissionError):
    """The guard's last word, raised where a socket is made; an OSError because connecting code expects these."""


#: First match wins, so special classes come before their bases.
_CAUSES: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], Failure], ...] = (
    ((Disallowed, RefusedSocket), Failure.ADDRESS),
    (TooLarge, Failure.TOO_LARGE),
    (TooManyRedirects, Failure.REDIRECTS),
    (FetchError, Failure.PROTOCOL),
    ((TimeoutError, asyncio.TimeoutError, aiohttp.ServerTimeoutError), Failure.TIMEOUT),
    (aiohttp.ClientConnectorDNSError, Failure.DNS),
    ((aiohttp.ClientSSLError, ssl.SSLError, ssl.CertificateError), Failure.TLS),
    ((aiohttp.ClientPayloadError, aiohttp.ClientResponseError, aiohttp.InvalidURL), Failure.PROTOCOL),
    ((aiohttp.ClientConnectionError, OSError), Failure.CONNECT),
    ((aiohttp.ClientError, HttpProcessingError, ValueError), Failure.PROTOCOL),
)


def cause_of(error: BaseException) -> Failure | None:
    """The cause an exception stands for; None for one that the web cannot have raised."""
    if isinstance(error, aiohttp.ClientConnectorError) and isinstance(error.os_error, RefusedSocket):
        return Failure.ADDRESS
    if isinstance(error, aiohttp.ClientPayloadError) and "ConnectionReset" in str(error):
        return Failure.CONNECT  # the peer, or something on the way, tore the connection down in mid-body
    return next((cause for classes, cause in _CAUSES if isinstance(error, classes)), None)


def is_shortage(error: BaseException) -> bool:
    """Whether we ourselves lack descriptors, memory or the store: then nobody was asked, and nobody is to blame."""
    return isinstance(error, StoreAway | StoreBusy) or shortage.is_shortage(error)


def detail_of(error: BaseException) -> str:
    """One printable line about it."""
    if isinstance(error, aiohttp.ClientConnectorError):
        error = error.os_error  # aiohttp's own words repeat the host and bury the reason
    text = " ".join(str(error).split()) or type(error).__name__
    return text[:_DETAIL].encode("utf-8", "replace").decode("utf-8")
