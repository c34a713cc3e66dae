"""Whether what a document links to is there, and has the part that is named: a file, or a page that was fetched."""

import re
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote

from afresh.base.errors import ParseError
from afresh.base.models import Fetched
from afresh.base.records.links import Check, CheckStatus
from afresh.links.documents.targets import LocalFile
from afresh.parse.written import Document, format_of, read_document

_MOST = 16_000_000  # bytes of a file whose anchors are read


class LocalFiles:
    """Checks files. What a document names is remembered, however many links point into it."""

    def __init__(self, *, endings: tuple[str, ...] = ()) -> None:
        self._endings = endings  # tried behind a name that is no file: "page" for "page.md"
        self._document = lru_cache(maxsize=512)(_read)

    def check(self, shown: str, target: LocalFile, *, at: float) -> Check:
        """The check of one link; ``shown`` is its address as it is told."""
        path = self._find(target.path, target.endings or self._endings)
        if path is None:
            return Check(url=shown, at=at, status=CheckStatus.MISSING, detail="no such file")
        if has_anchor(self._anchors(path, target.fragment), target.fragment):
            return Check(url=shown, at=at, status=CheckStatus.NEW)
        return Check(url=shown, at=at, status=CheckStatus.FRAGMENT_MISSING, detail=no_anchor(target.fragment))

    def _find(self, path: str, endings: tuple[str, ...]) -> str | None:
        for ending in ("", *(f".{ending}" for ending in endings)):
            try:
                Path(path + ending).stat()
            except (OSError, ValueError):
                continue
            return path + ending
        return None

    def _anchors(self, path: str, fragment: str) -> frozenset[str] | None:
        """What may be named in a file; None: nobody can tell."""
        if not fragment or not format_of(path) or Path(path).is_dir():
            return None
        document = self._document(str(Path(path).absolute()))
        return None if document is None else document.anchors


def _read(path: str) -> Document | None:
    """The document; None: it cannot be read, which its own check tells."""
    try:
        file = Path(path)
        return None if file.stat().st_size > _MOST else read_document(file.read_bytes(), path)
    except (OSError, ParseError):
        return None


#: Lines of a file as code hosts show it, a text to be marked, places that a script makes: no document names these.
_NO_ANCHOR = re.compile(r"L\d+(?:C\d+)?(?:-L?\d+(?:C\d+)?)?|top|[!/].*|.*:~:.*", re.DOTALL)


def has_anchor(anchors: frozenset[str] | None, fragment: str) -> bool:
    """Whether a page with these anchors has what the fragment names; None: nobody can tell, so nobody complains.

    >>> has_anchor(frozenset({"a-b"}), "a-b"), has_anchor(frozenset({"a"}), "b"), has_anchor(None, "b")
    (True, False, True)
    """
    if anchors is None or not fragment or fragment in anchors:
        return True
    name = unquote(fragment)
    # GitHub puts a prefix before names that come from people, and its script leaves it out again.
    return not anchors.isdisjoint((name, name.lower(), f"user-content-{name.lower()}")) or bool(
        _NO_ANCHOR.fullmatch(name)
    )


def no_anchor(fragment: str) -> str:
    return f"no part of it is called #{fragment[:200]}"


def anchors_of(outcome: Fetched) -> frozenset[str] | None:
    """What may be named in a page that was fetched; None: it is no HTML, or a script makes what it shows."""
    said = outcome.trip.headers.get("content-type", "")
    if "html" not in said:
        return None
    from afresh.parse.encoding import decode  # noqa: PLC0415 (few links name a part of a page)
    from afresh.parse.written.html import read_html  # noqa: PLC0415

    text = decode(outcome.body, said, html=True)
    return read_html(text).anchors or (None if "<script" in text.lower() else frozenset())
