"""Text and links of XML elements, the way feeds use them."""

from urllib.parse import urljoin
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape, quoteattr

from afresh.parse import markup

# The namespace as tags have it in front.
XML = "http://www.w3.org/XML/1998/namespace}"

_BASE = XML + "base"
_MAX_BASE = 4_000  # characters: every relative link is read with it in front
_MAX_DEPTH = 200  # of markup that is written out; nobody reads what is nested deeper


def text_of(element: Element | markup.Element) -> str:
    """The element's text; with child elements, their text in order."""
    if len(element):
        return "".join(element.itertext())
    return element.text or ""


def markup_of(element: Element, depth: int = 0) -> str:
    """The element's content as HTML: its text, or its child elements written out."""
    if not len(element):
        return (escape(element.text or "") if depth else element.text) or ""
    parts = [escape(element.text or "")]
    for child in element:
        name = local_part(child.tag)
        given = "".join(f" {local_part(key)}={quoteattr(value)}" for key, value in child.attrib.items())
        inside = markup_of(child, depth + 1) if depth < _MAX_DEPTH else ""
        parts.append(f"<{name}{given}>{inside}</{name}>" if inside else f"<{name}{given}/>")
        parts.append(escape(child.tail or ""))
    return "".join(parts)


def local_part(tag: str) -> str:
    """A tag or attribute without its namespace."""
    return tag.rpartition("}")[2]


def local_name(element: Element | markup.Element) -> str:
    """The tag without its namespace, lower-case."""
    return local_part(element.tag).lower()


def children_named(name: str, element: Element) -> list[Element]:
    """The children of that name, in whatever case and namespace, and those that stand in another of them.

    An item whose end stands behind the next one has that in it; the document is well-formed all the same.
    """
    found: list[Element] = []
    is_one: dict[str, bool] = {}  # by tag: the same few again and again
    open_elements = [iter(element)]
    while open_elements:
        for child in open_elements[-1]:
            if (tag := child.tag) not in is_one:
                is_one[tag] = local_part(tag).lower() == name
            if is_one[tag]:
                found.append(child)
                open_elements.append(iter(child))
                break
        else:
            open_elements.pop()
    return found


def namespace_of(element: Element) -> str:
    """The namespace as tags have it in front, empty if there is none."""
    return element.tag[: element.tag.rfind("}") + 1]


def base_within(element: Element, base: str) -> str:
    """What the element's relative links are relative to: its xml:base, within that of its parent."""
    own = element.get(_BASE)
    if own is None and element.tag.isupper():  # CDF, which is older than xml:base
        own = element.get("BASE")
    if own is None or len(own) > _MAX_BASE:
        return base
    try:
        return urljoin(base, own.strip())
    except ValueError:
        return base
