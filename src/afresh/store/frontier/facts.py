"""Rows of totals and sites as what they mean, for every database alike."""

import math
from typing import Any

from afresh.base.records.frontier import FrontierStats, SiteFacts


def to_stats(row: tuple[Any, ...]) -> FrontierStats:
    """Fetchers, sites, URLs, visited, reserved, sum of last visits, visits, edges, backlog."""
    fetchers, sites, urls, visited, reserved, sum_visited, visits, edges, backlog = row
    return FrontierStats(
        fetchers=fetchers,
        sites=sites,
        urls=urls,
        visited=visited,
        reserved_sites=reserved,
        mean_last_visited=sum_visited / visited if visited else None,
        visits=visits,
        edges=edges,
        backlog=backlog,
    )


def to_facts(
    fqdn: str,
    tld: str,
    fqdn_hash: int,
    delay: float | None,
    ready: float,
    leased_by: str,
    leased_until: float | None,
    urls: int,
    visited: int,
    discovered: float | None,
    sum_visited: float,
    sum_pagerank: float,
    sum_rate: float,
    sum_in_degree: int,
    cash: float,
    errors: int,
    slow: float,
    backlog: int,
    home: str,
    ipv4: str,
    ipv6: str,
) -> SiteFacts:
    """A row of the statement ``site_facts``."""
    return SiteFacts(
        fqdn=fqdn,
        tld=tld,
        fqdn_hash=fqdn_hash,
        crawl_delay=delay,
        ready=None if math.isinf(ready) else ready,
        leased_by=leased_by,
        leased_until=leased_until,
        urls=urls,
        visited=visited,
        first_discovered=discovered,
        mean_last_visited=sum_visited / visited if visited else None,
        mean_pagerank=sum_pagerank / max(urls, 1),
        mean_change_rate=sum_rate / max(urls, 1),
        mean_in_degree=sum_in_degree / max(urls, 1),
        cash=cash,
        errors=errors,
        slow=slow,
        backlog=backlog,
        home=home,
        last_ipv4=ipv4,
        last_ipv6=ipv6,
    )
