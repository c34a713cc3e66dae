"""Files people name: read in steps and only up to a limit, whatever is behind the name."""

import sys
from pathlib import Path
from typing import IO

from afresh.base.errors import UsageError
from afresh.parse.url import without_secret

MOST = 64_000_000  # bytes of a file: a million links with their titles
_STEP = 1_000_000


def is_address(text: str) -> bool:
    """Whether a word of a command line names a document of the web, not a file."""
    return text.lower().startswith(("http://", "https://"))


def read_file(name: str, *, most: int = MOST, advice: str = "") -> bytes:
    """What is in a file, or came by standard input (``-``); UsageError says why it cannot be had, and ``advice``."""
    try:
        if name == "-":
            return _read(sys.stdin.buffer, name, most)
        with Path(name).open("rb") as source:
            return _read(source, name, most)
    except OSError as error:
        raise UsageError(f"cannot read {without_secret(name)}: {error.strerror}{advice}") from error
    except ValueError as error:  # a NUL in the name
        raise UsageError(f"cannot read {name!r}: {error}") from error


def _read(source: IO[bytes], name: str, most: int) -> bytes:
    """All of it: devices and pipes do not say beforehand how much that is."""
    body = bytearray()
    while piece := source.read(_STEP):
        body += piece
        if len(body) > most:
            raise UsageError(f"{name} has more than {most:,} bytes; split it into smaller files")
    return bytes(body)
