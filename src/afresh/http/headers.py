"""Headers as text that can be stored: lower-case names, bounded, without broken characters."""

from collections.abc import Iterable, Mapping

_MAX_VALUE = 4_096  # a longer value is dropped, not cut: half a validator is worse than none
_MAX_NAME = 100
#: Fields with one value: a repetition is a mistake, and joining would make it ours. The first counts.
_SINGLE = frozenset(
    ("age", "content-length", "content-type", "date", "etag", "expires", "last-modified", "location", "retry-after")
)


def readable(fields: Mapping[str, str], *, limit: int) -> dict[str, str]:
    """aiohttp's headers: names in lower case, repeated fields joined, at most ``limit`` characters altogether.

    Set-Cookie is left out: cookies are not kept, and it is the one field that commas would damage.
    """
    found: dict[str, str] = {}
    size = 0
    for name, value in fields.items():
        name = name.lower()
        if not value.isascii():
            value = _repaired(value)
        size += len(name) + len(value)
        if size > limit or len(value) > _MAX_VALUE or len(name) > _MAX_NAME or name == "set-cookie":
            continue
        if name not in found:
            found[name] = value
        elif name not in _SINGLE:
            found[name] = f"{found[name]}, {value}"
    return found


def _repaired(value: str) -> str:
    """Bytes that were not UTF-8 (kept as surrogates by aiohttp) are read as Latin-1, HTTP's old default."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return value.encode("utf-8", "surrogateescape").decode("latin-1")
    return value


def received_bytes(raw: Iterable[tuple[bytes, bytes]]) -> int:
    """About how many bytes these headers took on the wire, the status line guessed."""
    size = 19  # "HTTP/1.1 200 OK" and two line ends
    for name, value in raw:
        size += len(name) + len(value) + 4
    return size


def is_sendable(value: str) -> bool:
    """Whether a stored validator may be put into a request: one line, and text that can be encoded."""
    return value.isprintable()
