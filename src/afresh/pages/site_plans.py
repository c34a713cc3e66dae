"""Re-planning: the price moved, so sites get other prices and paces; no page is written for it (decision 0006)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.base.records.pages import SitePages, SitePlan
    from afresh.pages.planner import PagePlanner

_MOVED = 0.05  # share by which the price must have moved for a new plan before its time
_SAME = 0.01  # a plan that differs by less is not written
_CHUNK = 5_000  # pages looked at in one go


@dataclass(slots=True)
class Replanner:
    """Plans the prices and paces of all sites with pages, some sites at a time."""

    store: Store
    pages: PagePlanner
    price: Callable[[], float]
    delay: float  # the settings' between two requests to a site
    _planned_at: float = -float("inf")
    _planned_price: float = 0.0
    _after: int = 0
    written: int = field(default=0)  # sites, in all

    def is_due(self, now: float) -> bool:
        """Whether the price has moved, or the last plan has grown old; a clock that went back counts as old."""
        if self._after > 0:
            return True
        has_moved = abs(self.price() - self._planned_price) > _MOVED * self._planned_price
        return has_moved or not 0.0 <= now - self._planned_at < self.pages.settings.replan

    def step(self, now: float) -> bool:
        """Plans the next sites; whether there are more. Ends with remembering what all pages have shown."""
        if self._after == 0:
            self._planned_at, self._planned_price = now, self.price()
        found = self.store.pages.site_pages(after=self._after, limit=_CHUNK)
        if not found:
            self._after = 0
            self.pages.keep(self.store)
            return False
        plans = [
            (site, self.pages.plan_site(site, price=self._planned_price, delay=self.delay, now=now)) for site in found
        ]
        changed = [plan for site, plan in plans if differs(site, plan)]
        self.store.pages.plan_sites(changed, now=now)
        self.written += len(changed)
        self._after = found[-1].site
        return True


def differs(site: SitePages, plan: SitePlan) -> bool:
    """Whether a plan is worth writing."""

    def far(old: float, new: float) -> bool:
        return abs(old - new) > _SAME * max(old, new)

    state = site.state
    return plan.frequency > 0.0 and (far(state.frequency, plan.frequency) or far(state.price, min(plan.price, 1e300)))
