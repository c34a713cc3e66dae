"""The kinds of visit put together, by the name a resource has in the store."""
# ruff: noqa: PLC0415 (a kind is loaded with the first resource of it)

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, cast

from afresh.base.lazy import Once, WhenUsed
from afresh.base.models import Bounds, Fetched, Kind, Resource
from afresh.base.settings import Settings
from afresh.base.settings.sections import RevisitSettings

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.base.visit_kinds import VisitKind
    from afresh.engine.budget import Budget
    from afresh.engine.quality_targets import Wanted
    from afresh.feeds.governed_feeds import Governing
    from afresh.feeds.kind import FeedKind
    from afresh.feeds.profiles import Profiles
    from afresh.feeds.rounds import GroupKey, Member
    from afresh.feeds.weights import Worth
    from afresh.links.kind import LinkChecks
    from afresh.pages.planner import PagePlanner

_SOON = 5.0  # shortest intervals: what differs after so few differs at every visit
_LOOK = 30.0  # seconds between two looks whether anybody reads query feeds
_LOOK_FOR_CHOICES = 5.0  # the same whether anything was said of how feeds are visited
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

    def own_price(self, resource: Resource) -> float | None:
        """The price that the rule of a resource names; None: it names none."""
        return self._feeds().own_price(resource) if resource.kind is Kind.FEED else None

    def is_governed(self, resource: Resource) -> bool:
        """Whether a refresh strategy decides about its visits."""
        return resource.kind is Kind.FEED and self._feeds().is_governed(resource)

    def member(self, resource: Resource) -> tuple[GroupKey, Member] | None:
        """How it stands among the feeds of its refresh strategy; None: none governs it."""
        return self._feeds().member(resource) if resource.kind is Kind.FEED else None

    def wanted(self, resource: Resource) -> Wanted | None:
        """The quality target that holds for it; None: there is none, or it is not visited by a price."""
        if resource.kind is not Kind.FEED or (governing := self._feeds().governing()) is None:
            return None
        if not self._feeds().is_priced(resource):
            return None
        chosen = governing.choices.of(resource)
        if not chosen.choice.has_target:
            return None
        from afresh.engine.quality_targets import Wanted

        scopes = {chosen.by[name]: None for name in ("mean_delay", "completeness") if name in chosen.by}
        return Wanted(" and ".join(scopes), chosen.choice.mean_delay, chosen.choice.completeness)

    @property
    def choices_version(self) -> int:
        """Grows whenever somebody has said something else about how feeds are visited."""
        governing = self._feeds().governing()
        return 0 if governing is None else governing.choices.version

    def _feeds(self) -> FeedKind:
        return cast("FeedKind", self[Kind.FEED])


def make_kinds(
    settings: Settings,
    *,
    store: Store | None = None,
    price: Callable[[Resource], float] | None = None,
    pages: Callable[[], PagePlanner] | None = None,
    pushed: Callable[[int, float], float | None] | None = None,
    checks: Callable[[], LinkChecks] | None = None,
    oddness: Callable[[Fetched], str] | None = None,
) -> Kinds:
    """Each kind with what it needs. Without a store rules see no counts and no trained profiles."""
    page_price = price or (lambda _: _PAGE_PRICE)

    def feed() -> VisitKind:
        from afresh.feeds.kind import FeedKind

        counts, profiles = (store.entry_counts, Once(trained)) if store else (None, None)
        worth = WhenUsed(readers, store=store, part="queries", every=_LOOK).look if store else _nobody
        keep, fairness = settings.keep.content, settings.refresh.fairness
        return FeedKind(settings.predict, counts, price, profiles, pushed, keep, worth, governed(), fairness)

    def readers() -> Worth:
        from afresh.feeds.weights import Worth

        assert store is not None
        return Worth(store, settings.refresh.unread)

    def governed() -> Callable[[], Governing | None]:
        if store is None:
            return _nobody
        if settings.refresh.has_rounds:
            return Once(strategies)
        return WhenUsed(strategies, store=store, part="choices", every=_LOOK_FOR_CHOICES).look

    def strategies() -> Governing:
        from afresh.base.records.refreshing import Choice
        from afresh.feeds.governed_feeds import Governing
        from afresh.feeds.strategy_choices import Choices

        assert store is not None
        usual = Choice(strategy=settings.refresh.strategy, estimator=settings.refresh.estimator)
        return Governing(Choices(store, usual), store, pushed)

    def trained() -> Profiles:
        from afresh.feeds.profiles import Profiles

        assert store is not None
        return Profiles(store, period=settings.predict.retrain)

    def page() -> VisitKind:
        from afresh.pages.kind import PageKind
        from afresh.pages.planner import PagePlanner
        from afresh.pages.watching import PageWatching, Watches

        watching = PageWatching(
            store,
            settings.pages,
            oddness,
            soon=_SOON * settings.revisit.shortest,
            watches=Watches(store),
            failures=settings.notices.failures,
        )
        return PageKind(pages() if pages else PagePlanner(settings.revisit), page_price, watching)

    def sitemap() -> VisitKind:
        from afresh.pages.kind import SitemapKind

        return SitemapKind(settings.revisit)

    def link() -> VisitKind:
        from afresh.links.kind import LinkKind
        from afresh.pages.planner import PagePlanner

        planner = PagePlanner(RevisitSettings(policy="belief"))
        return LinkKind(planner, settings.links.bounds, page_price, checks() if checks else None)

    return Kinds({Kind.FEED: feed, Kind.PAGE: page, Kind.SITEMAP: sitemap, Kind.LINK: link})


def _nobody() -> None:
    """Without a store nobody is known to read anything."""


def let_know(budget: Budget, kinds: Kinds) -> None:
    """Tells a budget what it has to know of resources: bounds, who decides, and at which price."""
    budget.bounds, budget.is_priced, budget.own_price = kinds.bounds, kinds.is_priced, kinds.own_price
    budget.is_governed, budget.wanted = kinds.is_governed, kinds.wanted
