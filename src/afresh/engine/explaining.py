"""Why a resource is visited next when it is: asked of a daemon, or told from the store alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afresh.base.models import Explanation, Kind, Resource, Site, Status
from afresh.base.protocols import Store
from afresh.base.records.explained import Belief, PriceOrigin, PriceSource
from afresh.engine.budget import Budget
from afresh.engine.budget_report import PRICE, kept_report
from afresh.engine.kinds import Kinds, let_know, make_kinds
from afresh.feeds.estimates import VISITS, beliefs
from afresh.pages.planner import PagePlanner
from afresh.store.finding import find_one

if TYPE_CHECKING:
    from afresh.base.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A resource, why its next visit is when it is, and the site that may want to be left alone."""

    resource: Resource
    told: Explanation
    site: Site | None


def explain_stored(store: Store, settings: Settings, key: str, *, now: float) -> Explained:
    """No daemon need run. ``key``: a URL or a number, as a person writes it; raises ResourceNotFound."""
    resource = store.get(find_one(store, key))
    pages = PagePlanner(settings.revisit)
    pages.resume(store)
    budget = Budget.last_seen(settings.budget, store)
    kinds = make_kinds(settings, store=store, price=budget.price_for, pages=lambda: pages)
    let_know(budget, kinds)
    told = explain_resource(store, kinds, budget, resource.id, now=now)
    return Explained(resource=resource, told=told, site=store.site(resource.site))


def explain_resource(store: Store, kinds: Kinds, budget: Budget, resource: int, *, now: float) -> Explanation:
    """Why a resource is visited when it is, with what its site and its signals say, and where its price is from."""
    known = store.get(resource)
    if known.status is Status.DAMAGED:
        return Explanation(rule="", summary=known.error)
    kind, site = kinds[known.kind], store.site(known.site)
    told = kind.explain(known, now=now, site=site, signals=store.pages.signals(known.site))
    if known.kind is Kind.FEED:
        told = replace(told, beliefs=_beliefs(store, known, now), target=_target(store, kinds, budget, known, now))
    return replace(told, price=_origin(budget, known, site)) if kind.is_priced(known) else told


def _beliefs(store: Store, feed: Resource, now: float) -> tuple[Belief, ...]:
    visits = [visit for _, visit in store.visits(resource=feed.id, limit=VISITS)]
    return beliefs(visits, now=now, window=float(feed.capacity))


def _target(store: Store, kinds: Kinds, budget: Budget, feed: Resource, now: float) -> str:
    """In words; as the daemon of this store last said, where we are not the one."""
    wanted = kinds.wanted(feed)
    if wanted is None:
        return ""
    told = budget.report(now).targets or (kept.targets if (kept := kept_report(store)) is not None else ())
    return next((one.words for one in told if one.scope == wanted.scope), f"{wanted}: nothing is known of it yet")


def _origin(budget: Budget, resource: Resource, site: Site | None) -> PriceOrigin:
    """What a visit of this resource costs and why; ``site`` may have a price of its own."""
    price = budget.price_for(resource)
    bears = site.state.price if site is not None and resource.turn is not None else 0.0
    if bears > price:
        source, name = PriceSource.SITE, resource.site
    elif (wanted := budget.wanted(resource)) is not None:
        source, name = PriceSource.TARGET, str(wanted)
    elif budget.held:
        source, name = PriceSource.BUDGET, budget.held
    elif budget.own_price(resource) is not None:
        source, name = PriceSource.RULE, resource.rule or "predict.rule"
    else:
        source, name = PriceSource.SETTING, PRICE
    since = budget.since if source is PriceSource.BUDGET else None
    return PriceOrigin(price=max(price, bears), weight=resource.weight, source=source, name=name, since=since)
