"""Headers as text that can be stored: lower-case names, bounded, without broken characters."""

from collections.abc import Iterable
from functools import lru_cache

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
