"""Gzipped documents, unpacked up to a limit: a bomb is refused before it bursts."""

import zlib

from afresh.base.errors import ParseError

MAX_BYTES = 50 * 2**20  # the limit of the sitemap protocol, unpacked


def unpacked(body: bytes) -> bytes:
    """The bytes themselves, or what is in them if they are gzipped; ParseError if that is broken or too much."""
    if body[:2] != b"\x1f\x8b":
        return body
    unpacker = zlib.decompressobj(wbits=31)
    try:
        found = unpacker.decompress(body, MAX_BYTES + 1)
    except zlib.error as error:
        raise ParseError(f"a broken gzip file: {error}") from error
    if len(found) > MAX_BYTES:
        raise ParseError(f"a document of more than {MAX_BYTES:,} bytes when unpacked; refused")
    return found
