"""Posts as Delicious wrote them and Pinboard still does: XML with one element a bookmark, all in its attributes."""

from collections.abc import Iterator

from afresh.base.records.links import LinkRef
from afresh.parse.elements import local_name
from afresh.parse.listing import LinkList, address, kept, legal, moment, new_link, note_of, tags_of, title_of
from afresh.parse.markup import Element, read_xml


def read_posts(body: bytes) -> LinkList:
    """The bookmarks of such a document, in order.

    >>> [(link.title, link.tags) for link in read_posts(b'<posts><post href="//e.org/" description="T" tag="a b"/>')]
    [('T', ('a', 'b'))]
    """
    root, repaired = read_xml(body)
    return LinkList(format="posts", **kept(map(_link, _posts(root))), repaired=len(repaired), kind="link")


def _posts(root: Element) -> Iterator[dict[str, str]]:
    for element in root.iter():
        if local_name(element) == "post":
            yield {name: legal(value) for name, value in element.attrib.items()}


def _link(said: dict[str, str]) -> LinkRef:
    url = address(said.get("href", ""))
    return new_link(
        url=url,
        title=title_of(said.get("description", ""), url),
        note=note_of(said.get("extended", "")),
        tags=tags_of(said.get("tag", ""), " "),
        saved=moment(said.get("time", "")),
    )
