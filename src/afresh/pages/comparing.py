"""Stored versions of a page compared as its watcher sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afresh.base.difference import Difference, compare
from afresh.base.errors import UsageError
from afresh.base.records.links import PageVersionNotFound, Version
from afresh.pages.changes.picturing import picture_difference
from afresh.pages.changes.wording import watch_words
from afresh.pages.watching import Watches, show
from afresh.parse.pictures import compact, read_png, write_png

if TYPE_CHECKING:
    from afresh.base.models import Resource
    from afresh.base.protocols import Store
    from afresh.base.records.watches import Watch
    from afresh.parse.watched_lines import Shown

_MANY = 1_000


@dataclass(frozen=True, slots=True)
class PageComparison:
    """Two versions and what differs."""

    old: Version
    new: Version
    watch: Watch
    before: tuple[str, ...]  # the lines that are watched
    after: tuple[str, ...]

    @property
    def difference(self) -> Difference:
        return compare(self.before, self.after)


def compare_pages(store: Store, resource: int, old: int | None = None, new: int | None = None) -> PageComparison:
    """Two versions of a page: the newest and the one before it, if no others are named; raises UsageError."""
    page = store.get(resource)
    older, newer = _two(store, page, old, new)
    watch = Watches(store).of(page)
    before, after = (shown_version(store, version, watch).lines for version in (older, newer))
    return PageComparison(older, newer, watch, before, after)


def _two(store: Store, page: Resource, old: int | None, new: int | None) -> tuple[Version, Version]:
    versions = store.links.versions(page.id, limit=_MANY)
    newer = _chosen(versions, page, new)
    older = _named(versions, old) if old is not None else _before(versions, newer)
    if older is None:
        raise UsageError(f"only one version of {page.url} is stored; there is nothing to compare it with yet")
    return older, newer


def picture_of(store: Store, resource: int, number: int | None = None) -> bytes:
    """What a version of a page showed (the newest, if none is named) as PNG; raises UsageError where there is none."""
    page = store.get(resource)
    version = _chosen(store.links.versions(resource, limit=_MANY), page, number)
    return compact(_picture(store, version))


def compare_pictures(store: Store, resource: int, old: int | None = None, new: int | None = None) -> bytes:
    """Pictures of two versions side by side with the changes marked, as PNG; raises UsageError."""
    older, newer = _two(store, store.get(resource), old, new)
    before, after = (read_png(_picture(store, version)) for version in (older, newer))
    if older.picture == newer.picture:
        raise UsageError(f"versions {older.number} and {newer.number} look the same")
    return write_png(picture_difference(before, after))


def _picture(store: Store, version: Version) -> bytes:
    kept = store.watches.picture(version.id)
    if kept is None:
        raise UsageError(
            f"no picture was taken of version {version.number}; --screenshot has pictures taken from now on"
        )
    return kept


def shown_version(store: Store, version: Version, watch: Watch) -> Shown:
    """A stored version as its watcher sees it."""
    body = store.links.version_body(version.id)
    return show(body, watch, url=version.url, content_type=version.content_type)


def watched_words(store: Store, resource: Resource) -> str:
    """What of a page is watched."""
    return watch_words(Watches(store).of(resource))


def unmatched(store: Store, resource: Resource) -> tuple[str, ...]:
    """Selectors of a page that find nothing in its newest stored version; none is stored: nothing can be said."""
    versions = store.links.versions(resource.id, limit=1)
    return shown_version(store, versions[0], Watches(store).of(resource)).missing if versions else ()


def _chosen(versions: list[Version], page: Resource, number: int | None) -> Version:
    """The named one, or the newest."""
    if number is not None:
        return _named(versions, number)
    if not versions:
        raise UsageError(f"no version of {page.url} is stored yet; it has to be visited first")
    return versions[0]


def version_of(store: Store, resource: int, number: int) -> Version:
    """The version of a page with this number; raises PageVersionNotFound."""
    return _named(store.links.versions(resource, limit=_MANY), number)


def _named(versions: list[Version], number: int) -> Version:
    """By its number among those of the page; addresses written down before these had its id in the store."""
    for version in versions:
        if version.number == number:
            return version
    for version in versions:
        if version.id == number:
            return version
    raise PageVersionNotFound(number)


def _before(versions: list[Version], newer: Version) -> Version | None:
    """Versions are newest first."""
    place = versions.index(newer)
    return versions[place + 1] if place + 1 < len(versions) else None
