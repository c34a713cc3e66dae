"""Whether a file that a document links to is there, and has the part that is named."""

from functools import lru_cache
from pathlib import Path

from afresh.base.errors import ParseError
from afresh.base.records.links import Check, CheckStatus
from afresh.links.documents.anchors import has_anchor, no_anchor
from afresh.links.documents.targets import LocalFile
from afresh.parse.document_links import Document, format_of, read_document

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
