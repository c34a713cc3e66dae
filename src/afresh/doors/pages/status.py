"""What the pages show, gathered from the store: the JSON twin as it is, the HTML by a template."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from afresh.base.models import Kind, Resource, ResourceFilter, Result, Site, Status
from afresh.base.protocols import Store
from afresh.base.records.daemons import STOPPED
from afresh.base.records.links import KeptLink, LinkFilter, Standing
from afresh.base.records.queries import Offered
from afresh.doors.presenting.changes import ChangesView
from afresh.doors.presenting.daemons import DaemonView, view_daemons
from afresh.doors.presenting.entries import EntryView, FoundEntryView, view_entry, view_found_entry
from afresh.doors.presenting.links import LinkView, view_link
from afresh.doors.presenting.refreshing import GroupView, view_group
from afresh.doors.presenting.resources import ResourceView, VisitView, WhyView, view_resource, view_visit, view_why
from afresh.doors.presenting.showing import following
from afresh.doors.presenting.system import BudgetView, HealthView, view_budget, view_health
from afresh.doors.presenting.times import finite, iso
from afresh.doors.presenting.why_words import queue_words
from afresh.doors.rest.context import ServiceContext
from afresh.engine.choose_refresh import kept_groups
from afresh.engine.due_round import due_round
from afresh.engine.waiting_for_budget import held_back

ROWS = 50
FRONT_ROWS = 15  # on the overview; the tabs show more
FAILING_ROWS = 8
ENTRY_ROWS = 15
_LATE = 10.0  # seconds after its time from which on a visit waits for something


class View(StrEnum):
    """Which resources the table shows."""

    DUE = "due"  # those whose turn comes next, by time
    ALL = "all"  # all, by number, page after page
    FAILING = "failing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The figures at the top, of the last hour where they count events; null: not known."""

    feeds: float | None
    pages: float | None
    links: float | None
    watched: float | None  # of all these, those that are visited
    visits: float | None
    entries: float | None
    mean_delay: float | None  # seconds from publication to finding
    errors: float | None
    failing: float | None  # resources of any kind whose last visit failed
    recall: float | None  # estimated share of the last day's entries that was found
    lost: float | None  # entries of the last day that were not, by estimate
    troubled: float | None  # sites whose last requests failed
    damaged: float | None  # resources set aside because what is kept of them cannot be read


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusPage:
    """The status page."""

    at: str | None
    health: HealthView
    totals: Totals
    budget: BudgetView | None  # None: nothing is known of it yet
    queue: str  # what all that is due waits for; empty: for nothing
    strategies: tuple[GroupView, ...]  # that choose feeds in rounds
    daemons: tuple[DaemonView, ...]  # that share the store, the leader first
    view: View
    q: str
    items: tuple[ResourceView, ...]
    next: int | None  # pass as ``after``; None: no further page
    failing: tuple[ResourceView, ...]
    standings: Mapping[str, int]  # how many links stand how; empty: there are none
    untold: int  # of the unknown ones, those that were checked, but put off or refused
    checked: Mapping[str, LinkView]  # links among the items that no daemon has visited, but a command checked, by id
    links: tuple[LinkView, ...]  # that want to be looked at: broken ones first, then those that moved
    entries: tuple[FoundEntryView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedPage:
    """The page of one resource."""

    at: str | None
    health: HealthView
    resource: ResourceView
    why: WhyView
    visits: tuple[VisitView, ...]
    next: int | None  # pass as ``before``; None: no older visits
    entries: tuple[EntryView, ...]
    changes: ChangesView | None  # of a page; None: it is none


async def status_page(context: ServiceContext, *, view: View, q: str, after: int) -> StatusPage:
    """Gathers the status page in one visit of the executor."""
    now = context.now()
    read = partial(_read_status, context.store, now=now, view=view, q=q, after=after)
    found = await context.run(read)
    daemons = await context.run(context.store.daemons.list_daemons)
    groups = await context.run(kept_groups, context.store)
    return StatusPage(
        at=iso(now),
        health=view_health(context.health(), context.version, context.now()),
        totals=found.totals,
        budget=view_budget(context.budget()),
        queue=await context.run(_queue, context, found.items, now) if view is View.DUE else "",
        strategies=tuple(map(view_group, groups)),
        daemons=view_daemons([one for one in daemons if one.status != STOPPED], now),
        view=view,
        q=q,
        items=tuple(map(view_resource, found.items)),
        next=None if view is View.DUE else following(found.items, ROWS),
        failing=tuple(map(view_resource, found.failing)),
        standings={str(name): count for name, count in found.standings.items()},
        untold=found.untold,
        checked={str(link.id): view_link(link) for link in found.checked},
        links=tuple(map(view_link, found.links)),
        entries=tuple(map(view_found_entry, found.entries)),
    )


def _queue(context: ServiceContext, items: Sequence[Resource], now: float) -> str:
    """Whether the first of what is due waits for the budget, and how long all take."""
    if not items or now - items[0].due < _LATE:
        return ""
    held = held_back(context.store, context.settings.budget, now=now)
    if held is None:
        return ""
    return queue_words(replace(held, ahead=due_round(context.store, context.settings, now=now)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """What one visit of the page reads of the store."""

    totals: Totals
    items: list[Resource]
    failing: Sequence[Resource] = ()
    standings: Mapping[Standing, int]
    untold: int
    checked: Sequence[KeptLink]
    links: Sequence[KeptLink] = ()
    entries: Sequence[Offered] = ()


def _read_status(store: Store, *, now: float, view: View, q: str, after: int) -> _Read:
    is_front = view is View.DUE and not q
    stats = store.stats(now=now)
    totals = read_totals(stats)
    items = _listed(store, view, q, after, FRONT_ROWS if is_front else ROWS)
    standings = store.links.link_standings() if totals.links else {}
    untold = store.links.untold_links() if standings.get(Standing.UNKNOWN) else 0
    checked = _checked(store, items)
    if not is_front:
        return _Read(totals=totals, items=items, standings=standings, untold=untold, checked=checked)
    return _Read(
        totals=totals,
        items=items,
        untold=untold,
        checked=checked,
        failing=_failing(store, stats) if totals.failing else (),
        standings=standings,
        links=_wanting(store, standings),
        entries=store.search.entries(limit=ENTRY_ROWS).items,
    )


def _checked(store: Store, items: Sequence[Resource]) -> list[KeptLink]:
    """Links that no daemon has visited, but a command has checked."""
    unvisited = (item.id for item in items if item.kind is Kind.LINK and item.last_visit is None)
    return [link for link in map(store.links.link, unvisited) if link.state.checked is not None]


def _listed(store: Store, view: View, q: str, after: int, limit: int) -> list[Resource]:
    match view:
        case View.DUE:
            return store.list_resources(ResourceFilter(status=Status.ACTIVE, text=q), limit=limit, order="due")
        case View.ALL:
            return store.list_resources(ResourceFilter(text=q), after=after, limit=limit)
        case View.FAILING:
            return store.list_resources(ResourceFilter(failing=True, text=q), after=after, limit=limit)


def _failing(store: Store, stats: Mapping[str, float]) -> list[Resource]:
    """A few that fail; links have a list of their own, by what they came to."""
    kinds = [kind for kind in Kind if kind is not Kind.LINK and stats.get(f"resources_{kind}")]
    found = [one for kind in kinds for one in _failing_of(store, kind)]
    return sorted(found, key=lambda one: one.id)[:FAILING_ROWS]


def _failing_of(store: Store, kind: Kind) -> list[Resource]:
    return store.list_resources(ResourceFilter(kind=kind, failing=True), limit=FAILING_ROWS)


def _wanting(store: Store, standings: Mapping[Standing, int]) -> list[KeptLink]:
    """Links a person should look at, the worst first."""
    found: list[KeptLink] = []
    for standing in sorted({*Standing} - {Standing.UNKNOWN, Standing.OK}, key=lambda standing: standing.urgency):
        if standings.get(standing) and len(found) < FAILING_ROWS:
            found += store.links.list_links(LinkFilter(standing=standing), limit=FAILING_ROWS - len(found))
    return found


def read_totals(stats: Mapping[str, float]) -> Totals:
    """The figures of the page among the store's totals."""
    # Our own network being down is no error of a feed.
    errors = [result for result in Result if not result.is_success and result is not Result.OFFLINE]
    return Totals(
        feeds=_known(stats, "resources_feed"),
        pages=_known(stats, "resources_page"),
        links=_known(stats, "resources_link"),
        watched=_known(stats, "resources_active"),
        visits=_known(stats, "visits_last_hour"),
        entries=_known(stats, "entries_last_hour"),
        mean_delay=_known(stats, "mean_delay_seconds_last_hour"),
        errors=float(sum(stats.get(f"visits_{result}_last_hour", 0.0) for result in errors)),
        failing=_known(stats, "failing"),
        recall=_recall(stats),
        lost=_known(stats, "missed_last_day"),
        troubled=_known(stats, "sites_failing"),
        damaged=_known(stats, "resources_damaged"),
    )


def _recall(stats: Mapping[str, float]) -> float | None:
    """Of the entries that came while somebody watched, those found; what was lost is an estimate."""
    found, lost = stats.get("delayed_last_day", 0.0), stats.get("missed_last_day", 0.0)
    return found / (found + lost) if found or lost else None


def _known(stats: Mapping[str, float], name: str) -> float | None:
    value = stats.get(name)
    return None if value is None else finite(float(value))


async def feed_page(
    context: ServiceContext, resource_id: int, *, before: int | None, old: int | None = None, new: int | None = None
) -> FeedPage:
    """Gathers the page of one resource, two of its versions compared; raises ResourceNotFound."""
    resource, site, visits, entries = await context.run(_read_feed, context.store, resource_id, before)
    explanation = await context.explain(resource_id)
    return FeedPage(
        at=iso(context.now()),
        health=view_health(context.health(), context.version, context.now()),
        resource=view_resource(resource),
        why=view_why(resource, explanation, site, context.now()),
        visits=visits,
        next=following(visits, ROWS),
        entries=entries,
        changes=await _changes(context, resource, old, new),
    )


async def _changes(context: ServiceContext, resource: Resource, old: int | None, new: int | None) -> ChangesView | None:
    if resource.kind is not Kind.PAGE:
        return None
    from afresh.doors.pages.page_changes import read_changes  # noqa: PLC0415 (feeds have none)

    return await context.run(read_changes, context.store, resource, old, new)


def _read_feed(
    store: Store, resource_id: int, before: int | None
) -> tuple[Resource, Site | None, tuple[VisitView, ...], tuple[EntryView, ...]]:
    resource = store.get(resource_id)
    visits = store.visits(resource=resource_id, before=before, limit=ROWS)
    entries = store.entries(resource=resource_id, limit=ENTRY_ROWS * 2, newest_first=True)
    return (
        resource,
        store.site(resource.site),
        tuple(view_visit(number, visit) for number, visit in visits),
        tuple(view_entry(entry) for entry in entries),
    )
