"""Links that nobody keeps: known for the time of one check, in the shape in which a store keeps them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from afresh.base.errors import ResourceNotFound
from afresh.base.records.links import Check, KeptLink, LinkState, Version, VersionNotFound

if TYPE_CHECKING:
    from afresh.base.records.link_store import LinkReader

_NEVER_CHECKED = LinkState()


class UnsavedLinks:
    """Implements ``base.records.link_store.LinkReader`` over a dictionary.

    Numbers of its own links are negative. Any other is a link of ``store``, which is read and never written to. Pages
    are not kept: there may be very many, and nobody compares with them later.
    """

    def __init__(self, store: LinkReader | None = None) -> None:
        self._store = store
        self._links: list[KeptLink] = []

    def add(self, url: str, *, title: str = "") -> int:
        """The number of a link that was never checked."""
        number = -1 - len(self._links)
        link = KeptLink(
            id=number,
            url=url,
            title=title,
            folder="",
            tags=(),
            due=math.inf,
            is_watched=False,
            versions=0,
            state=_NEVER_CHECKED,
        )
        self._links.append(link)
        return number

    def link(self, resource: int) -> KeptLink:
        if resource < 0:
            return self._links[-1 - resource]
        if self._store is None:
            raise ResourceNotFound(str(resource))
        return self._store.link(resource)

    def versions(self, resource: int, *, limit: int = 100) -> list[Version]:
        return [] if resource < 0 or self._store is None else self._store.versions(resource, limit=limit)

    def version(self, number: int) -> Version:
        if self._store is None:
            raise VersionNotFound(number)
        return self._store.version(number)

    def version_body(self, number: int) -> bytes:
        if self._store is None:
            raise VersionNotFound(number)
        return self._store.version_body(number)

    def link_checks(self, resource: int, *, before: int | None = None, limit: int = 100) -> list[Check]:
        if resource < 0 or self._store is None:
            return []
        return self._store.link_checks(resource, before=before, limit=limit)
