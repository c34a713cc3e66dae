"""Which field of a feed a tag is, however it is written: in any case, with any of a namespace's spellings, or none.

A name has the form ``prefix:name`` in small letters, without prefix where the feed's own elements are meant. Prefixes
are those everybody uses, and stand for their namespace also where a document forgot to declare them.
"""

from collections.abc import Mapping

_MOST = 500  # tags remembered of a table: a document may invent any number of them
# Namespaces in small letters, without their last "/" or "#".
_PREFIXES = {
    "http://www.w3.org/2005/atom": "atom",
    "http://purl.org/atom/ns": "atom",
    "http://purl.org/dc/elements/1.1": "dc",
    "http://purl.org/dc/elements/1.0": "dc",
    "http://purl.org/dc/terms": "dcterms",
    "http://purl.org/rss/1.0/modules/content": "content",
    "http://purl.org/rss/1.0/modules/syndication": "sy",
    "http://search.yahoo.com/mrss": "media",
    "http://www.rssboard.org/media-rss": "media",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
    "http://example.com/dtds/podcast-1.0.dtd": "itunes",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns": "rdf",
    "http://www.w3.org/1999/xhtml": "xhtml",
    # All these are RSS, or what became Atom.
    "": "",
    "http://purl.org/rss/1.0": "",
    "http://purl.org/net/rss1.1": "",
    "http://purl.org/rss/1.0/modules/rss091": "",
    "http://my.netscape.com/rdf/simple/0.9": "",
    "http://channel.netscape.com/rdf/simple/0.9": "",
    "http://backend.userland.com/rss": "",
    "http://backend.userland.com/rss2": "",
    "http://blogs.law.harvard.edu/tech/rss": "",
    "http://example.com/newformat": "",
    "http://example.com/necho": "",
    "http://purl.org/echo": "",
    "uri/of/echo/namespace": "",
    "http://purl.org/pie": "",
}

KNOWN_PREFIXES = frozenset(filter(None, _PREFIXES.values()))


def prefix_of(namespace: str) -> str:
    """The prefix everybody uses for a namespace, empty if that is a feed's own, "?" if nobody uses one."""
    return _PREFIXES.get(namespace.rstrip("/#").lower().replace("https://", "http://", 1), "?")  # some mean well


def name_of_tag(tag: str, own: str = "") -> str:
    """The name of a tag ``uri}name``; ``own`` is the namespace of the feed's own elements, as tags have it in front.

    >>> name_of_tag("http://purl.org/dc/elements/1.1/}Date"), name_of_tag("PubDate"), name_of_tag("DC:date")
    ('dc:date', 'pubdate', 'dc:date')
    >>> name_of_tag("urn:x}title"), name_of_tag("urn:x}title", "urn:x}")
    ('?:title', 'title')
    """
    uri, _, local = tag.rpartition("}")
    prefix = "" if own and tag.startswith(own) else prefix_of(uri)
    return f"{prefix}:{local.lower()}" if prefix else local.lower()


class Fields(dict[str, str | None]):
    """Tags of a document and the fields they are, None: no field. It learns the tags it is asked for.

    >>> Fields({"title": "title"}, "")["TITLE"], Fields({"title": "title"}, "")["foo"]
    ('title', None)
    """

    def __init__(self, fields: Mapping[str, str], own: str) -> None:
        super().__init__()
        self._fields = fields
        self._own = own

    def __missing__(self, tag: str) -> str | None:
        field = self._fields.get(name_of_tag(tag, self._own))
        if len(self) < _MOST:
            self[tag] = field
        return field
