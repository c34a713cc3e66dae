"""Versions of pages, what differs between them, and what of a page is watched."""

from dataclasses import dataclass
from typing import Annotated

from afresh.base.difference import Mark, Row
from afresh.base.models import Resource
from afresh.base.records.links import Version
from afresh.base.records.watches import Only, Watch
from afresh.doors.presenting.fields import About, Time
from afresh.doors.presenting.lists import list_of
from afresh.doors.presenting.showing import shown
from afresh.pages.changes.wording import as_lines, headline, unified
from afresh.pages.comparing import PageComparison
from afresh.parse.outline import Outline

_AROUND = 3  # lines that stay, shown before and after those that differ


@dataclass(frozen=True, slots=True, kw_only=True)
class PageVersionView:
    """One stored version of a page."""

    number: Annotated[int, About("Among the versions of the page, from 1: what its addresses and commands take.", 3)]
    id: Annotated[int, About("Among all versions in the store, as those of links are named.")]
    at: Time | None
    last_seen: Time | None
    url: str
    title: str
    content_type: str
    size: Annotated[int, About("Bytes of the document.")]
    stored: Annotated[int, About("Bytes it takes in the store.")]
    content: Annotated[str, About("Where the stored document is shown, sandboxed.")]
    picture: Annotated[str, About("Where the picture of it is; empty: none was taken.")]


PageVersionList = list_of(PageVersionView, "PageVersionList", "Stored versions of a page, newest first.")


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsView:
    """Some words of a changed line."""

    mark: Annotated[Mark, About("same, added or removed.", "added")]
    text: str
    is_number: Annotated[bool, About("Numbers differ here: a price, a count.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowView:
    """A line of a difference; a run of lines that stay is folded to its number."""

    mark: Annotated[Mark, About("same, added, removed, changed or moved.", "changed")]
    old: Annotated[str, About("Empty: it was not there.")]
    new: Annotated[str, About("Empty: it is no more.")]
    words: tuple[WordsView, ...]
    folded: Annotated[int, About("Lines that stay and are left out here; 0: this is a line.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDifferenceView:
    """What differs between two versions of a page."""

    old: PageVersionView
    new: PageVersionView
    summary: Annotated[str, About("How much differs, in a few words.", "Price: 10 → 12 €")]
    added: Annotated[int, About("Words that came.")]
    removed: Annotated[int, About("Words that went.")]
    rows: tuple[RowView, ...]
    picture: Annotated[str, About("Where both are side by side, changes marked; empty: not both have a picture.")]
    text: Annotated[str, About("The lines that differ, with a sign in front of each.")]
    unified: Annotated[str, About("The same as `diff -u` writes it.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchView:
    """What of a page is watched, and which changes count; what is empty is as usual."""

    css: tuple[str, ...]
    xpath: tuple[str, ...]
    json_path: tuple[str, ...]
    without_css: tuple[str, ...]
    ignore: tuple[str, ...]
    main_text: bool
    everything: Annotated[bool, About("What changes at every visit counts, too.")]
    case: Annotated[bool, About("A capital is another letter.")]
    only: Only
    at_least: Annotated[int, About("Words that must differ.")]
    appears: tuple[str, ...]
    vanishes: tuple[str, ...]
    render: Annotated[bool, About("A browser runs its scripts first.")]
    screenshot: Annotated[bool, About("With a picture of each version.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedView:
    """What would be watched of a page."""

    url: str
    title: str
    kind: Annotated[str, About("What the document is: html, text, pdf, json, xml, file.", "html")]
    lines: tuple[str, ...]
    missing: Annotated[tuple[str, ...], About("Selectors that found nothing.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartView:
    """A part of a page that could be watched."""

    selector: Annotated[str, About("A CSS selector that finds it.", "#news")]
    depth: Annotated[int, About("How many of the parts listed it is in.")]
    tag: str
    words: int
    text: Annotated[str, About("Its first words.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineView:
    """The parts of a page, in its order."""

    parts: tuple[PartView, ...]
    truncated: Annotated[bool, About("Some of the inner parts are left out.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesView:
    """A watched page in time: what of it is watched, its versions, what differs between two of them."""

    watch: WatchView
    versions: tuple[PageVersionView, ...]
    difference: PageDifferenceView | None  # None: there is nothing to compare yet
    outline: OutlineView


def view_page_version(version: Version, resource: int) -> PageVersionView:
    place = f"/api/v1/resources/{resource}/versions/{version.number}"
    picture = "" if version.picture is None else f"{place}/picture"
    return shown(PageVersionView, version, content=f"{place}/content", picture=picture)


def view_watch(watch: Watch) -> WatchView:
    return shown(WatchView, watch)


def view_outline(outline: Outline) -> OutlineView:
    return OutlineView(parts=tuple(shown(PartView, part) for part in outline.parts), truncated=outline.truncated)


def view_comparison(made: PageComparison, resource: Resource) -> PageDifferenceView:
    difference = made.difference
    old, new = (view_page_version(version, resource.id) for version in (made.old, made.new))
    return PageDifferenceView(
        old=old,
        new=new,
        summary=headline(difference.news),
        added=difference.words(Mark.ADDED),
        removed=difference.words(Mark.REMOVED),
        rows=tuple(_folded(difference.rows)),
        picture=_picture(made, resource.id),
        text="\n".join(as_lines(difference.news)),
        unified=unified(made.before, made.after, before=f"{resource.url} {old.at}", now=f"{resource.url} {new.at}"),
    )


def _picture(made: PageComparison, resource: int) -> str:
    """Where the picture of the difference is; empty: there is none to be seen."""
    if None in (made.old.picture, made.new.picture) or made.old.picture == made.new.picture:
        return ""
    return f"/api/v1/resources/{resource}/difference/picture?old={made.old.number}&new={made.new.number}"


def _folded(rows: tuple[Row, ...]) -> list[RowView]:
    near = {
        place
        for at, row in enumerate(rows)
        if row.mark is not Mark.SAME
        for place in range(at - _AROUND, at + _AROUND + 1)
    }
    views: list[RowView] = []
    hidden = 0
    for at, row in enumerate(rows):
        if at in near:
            views += _fold(hidden)
            hidden = 0
            views.append(_row(row))
        else:
            hidden += 1
    return [*views, *_fold(hidden)]


def _fold(hidden: int) -> list[RowView]:
    return [RowView(mark=Mark.SAME, old="", new="", words=(), folded=hidden)] if hidden else []


def _row(row: Row) -> RowView:
    words = tuple(WordsView(mark=one.mark, text=one.text, is_number=one.is_number) for one in row.words)
    return RowView(mark=row.mark, old=row.old, new=row.new, words=words, folded=0)
