"""What the headings of a document are called in addresses: the names that the usual renderers give them."""

import re
from collections.abc import Iterable

_NO_WORD = re.compile(r"[^\w\- ]")
_NO_WORD_ASCII = re.compile(r"[^\w\s-]", re.ASCII)
_SPACES = re.compile(r"[-\s]+")


class Slugs:
    """The anchors of a document: names given, and those made of headings, numbered where they repeat.

    GitHub and Python-Markdown (MkDocs) make different names of the same heading; either is right somewhere.

    >>> slugs = Slugs(); slugs.add("What's new, in 1.0?"); slugs.add("A"); slugs.add("A")
    >>> sorted(slugs.anchors())
    ['a', 'a-1', 'a_1', 'whats-new-in-10']
    """

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._seen: dict[str, int] = {}

    def name(self, names: Iterable[str]) -> None:
        self._names.update(names)

    def add(self, heading: str) -> None:
        """A heading, by its text."""
        plain = heading.strip().lower()
        github = _NO_WORD.sub("", plain).replace(" ", "-")
        python = _SPACES.sub("-", _NO_WORD_ASCII.sub("", plain).strip())
        for slug in {github, python}:
            count = self._seen[slug] = self._seen.get(slug, -1) + 1
            self._names.update((f"{slug}-{count}", f"{slug}_{count}") if count else (slug,))

    def anchors(self) -> frozenset[str]:
        return frozenset(self._names)
