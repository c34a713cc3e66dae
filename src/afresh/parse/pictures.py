"""Pictures of pages: PNG files, kept with pixels that are not packed, since a store packs two that are alike better.

Written and read here without a library: RGB, eight bits, no filter, nothing else.
"""

import struct
import zlib
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from afresh.base.errors import ParseError

Pixels = NDArray[np.uint8]  # rows, columns, red and green and blue

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER = struct.Struct(">IIBBBBB")
_LARGEST = 10_000  # pixels of a side
_LEVEL = 6


def flatten(png: bytes) -> bytes:
    """Any PNG as it is kept; raises ParseError. Needs the extra `browser`."""
    try:
        from PIL import Image  # noqa: PLC0415 (where a browser is, it is, too)

        with Image.open(BytesIO(png), formats=("PNG",)) as picture:
            return write_png(np.asarray(picture.convert("RGB")), level=0)
    except (ImportError, OSError, ValueError) as error:
        raise ParseError(f"not a picture: {error}") from error


def compact(flat: bytes) -> bytes:
    """A picture that is kept, as it is sent to somebody; raises ParseError."""
    return write_png(read_png(flat))


def write_png(pixels: Pixels, *, level: int = _LEVEL) -> bytes:
    """The file.

    >>> read_png(write_png(np.full((2, 3, 3), 7, dtype=np.uint8))).shape
    (2, 3, 3)
    """
    height, width, _ = pixels.shape
    lines = np.zeros((height, 1 + 3 * width), dtype=np.uint8)  # each line begins with its filter: none
    lines[:, 1:] = pixels.reshape(height, 3 * width)
    header = _HEADER.pack(width, height, 8, 2, 0, 0, 0)
    packed = zlib.compress(lines.tobytes(), level)
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", packed) + _chunk(b"IEND", b"")


def read_png(png: bytes) -> Pixels:
    """The pixels of a file that was written here; raises ParseError."""
    try:
        width, height, *form = _HEADER.unpack(_content(png, 8, b"IHDR"))
        if form != [8, 2, 0, 0, 0] or not 0 < width <= _LARGEST or not 0 < height <= _LARGEST:
            raise ParseError("not a picture that was kept here")
        size = height * (1 + 3 * width)
        lines = zlib.decompressobj().decompress(_content(png, 33, b"IDAT"), size)
    except (struct.error, zlib.error) as error:
        raise ParseError(f"not a picture that was kept here: {error}") from error
    if len(lines) != size:
        raise ParseError("not a whole picture")
    return np.frombuffer(lines, dtype=np.uint8).reshape(height, 1 + 3 * width)[:, 1:].reshape(height, width, 3)


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def _content(png: bytes, at: int, name: bytes) -> bytes:
    """What is in the chunk that begins there."""
    (size,) = struct.unpack_from(">I", png, at)
    if png[:8] != _SIGNATURE or png[at + 4 : at + 8] != name:
        raise ParseError("not a picture that was kept here")
    return png[at + 8 : at + 8 + size]
