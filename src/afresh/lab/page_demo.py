"""The demo of pages: the real daemon on a web of pages, its prediction of freshness beside the server's truth."""

import asyncio
import math
from collections.abc import Mapping
from dataclasses import dataclass

from afresh.base.models import Kind, ResourceFilter
from afresh.engine.add import Wanted
from afresh.engine.daemon import Daemon
from afresh.lab.demo import QUICK
from afresh.lab.web.page_web import PageWeb

#: Seconds between two requests to a site in this demo; the server holds us to it.
DELAY = 0.25


def settings_for(day: float, requests_per_minute: float) -> Mapping[str, object]:
    """The daemon's settings on a web whose day lasts ``day`` seconds."""
    return {
        **QUICK,
        "politeness.delay": DELAY,
        "revisit.day": day,
        "revisit.shortest": day / 600.0,
        "revisit.longest": 3.0 * day,
        "revisit.second_look": day / 6.0,
        "revisit.replan": 2.0,
        "revisit.sitemap_every": 100.0 * day,
        "budget.requests_per_minute": requests_per_minute,
        "budget.price": day / 200.0,
        "budget.every": 1.0,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDemoSummary:
    """What the demo of pages ends with: freshness and breaches as the server counted them, the daemon's forecast."""

    seconds: float
    measured_over_s: float  # the last third of the run
    pages: int
    sites: int
    sites_saturated: int
    visits: int
    requests_served: int
    not_modified: int
    price: float
    predicted_freshness: float  # mean of what the daemon believed, moment by moment
    planned_freshness: float  # what its intervals promise, at the end
    measured_freshness: float
    difference: float  # predicted - measured
    politeness_violations: int
    violations: tuple[str, ...]


class PageDemo:
    """Adds the pages, watches the daemon and adds up."""

    def __init__(self, web: PageWeb, daemon: Daemon) -> None:
        self._web, self._daemon = web, daemon
        self._start = math.inf
        self._sum, self._count = 0.0, 0

    async def add(self) -> None:
        """The sites by their robots.txt: the pages come from the sitemaps it names."""
        await self._daemon.add_wanted([Wanted(url=f"{root}robots.txt", kind=Kind.SITEMAP) for root in self._web.roots])

    async def watch(self, *, seconds: float, every: float = 2.0) -> None:
        """Samples what the daemon believes, in the last third of the run: before that it learns."""
        await asyncio.sleep(seconds * 2 / 3)
        self._start = self._web.clock()
        while True:
            self._sum += await self._daemon.run(self._believed)
            self._count += 1
            await asyncio.sleep(every)

    def _believed(self) -> float:
        daemon, now = self._daemon, self._web.clock()
        pages = daemon.store.iterate(ResourceFilter(kind=Kind.PAGE))
        found = [daemon.pages.fresh_now(page, now) for page in pages]
        return sum(found) / max(1, len(self._web.pages))

    def summary(self, *, until: float) -> PageDemoSummary:
        daemon, web = self._daemon, self._web
        start = min(self._start, until - 1e-3)
        pages = daemon.pages
        known = list(daemon.store.iterate(ResourceFilter(kind=Kind.PAGE)))
        planned = [
            pages.expected_freshness(pages.row(page), 1.0 / page.frequency if page.frequency else math.inf)
            for page in known
        ]
        measured = web.freshness(start, until)
        predicted = self._sum / max(1, self._count)
        return PageDemoSummary(
            seconds=round(until - web.began, 1),
            measured_over_s=round(until - start, 1),
            pages=len(known),
            sites=len(web.sites),
            sites_saturated=sum(site.state.price > 0.0 for site in daemon.store.list_sites(limit=10_000)),
            visits=daemon.loop.health.visits,
            requests_served=web.ledger.requests,
            not_modified=web.ledger.not_modified,
            price=daemon.loop.budget.price,
            predicted_freshness=round(predicted, 4),
            planned_freshness=round(sum(planned) / max(1, len(planned)), 4),
            measured_freshness=round(measured, 4),
            difference=round(predicted - measured, 4),
            politeness_violations=web.violations,
            violations=tuple(str(violation) for violation in list(web.ledger.violations)[:10]),
        )
