"""How servers of the demo web behave: the good one, and one small class for each kind of bad manners.

A manner has five hooks: answer *instead* of the document, choose which items are *shown*, alter each item, *spoil* the
bytes, and *delay* the answer. Those that misbehave now and then count requests, never time or chance, so a run repeats.
"""

import gzip
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from email.utils import formatdate
from functools import cache
from typing import ClassVar

from afresh.lab.web.answers import Answer, Call
from afresh.lab.web.feeds import Item

_TEXT = {"Content-Type": "text/plain; charset=utf-8"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """Good manners, and the hooks that bad ones override."""

    name: ClassVar[str] = "good"
    is_readable: ClassVar[bool] = True  # False: no client can or should ever get an entry out of this feed
    honours_conditions: ClassVar[bool] = True  # False: full documents whatever was asked
    is_stable: ClassVar[bool] = True  # False: the document depends on the request, not only on what was published
    content_encoding: ClassVar[str] = ""

    def instead(self, call: Call) -> Answer | None:  # noqa: ARG002 - a hook
        """An answer in place of the document; None: none."""
        return None

    def shown(self, items: Sequence[Item], call: Call) -> Sequence[Item]:  # noqa: ARG002 - a hook
        """The items of the document, out of the window, newest first."""
        return items

    def spoil(self, body: bytes, call: Call) -> bytes:  # noqa: ARG002 - a hook
        """The bytes as they leave the server."""
        return body

    def delay(self) -> float:
        """Seconds until the answer begins."""
        return 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Slow(Manners):
    """Takes its time."""

    name: ClassVar[str] = "slow"
    seconds: float = 2.0

    def delay(self) -> float:
        return self.seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class NowAndThen(Manners):
    """Something else at every n-th request."""

    every: int = 3

    def instead(self, call: Call) -> Answer | None:
        return None if call.number % self.every else self.trouble(call)

    def trouble(self, call: Call) -> Answer:
        """What comes then."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Throttling(NowAndThen):
    """429 at every n-th request, with Retry-After in seconds."""

    name: ClassVar[str] = "429 now and then"
    every: int = 4
    retry_after: int = 6

    def trouble(self, call: Call) -> Answer:  # noqa: ARG002 - a hook
        return _too_many(self.retry_after)


@dataclass(frozen=True, slots=True, kw_only=True)
class Impatient(Manners):
    """429 to whoever asks again too soon."""

    name: ClassVar[str] = "429 when pressed"
    patience: float = 0.5
    retry_after: int = 5

    def instead(self, call: Call) -> Answer | None:
        pressed = call.previous is not None and call.now - call.previous < self.patience
        return _too_many(self.retry_after) if pressed else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Busy(NowAndThen):
    """503 at every n-th request, with Retry-After as a date."""

    name: ClassVar[str] = "503 now and then"
    every: int = 4
    retry_after: int = 5

    def trouble(self, call: Call) -> Answer:
        # HTTP dates have no fractions: rounded up, so that the date is never sooner than the promise
        until = formatdate(-(-call.now // 1) + self.retry_after, usegmt=True)
        return Answer(status=503, body=b"busy\n", headers={**_TEXT, "Retry-After": until})


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaky(NowAndThen):
    """500 at every n-th request."""

    name: ClassVar[str] = "500 now and then"

    def trouble(self, call: Call) -> Answer:  # noqa: ARG002 - a hook
        return Answer(status=500, body=b"<h1>Something went wrong</h1>", headers={"Content-Type": "text/html"})


@dataclass(frozen=True, slots=True, kw_only=True)
class HangsUp(NowAndThen):
    """Closes the connection without an answer at every n-th request."""

    name: ClassVar[str] = "hangs up"

    def trouble(self, call: Call) -> Answer:  # noqa: ARG002 - a hook
        return Answer(status=0, hang_up=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenXML(Manners):
    """At every n-th request, text that was never a feed: control characters, a bare ampersand, no end."""

    name: ClassVar[str] = "broken XML"
    is_stable: ClassVar[bool] = False
    every: int = 3

    def spoil(self, body: bytes, call: Call) -> bytes:
        if call.number % self.every:
            return body
        return b"\x00\x0b<rss & <<channel ]]>" + bytes(reversed(body[: len(body) // 4]))


@dataclass(frozen=True, slots=True, kw_only=True)
class CutShort(Manners):
    """XML that stops in the middle of a tag, after the last item."""

    name: ClassVar[str] = "cut short"

    def spoil(self, body: bytes, call: Call) -> bytes:  # noqa: ARG002 - a hook
        return body.removesuffix(b"</channel></rss>\n") + b"</chan"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongCharset(Manners):
    """Declares utf-8 and sends latin-1."""

    name: ClassVar[str] = "wrong charset"

    def spoil(self, body: bytes, call: Call) -> bytes:  # noqa: ARG002 - a hook
        return body.decode("utf-8").encode("latin-1", errors="replace")


@dataclass(frozen=True, slots=True, kw_only=True)
class RedirectChain(Manners):
    """Sends the visitor through a chain of paths of the same site, statuses in turn, before it answers."""

    name: ClassVar[str] = "redirect chain"
    path: str = "/feed"
    statuses: tuple[int, ...] = (302, 301, 307)

    def instead(self, call: Call) -> Answer | None:
        hop = _hop(call.path)
        if hop >= len(self.statuses):
            return None
        return Answer(status=self.statuses[hop], headers={"Location": f"{self.path}?hop={hop + 1}"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved(Manners):
    """301 to the same path of another site of the demo web."""

    name: ClassVar[str] = "moved"
    site: str

    def instead(self, call: Call) -> Answer | None:
        _, _, port = call.host.partition(":")
        return Answer(status=301, headers={"Location": f"http://{self.site}.localhost:{port or 80}{call.path}"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RedirectLoop(Manners):
    """Sends the visitor round and round."""

    name: ClassVar[str] = "redirect loop"
    is_readable: ClassVar[bool] = False
    path: str = "/feed"

    def instead(self, call: Call) -> Answer | None:
        return Answer(status=302, headers={"Location": f"{self.path}?hop={1 - min(_hop(call.path), 1)}"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone(Manners):
    """410."""

    name: ClassVar[str] = "gone"
    is_readable: ClassVar[bool] = False

    def instead(self, call: Call) -> Answer | None:  # noqa: ARG002 - a hook
        return Answer(status=410, body=b"gone\n", headers=_TEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoresValidators(Manners):
    """Offers an ETag and a date, and sends the full document all the same."""

    name: ClassVar[str] = "validators ignored"
    honours_conditions: ClassVar[bool] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallWindow(Manners):
    """Shows fewer entries than appear between two usual polls."""

    name: ClassVar[str] = "window too small"
    size: int = 2

    def shown(self, items: Sequence[Item], call: Call) -> Sequence[Item]:  # noqa: ARG002 - a hook
        return items[: self.size]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gzipped(Manners):
    """Compresses, whether the visitor asked for it or not."""

    name: ClassVar[str] = "gzip"
    content_encoding: ClassVar[str] = "gzip"

    def spoil(self, body: bytes, call: Call) -> bytes:  # noqa: ARG002 - a hook
        return gzip.compress(body, compresslevel=6, mtime=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestTime(Manners):
    """Dates every entry with the moment of the request ([R12] §3.5.5)."""

    name: ClassVar[str] = "request-time dates"
    is_stable: ClassVar[bool] = False

    def shown(self, items: Sequence[Item], call: Call) -> Sequence[Item]:
        return [replace(item, date=call.now // 1) for item in items]


@dataclass(frozen=True, slots=True, kw_only=True)
class Undated(Manners):
    """Entries without date and without identifier."""

    name: ClassVar[str] = "no dates, no ids"

    def shown(self, items: Sequence[Item], call: Call) -> Sequence[Item]:  # noqa: ARG002 - a hook
        return [replace(item, date=None, id="") for item in items]


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternating(Manners):
    """Shows its window and an empty one in turn ([R12] §3.7.2)."""

    name: ClassVar[str] = "alternating window"
    is_stable: ClassVar[bool] = False

    def shown(self, items: Sequence[Item], call: Call) -> Sequence[Item]:
        return items if call.number % 2 else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityBomb(Manners):
    """A title of nested entities that would be 10^9 words long."""

    name: ClassVar[str] = "entity bomb"
    is_readable: ClassVar[bool] = False

    def spoil(self, body: bytes, call: Call) -> bytes:  # noqa: ARG002 - a hook
        nested = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
        return (
            f'<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY e0 "boom">{nested}]>'
            '<rss version="2.0"><channel><title>&e9;</title><link>http://bomb.localhost/</link><description>&e9;'
            "</description><item><title>&e9;</title><link>http://bomb.localhost/1</link></item></channel></rss>"
        ).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Oversized(Manners):
    """A document above every reasonable limit ([R12] §3.5.6: 1 MB)."""

    name: ClassVar[str] = "oversized"
    is_readable: ClassVar[bool] = False
    size: int = 3_000_000

    def spoil(self, body: bytes, call: Call) -> bytes:  # noqa: ARG002 - a hook
        head, mark, tail = body.partition(b"<channel>")
        return head + mark + _filling(self.size) + tail


@dataclass(frozen=True, slots=True, kw_only=True)
class DecompressionBomb(Manners):
    """A few kilobytes that unpack to a thousand times as much."""

    name: ClassVar[str] = "decompression bomb"
    is_readable: ClassVar[bool] = False
    content_encoding: ClassVar[str] = "gzip"
    size: int = 30_000_000

    def spoil(self, body: bytes, call: Call) -> bytes:  # noqa: ARG002 - a hook
        return _bomb(self.size)


def _too_many(retry_after: int) -> Answer:
    return Answer(status=429, body=b"too many requests\n", headers={**_TEXT, "Retry-After": str(retry_after)})


def _hop(path: str) -> int:
    _, _, number = path.partition("?hop=")
    return int(number) if number.isdecimal() and len(number) < 4 else 0


@cache
def _filling(size: int) -> bytes:
    return b"<!--" + b" filling " * (size // 9) + b"-->"


@cache
def _bomb(size: int) -> bytes:
    """The compressed bomb, made without ever holding it unpacked."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = b"".join(packer.compress(bytes(100_000)) for _ in range(size // 100_000))
    return packed + packer.flush()
