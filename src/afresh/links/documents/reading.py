"""The links of a file, each with what it means there."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from afresh.base.errors import ParseError
from afresh.base.models import Fetched
from afresh.base.records.links import LinkRef
from afresh.links.documents.targets import (
    LocalFile,
    NotAsked,
    Occurrence,
    Place,
    Target,
    WebPage,
    listed,
    resolve,
    with_scheme,
)
from afresh.parse.document_links import Document, format_of, is_packed, read_document, read_text
from afresh.parse.encoding import decode
from afresh.parse.links import check_text, importer_for, kind_of, read_link_list
from afresh.parse.listing import scheme_of

_LISTS = ("json", "opml", "bookmarks", "csv", "list")


def occurrences_in(body: bytes, place: Place) -> list[Occurrence]:
    """The links of a file; raises ParseError if it cannot be read."""
    if importer_for(place.name) is not None:
        return _from_list(body, place)
    if is_packed(place.name):
        return _from_document(read_document(body, place.name), place)
    text = decode(body)
    check_text(body, text, place.name)
    kind = kind_of(text.lstrip("\ufeff"), place.name, is_meant=False)
    if kind in _LISTS:
        found = _from_list(body, place)
    else:
        found = _from_document(read_text(text, f".{kind}"), place)
    if not found:  # its name alone makes no document of a picture
        check_text(body, text, "")
    return found


def _from_list(body: bytes, place: Place) -> list[Occurrence]:
    """One for each place, in the order of lines where these are known; what no server answers is counted by kind."""
    found = read_link_list(body, name=place.name)
    everywhere = (*found.links, *found.repeats)
    if found.format == "bookmarks":
        everywhere = _with_lines(everywhere, body)
    ordered = sorted(everywhere, key=lambda link: link.line) if all(link.line for link in everywhere) else everywhere
    file, is_of_bookmarks = place.name or "-", found.kind == "link"
    unanswered = [_browsers(kind, file) for kind, count in found.left_out.items() for _ in range(count)]
    return [_bookmarked(link, file) if is_of_bookmarks else listed(link, file=file) for link in ordered] + unanswered


def _with_lines(links: Iterable[LinkRef], body: bytes) -> tuple[LinkRef, ...]:
    from afresh.parse.bookmarks import lines_in_bookmarks  # noqa: PLC0415 (loaded with the first such file)

    lines = {url: iter(places) for url, places in lines_in_bookmarks(body).items()}
    return tuple(replace(link, line=next(lines.get(link.url, iter(())), 0)) for link in links)


def _bookmarked(link: LinkRef, file: str) -> Occurrence:
    """One of bookmarks, among which are mail, FTP and the like that nobody listed to have them asked for."""
    found, scheme = listed(link, file=file), scheme_of(link.url)
    return replace(found, target=with_scheme(link.url, scheme.removesuffix(":"))) if scheme else found


def _browsers(kind: str, file: str) -> Occurrence:
    """One that only a browser knows: a script, an own page of its, an empty address."""
    return Occurrence(link=LinkRef(url=kind), target=NotAsked(kind.removesuffix(":")), file=file)


def _from_document(document: Document, place: Place) -> list[Occurrence]:
    found = []
    for link in document.links:
        target = resolve(link.target, place, base=document.base)
        if link.endings:
            if not isinstance(target, LocalFile):  # by which address a site shows the document is its own affair
                continue
            target = replace(target, endings=link.endings)
        shown = LinkRef(url=_shown(target, link.target), title=link.text, line=link.line)
        found.append(
            Occurrence(
                link=shown,
                target=target,
                file=place.name or "-",
                column=link.column,
                start=link.start,
                end=link.end,
            )
        )
    return found


def occurrences_of_page(outcome: Fetched) -> list[Occurrence]:
    """The links of a page that came from the web; none where it is no HTML, or none that could be read."""
    said = outcome.trip.headers.get("content-type", "")
    if "html" not in said:
        return []
    here = outcome.trip.final_url
    try:
        document = read_text(decode(outcome.body, said, html=True), ".html")
    except ParseError:
        return []
    found = _from_document(document, Place(name=here, base=here))
    return [item for item in found if not isinstance(item.target, LocalFile)]


def is_document(name: str) -> bool:
    """Whether a file is a document by its name, with links or without."""
    return bool(format_of(name))


def is_page(name: str) -> bool:
    """Whether a file is a page of some site, not a document of a repository."""
    return format_of(name) in ("html", "htm", "xhtml", "css")


def root_of(name: str) -> str | None:
    """The folder of the repository that a file is in; None: it is in none."""
    path = Path(name).absolute()
    return next((str(folder) for folder in path.parents if (folder / ".git").exists()), None)


def _shown(target: Target, written: str) -> str:
    """The address as it is told: complete where it is one of the web, else as it was written."""
    if isinstance(target, WebPage):
        return f"{target.url}#{target.fragment}" if target.fragment else target.url
    return written
