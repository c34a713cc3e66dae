"""What a search found, of each kind of thing."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from afresh.base.records.searching import FoundEntries
from afresh.doors.presenting.entries import EntryHitView, view_hits
from afresh.doors.presenting.fields import About
from afresh.doors.presenting.links import LinkView, view_link
from afresh.doors.presenting.queries import QueryView, view_query
from afresh.doors.presenting.resources import ResourceView, view_resource
from afresh.doors.presenting.sites import SiteView, view_site
from afresh.doors.presenting.system import SettingView, view_settings
from afresh.engine.searching import Findings


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchView:
    """Everything that has the words in its name, address or text; a few of each kind."""

    q: Annotated[str, About("What was looked for.", "solar")]
    resources: Annotated[tuple[ResourceView, ...], About("Feeds, pages and sitemaps.")]
    links: tuple[LinkView, ...]
    sites: tuple[SiteView, ...]
    queries: Annotated[tuple[QueryView, ...], About("Query feeds.")]
    entries: Annotated[tuple[EntryHitView, ...], About("Newest first.")]
    is_cut: Annotated[bool, About("Only the newest entries were looked at: older ones may match, too.")]
    settings: Annotated[tuple[SettingView, ...], About("Options by name or meaning.")]


def view_findings(
    q: str, found: Findings, entries: FoundEntries, options: Iterable[tuple[str, str, str, str]]
) -> SearchView:
    return SearchView(
        q=q,
        resources=tuple(map(view_resource, found.resources)),
        links=tuple(map(view_link, found.links)),
        sites=tuple(map(view_site, found.sites)),
        queries=tuple(map(view_query, found.queries)),
        entries=view_hits(entries, q),
        is_cut=entries.is_cut,
        settings=view_settings(options),
    )
