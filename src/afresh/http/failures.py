"""What went wrong, in one word: exceptions of the network to causes of failure."""

import asyncio
import os
import re
import ssl
from typing import TypeGuard

from afresh.base import out_of_descriptors
from afresh.base.errors import Disallowed, FetchError, StoreAway, StoreBusy, TooLarge, TooManyRedirects
from afresh.base.models import Failed, Failure, Outcome, Trip

_TWICE = re.compile(r"([A-Z][a-z ]+) \(([^()]*)\), (?:\[Errno \d+\] )?\1 \(([^()]*)\)")
_CALL = re.compile(r"\[Errno (\d{1,5})\] Connect call failed \('([^']{1,60})', (\d{1,5})[^)]{0,20}\)")
_TLS = re.compile(r"\[(?:SSL|X509)(?:: [A-Z0-9_]{1,80})?\] |\s?\(_ssl\.c:\d{1,6}\)")  # where OpenSSL stumbled
_NO_TLS = ("wrong version number", "record layer failure", "packet length too long")  # its words for that
_NUMBER = re.compile(r"\[Errno -?\d{1,5}\] ")
#: Of a server that is there, and took the request.
SILENT, SLOW = "the server is silent", "the answer takes too long"
_NOBODY = frozenset((Failure.DNS, Failure.CONNECT, Failure.TLS, Failure.TIMEOUT, Failure.OFFLINE))
_DETAIL = 300  # characters kept of a message; some quote what the server sent


class RefusedSocket(PermissionError):
    """The guard's last word, raised where a socket is made; an OSError because connecting code expects these."""


class NameNotFound(OSError):
    """A name that has no address, as far as anybody knows."""


class HopRefused(FetchError):
    """A hop that is not made; becomes the outcome of its request."""

    def __init__(self, message: str, *, cause: Failure, url: str = "", retry_after: float | None = None) -> None:
        super().__init__(message, url=url)
        self.cause, self.retry_after = cause, retry_after
        self.site_rest = 0.0  # seconds that the site of the caller's lease is to be left alone

    def outcome(self, trip: Trip) -> Failed:
        """What becomes of the request."""
        return Failed(
            trip=trip, cause=self.cause, detail=str(self), retry_after=self.retry_after, site_rest=self.site_rest
        )


#: First match wins, so special classes come before their bases.
_CAUSES: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], Failure], ...] = (
    ((Disallowed, RefusedSocket), Failure.ADDRESS),
    (TooLarge, Failure.TOO_LARGE),
    (TooManyRedirects, Failure.REDIRECTS),
    (FetchError, Failure.PROTOCOL),
    ((TimeoutError, asyncio.TimeoutError), Failure.TIMEOUT),
    (NameNotFound, Failure.DNS),
    ((ssl.SSLError, ssl.CertificateError), Failure.TLS),
    (OSError, Failure.CONNECT),
    (ValueError, Failure.PROTOCOL),
)


def is_nobody_there(outcome: Outcome) -> TypeGuard[Failed]:
    """Whether no server took the request; one that took it and was silent may well answer another."""
    return isinstance(outcome, Failed) and outcome.cause in _NOBODY and outcome.detail not in (SILENT, SLOW)


def cause_of(error: BaseException) -> Failure | None:
    """The cause an exception stands for; None for one that the web cannot have raised."""
    return next((cause for classes, cause in _CAUSES if isinstance(error, classes)), None)


def is_shortage(error: BaseException) -> bool:
    """Whether we ourselves lack descriptors, memory or the store: then nobody was asked, and nobody is to blame."""
    return isinstance(error, StoreAway | StoreBusy) or out_of_descriptors.is_shortage(error)


def detail_of(error: BaseException) -> str:
    """One printable line about it, in the system's words.

    >>> detail_of(OSError(111, "Connect call failed ('127.0.0.1', 80)"))
    'Connection refused (127.0.0.1:80)'
    >>> detail_of(ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)"))
    'no TLS is spoken at this port (wrong version number)'
    >>> call = "[Errno 111] Connect call failed ('%s', 9%s)"
    >>> detail_of(OSError(f"Multiple exceptions: {call % ('::1', ', 0, 0')}, {call % ('127.0.0.1', '')}"))
    'Connection refused ([::1]:9, 127.0.0.1:9)'
    >>> detail_of(OSError(111, f"Multiple exceptions: {call % ('127.0.0.1', '')}, {call % ('::1', ', 0, 0')}"))
    'Connection refused (127.0.0.1:9, [::1]:9)'
    """
    text = _CALL.sub(_in_words, str(error)).replace("Multiple exceptions: ", "", 1)
    while (once := _TWICE.sub(r"\1 (\2, \3)", text)) != text:  # a name with several addresses
        text = once
    if isinstance(error, ssl.SSLError):
        text = _TLS.sub("", text)
        if any(words in text for words in _NO_TLS):
            text = f"no TLS is spoken at this port ({text})"
    text = " ".join(_NUMBER.sub("", text).split()) or type(error).__name__
    return text[:_DETAIL].encode("utf-8", "replace").decode("utf-8")


def _in_words(call: re.Match[str]) -> str:
    number, host, port = call.groups()
    return f"{os.strerror(int(number))} ({f'[{host}]' if ':' in host else host}:{port})"
