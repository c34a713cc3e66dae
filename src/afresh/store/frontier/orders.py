"""The orders of sites and pages as SQL that both databases understand, smallest first."""

from functools import lru_cache

from afresh.base.records.frontier import (
    Everything,
    HashArcs,
    HashClass,
    Home,
    PageOrder,
    Partition,
    SiteOrder,
    TopLevelDomain,
)

_MEAN_VISIT = "sum_visited / visited"
#: a page seen once has no rate yet: one imaginary page a site, which changes once a day, keeps such sites in turn
_MEAN_RATE = "((sum_rate + 1.0 / 86400) / (visited + 1))"
_NOW = "CAST(:now AS float8)"
_AGE = f"({_NOW} - sum_visited / visited)"
#: expected changes since the mean visit; PostgreSQL's exp() complains about results too small
_CHANGES = f"CASE WHEN {_MEAN_RATE} * {_AGE} > 500 THEN 500.0 ELSE {_MEAN_RATE} * {_AGE} END"

#: What an available site is ranked by. `:now` is the time of ranking; a site without pages is never available.
SITE_RANKS = {
    SiteOrder.RANDOM: "random()",
    SiteOrder.LARGE: "-urls",
    SiteOrder.SMALL: "urls",
    # Never seen: before all others, the one found first before the one found last. A time is never as far back as 1e12.
    SiteOrder.OLD: f"CASE WHEN visited = 0 THEN coalesce(discovered, 0.0) - 1e12 ELSE {_MEAN_VISIT} END",
    SiteOrder.NEW: f"CASE WHEN visited = 0 THEN 1e300 ELSE -{_MEAN_VISIT} END",
    SiteOrder.PAGERANK: "-sum_pagerank / urls",
    SiteOrder.CHANGE_RATE: "-sum_rate / urls",
    SiteOrder.IN_DEGREE: "-sum_in_degree * 1.0 / urls",
    SiteOrder.OPIC: "-cash / urls",
    SiteOrder.BREADTH: "coalesce(discovered, 1e300)",
    # Expected share of stale copies: never downloaded is wholly stale (WebFountain gives such pages freshness 0).
    SiteOrder.WEBFOUNTAIN: "CASE WHEN visited = 0 THEN -1.0 ELSE"
    f" -((urls - visited) + visited * (1.0 - exp(-({_CHANGES})))) / urls END",
    # What a visit gains in expectation, V = (1 - (1 + x) exp(-x)) / rate with x = rate * age, at the site's means. A
    # page never seen has been stale as long as its site is known; a site of which nothing was seen comes first.
    SiteOrder.FRESHNESS: "CASE WHEN visited = 0 THEN -1e300 ELSE"
    f" -((urls - visited) * ({_NOW} - coalesce(discovered, 0.0))"
    f" + visited * (1.0 - (1.0 + ({_CHANGES})) * exp(-({_CHANGES}))) / {_MEAN_RATE}) / urls END",
    SiteOrder.DUE: "ready",
}

#: Orders whose ranks change as time passes, and not only with a report.
AGEING = frozenset({SiteOrder.WEBFOUNTAIN, SiteOrder.FRESHNESS})
#: Sites ranked anew for each one that is asked for, in turn: so nobody has to look at a million to find the best fifty,
#: and no rank is older than it takes to hand out a tenth of the sites.
RERANKED = 10

#: What due pages of a site are ordered by.
PAGE_ORDERS = {
    PageOrder.RANDOM: "random()",
    PageOrder.OLD: "coalesce(page.visited, -1e300)",
    PageOrder.NEW: "-coalesce(page.visited, -1e300)",
    PageOrder.PAGERANK: "-address.pagerank",
    PageOrder.CHANGE_RATE: "-page.rate",
    PageOrder.IN_DEGREE: "-address.in_degree",
    PageOrder.OPIC: "-address.cash",
    PageOrder.DUE: "page.due",
}


#: Arcs are filled up to a multiple of this by the last one again: a few statements, prepared once, serve all fetchers.
_PADDED = 16


def partition_clause(partition: Partition) -> tuple[str, dict[str, int | str]]:
    """A condition on sites to append, and its values.

    >>> partition_clause(HashClass(1, 3))
    ('AND hash % :part_count = :part_index', {'part_count': 3, 'part_index': 1})
    """
    match partition:
        case Everything():
            return "", {}
        case TopLevelDomain(tld):
            return "AND tld = :part_tld", {"part_tld": tld}
        case HashClass(index, count):
            return "AND hash % :part_count = :part_index", {"part_count": max(count, 1), "part_index": index}
        case HashArcs(()):
            return "AND 1 = 0", {}
        case HashArcs(arcs):
            padded = arcs + arcs[-1:] * (-len(arcs) % _PADDED)
            # `end` may be 2^63, one more than a column holds.
            values: dict[str, int | str] = {f"arc_{place}": start for place, (start, _) in enumerate(padded)}
            values |= {f"last_{place}": end - 1 for place, (_, end) in enumerate(padded)}
            return f"AND {_within(0, len(padded))}", values
        case Home(fetcher):
            return "AND home IN ('', :part_home)", {"part_home": fetcher}


@lru_cache(maxsize=4096)
def _within(first: int, last: int) -> str:
    """Whether a hash lies in one of the ascending arcs, as a search tree: seven comparisons a site for 128 of them."""
    if last - first == 1:  # the way here has shown that the arc begins below, but for the first
        return f"hash <= :last_{first}" if first else "hash BETWEEN :arc_0 AND :last_0"
    middle = (first + last) // 2
    return f"CASE WHEN hash < :arc_{middle} THEN {_within(first, middle)} ELSE {_within(middle, last)} END"
