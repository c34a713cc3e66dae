"""Links as they are written in documents: one module a format, all with the place of each link.

``read_document`` reads a document by the ending of its name. Lists of links (bookmarks, OPML, CSV, one a line) are
read by ``parse.links``.
"""

from collections.abc import Callable
from importlib import import_module

from afresh.parse.encoding import decode
from afresh.parse.written.model import Document, Lines, WrittenLink

__all__ = ["ENDINGS", "Document", "Lines", "WrittenLink", "format_of", "read_document", "read_text"]

#: which module reads files of an ending, and by which function; loaded when the first such file comes
_READERS = {
    **dict.fromkeys(("md", "markdown", "mdx", "mdown", "mkd", "mkdn"), ("markdown", "read_markdown")),
    **dict.fromkeys(("html", "htm", "xhtml"), ("html", "read_html")),
    "css": ("css", "read_css"),
    "txt": ("plain", "read_plain"),
    "rst": ("plain", "read_plain"),
}
#: of these the whole file is read, not its text
_BINARY: dict[str, tuple[str, str]] = {}
ENDINGS = frozenset((*_READERS, *_BINARY))


def format_of(name: str) -> str:
    """The ending by which a file is read; empty: this is no document with links.

    >>> format_of("docs/README.MD"), format_of("Makefile")
    ('md', '')
    """
    suffix = name.rpartition("/")[2].rpartition(".")[2].lower() if "." in name else ""
    return suffix if suffix in ENDINGS else ""


def read_document(body: bytes, name: str) -> Document:
    """The links of a document with such a name; raises ParseError if it cannot be read."""
    return read_text(decode(body), name)


def read_text(text: str, name: str) -> Document:
    """The same of its text; places are those of characters in it."""
    return _reader(_READERS[format_of(name)])(text)


def _reader(where: tuple[str, str]) -> Callable[[str], Document]:
    module, function = where
    reader: Callable[[str], Document] = getattr(import_module(f"afresh.parse.written.{module}"), function)
    return reader
