"""What the frontier answers, and how it is made from what the store gave."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated

from msgspec import Meta, Struct, field

from afresh.base import troubles as troubles_of
from afresh.base.hashing import ring_positions
from afresh.base.passwords import hide_password
from afresh.base.records.frontier import (
    FetcherAccount,
    FrontierStats,
    Imported,
    PageOrder,
    Partitioning,
    Receipt,
    SiteList,
    SiteOrder,
    Standing,
)
from afresh.base.records.frontier_store import Holding
from afresh.base.value_class import alike
from afresh.doors.presenting.showing import shown
from afresh.doors.presenting.times import iso
from afresh.frontier.partitionings.consistent_hash import POSITIONS
from afresh.frontier.scheduling import Handout
from afresh.frontier.urls import CrawlUrls

Time = Annotated[str, Meta(description="ISO 8601, UTC.", extra_json_schema={"format": "date-time"})]
#: A time as every door writes it; pages found or visited together share theirs, so most are remembered.
moment = lru_cache(maxsize=8192)(iso)
MOST_REFUSALS = 20  # told with their reasons; the others are counted
_SHOWN = 200  # characters of a refused URL


class Trouble(Struct, kw_only=True):
    """Something of the frontier itself that does not work."""

    what: Annotated[str, Meta(description="store or housekeeping.", examples=["store"])]
    why: str
    since: Time | None
    times: Annotated[int, Meta(description="How often it was met with.")]


class Health(Struct, kw_only=True):
    """How the frontier is doing."""

    status: Annotated[str, Meta(description="ok, or degraded: something does not work and is tried again.")]
    troubles: tuple[Trouble, ...]


def health_view(troubles: Sequence[troubles_of.Trouble]) -> Health:
    return Health(
        status=troubles_of.standing(troubles, is_alive=True),
        troubles=tuple(
            Trouble(what=one.what, why=hide_password(one.why), since=iso(one.since), times=one.times)
            for one in troubles
        ),
    )


class Fetcher(Struct, kw_only=True):
    """A registered fetcher."""

    uuid: str
    fetcher_hashes: Annotated[tuple[int, ...], Meta(description="Its places on the ring of consistent hashing.")]
    contact: str
    name: str
    reg_date: Time | None
    location: str
    tld_preference: str
    ip_address: str
    last_seen: Time | None


class ListedFetcher(Fetcher, kw_only=True):
    """A registered fetcher, and what it has."""

    leased_sites: Annotated[int, Meta(description="Sites that nobody else gets meanwhile.")]
    latest_return: Annotated[Time | None, Meta(description="When the first of these is free again by itself.")]


class NewAccount(Fetcher, kw_only=True):
    """A fetcher just registered, with its secret: shown this once, sent back as `Authorization: Bearer …`."""

    token: str


class Restart(Struct, kw_only=True):
    """What a fetcher held when it began anew."""

    given_back: Annotated[int, Meta(description="Sites that are free again, each after its pause.")]


class Url(Struct, omit_defaults=True, gc=False):
    """A page to fetch."""

    url: str
    fqdn: str
    url_pagerank: float
    url_discovery_date: Time | None
    url_last_visited: Time | None
    url_blacklisted: bool
    url_bot_excluded: bool
    etag: str = ""
    last_modified: str = ""
    content_hash: str = ""
    number: Annotated[int, Meta(description="Of the page; sent back, it saves a search.")] = 0


class FqdnList(Struct, kw_only=True):
    """A site with the pages to fetch now."""

    reservation: Annotated[int, Meta(description="To be sent back with the results.")]
    fqdn: str
    tld: str
    fqdn_hash: int
    fqdn_hash_fetcher_index: int
    fqdn_last_ipv4: str | None
    fqdn_last_ipv6: str | None
    fqdn_avg_pagerank: float
    fqdn_crawl_delay: Annotated[float, Meta(description="Seconds to wait between two requests.")]
    fqdn_url_count: int
    url_list: list[Url]


class UrlFrontier(Struct, kw_only=True):
    """A list, reserved for its fetcher until `latest_return`."""

    uuid: str
    response_url: str
    latest_return: Time | None
    url_frontiers_count: int
    urls_count: int
    long_term_prio_mode: SiteOrder
    long_term_part_mode: Partitioning
    short_term_prio_mode: PageOrder
    url_frontiers: list[FqdnList]


class SiteStanding(Struct, kw_only=True):
    """What became of a reported site."""

    fqdn: str
    standing: Standing


class Submission(Struct, kw_only=True):
    """What became of a report."""

    key: str
    repeated: Annotated[bool, Meta(description="The key was known: nothing was changed.")]
    visited: int
    ignored: Annotated[int, Meta(description="Pages that were not of the list.")]
    discovered: int
    known: int
    refused: Annotated[
        int,
        Meta(
            description="Links that are no URL of the public web, over a site's budget, or farther than the crawl goes."
        ),
    ]
    latest_return: Annotated[
        Time | None, Meta(description="Until when what was reported in part stays reserved; null: nothing was.")
    ]
    fqdns: list[SiteStanding]


class Refusal(Struct, kw_only=True):
    """A URL that was not taken."""

    url: Annotated[str, Meta(description="Its beginning, as it was sent.")]
    why: str


class Import(Struct, kw_only=True):
    """What an import came to."""

    urls: Annotated[int, Meta(description="New URLs.")]
    sites: Annotated[int, Meta(description="New sites.")]
    known: int
    refused: Annotated[int, Meta(description="No URLs, or not of the public web.")]
    refusals: Annotated[list[Refusal], Meta(description="The first of these, with the reason.")]
    backlog: Annotated[int, Meta(description="Over their site's budget; they wait.")]
    revived: Annotated[
        int, Meta(description="Of the known ones: they were gone, failing or refused, and are tried again.")
    ]


class UrlList(Struct, kw_only=True):
    """Some known URLs."""

    url_list: list[str]


class Stats(Struct, kw_only=True):
    """Totals."""

    # called as the fields of ``base.records.frontier.FrontierStats`` are
    fetchers: int = field(name="fetcher_amount")
    sites: Annotated[int, Meta(description="Sites.")] = field(name="frontier_amount")
    urls: int = field(name="url_amount")
    leased_sites: int = field(name="reserved_fqdn_amount")
    leased_urls: Annotated[int, Meta(description="URLs in lists that are out.")] = field(name="reserved_url_amount")
    avg_freshness: Time | None
    visited_ratio: Annotated[
        float, Meta(description="Share visited at least once, those among them that were not there (404).")
    ]
    visited_well: Annotated[int, Meta(description="URLs of which something came at the last try.")] = field(
        name="visited_well_amount"
    )
    failed: Annotated[int, Meta(description="URLs of which nothing came at the last try.")] = field(
        name="failed_amount"
    )
    left_out: Annotated[int, Meta(description="URLs not asked for: robots.txt forbids them.")] = field(
        name="left_out_amount"
    )
    waiting: Annotated[int, Meta(description="URLs never tried. The four make up all.")] = field(name="waiting_amount")
    visits: Annotated[int, Meta(description="Counted for ever.")]
    edges: Annotated[int, Meta(description="Links between pages.")] = field(name="url_ref_amount")
    backlog: int = field(name="backlog_amount")
    out_of_scope: Annotated[
        int,
        Meta(description="Links that led out of the crawl (`frontier.stay`, `depth`, patterns), since the start."),
    ] = field(name="out_of_scope_amount")
    scope: Annotated[list[str], Meta(description="How far links are followed, in words; empty: everywhere.")]
    links_left_out: Annotated[
        int,
        Meta(
            description="Links of pages that had more than their fetcher reports (`fetch.max_links`), since the start."
        ),
    ] = field(name="links_left_out_amount")
    set_aside: Annotated[int, Meta(description="Damaged rows, handed out to nobody; `afresh doctor` tells why.")] = (
        field(name="set_aside_amount")
    )


def fetcher_view(account: FetcherAccount) -> Fetcher:
    return shown(Fetcher, account, **_renamed(account))


def listed_fetcher_view(account: FetcherAccount, held: Holding | None) -> ListedFetcher:
    return shown(
        ListedFetcher,
        account,
        **_renamed(account),
        leased_sites=held.sites if held else 0,
        latest_return=moment(held.first_end) if held else None,
    )


def new_account_view(account: FetcherAccount, token: str) -> NewAccount:
    return shown(NewAccount, account, **_renamed(account), token=token)


def _renamed(account: FetcherAccount) -> dict[str, object]:
    """What the thesis calls otherwise than we do."""
    return {
        "fetcher_hashes": ring_positions(account.uuid, POSITIONS),
        "reg_date": moment(account.registered),
        "ip_address": account.address,
    }


def frontier_view(given: Handout, response_url: str) -> UrlFrontier:
    """The list as it is sent."""
    lists = site_views(given)
    return UrlFrontier(
        uuid=given.request.fetcher,
        response_url=response_url,
        latest_return=moment(given.request.expires),
        url_frontiers_count=len(lists),
        urls_count=sum(len(item.url_list) for item in lists),
        long_term_prio_mode=given.request.site_order,
        long_term_part_mode=given.part_mode,
        short_term_prio_mode=given.request.page_order,
        url_frontiers=lists,
    )


def site_views(given: Handout) -> list[FqdnList]:
    delay = given.request.default_delay
    return [_site_view(site, delay, given.count) for site in given.sites]


def _site_view(site: SiteList, default_delay: float, fetchers: int) -> FqdnList:
    name, when = site.name, moment
    return FqdnList(
        reservation=site.lease,
        fqdn=name,
        tld=site.tld,
        fqdn_hash=site.hash,
        fqdn_hash_fetcher_index=site.hash % (fetchers or 1),
        fqdn_last_ipv4=site.last_ipv4 or None,
        fqdn_last_ipv6=site.last_ipv6 or None,
        fqdn_avg_pagerank=site.avg_pagerank,
        fqdn_crawl_delay=default_delay if site.crawl_delay is None else site.crawl_delay,
        fqdn_url_count=site.url_count,
        url_list=[
            # By place, not by name: half the time, five hundred times a list. Excluded pages are not handed out.
            Url(url, name, rank, when(found), when(seen), False, False, etag, modified, content, number)
            for url, rank, found, seen, _, etag, modified, content, number in site.pages
        ],
    )


def submission_view(receipt: Receipt, key: str, fqdns: Sequence[str], refused: int) -> Submission:
    standings = zip(fqdns, receipt.standings, strict=True)
    return shown(
        Submission,
        receipt,
        key=key,
        refused=receipt.refused + refused,
        latest_return=moment(receipt.until),
        fqdns=[SiteStanding(fqdn=fqdn, standing=standing) for fqdn, standing in standings],
    )


class Refusals:
    """Counts URLs that were not taken; the reasons of the first are kept."""

    def __init__(self, urls: CrawlUrls) -> None:
        self._why = urls.why_refused
        self.count = 0
        self.first: list[Refusal] = []

    def add(self, urls: Sequence[str]) -> None:
        self.count += len(urls)
        for url in urls[: MOST_REFUSALS - len(self.first)]:
            self.first.append(Refusal(url=url[:_SHOWN].encode("utf-8", "replace").decode(), why=self._why(url)))


def import_view(parts: Sequence[Imported], refused: Refusals) -> Import:
    """What the parts of an import came to altogether."""
    names = [name for name in Import.__struct_fields__ if name != "refusals"]
    totals = {name: sum(getattr(part, name) for part in parts) for name in names}
    return Import(**{**totals, "refused": totals["refused"] + refused.count}, refusals=refused.first)


def stats_view(
    totals: FrontierStats, *, out_of_scope: int = 0, links_left_out: int = 0, scope: Sequence[str] = ()
) -> Stats:
    ratio = totals.visited / totals.urls if totals.urls else 0.0
    told = {"avg_freshness": moment(totals.mean_last_visited), "visited_ratio": ratio, "waiting": totals.waiting}
    return alike(Stats, totals, out_of_scope=out_of_scope, links_left_out=links_left_out, scope=list(scope), **told)
