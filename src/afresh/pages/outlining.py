"""The parts of a page that one could choose to watch, by its newest version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afresh.base.errors import ParseError
from afresh.parse import child_reader
from afresh.parse.outline import Outline, read_outline

if TYPE_CHECKING:
    from afresh.base.protocols import Store

_PAGES = ("", "text/html", "application/xhtml+xml")


def outline_of(store: Store, resource: int) -> Outline:
    """Nothing of what is no page, is not stored yet, or takes too long to read."""
    newest = store.links.versions(resource, limit=1)
    if not newest or newest[0].content_type.partition(";")[0].strip().lower() not in _PAGES:
        return Outline()
    body = store.links.version_body(newest[0].id)
    try:
        return child_reader.read(read_outline, Outline, body, content_type=newest[0].content_type)
    except ParseError:
        return Outline(truncated=True)
