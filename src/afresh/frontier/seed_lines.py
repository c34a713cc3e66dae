"""Lists of URLs as people write them, in files, forms and requests alike."""

from collections.abc import Iterable


def seed_lines(lines: Iterable[str]) -> list[str]:
    """The URLs: one a line; empty lines and those that begin with # are passed over.

    >>> seed_lines(["# my seeds", "", " https://example.org/ "])
    ['https://example.org/']
    """
    return [text for line in lines if (text := line.strip()) and text[0] != "#"]
