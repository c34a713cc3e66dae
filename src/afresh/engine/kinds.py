"""The kinds of visit put together, by the name a resource has in the store."""
# ruff: noqa: PLC0415 (a kind is loaded with the first resource of it)

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from afresh.base.models import Bounds, Explanation, Kind, Resource
from afresh.base.once import Once
from afresh.base.settings.watching import LinkSettings, RevisitSettings, WatchSettings

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.base.visit_kinds import VisitKind
    from afresh.feeds.profiles import Profiles
    from afresh.links.kind import LinkChecks
    from afresh.pages.planner import PagePlanner

_PAGE_PRICE = 1_000.0  # stale seconds, where nothing else sets a price


class Kinds:
    """Each kind of visit, loaded with the first resource of it: a daemon of feeds knows nothing of links."""

    def __init__(self, makers: Mapping[Kind, Callable[[], VisitKind]]) -> None:
        self._kinds = {kind: Once(make) for kind, make in makers.items()}

    def __getitem__(self, kind: Kind) -> VisitKind:
        return self._kinds[kind]()

    def bounds(self, resource: Resource) -> Bounds:
        """Limits of the interval of any resource."""
        return self[resource.kind].bounds(resource)

    def is_priced(self, resource: Resource) -> bool:
        """Whether a price moves the interval of a resource."""
        return self[resource.kind].is_priced(resource)


def make_kinds(
    settings: WatchSettings,
    *,
    links: LinkSettings,
    store: Store | None = None,
    price: Callable[[Resource], float] | None = None,
    pages: Callable[[], PagePlanner] | None = None,
    pushed: Callable[[int, float], float | None] | None = None,
    checks: Callable[[], LinkChecks] | None = None,
) -> Kinds:
    """Each kind with what it needs. Without a store rules see no counts and no trained profiles."""
    page_price = price or (lambda _: _PAGE_PRICE)

    def feed() -> VisitKind:
        from afresh.feeds.kind import FeedKind

        counts, profiles = (store.entry_counts, Once(trained)) if store else (None, None)
        return FeedKind(settings.predict, counts, price, profiles, pushed, settings.keep.content)

    def trained() -> Profiles:
        from afresh.feeds.profiles import Profiles

        assert store is not None
        return Profiles(store, period=settings.predict.retrain)

    def page() -> VisitKind:
        from afresh.pages.kind import PageKind
        from afresh.pages.planner import PagePlanner

        return PageKind(pages() if pages else PagePlanner(settings.revisit), page_price)

    def sitemap() -> VisitKind:
        from afresh.pages.kind import SitemapKind

        return SitemapKind(settings.revisit)

    def link() -> VisitKind:
        from afresh.links.kind import LinkKind
        from afresh.pages.planner import PagePlanner

        planner = PagePlanner(RevisitSettings(policy="belief"))
        return LinkKind(planner, links.bounds, page_price, checks() if checks else None)

    return Kinds({Kind.FEED: feed, Kind.PAGE: page, Kind.SITEMAP: sitemap, Kind.LINK: link})


def explain_resource(store: Store, kinds: Kinds, resource: int, *, now: float) -> Explanation:
    """Why a resource is visited when it is, with what its site and its signals say."""
    known = store.get(resource)
    return kinds[known.kind].explain(
        known, now=now, site=store.site(known.site), signals=store.pages.signals(known.site)
    )
