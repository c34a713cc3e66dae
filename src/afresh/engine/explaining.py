"""Why a resource is visited next when it is, told from the store alone: no daemon need run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afresh.base.models import Explanation, Resource, Site
from afresh.base.protocols import Store
from afresh.engine.budget import Budget
from afresh.engine.kinds import explain_resource, let_know, make_kinds
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
    """``key``: a URL or a number, as a person writes it; raises ResourceNotFound."""
    resource = store.get(find_one(store, key))
    pages = PagePlanner(settings.revisit)
    pages.resume(store)
    budget = Budget.last_seen(settings.budget, store)
    kinds = make_kinds(settings.watch, links=settings.links, store=store, price=budget.price_for, pages=lambda: pages)
    let_know(budget, kinds)
    told = explain_resource(store, kinds, budget, resource.id, now=now)
    return Explained(resource=resource, told=told, site=store.site(resource.site))
