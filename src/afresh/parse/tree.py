"""A feed's document as a tree: expat calls the standard library's tree builder, C calling C.

libxml2 builds its tree as quickly, but lxml makes a proxy for every look at an element, a quarter more time. What
expat refuses is repaired and read by libxml2 (``markup``), and the result copied. Tags are ``uri}name``, or ``name``.
"""

from itertools import islice
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from lxml import etree

from afresh.base.errors import ParseError
from afresh.parse import markup
from afresh.parse.markup import MAX_NAMESPACE, Refused, read_xml

_MAX_BUFFER = 2**20
_MOST_ATTRIBUTES = 500  # of one tag


def read_repaired(body: bytes, content_type: str = "") -> tuple[Element, tuple[str, ...]]:
    """The root element, and what was repaired; ParseError if it is beyond that, or dangerous."""
    root, repaired = read_xml(body, content_type)
    try:
        return _copied(root), repaired
    except UnicodeDecodeError as error:  # of a tree that was recovered
        raise ParseError("malformed, with bytes that are no text") from error


def read_well_formed(body: bytes) -> Element | None:
    """The root element of a document in UTF-8 without document type; None if it is not well-formed."""
    try:
        return _read(body)
    except expat.ExpatError:
        return None


def _read(body: bytes) -> Element:
    builder = TreeBuilder()
    parser = expat.ParserCreate("utf-8", "}")
    parser.buffer_text = True  # one piece a text, not one a line and reference
    parser.buffer_size = min(len(body) + 1, _MAX_BUFFER)
    parser.StartDoctypeDeclHandler = _refuse
    parser.StartNamespaceDeclHandler = _heed_namespace
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.Parse(body, True)
    return builder.close()


def _refuse(*_: object) -> NoReturn:
    raise Refused("a document type declaration in an unusual place; refused")


def _heed_namespace(prefix: str | None, uri: str | None) -> None:  # noqa: ARG001 (expat's signature)
    if uri is not None and len(uri) > MAX_NAMESPACE:
        raise Refused(f"a namespace of {len(uri):,} characters; refused")


def _copied(root: markup.Element) -> Element:
    """The tree of libxml2, whose depth is bounded, as one of the standard library."""
    builder = TreeBuilder()
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if not isinstance(element.tag, str):  # a reference that nobody could resolve
            if event == "end":
                builder.data(element.tail or "")
            continue
        tag = element.tag.removeprefix("{")
        if event == "start":
            builder.start(tag, _attributes(element))
            builder.data(element.text or "")
        else:
            builder.end(tag)
            if element is not root:
                builder.data(element.tail or "")
    return builder.close()


def _attributes(element: markup.Element) -> dict[str, str]:
    """Those of a tag: of many the first, since libxml2 looks for each of them from the first one on."""
    found = element.attrib
    many = len(found) > _MOST_ATTRIBUTES
    pairs = [(name, found[name]) for name in islice(found, _MOST_ATTRIBUTES)] if many else found.items()
    return {name.removeprefix("{"): value for name, value in pairs}
