"""Links of documents that are archives: Word (DOCX), OpenDocument (ODT) and books (EPUB).

Only complete addresses: what is relative there leads to another part of the same archive.
"""

import io
import re
import zipfile
import zlib

from afresh.base.errors import ParseError
from afresh.parse.document_links.html import read_html, tags
from afresh.parse.document_links.model import Document, WrittenLink, squeezed
from afresh.parse.encoding import decode

_MOST = 32_000_000  # bytes unpacked, all parts together: archives can be made that unpack to any size
_MOST_PARTS = 5_000
_PART = re.compile(r"word/_rels/[^/]+\.rels|content\.xml|styles\.xml|[^\0]+\.x?html?", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)


def read_packed(body: bytes) -> Document:
    """The addresses of all parts of the archive; raises ParseError if it is none."""
    found: list[WrittenLink] = []
    left = _MOST
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            for info in archive.infolist()[:_MOST_PARTS]:
                if _PART.fullmatch(info.filename) is None or left <= 0:
                    continue
                with archive.open(info) as part:
                    content = part.read(left)
                left -= len(content)
                found += _links(decode(content), info.filename)
    except (zipfile.BadZipFile, zlib.error, OSError, NotImplementedError, RuntimeError, ValueError, EOFError) as error:
        raise ParseError(f"not readable as a packed document: {error}") from error
    return Document(links=tuple(found))


def _links(text: str, name: str) -> list[WrittenLink]:
    if not name.lower().endswith((".xml", ".rels")):
        return [_bare(link.target, link.text) for link in read_html(text).links if _ADDRESS.match(link.target)]
    found: list[WrittenLink] = []
    waiting = ""  # a link whose text follows
    for _, attributes, before in tags(text):
        if waiting:
            found.append(_bare(waiting, before))
            waiting = ""
        said = attributes.get("xlink:href") or attributes.get("target")
        if said is not None and _ADDRESS.match(said.value):
            waiting = said.value
    return [*found, _bare(waiting, "")] if waiting else found


def _bare(target: str, text: str) -> WrittenLink:
    return WrittenLink(target=target, text=squeezed((text,)))
