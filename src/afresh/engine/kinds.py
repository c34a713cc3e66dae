"""The kinds of visit put together, by the name a resource has in the store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from afresh.base.models import Bounds, Explanation, Kind, Resource
from afresh.base.settings.watching import LinkSettings, RevisitSettings, WatchSettings
from afresh.base.visits import VisitKind
from afresh.engine.budget import Budget
from afresh.feeds.kind import FeedKind
from afresh.feeds.profiles import Profiles
from afresh.links.kind import LinkChecks, LinkKind
from afresh.pages.kind import PageKind, SitemapKind
from afresh.pages.planner import PagePlanner

if TYPE_CHECKING:
    from afresh.base.protocols import Store

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


def own_prices(kinds: Kinds) -> Callable[[Resource], float | None]:
    """The price that the rule of a resource names; None: it names none."""

    def own(resource: Resource) -> float | None:
        kind = kinds[resource.kind]
        return kind.own_price(resource) if isinstance(kind, FeedKind) else None

    return own


def let_know(budget: Budget, kinds: Kinds) -> None:
    """Tells a budget what it has to know of resources: bounds, and whether and at which price their rules look."""
    budget.bounds, budget.is_priced, budget.own_price = bounds_of(kinds), priced_by(kinds), own_prices(kinds)


def explain_resource(store: Store, kinds: Kinds, budget: Budget, resource: int, *, now: float) -> Explanation:
    """Why a resource is visited when it is, with what its site and its signals say, and where its price is from."""
    known = store.get(resource)
    kind, site = kinds[known.kind], store.site(known.site)
    told = kind.explain(known, now=now, site=site, signals=store.pages.signals(known.site))
    return replace(told, price=budget.origin_of(known, site)) if kind.is_priced(known) else told
