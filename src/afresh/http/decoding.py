"""Content-Encoding undone, never past a limit: gzip, deflate (both readings) and brotli."""

import zlib
from collections.abc import Callable

import brotli  # type: ignore[import-untyped]  # ships no type information

from afresh.base.errors import FetchError, TooLarge

ACCEPT_ENCODING = "gzip, deflate, br"
_MAX_LAYERS = 3  # encodings on top of each other; more is an attack
_MAX_MEMBERS = 256  # gzip members in a row; more is an attack on the processor
_IDENTITY = frozenset(("", "identity", "none", "utf-8", "utf8", "binary"))  # what servers write that encode nothing


class BrokenEncoding(FetchError):
    """A body that is not what its Content-Encoding says."""


def decode(body: bytes, encodings: str, limit: int) -> bytes:
    """The body without its encodings; raises TooLarge past ``limit`` bytes and BrokenEncoding for nonsense.

    Memory stays near the limit, whatever the ratio: each decompressor stops there.

    >>> decode(zlib.compress(b"news"), "deflate", 100)
    b'news'
    """
    layers = _layers(encodings)
    if len(layers) > _MAX_LAYERS:
        raise BrokenEncoding(f"{len(layers)} encodings on top of each other")
    for name in reversed(layers):
        decoder = _DECODERS.get(name)
        if decoder is None:
            raise BrokenEncoding(f"unknown Content-Encoding {name[:40]!r}")
        if body:  # an empty body is empty in every encoding
            body = decoder(body, limit)
    if len(body) > limit:
        raise TooLarge(f"more than {limit} bytes (fetch.max_decoded_bytes)")
    return body


def decode_start(body: bytes, encodings: str, limit: int) -> bytes:
    """The first ``limit`` bytes of a body that need not be complete; raises BrokenEncoding for nonsense.

    >>> decode_start(zlib.compress(b"news" * 1000)[:30], "deflate", 8)
    b'newsnews'
    """
    layers = _layers(encodings)
    if not layers or not body:
        return body[:limit]
    if len(layers) > 1 or layers[0] not in _DECODERS:
        raise BrokenEncoding(f"cannot read the beginning of {encodings[:40]!r}")
    try:
        if layers[0] == "br":
            start: bytes = brotli.Decompressor().process(body, output_buffer_limit=limit)
            return start[:limit]
        return zlib.decompressobj(47).decompress(body, limit)
    except (zlib.error, brotli.error) as error:
        raise BrokenEncoding(f"broken compression: {error}") from error


def _layers(encodings: str) -> list[str]:
    """The encodings that are on a body, the outermost last."""
    if not encodings:  # most small bodies
        return []
    return [name for name in (part.strip().lower() for part in encodings.split(",")) if name not in _IDENTITY]


def _gunzip(body: bytes, limit: int) -> bytes:
    parts: list[bytes] = []
    size = members = 0
    while body[:2] == b"\x1f\x8b" or not members:  # what follows the last member is padding or junk, not ours to judge
        members += 1
        if members > _MAX_MEMBERS:
            raise BrokenEncoding(f"more than {_MAX_MEMBERS} gzip members")
        part, body = _inflate_one(body, limit - size, wbits=31)
        size += len(part)
        parts.append(part)
    return b"".join(parts)


def _inflate(body: bytes, limit: int) -> bytes:
    # RFC 9110 means the zlib format by "deflate"; some servers send the bare stream.
    is_zlib = len(body) >= 2 and body[0] & 0x0F == 8 and (body[0] << 8 | body[1]) % 31 == 0
    return _inflate_one(body, limit, wbits=15 if is_zlib else -15)[0]


def _inflate_one(body: bytes, limit: int, *, wbits: int) -> tuple[bytes, bytes]:
    """One compressed stream, and what follows it."""
    inflater = zlib.decompressobj(wbits)
    try:
        plain = inflater.decompress(body, limit + 1)
    except zlib.error as error:
        raise BrokenEncoding(f"broken compression: {error}") from error
    if len(plain) > limit:
        raise TooLarge(f"more than {limit:,} bytes after decompression (fetch.max_decoded_bytes)")
    if not inflater.eof:
        raise BrokenEncoding("compressed body ends early")
    return plain, inflater.unused_data


def _unbrotli(body: bytes, limit: int) -> bytes:
    decompressor = brotli.Decompressor()
    parts: list[bytes] = []
    size = 0
    chunk = body
    try:
        while not decompressor.is_finished():
            part: bytes = decompressor.process(chunk, output_buffer_limit=limit - size + 1)
            size += len(part)
            if size > limit:
                raise TooLarge(f"more than {limit:,} bytes after decompression (fetch.max_decoded_bytes)")
            if not part and not decompressor.is_finished():
                raise BrokenEncoding("compressed body ends early")
            parts.append(part)
            chunk = b""
    except brotli.error as error:
        raise BrokenEncoding(f"broken compression: {error}") from error
    return b"".join(parts)


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _inflate,
    "br": _unbrotli,
}
