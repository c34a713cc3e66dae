"""Looking for entries, folders and tags: what may be asked, and what a store answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afresh.base.errors import NotFound, StoreError

if TYPE_CHECKING:
    from afresh.base.records.queries import Offered


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFilter:
    """Which entries are shown; None or empty means any."""

    text: str = ""  # words in what is seen of title, link, author, categories, summary and content
    resource: int | None = None
    query: int | None = None  # number of a query feed that took it
    folder: str | None = None  # of its feed, or a folder above it
    tag: str | None = None  # of its feed
    since: float | None = None  # found then or later
    until: float | None = None  # found before
    published: float | None = None  # published then or later; answers come by publication then, the newest first


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEntries:
    """Entries in the order they were asked for."""

    items: tuple[Offered, ...] = ()
    next: int | None = None  # look on from this number; None: there are no more
    is_cut: bool = False  # fewer than asked for, because enough were looked at; older ones may match


class EntryNotFound(NotFound, StoreError):
    """No entry of that number."""

    words = "no entry has the number {}; it may have been forgotten since"
