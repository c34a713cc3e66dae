"""Links as they are written in documents: one module a format, all with the place of each link.

``read_document`` reads a document by the ending of its name. Lists of links (bookmarks, OPML, CSV, one a line) are
read by ``parse.links``.
"""

from collections.abc import Callable
from importlib import import_module

from afresh.parse.document_links.model import Document, Lines, WrittenLink
from afresh.parse.encoding import decode

__all__ = ["ENDINGS", "Document", "Lines", "WrittenLink", "format_of", "is_packed", "read_document", "read_text"]

#: which module reads files of an ending, and by which function; loaded when the first such file comes
_READERS = {
    **dict.fromkeys(("md", "markdown", "mdx", "mdown", "mkd", "mkdn"), ("markdown", "read_markdown")),
    **dict.fromkeys(("html", "htm", "xhtml"), ("html", "read_html")),
    "css": ("css", "read_css"),
    "txt": ("plain", "read_plain"),
    "rst": ("rst", "read_rst"),
    **dict.fromkeys(("adoc", "asciidoc"), ("asciidoc", "read_asciidoc")),
    "ipynb": ("notebook", "read_notebook"),
}
#: of these the whole file is read, not its text
_BINARY = dict.fromkeys(("docx", "odt", "epub"), ("packed", "read_packed")) | {"pdf": ("pdf_links", "read_pdf_links")}
ENDINGS = frozenset((*_READERS, *_BINARY))


def format_of(name: str) -> str:
    """The ending by which a file is read; empty: this is no document with links.

    >>> format_of("docs/README.MD"), format_of("Makefile")
    ('md', '')
    """
    suffix = name.rpartition("/")[2].rpartition(".")[2].lower() if "." in name else ""
    return suffix if suffix in ENDINGS else ""


def is_packed(name: str) -> bool:
    """Whether such a file is no text but something that has to be unpacked."""
    return format_of(name) in _BINARY


def read_document(body: bytes, name: str) -> Document:
    """The links of a document with such a name; raises ParseError if it cannot be read."""
    if (packed := _BINARY.get(format_of(name))) is not None:
        module, function = packed
        read: Callable[[bytes], Document] = getattr(import_module(f"afresh.parse.document_links.{module}"), function)
        return read(body)
    return read_text(decode(body), name)


def read_text(text: str, name: str) -> Document:
    """The same of its text; places are those of characters in it."""
    return _reader(_READERS[format_of(name)])(text)


def _reader(where: tuple[str, str]) -> Callable[[str], Document]:
    module, function = where
    reader: Callable[[str], Document] = getattr(import_module(f"afresh.parse.document_links.{module}"), function)
    return reader
