"""What each order of sites means, said once and slowly: a key by which the first site is the smallest.

Stores answer the same question by indexes; the laws compare them with this.  [G20] §5.4.3, Tables 14 and 15.
"""

from collections.abc import Callable, Mapping
from math import exp, inf

from afresh.base.records.frontier import SiteFacts, SiteOrder
from tests.laws.staleness import staleness

Key = Callable[[SiteFacts, float], float]


#: changes per second of one imaginary page a site: once a day, so that pages seen once, without a rate yet, grow stale
PRIOR_RATE = 1.0 / 86_400.0


def _seen(site: SiteFacts, now: float) -> tuple[float, float]:
    """Rate and age of the pages that were seen; a site's mean rate counts all its pages, unseen ones as 0."""
    rate = (site.mean_change_rate * site.urls + PRIOR_RATE) / (site.visited + 1)
    return rate, 0.0 if site.mean_last_visited is None else now - site.mean_last_visited


def _web_fountain(site: SiteFacts, now: float) -> float:
    """Minus the expected number of stale pages over all pages: unseen ones wholly, seen ones by rate and age."""
    if site.urls == 0:
        return 0.0
    return -(site.urls - site.visited + site.visited * staleness(*_seen(site, now))) / site.urls


def _freshness(site: SiteFacts, now: float) -> float:
    """Minus what a visit gains: V = (1 − (1 + x) e^(−x))/λ, x = λ·age, for a page seen; else the time it waits."""
    if site.visited == 0:
        return -inf
    rate, age = _seen(site, now)
    gain = (1.0 - (1.0 + rate * age) * exp(-rate * age)) / rate
    waiting = now - (site.first_discovered or 0.0)
    return -((site.urls - site.visited) * waiting + site.visited * gain) / site.urls


#: orders that follow from the facts of a site; random does not
KEYS: Mapping[SiteOrder, Key] = {
    SiteOrder.LARGE: lambda site, _: -float(site.urls),
    SiteOrder.SMALL: lambda site, _: float(site.urls),
    SiteOrder.OLD: lambda site, _: -inf if site.mean_last_visited is None else site.mean_last_visited,
    SiteOrder.NEW: lambda site, _: inf if site.mean_last_visited is None else -site.mean_last_visited,
    SiteOrder.PAGERANK: lambda site, _: -site.mean_pagerank,
    SiteOrder.CHANGE_RATE: lambda site, _: -site.mean_change_rate,
    SiteOrder.IN_DEGREE: lambda site, _: -site.mean_in_degree,
    SiteOrder.OPIC: lambda site, _: -site.cash / site.urls if site.urls else 0.0,
    SiteOrder.BREADTH: lambda site, _: inf if site.first_discovered is None else site.first_discovered,
    SiteOrder.WEBFOUNTAIN: _web_fountain,
    SiteOrder.FRESHNESS: _freshness,
    SiteOrder.DUE: lambda site, _: inf if site.ready is None else site.ready,
}
