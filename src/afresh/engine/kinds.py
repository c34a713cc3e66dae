"""The kinds of visit put together, by the name a resource has in the store."""

from collections.abc import Callable, Mapping

from afresh.base.models import Explanation, Kind, Resource, Status
from afresh.base.protocols import Bounds, Store
from afresh.base.settings.watching import LinkSettings, RevisitSettings, WatchSettings
from afresh.base.visits import VisitKind
from afresh.feeds.kind import FeedKind
from afresh.feeds.profiles import Profiles
from afresh.links.kind import LinkChecks, LinkKind
from afresh.pages.kind import PageKind, SitemapKind
from afresh.pages.planner import PagePlanner

Kinds = Mapping[Kind, VisitKind]

_PAGE_PRICE = 1_000.0  # stale seconds, where nothing else sets a price


def make_kinds(
    settings: WatchSettings,
    *,
    links: LinkSettings,
    store: Store | None = None,
    price: Callable[[Resource], float] | None = None,
    pages: PagePlanner | None = None,
    pushed: Callable[[int, float], float | None] | None = None,
    checks: LinkChecks | None = None,
) -> Kinds:
    """Each kind with what it needs. Without a store rules see no counts and no trained profiles."""
    predict = settings.predict
    page_price = price or (lambda _: _PAGE_PRICE)
    feeds = FeedKind(
        predict,
        store.entry_counts if store else None,
        price,
        Profiles(store, period=predict.retrain) if store else None,
        pushed,
        settings.keep.content,
    )
    return {
        Kind.FEED: feeds,
        Kind.PAGE: PageKind(pages or PagePlanner(settings.revisit), page_price),
        Kind.SITEMAP: SitemapKind(settings.revisit),
        Kind.LINK: LinkKind(PagePlanner(RevisitSettings(policy="belief")), links.bounds, page_price, checks),
    }


def bounds_of(kinds: Kinds) -> Callable[[Resource], Bounds]:
    """Limits of the interval of any resource."""
    return lambda resource: kinds[resource.kind].bounds(resource)


def priced_by(kinds: Kinds) -> Callable[[Resource], bool]:
    """Whether a price moves the interval of a resource."""
    return lambda resource: kinds[resource.kind].is_priced(resource)


def explain_resource(store: Store, kinds: Kinds, resource: int, *, now: float) -> Explanation:
    """Why a resource is visited when it is, with what its site and its signals say."""
    known = store.get(resource)
    if known.status is Status.DAMAGED:
        return Explanation(rule="", summary=known.error)
    return kinds[known.kind].explain(known, now=now, site=store.site(known.site), signals=store.signals(known.site))
