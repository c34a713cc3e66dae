"""An answer in HTTP/1.1 (RFC 9112), from the bytes that come: its status, its fields and, of a success, its body.

llhttp takes it apart, in C; here is what of it is wanted, and when there is too much of it. No connection is known.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from afresh.base.errors import FetchError, TooLarge

_LONGEST_LINES = 8  # that a head may be long altogether


class BadAnswer(FetchError):
    """What came is not an answer in HTTP/1.1."""


class ConnectionEnded(ConnectionError):
    """Somebody hung up before there was an answer."""


class Answer:
    """One answer. More than ``limit`` bytes of body are an error, unless the first ``enough`` are; 0: all are wanted.

    >>> answer = Answer(limit=100)
    >>> answer.feed(b"HTTP/1.1 200 OK\\r\\nContent-Length: 4\\r\\n\\r\\nne"), answer.feed(b"ws")
    (False, True)
    >>> answer.status, answer.fields, answer.body
    (200, [(b'Content-Length', b'4')], b'news')
    """

    __slots__ = (
        "_enough",
        "_error_bytes",
        "_has_ended",
        "_has_head",
        "_has_more",
        "_is_judged",
        "_is_measured",
        "_is_tunnel",
        "_limit",
        "_limited_by",
        "_longest_line",
        "_most_fields",
        "_parser",
        "_parts",
        "_reason",
        "_size",
        "fields",
        "may_stay",
        "reason",
        "received",
        "status",
        "version",
    )

    def __init__(
        self,
        *,
        limit: int,
        limited_by: str = "fetch.max_bytes",  # the option that would allow more
        enough: int = 0,
        error_bytes: int = 0,  # of another status than a success that are wanted
        longest_line: int = 32_768,
        most_fields: int = 128,
        is_tunnel: bool = False,  # to CONNECT: after the head of a success other things are said on the connection
    ) -> None:
        self._limit, self._enough, self._is_tunnel = limit, enough, is_tunnel
        self._error_bytes, self._limited_by = error_bytes, limited_by
        self._longest_line, self._most_fields = longest_line, most_fields
        self.status = 0
        self.reason, self.version = b"", "1.1"
        self.fields: list[tuple[bytes, bytes]] = []
        self.received = 0  # bytes, with everything
        self.may_stay = False  # whether the connection may be asked again after it
        self._parts: list[bytes] = []
        self._size = self._reason = 0
        self._has_head = self._is_judged = self._is_measured = self._has_ended = self._has_more = False
        self._parser: HttpResponseParser | None = HttpResponseParser(self)
        # What browsers put up with, too.
        self._parser.set_dangerous_leniencies(
            lenient_headers=True, lenient_optional_cr_before_lf=True, lenient_spaces_after_chunk_size=True
        )

    @property
    def body(self) -> bytes:
        """As it came over the wire, encoded."""
        return self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)

    @property
    def is_whole(self) -> bool:
        """Whether all of it has come."""
        return self._has_ended

    def is_error(self) -> bool:
        """Whether it is known to be no success: then its body adds nothing to what is known."""
        return self._is_judged and not 200 <= self.status < 300

    def feed(self, data: bytes) -> bool:
        """Whether all that is wanted of it is there now."""
        assert self._parser is not None
        self.received += len(data)
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade:
            raise BadAnswer("the server changes the protocol unasked") from None
        except HttpParserError as error:
            raise BadAnswer(f"not HTTP: {error}") from error
        if self._has_more:
            raise BadAnswer("more comes than the answer to what was asked")
        if not self._has_head:
            if self.received > _LONGEST_LINES * self._longest_line:
                raise BadAnswer("the head of the answer is too long")
            return False
        if not self._is_judged:
            self._judge_head()
        if self._is_tunnel and 200 <= self.status < 300:
            self.may_stay = True
            return True
        return self._suffices()

    def cut_short(self) -> Exception | None:
        """What is wrong with it if the connection ends here; None: nothing, it did not say how long it is."""
        if not self._has_head:
            return ConnectionEnded("the server hung up before it answered")
        return BadAnswer("the answer ends early") if self._is_measured else None

    def close(self) -> None:
        """Nothing more is read; what is there stays."""
        self._parser = None  # which knows us as we know it: together garbage that nobody finds for a while

    def _judge_head(self) -> None:
        self._is_judged = True
        if len(self.fields) > self._most_fields:
            raise BadAnswer(f"more than {self._most_fields} fields")
        longest = self._reason
        for name, value in self.fields:
            longest = max(longest, len(name) + len(value))
            match name.lower():
                case b"content-length":
                    self._is_measured = True
                    self._mind_length(value)
                case b"transfer-encoding":
                    self._is_measured = b"chunked" in value.lower()
        if longest > self._longest_line:
            raise BadAnswer(f"a line of more than {self._longest_line} bytes")

    def _mind_length(self, announced: bytes) -> None:
        """Nobody begins to read what is known to be too long."""
        if 200 <= self.status < 300 and not self._enough and announced.isdigit() and int(announced[:20]) > self._limit:
            raise TooLarge(f"{int(announced[:20]):,} bytes announced, {self._limit:,} allowed by {self._limited_by}")

    def _suffices(self) -> bool:
        """Whether nothing more is worth waiting for: it is complete, or the rest is of no interest."""
        if self.is_error():
            return self._has_ended or self._size >= self._error_bytes
        if not self._enough and self._size > self._limit:
            raise TooLarge(f"more than {self._limit:,} bytes ({self._limited_by})")
        return self._has_ended or 0 < self._enough <= self._size

    # --- what the parser calls ----------------------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        self._has_more = self._has_ended

    def on_status(self, reason: bytes) -> None:
        self._reason += len(reason)
        self.reason = reason

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._has_head:  # else it stands behind the body
            self.fields.append((name, value))

    def on_headers_complete(self) -> None:
        assert self._parser is not None
        self.status, self.version = self._parser.get_status_code(), self._parser.get_http_version()
        self._has_head = not 100 <= self.status < 200 or self.status == 101

    def on_body(self, part: bytes) -> None:
        self._parts.append(part)
        self._size += len(part)

    def on_message_complete(self) -> None:
        assert self._parser is not None
        if not self._has_head:  # an interim one, 100 or 103
            self.fields.clear()
            return
        self._has_ended = True
        self.may_stay = self._parser.should_keep_alive()


_MAX_VALUE = 4_096  # a longer value is dropped, not cut: half a validator is worse than none
_MAX_NAME = 100
#: Fields with one value: a repetition is a mistake, and joining would make it ours. The first counts.
_SINGLE = frozenset(
    ("age", "content-length", "content-type", "date", "etag", "expires", "last-modified", "location", "retry-after")
)


def readable(fields: Iterable[tuple[bytes, bytes]], *, limit: int) -> dict[str, str]:
    """Headers as they came: names in lower case, repeated fields joined, at most ``limit`` characters altogether.

    Set-Cookie is left out: cookies are not kept, and it is the one field that commas would damage.
    """
    found: dict[str, str] = {}
    size = 0
    for raw_name, raw in fields:
        size += len(raw_name) + len(raw)
        if size > limit or len(raw) > _MAX_VALUE or len(raw_name) > _MAX_NAME:
            continue
        name = _name(raw_name)
        if name == "set-cookie":
            continue
        value = _text(raw).strip()
        if name not in found:
            found[name] = value
        elif name not in _SINGLE:
            found[name] = f"{found[name]}, {value}"
    return found


@lru_cache(maxsize=1_024)  # the same few dozen come with every answer
def _name(raw: bytes) -> str:
    return _text(raw).lower()


def _text(raw: bytes) -> str:
    """Bytes that are not UTF-8 are read as Latin-1, HTTP's old default."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def is_sendable(value: str) -> bool:
    """Whether a stored validator may be put into a request: one line, and text that can be encoded."""
    return value.isprintable()
