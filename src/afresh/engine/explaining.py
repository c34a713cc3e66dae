"""Why a resource is visited next when it is: asked of a daemon, or told from the store alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from afresh.base.errors import AfreshError
from afresh.base.models import Explanation, Kind, Resource, ResourceFilter, Site, Status
from afresh.base.plain_numbers import MUST_SAVE, counted, must_save
from afresh.base.protocols import Store
from afresh.base.records.explained import Belief, HeldBack, PriceOrigin, PriceSource
from afresh.base.settings.sections import ErrorSettings
from afresh.engine.budget import Budget
from afresh.engine.budget_report import PRICE, kept_report
from afresh.engine.due_round import due_round
from afresh.engine.formerly_refused import is_let_through
from afresh.engine.kinds import Kinds, let_know, make_kinds
from afresh.feeds.estimates import VISITS, beliefs
from afresh.http.guard import Guard
from afresh.pages.planner import PagePlanner
from afresh.parse.url import kept_url
from afresh.store.finding import find_one

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from afresh.base.settings import Settings

_GAPS = 8  # between entries, from which on their document tells how even they are
_EVENEST = 100.0
_MOVED = "moved since it was planned (brought forward, or a weight or an interval was changed); it was planned so: "
_PINNED = "somebody set this interval"
_NEIGHBOURS = 200  # resources of a site that are looked at
_MOMENT = 10.0  # seconds in which a visit that is due is begun and ended as a rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A resource, why its next visit is when it is, and the site that may want to be left alone."""

    resource: Resource
    told: Explanation
    site: Site | None
    is_let_through: bool  # the address guard refused it, and does no longer


def explain_stored(store: Store, settings: Settings, key: str, *, now: float) -> Explained:
    """No daemon need run. ``key``: a URL or a number, as a person writes it; raises ResourceNotFound."""
    resource = store.get(find_one(store, key))
    pages = PagePlanner(settings.revisit)
    pages.resume(store)
    budget = Budget.last_seen(settings.budget, store)
    kinds = make_kinds(settings, store=store, price=budget.price_for, pages=lambda: pages)
    let_know(budget, kinds)
    told = explain_resource(store, kinds, budget, resource.id, now=now, settings=settings)
    is_open = is_let_through(resource, Guard.of(settings.fetch))
    return Explained(resource=resource, told=told, site=store.site(resource.site), is_let_through=is_open)


def explain_resource(
    store: Store, kinds: Kinds, budget: Budget, resource: int, *, now: float, settings: Settings
) -> Explanation:
    """Why a resource is visited when it is, with what its site and its signals say, and where its price is from."""
    known = store.get(resource)
    if known.status is Status.DAMAGED:
        return Explanation(rule="", summary=known.error)
    kind, site = kinds[known.kind], store.site(known.site)
    told = kind.explain(known, now=now, site=site, signals=store.pages.signals(known.site))
    if known.kind is Kind.FEED:
        told = replace(told, beliefs=_beliefs(store, known, now), target=_target(store, kinds, budget, known, now))
        if known.reason and not budget.is_governed(known) and _was_moved(store, known):
            told = replace(told, summary=_MOVED + told.summary)
    if known.kind is Kind.LINK and known.last_visit is None:
        told = replace(told, checked=store.links.link(known.id).state.checked)
    told = as_it_is(known, told)
    redirect = redirect_words(store, known, settings.errors) if kind.follows_moves else ""
    rests = _site_rests(store, known, site, now)
    held = _held(store, budget, known, site, now=now, settings=settings)
    told = replace(told, held=held, redirect=redirect, site_rests=rests)
    is_priced = known.pinned is None and kind.is_priced(known)
    return replace(told, price=_origin(budget, known, site)) if is_priced else told


def _was_moved(store: Store, resource: Resource) -> bool:
    """Whether its next visit is not where its last one planned it."""
    last = [visit for _, visit in store.visits(resource=resource.id, limit=1) if visit.result.is_success]
    return any(abs(resource.due - one.next_due) > max(1.0, 0.01 * (one.next_due - one.finished)) for one in last)


def as_it_is(known: Resource, told: Explanation) -> Explanation:
    """Without what a rule believes and is not so: an interval that somebody has set, gaps that its document shows."""
    numbers = dict(told.numbers)
    if "changes_seen" in numbers and known.last_visit is not None:
        numbers["watched_s"] = max(0.0, known.last_visit - known.added)
    if known.pinned is not None:
        for name in ("usual_interval", "price", "site_price", "expected_freshness"):
            numbers.pop(name, None)
        return replace(told, numbers=numbers | {"interval": known.pinned}, summary=_PINNED)
    if "regularity" in numbers:
        if (seen := evenness(known.window.times)) is not None:
            numbers["regularity"] = seen
        else:  # what is believed of feeds in general was not seen of this one
            del numbers["regularity"]
    return replace(told, numbers=numbers)


def evenness(times: NDArray[np.float64]) -> float | None:
    """The shape of the gaps between these, were they of a gamma distribution: 1 as by chance, more is more even.

    None: too few to tell. What appeared in the same second counts as one.

    >>> evenness(np.arange(0.0, 2000.0, 100.0)), evenness(np.array([1.0, 2.0]))
    (100.0, None)
    """
    gaps = np.diff(np.unique(times))
    if len(gaps) < _GAPS:
        return None
    return min(_EVENEST, float(np.mean(gaps)) ** 2 / max(1e-9, float(np.var(gaps))))


def redirect_words(store: Store, resource: Resource, errors: ErrorSettings) -> str:
    """Where a resource answers from, and what becomes of that; empty: from where it was asked."""
    moving = resource.moving
    if not moving.target:
        return ""
    last = datetime.fromtimestamp(moving.last_day * 86_400.0, UTC)
    seen = f"seen on {counted(moving.days, 'day')}, last on {last:%Y-%m-%d}"
    said = f"answers from {moving.target}, a permanent redirect {seen}"
    try:
        there = store.get(kept_url(moving.target)).id
    except AfreshError:  # nobody watches that address
        return f"{said}; after {errors.redirect_days} days of this it is followed"
    return f"{said}; which is watched as #{there}: one of the two can be removed"


def _site_rests(store: Store, resource: Resource, site: Site | None, now: float) -> str:
    """Why its site is left alone for a while: what a server asked for or how it failed, and of whom it was asked."""
    if site is None or site.next_allowed <= now or not (site.failures or site.retry_after):
        return ""
    there = store.list_resources(ResourceFilter(site=resource.site), limit=_NEIGHBOURS)
    failing = [one for one in there if one.last_result is not None and not one.last_result.is_success]
    last = max(failing or [resource], key=lambda one: one.last_visit or 0.0)
    whose = "" if last.id == resource.id else f" at #{last.id} {last.url}"
    said = f" ({last.error})" if last.error else ""
    if site.retry_after is not None and site.retry_after >= site.next_allowed - 1.0:
        return f"its server asked for that{whose}{said}"
    times = "a request" if site.failures == 1 else f"{site.failures} requests in a row"
    return f"{times} failed{', the last' if site.failures > 1 and whose else ''}{whose}{said}"


def _held(
    store: Store, budget: Budget, resource: Resource, site: Site | None, *, now: float, settings: Settings
) -> HeldBack | None:
    """By the budget: it is due, its site may be asked, and no request is free, as far as the daemon has said."""
    is_free = resource.status is Status.ACTIVE and (site is None or site.next_allowed <= now)
    if not is_free or resource.due > now:
        return None
    report = budget.report(now)
    if report.free_at is None:  # no account of our own: what the daemon of this store last said
        report = kept_report(store) or report
    held = report.held_back()
    # Beside a daemon its word is a minute old: what has waited longer than the budget's pace waits for it, too.
    if held is not None and resource.last_visit is None:  # one of many that were added together, perhaps
        return replace(held, ahead=due_round(store, settings, now=now))
    is_held = held is not None and (now < (held.free_at or 0.0) or now - resource.due > max(_MOMENT, held.pace))
    return held if is_held else None


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
    elif budget.held and price > budget.least_for(resource):
        source, name = PriceSource.BUDGET, budget.held
    elif budget.own_price(resource) is not None and price == budget.own_price(resource):
        source, name = PriceSource.RULE, resource.rule or "predict.rule"
    else:
        source, name = PriceSource.SETTING, PRICE
    since = budget.since if source is PriceSource.BUDGET else None
    return PriceOrigin(
        price=max(price, bears),
        weight=resource.weight,
        source=source,
        name=name,
        since=since,
        has_moved=_was_dearer(budget, resource, price),
    )


def _was_dearer(budget: Budget, resource: Resource, price: float) -> bool:
    """Whether a ceiling that was reached when its visit was planned is so no more: what lies idle brings it forward."""
    is_lowest = bool(budget.held) and 0.0 < price <= budget.least_for(resource)
    return is_lowest and MUST_SAVE in resource.reason and must_save(price) not in resource.reason
