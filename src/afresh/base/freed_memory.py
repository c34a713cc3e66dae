"""Memory that is freed stays with the process, for whoever builds and drops a tree for every page.

Where GNU's library gives it back to the system each time, that costs as much as reading the page.
"""

from contextlib import suppress

TRIM, MAPPED = 64 * 2**20, 8 * 2**20  # bytes: what may lie idle, and from where on a piece is the system's own
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # <malloc.h>


def keep_freed_memory() -> None:
    """From now on; where there is no such library, nothing happens."""
    with suppress(ImportError, OSError, AttributeError, TypeError):
        from ctypes import CDLL  # noqa: PLC0415 (few processes read many pages)

        library = CDLL(None)
        library.mallopt(_TRIM_THRESHOLD, TRIM)
        library.mallopt(_MMAP_THRESHOLD, MAPPED)
