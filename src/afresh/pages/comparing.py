"""Stored versions of a page compared as its watcher sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afresh.base.difference import Difference, compare
from afresh.base.errors import UsageError
from afresh.base.records.links import Version, VersionNotFound
from afresh.pages.watching import Watches, show

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.base.records.watches import Watch
    from afresh.parse.shown import Shown

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
    versions = store.links.versions(resource, limit=_MANY)
    newer = _named(versions, new) if new is not None else next(iter(versions), None)
    if newer is None:
        raise UsageError(f"no version of {page.url} is stored yet; it has to be visited first")
    older = _named(versions, old) if old is not None else _before(versions, newer)
    if older is None:
        raise UsageError(f"only one version of {page.url} is stored; there is nothing to compare it with yet")
    watch = Watches(store).of(page)
    before, after = (shown_version(store, version, watch).lines for version in (older, newer))
    return PageComparison(older, newer, watch, before, after)


def shown_version(store: Store, version: Version, watch: Watch) -> Shown:
    """A stored version as its watcher sees it."""
    body = store.links.version_body(version.id)
    return show(body, watch, url=version.url, content_type=version.content_type)


def _named(versions: list[Version], number: int) -> Version:
    for version in versions:
        if version.id == number:
            return version
    raise VersionNotFound(number)


def _before(versions: list[Version], newer: Version) -> Version | None:
    """Versions are newest first."""
    place = versions.index(newer)
    return versions[place + 1] if place + 1 < len(versions) else None
