"""JSON with links in it: backups of Firefox and Chrome, exports of Pinboard and Raindrop, lists of our own."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

import orjson

from afresh.base.errors import ParseError
from afresh.base.records.links import LinkRef
from afresh.parse import listing
from afresh.parse.document_links.model import WrittenLink
from afresh.parse.encoding import decode
from afresh.parse.listing import LinkList

_MOST_OBJECTS = 1_500_000  # two bytes of text become sixty in memory
_ADDRESSES = ("url", "uri", "href", "link", "feed_url", "feedUrl", "xmlUrl", "feed_address")
_TIMES = ("saved", "dateAdded", "date_added", "time", "time_added", "created", "created_at", "createdAt", "savedAt",
          "timestamp")  # fmt: skip
_NOTES = ("note", "notes", "excerpt", "extended", "description")
# Firefox keeps some things among the annotations.
_DESCRIPTION = "bookmarkProperties/description"
_FEED, _SITE = "livemark/feedURI", "livemark/siteURI"
#: By which the files of Firefox, Chrome, Pinboard, linkding, Raindrop and Karakeep are told from lists of feeds.
_OF_BOOKMARKS = re.compile(r'"text/x-moz-place|"(?:bookmark_bar|bookmarks|extended|tag_names|excerpt)"\s{0,9}:')

#: A text, and the colon behind one that is a name.
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*+)"(\s*+:\s*+)?')


def read_json_links(body: bytes) -> LinkList:
    """The links of a JSON document wherever they stand in it, in order."""
    text = decode(body).lstrip("\ufeff")
    if (objects := text.count("[") + text.count("{")) > _MOST_OBJECTS:
        raise ParseError(f"{objects:,} lists and objects, more than the {_MOST_OBJECTS:,} that are read; refused")
    try:
        content = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise ParseError(f"not readable as JSON: {error}", position=f"{error.lineno}:{error.colno}") from error
    except ValueError as error:  # half of a character
        raise ParseError(f"not readable as JSON: {error}") from error
    if (watching := _watched(content)) is not None:
        from afresh.parse.watch_lists import read_changedetection  # noqa: PLC0415 (few lists are of pages)

        return read_changedetection(content, watching)
    links = listing.kept(_links(content))
    return LinkList(format="JSON", **links, kind="link" if _OF_BOOKMARKS.search(text) else "")


def places_in_json(text: str) -> Iterator[WrittenLink]:
    """The addresses of a JSON document and where they stand between their quotes.

    >>> [(link.target, link.start) for link in places_in_json('{"href": "https://a.example", "title": "x"}')]
    [('https://a.example', 10)]
    """
    key, after_key = "", -1
    for found in _TEXT.finditer(text):
        if found[2]:
            key, after_key = _plain(found[1]), found.end()
        elif (key in _ADDRESSES if after_key == found.start() else "://" in found[1]) and (said := _plain(found[1])):
            yield WrittenLink(target=said, start=found.start(1), end=found.end(1))


def as_json_text(address: str) -> str:
    """An address as it stands between quotes."""
    return orjson.dumps(address).decode()[1:-1]


def _plain(written: str) -> str:
    try:
        return str(orjson.loads(f'"{written}"'))
    except orjson.JSONDecodeError:
        return ""


def _watched(content: Any) -> Mapping[str, Any] | None:
    """The pages of changedetection.io's backup, or of the list that its API gives; None: it is neither."""
    if not isinstance(content, dict):
        return None
    if isinstance(content.get("watching"), dict):
        return content["watching"]  # type: ignore[no-any-return]  # it is JSON
    is_list = bool(content) and all(isinstance(one, dict) and "url" in one for one in content.values())
    return content if is_list and any("last_checked" in one for one in content.values()) else None


def _links(content: Any) -> Iterator[LinkRef]:
    """Chrome says url and name, Firefox uri and title; both nest folders as children."""
    # A stack of iterators instead of recursion: nothing is held that the document does not hold itself.
    stack = [_inside([content], "")]
    while stack:
        node, folder = next(stack[-1], (None, ""))
        if node is None:
            stack.pop()
        elif isinstance(node, str):
            yield listing.new_link(url=listing.address(listing.legal(node)), folder=folder)
        elif (url := _address(node)) and node is not content:
            yield _link(node, url, folder)
            stack.append(_inside(node.get("children"), folder))  # what else is in it describes it
        else:
            stack.append(_inside(node, folder))


def _inside(node: Any, folder: str) -> Iterator[tuple[Any, str]]:
    """What may hold links, or is one, each with its folder."""
    if isinstance(node, list):
        for child in node:
            if isinstance(child, dict | list) or (isinstance(child, str) and "://" in child):
                yield child, folder
    elif isinstance(node, dict):
        inner = listing.folder_within(folder, listing.folder_name(_text(node, "title", "name")))
        for key, child in node.items():
            if isinstance(child, dict | list):
                yield child, inner if key == "children" else folder


def _address(node: Any) -> str:
    if not isinstance(node, dict):
        return ""
    content = node.get("content")  # of Karakeep: what was saved, a link among others
    within = _text(content, "url") if isinstance(content, dict) and content.get("type") == "link" else ""
    return listing.address(_text(node, *_ADDRESSES) or _annotation(node, _FEED) or within)


def _annotation(node: Mapping[str, Any], name: str) -> str:
    said = node.get("annos")
    found = (one for one in said if isinstance(one, dict) and one.get("name") == name) if isinstance(said, list) else ()
    return next((_text(one, "value") for one in found), "")


def _link(node: Mapping[str, Any], url: str, folder: str) -> LinkRef:
    is_pinboards = "extended" in node  # what others call the title is its description
    title = _text(node, "title", "name", "feed_title") or (_text(node, "description") if is_pinboards else "")
    notes = [_text(node, key) for key in _NOTES if not (is_pinboards and key == "description")]
    own = _text(node, "folder", "path") or _titled(node.get("collection")) or _titled(node.get("category"))
    return listing.new_link(
        url=url,
        title=listing.title_of(title, url),
        folder=listing.folder_path(f"{folder}/{own}") if own else folder,
        tags=_tags(node, is_pinboards=is_pinboards),
        note=listing.note_of(*notes, _annotation(node, _DESCRIPTION)),
        saved=next((found for key in _TIMES if (found := listing.moment(node.get(key))) is not None), None),
        home=listing.address(_text(node, "home", "site_url", "htmlUrl", "feed_link") or _annotation(node, _SITE)),
        watch=listing.watch_of(_text(node, "watch")),
        visits=listing.visits_of(_text(node, "visits")),
        kind=listing.kind_said(_text(node, "kind")) or ("feed" if _annotation(node, _FEED) else ""),
    )


def _text(node: Mapping[str, Any], *keys: str) -> str:
    for key in keys:
        if (said := node.get(key)) and isinstance(said, str):
            return listing.legal(said)
    return ""


def _titled(node: Any) -> str:
    return (
        _text(node, "title", "name") if isinstance(node, dict) else listing.legal(node) if isinstance(node, str) else ""
    )


def _tags(node: Mapping[str, Any], *, is_pinboards: bool) -> tuple[str, ...]:
    said = next((node[key] for key in ("tags", "tag_names", "labels") if node.get(key)), None)
    if isinstance(said, str):
        return listing.tags_of(listing.legal(said), " " if is_pinboards and "," not in said else ",")
    if isinstance(said, list):
        return listing.tags_of(",".join(_titled(tag) for tag in said))
    return ()


def write_json_links(links: Iterable[LinkRef]) -> str:
    """The links as a list of objects with all that is known of them."""
    names = [field.name for field in fields(LinkRef) if field.name != "line"]
    shown = [{name: value for name in names if (value := getattr(link, name))} for link in links]
    return orjson.dumps(shown, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
