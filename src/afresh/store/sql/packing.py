"""Bytes as they are kept: packed by themselves, or as what differs from others that are much like them.

A version of a page takes a tenth of its bytes when it is packed on an earlier one, and a quarter by itself.
"""

import sys
import zlib

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_LEVEL = 6  # 80 MB a second
_WIDE = 2**21  # bytes: what is larger together needs to be told how far to look back
_FARTHEST = 27  # as a power of two; nobody unpacks what looks back further
_MAGIC = b"\x28\xb5\x2f\xfd"


def pack(content: bytes, base: bytes | None = None) -> bytes:
    """The content, packed on what ``unpack`` must be given again."""
    if base is None:
        return zstd.compress(content, _LEVEL)
    if (size := len(content) + len(base)) <= _WIDE:
        return zstd.compress(content, _LEVEL, zstd_dict=_like(base))
    named = zstd.CompressionParameter
    options: dict[int, int] = {
        named.compression_level: _LEVEL,
        named.window_log: min(size.bit_length(), _FARTHEST),
        named.enable_long_distance_matching: 1,
    }
    return zstd.compress(content, options=options, zstd_dict=_like(base))


def unpack(packed: bytes, base: bytes | None = None) -> bytes:
    """The content; what stores of former days keep is read, too.

    >>> unpack(pack(b"one two three", b"one two"), b"one two")
    b'one two three'
    """
    if not packed.startswith(_MAGIC):
        return zlib.decompress(packed)
    if base is None:
        return zstd.decompress(packed)
    return zstd.decompress(packed, zstd_dict=_like(base))


def _like(base: bytes) -> tuple[zstd.ZstdDict, int] | None:
    """What zstd takes for a beginning that both sides know; it needs eight bytes at least."""
    return zstd.ZstdDict(base, is_raw=True).as_prefix if len(base) >= 8 else None
