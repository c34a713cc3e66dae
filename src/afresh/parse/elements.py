"""Text and links of XML elements, the way feeds use them."""

from urllib.parse import urljoin

from lxml import etree  # type: ignore[import-untyped]  # ships no types

from afresh.parse.markup import Element

XML = "{http://www.w3.org/XML/1998/namespace}"
ATOM = "{http://www.w3.org/2005/Atom}"
DC = "{http://purl.org/dc/elements/1.1/}"
DCTERMS = "{http://purl.org/dc/terms/}"
CONTENT = "{http://purl.org/rss/1.0/modules/content/}"
SYNDICATION = "{http://purl.org/rss/1.0/modules/syndication/}"
MEDIA = "{http://search.yahoo.com/mrss/}"
ITUNES = "{http://www.itunes.com/dtds/podcast-1.0.dtd}"

_XHTML = ' xmlns="http://www.w3.org/1999/xhtml"'  # in-scope namespaces are written at every top element


def text_of(element: Element) -> str:
    """The element's text; with child elements, their text in order."""
    if len(element):
        return "".join(element.itertext(with_tail=True))
    return element.text or ""


def markup_of(element: Element) -> str:
    """The element's content as markup: its text, or its child elements written out."""
    if not len(element):
        return element.text or ""
    parts = [element.text or ""]
    parts += [etree.tostring(child, encoding="unicode", with_tail=True) for child in element]
    return "".join(parts).replace(_XHTML, "")


def local_name(element: Element) -> str:
    """The tag without its namespace, lower-case; empty for what is no element."""
    tag = element.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def base_of(element: Element, url: str) -> str:
    """What the element's relative links are relative to: xml:base of its ancestors, within the document's URL."""
    bases = []
    node = element
    while node is not None:
        if base := node.get(XML + "base"):
            bases.append(base)
        node = node.getparent()
    for base in reversed(bases):
        try:
            url = urljoin(url, base.strip())
        except ValueError:
            continue
    return url
