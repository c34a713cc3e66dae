"""Entries: what was found in feeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from afresh.base.models import Enclosure
from afresh.base.records.history import StoredEntry
from afresh.base.records.queries import Offered
from afresh.base.records.searching import FoundEntries
from afresh.base.search_words import words_sought
from afresh.doors.presenting.fields import About, Time
from afresh.doors.presenting.showing import told_fields
from afresh.doors.presenting.times import iso


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryView:
    """One entry of a feed."""

    seq: Annotated[int, About("Its place in the one sequence consumers read by.", 4711)]
    resource: Annotated[int, About("Number of its feed.", 17)]
    feed_url: Annotated[str, About("URL of its feed.", "https://example.org/feed.xml")]
    uid: Annotated[str, About("Identity within the feed, hexadecimal.")]
    title: str
    link: Annotated[str, About("As published: not checked, may be anything.")]
    id: Annotated[str, About("Its own id, exactly as the feed has it: Atom id, RSS guid, JSON Feed id; empty: none.")]
    native_id: Annotated[str, About("Another name of `id`.")]
    author: str
    summary: Annotated[str, About("As published, HTML or text: sanitise before showing.")]
    content: Annotated[str, About("As published, HTML or text: sanitise before showing.")]
    categories: tuple[str, ...]
    language: Annotated[str, About("Where the entry says so itself; empty: the feed's.", "pt-BR")]
    enclosures: Annotated[tuple[Enclosure, ...], About("Files that belong to it: episodes, pictures.")]
    published: Annotated[
        str | None, About("As the feed says; where it says nothing that can be true, when it was found.")
    ]
    published_raw: Annotated[str | None, About("As the feed says; null: no usable date.")]
    updated: Time | None
    found: Annotated[str | None, About("When afresh found it.")]
    delay: Annotated[
        float | None,
        About("Seconds from publication to finding; null: not known, as in a first window, or without a usable date."),
    ]
    initial: Annotated[bool, About("Was in the first window: no delay is counted.")]
    after_gap: Annotated[bool, About("Entries may have been missed just before it.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEntryView(EntryView):
    """An entry with what is known of its feed."""

    feed_title: Annotated[str, About("Of its feed; empty: it has none.", "Example news")]
    folder: Annotated[str, About("Of its feed.")]
    tags: Annotated[tuple[str, ...], About("Of its feed.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryHitView(FoundEntryView):
    """An entry that was looked for, and why it was found."""

    excerpt: Annotated[
        str, About("Its text around the words looked for, as text; empty: the title has them all.", "… the bridge …")
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryDetailView(FoundEntryView):
    """One entry, and where it went."""

    text: Annotated[str, About("What it says, without mark-up.")]
    taken_by: Annotated[tuple[str, ...], About("Query feeds that took it.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEntryPage:
    """Entries that were looked for, newest first."""

    items: tuple[EntryHitView, ...]
    next: Annotated[int | None, About("Pass as `before` to look on; null: there are no more.")]
    is_cut: Annotated[bool, About("Fewer than asked for, since enough were looked at: older ones may match.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryPage:
    """Entries ascending by seq."""

    items: tuple[EntryView, ...]
    next: Annotated[int, About("Pass as `after` to read on, now or later; never skips, never repeats.")]


def view_entry(stored: StoredEntry) -> EntryView:
    return EntryView(**entry_fields(stored))


def entry_fields(stored: StoredEntry) -> dict[str, Any]:
    """The fields of the view by name, for whoever writes them down at once."""
    return _fields(EntryView, stored)


def view_found_entry(offered: Offered) -> FoundEntryView:
    return FoundEntryView(**_fields(FoundEntryView, offered.stored, offered, feed_title=offered.source_title))


def view_entry_detail(offered: Offered, text: str, taken_by: Sequence[str]) -> EntryDetailView:
    told = {"feed_title": offered.source_title, "text": text, "taken_by": tuple(taken_by)}
    return EntryDetailView(**_fields(EntryDetailView, offered.stored, offered, **told))


def view_hits(found: FoundEntries, q: str) -> tuple[EntryHitView, ...]:
    """What was found by these words, with the text around them."""
    from afresh.parse.entry_words import entry_excerpt  # noqa: PLC0415 (commands show entries without reading HTML)

    words = words_sought(q)
    return tuple(
        EntryHitView(
            **_fields(
                EntryHitView,
                offered.stored,
                offered,
                feed_title=offered.source_title,
                excerpt=entry_excerpt(offered.stored.entry.parsed, words),
            )
        )
        for offered in found.items
    )


def found_entry_page(found: FoundEntries, q: str) -> FoundEntryPage:
    return FoundEntryPage(items=view_hits(found, q), next=found.next, is_cut=found.is_cut)


def _fields(view: type[EntryView], stored: StoredEntry, *more: object, **told: object) -> dict[str, Any]:
    """The fields of a view by name; what an entry says goes before what is told of its feed."""
    entry, parsed = stored.entry, stored.entry.parsed
    return told_fields(
        view,
        stored,
        entry,
        parsed,
        *more,
        feed_url=stored.url,
        uid=entry.uid.hex(),
        id=parsed.native_id,
        published=iso(entry.dated),
        delay=entry.delay,
        **told,
    )


def entry_page(found: Sequence[StoredEntry], after: int) -> EntryPage:
    """Entries behind a cursor; the cursor stays where it is when there are none."""
    return EntryPage(items=tuple(view_entry(entry) for entry in found), next=found[-1].seq if found else after)
