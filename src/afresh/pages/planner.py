"""Pages in the loop: did the text change, how often does it, when is a visit worth its price?"""

from __future__ import annotations

import json
import math
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from afresh.base.models import Bounds, Explanation, Resource, Row, Site, SiteState
from afresh.base.plain_numbers import often
from afresh.base.settings.sections import RevisitSettings
from afresh.pages.beliefs.outlook import mean_freshness
from afresh.pages.policies import check_policy

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.base.records.pages import SitePages, SitePlan
    from afresh.base.visits import Seat
    from afresh.pages.model import PageModel

_DAY = 86_400.0
_SETTING = "revisit.world"
#: What the owner of a site says of a page's changes, in days; "always" and "never" are taken with a grain of salt.
_CHANGE_FREQUENCY = {
    "always": 1 / 24,
    "hourly": 1 / 24,
    "daily": 1.0,
    "weekly": 7.0,
    "monthly": 30.0,
    "yearly": 365.0,
    "never": 1_000.0,
}
#: What is said of a page before its second visit, by whether a person chose it.
_UNKNOWN = {
    False: "nothing is known about its changes yet: treated as an average page",
    True: "nothing is known about its changes yet: chosen by a person, so it is looked at soon, "
    "and again after waits that double",
}
_HINT = 0.3  # changes that such a remark is worth as evidence


class PagePlanner:
    """The page model for the daemon: resources and sites of a store in, rows, explanations and plans out.

    One second of one page being stale costs as much as one entry waiting for one second, so feeds and pages share one
    price. What all pages have shown, from which a page nobody has seen starts, is kept in the store between runs.
    The model is loaded when the first page asks for it: a daemon that watches feeds alone compiles none of it.
    """

    def __init__(self, settings: RevisitSettings | None = None) -> None:
        self.settings = settings or RevisitSettings()
        self.name = self.settings.policy
        check_policy(self.settings.policy, self.settings.objective)
        self._store: Store | None = None
        self._kept = ""

    @cached_property
    def model(self) -> PageModel:
        """Beliefs, prices of sites and the order of their pages."""
        model: PageModel = import_module("afresh.pages.model").PageModel(self.settings)
        self._resume(model)
        return model

    def _resume(self, model: PageModel) -> None:
        try:
            world = np.array(json.loads(self._kept or "[]"), dtype=np.float64)
        except (ValueError, TypeError):
            return
        model.resume(world)

    # --- what all pages have shown, between runs ---

    def resume(self, store: Store) -> None:
        """Goes on from what an earlier run had learnt, and asks this store for the pages of a site."""
        self._store, self._kept = store, store.get_setting(_SETTING) or ""

    def refresh(self, store: Store) -> None:
        """Goes on from what another daemon has learnt meanwhile."""
        self.resume(store)
        if "model" in self.__dict__:
            self._resume(self.model)

    def keep(self, store: Store) -> None:
        """Remembers what all pages have shown, if any was visited."""
        if "model" in self.__dict__:
            store.put_setting(_SETTING, json.dumps(self.model.world.tolist()))

    # --- one page ---

    def clock(self, site: Site | None) -> Row:
        """The site's row, to learn in."""
        return self.model.clock(site.state.row if site is not None else np.empty(0))

    def learn(self, resource: Resource, *, now: float, changed: bool, clock: Row | None = None) -> Row:
        """The page's row after a visit; ``resource.last_ok`` is the visit before, None: this is the first.

        ``clock`` is the site's row, which learns too.
        """
        row = self.row(resource)
        if resource.last_ok is not None:
            site = self.clock(None) if clock is None else clock
            self.model.learn(
                row, site, last=resource.last_ok, now=now, changed=changed, announced=bool(resource.announced)
            )
        return row

    def row(self, resource: Resource) -> Row:
        """The page's numbers; fresh ones where another rule's were kept."""
        return self.model.row(resource.state, resource.state_of, resource.weight)

    def rate(self, row: Row) -> float:
        """Changes a second, the mean of the belief."""
        a, b = self.model.belief(row)
        return a / b * self.model.speed

    def interval(self, row: Row, price: float, bounds: Bounds) -> float:
        """Seconds to wait at a price, within the bounds; a page of no weight waits for ever."""
        wait = self.model.interval(row, price)
        return wait if not row[0] > 0.0 else min(bounds.longest, max(bounds.shortest, wait))

    def look_again(self, row: Row, u: float) -> None:
        """After a page's first visit: ``u`` spreads the second out."""
        self.model.look_again(row, u)

    def is_exploring(self, row: Row) -> bool:
        """Whether its next visit comes sooner or later than its interval says, since little is known yet."""
        return self.model.is_exploring(row)

    def wait(self, row: Row, interval: float, bounds: Bounds) -> float:
        """Seconds until the next visit of a page whose interval is this; other ones while it explores."""
        return self.model.wait(row, interval, bounds.shortest)

    def fresh_now(self, resource: Resource, now: float) -> float:
        """Probability that the stored copy is still the page; 0 before the first visit."""
        if resource.last_ok is None:
            return 0.0
        return self.model.fresh(self.row(resource), now - resource.last_ok)

    def expected_freshness(self, row: Row, interval: float) -> float:
        """Share of the time that the copy will be the page, if it is visited at this interval."""
        a, b = self.model.belief(row)
        return mean_freshness(a, b / self.model.speed, interval)

    def explain(self, row: Row, price: float, bounds: Bounds) -> Explanation:
        """Rate, belief, price and the freshness to expect."""
        wait = self.interval(row, price, bounds)
        is_known = self.model.is_known(row)
        a, b = self.model.belief(row)
        b /= self.model.speed
        summary = (
            f"changes {often(a / b * _DAY)}, as far as is known: at this price a visit is worth it then"
            if is_known
            else _UNKNOWN[self.model.is_chosen(row)]
        )
        if is_known and self.model.is_chosen(row) and self.is_exploring(row):
            summary += "; chosen by a person, so its first visits come sooner, after waits that double"
        numbers = {
            "rate_per_day": a / b * _DAY if is_known else 0.0,
            "evidence": a if is_known else 0.0,
            "exposure_s": b if is_known else 0.0,
            **({"chosen": 1.0} if self.model.is_chosen(row) else {}),
            **self._seen(row),
            "price": price,
            "interval": wait,
            "expected_freshness": self.expected_freshness(row, wait),
        }
        return Explanation(rule=self.name, summary=summary, numbers=numbers)

    def _seen(self, row: Row) -> dict[str, float]:
        """What was observed, of what is believed: without the part of it that was believed before the first visit."""
        if not self.model.is_known(row):
            return {}
        return {"changes_seen": self.model.changes_seen(row)}

    def first_belief(self, frequency: str, priority: float | None) -> Row:
        """What a page starts from of which its sitemap says this; empty where it says nothing of use.

        The remark is worth a third of a change of evidence, at the geometric mean of what it says and what pages
        usually do; a priority moves it by a factor of two at most. A few visits outweigh it.
        """
        days = _CHANGE_FREQUENCY.get(frequency)
        if days is None and priority is None:
            return np.empty(0)
        a, b = self.model.prior()
        usual = a / b
        rate = usual if days is None else math.sqrt(usual / (days * _DAY))
        if priority is not None:
            rate *= 4.0 ** (min(max(priority, 0.0), 1.0) - 0.5)
        return self.model.believed(_HINT, _HINT / rate)

    # --- a site ---

    def seat(
        self,
        resource: Resource,
        row: Row,
        clock: Row | None,
        site: Site | None,
        *,
        wait: float,
        bounds: Bounds,
        price: float,
        now: float,
        free: float,
    ) -> Seat:
        """The place of a page after a visit and its site's next turn; ``resource`` is as it was leased.

        ``wait``: seconds it shall wait; infinite: it takes no place. ``free``: before this no request is made.
        """
        turns = import_module("afresh.pages.turns")
        page = turns.Visited(
            row=row,
            last=now,
            wait=wait,
            shortest=bounds.shortest,
            longest=bounds.longest,
            was_turn=resource.turn is not None,
            frequency=resource.frequency,
        )
        others = None
        if self._store is not None:
            others = self._store.pages.first_in_turn(resource.site, besides=resource.id, limit=turns.WINDOW)
        state = site.state if site is not None else SiteState()
        made: Seat = turns.seat(
            self.model,
            page,
            state,
            turns.order(self.model, others),
            self.clock(site) if clock is None else clock,
            price=price,
            now=now,
            free=free,
        )
        return made

    def plan_site(self, pages: SitePages, *, price: float, delay: float, now: float = 0.0) -> SitePlan:
        """The price and the pace of a site at the price of all; ``delay`` is the settings' between two requests."""
        return self.model.plan_site(pages, price=price, delay=delay, now=now)
