"""Versions from an archive become the history of a link: its first check already has something to compare with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from afresh.base.records.links import NewVersion, Origin
from afresh.base.settings.sections import LinkSettings
from afresh.parse.archived import ArchivedPage
from afresh.parse.documents import mark_of, read_document

if TYPE_CHECKING:
    from afresh.base.records.link_store import LinkStore

BY_ARCHIVE = "archive"  # who accepted a reference that was imported


def import_versions(store: LinkStore, resource: int, pages: Iterable[ArchivedPage], settings: LinkSettings) -> int:
    """Stores versions, oldest first, and says how many are new; the newest is the reference if there is none yet."""
    before = store.link(resource)
    ordered = sorted(pages, key=lambda page: page.at)
    newest = None
    for page in ordered:
        read = read_document(page.body, url=page.url, content_type=page.content_type)
        if read.kind in ("binary", "empty"):
            continue
        version = NewVersion(
            at=page.at,
            url=page.url,
            mark=mark_of(read, page.body),
            body=page.body,
            content_type=page.content_type,
            title=read.title,
            origin=Origin.ARCHIVE,
        )
        newest = store.add_version(resource, version, keep=settings.versions)
    if newest is not None and before.state.reference is None:
        store.compare_with(resource, newest, by=BY_ARCHIVE, now=ordered[-1].at)
    return store.link(resource).versions - before.versions
