"""Lists, reports and counts as they are written over REST, for those who ask a frontier."""

from collections.abc import Mapping
from typing import Any

from afresh.base.iso_times import from_iso
from afresh.base.records.frontier import FrontierStats, PageLine, PageReport, SiteList, SiteReport
from afresh.base.records.queues import NEVER_AGAIN, QueueStats

# Fields of ours, by the names that they have there.
_SITE = {
    "lease": "reservation",
    "name": "fqdn",
    "tld": "tld",
    "hash": "fqdn_hash",
    "crawl_delay": "fqdn_crawl_delay",
    "url_count": "fqdn_url_count",
    "avg_pagerank": "fqdn_avg_pagerank",
}
_TOTALS = {
    "fetchers": "fetcher_amount",
    "sites": "frontier_amount",
    "urls": "url_amount",
    "leased_sites": "reserved_fqdn_amount",
    "leased_urls": "reserved_url_amount",
    "visits": "visits",
    "edges": "url_ref_amount",
    "backlog": "backlog_amount",
    "set_aside": "set_aside_amount",
}
_STANDINGS = {"visited_well": "visited_well_amount", "failed": "failed_amount", "left_out": "left_out_amount"}
_COUNTS = {
    "queues": "sites",
    "urls": "urls",
    "completed": "completed",
    "locked": "locked",
    "active_queues": "active_sites",
}


def read_list(item: dict[str, Any]) -> SiteList:
    """A site of a list, as it was sent."""
    return SiteList(**_ours(item, _SITE), pages=tuple(_page_line(page) for page in item["url_list"]))


def _page_line(item: dict[str, Any]) -> PageLine:
    return PageLine(
        url=item["url"],
        pagerank=item["url_pagerank"],
        discovered=from_iso(item["url_discovery_date"]),
        last_visited=from_iso(item["url_last_visited"]),
        due=0.0,
        etag=item.get("etag", ""),
        last_modified=item.get("last_modified", ""),
        content_hash=item.get("content_hash", ""),
        number=item.get("number", 0),
    )


def report_form(site: SiteReport) -> dict[str, Any]:
    """What is said about a site."""
    return {
        "fqdn": site.name,
        "reservation": site.lease,
        "fqdn_crawl_delay": site.crawl_delay,
        "fqdn_last_ipv4": site.last_ipv4 or None,
        "fqdn_last_ipv6": site.last_ipv6 or None,
        "round_trip": site.round_trip,
        "retry_after": site.retry_after,
        "partial": site.is_partial,
        "url_list": [_page_report(page) for page in site.pages],
    }


def _page_report(page: PageReport) -> dict[str, Any]:
    told: dict[str, Any] = {"url": page.url, "number": page.number, "result": page.result.value}
    optional = {
        "url_last_visited": page.fetched,
        "changed": page.changed,
        "content_hash": page.content_hash,
        "etag": page.etag,
        "last_modified": page.last_modified,
        "soft_404": page.soft_404,
        "why": page.why,
        "http": page.http,
        "content_type": page.content_type,
        "redirect": page.redirect,
        "bytes": page.bytes,
        "seconds": page.seconds,
        "links": list(page.links),
        "links_left_out": page.links_left_out,
        "completed": page.due == NEVER_AGAIN,
        "due": None if page.due == NEVER_AGAIN else page.due,
    }
    told.update({name: value for name, value in optional.items() if value})
    if page.changed is False:
        told["changed"] = False
    return told


def read_totals(item: dict[str, Any]) -> FrontierStats:
    """Totals of a frontier."""
    visited = round(item["visited_ratio"] * item["url_amount"])
    told = _ours(item, _TOTALS | (_STANDINGS if "failed_amount" in item else {}))  # earlier frontiers do not tell
    return FrontierStats(**told, visited=visited, mean_last_visited=from_iso(item["avg_freshness"]))


def read_counts(item: dict[str, Any]) -> QueueStats:
    """Counts of a crawl, or of one site of it."""
    return QueueStats(**_ours(item, _COUNTS))


def _ours(item: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {ours: item[theirs] for ours, theirs in names.items()}
