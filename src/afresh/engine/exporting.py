"""Export: what is watched, as lists that afresh and other programs read; nothing is lost that import reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from afresh.base.models import Kind, Resource, ResourceFilter
from afresh.base.records.links import LinkRef
from afresh.base.records.visiting import Visiting
from afresh.base.value_class import alike
from afresh.engine.watch_pages import page_scope
from afresh.parse.bookmarks import write_bookmarks
from afresh.parse.link_json import write_json_links
from afresh.parse.link_tables import write_table
from afresh.parse.listing import write_list
from afresh.parse.opml import write_opml

if TYPE_CHECKING:
    from afresh.base.protocols import Store

#: name of a format -> who writes it; a plain list holds addresses and titles only, the others all there is
FORMATS: Mapping[str, Callable[[Iterable[LinkRef]], str]] = {
    "opml": write_opml,
    "bookmarks": write_bookmarks,
    "csv": write_table,
    "json": write_json_links,
    "list": write_list,
}


def listed_all(store: Store, kind: Kind | None) -> Iterator[LinkRef]:
    """What is watched for this, as a list has it; None: for whatever."""
    watches = store.watches.watches() if kind in (None, Kind.PAGE) else {}
    for resource in store.iterate(ResourceFilter(kind=kind)):
        watch = watches.get(page_scope(resource.id))
        yield listed(resource, watch="" if watch is None else watch.to_text())


def listed(resource: Resource, *, watch: str = "") -> LinkRef:
    """A resource as a list has it."""
    home = resource.facts.site_url if resource.kind is Kind.FEED else ""
    visits = Visiting.of(resource).to_text()
    return alike(LinkRef, resource, home=home, watch=watch, kind=str(resource.kind), visits=visits)
