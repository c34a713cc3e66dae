"""A watched page in time, for its page."""

from afresh.base.errors import UsageError
from afresh.base.models import Resource
from afresh.base.protocols import Store
from afresh.base.records.links import VersionNotFound
from afresh.doors.presenting.changes import ChangesView, view_comparison, view_outline, view_page_version, view_watch
from afresh.pages.comparing import compare_pages
from afresh.pages.outlining import outline_of
from afresh.pages.watching import Watches

ROWS = 50


def read_changes(store: Store, resource: Resource, old: int | None, new: int | None) -> ChangesView:
    """What is watched, the versions, and what differs between the two newest, or the two that are named."""
    versions = store.links.versions(resource.id, limit=ROWS)
    try:
        difference = view_comparison(compare_pages(store, resource.id, old, new), resource)
    except (UsageError, VersionNotFound):  # too few, or trimmed since the page was opened
        difference = None
    return ChangesView(
        watch=view_watch(Watches(store).of(resource)),
        versions=tuple(view_page_version(version, resource.id) for version in versions),
        difference=difference,
        outline=view_outline(outline_of(store, resource.id)),
    )
