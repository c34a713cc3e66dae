"""Entries: what was found in feeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from afresh.base.models import Enclosure
from afresh.base.records.history import StoredEntry
from afresh.doors.presenting.fields import About, Time
from afresh.doors.presenting.showing import told_fields
from afresh.doors.presenting.times import finite


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
    published: Annotated[str | None, About("Corrected time of publication.")]
    published_raw: Annotated[str | None, About("As the feed says; null: no usable date.")]
    updated: Time | None
    found: Annotated[str | None, About("When afresh found it.")]
    delay: Annotated[float | None, About("Seconds from publication to finding; null for a first window.")]
    initial: Annotated[bool, About("Was in the first window: no delay is counted.")]
    after_gap: Annotated[bool, About("Entries may have been missed just before it.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryPage:
    """Entries ascending by seq."""

    items: tuple[EntryView, ...]
    next: Annotated[int, About("Pass as `after` to read on, now or later; never skips, never repeats.")]


def view_entry(stored: StoredEntry) -> EntryView:
    return EntryView(**entry_fields(stored))


def entry_fields(stored: StoredEntry) -> dict[str, Any]:
    """The fields of the view by name, for whoever writes them down at once."""
    entry, parsed = stored.entry, stored.entry.parsed
    return told_fields(
        EntryView,
        stored,
        entry,
        parsed,
        feed_url=stored.url,
        uid=entry.uid.hex(),
        id=parsed.native_id,
        delay=None if entry.initial else finite(entry.found - entry.published),
    )


def entry_page(found: Sequence[StoredEntry], after: int) -> EntryPage:
    """Entries behind a cursor; the cursor stays where it is when there are none."""
    return EntryPage(items=tuple(view_entry(entry) for entry in found), next=found[-1].seq if found else after)
