"""What travels between the frontier's store, its doors and its fetchers; times are seconds since 1970 UTC.

What comes in thousands (``Seed``, ``SiteList``, ``PageLine``, ``SiteReport``, ``PageReport``) is a named tuple: made in
a fifth of the time of a frozen dataclass, which at tens of thousands of URLs a second is the difference between keeping
the pace and missing it. A store only reads the attributes of what it is given, so anything that has them will do.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from afresh.base.calendar import DAY
from afresh.base.errors import Conflict, NotFound, StoreError


class SiteOrder(StrEnum):
    """Which site first (long-term queue, Gäbeler §4.2, §5.4.3). Seven names are the thesis's own."""

    RANDOM = "random"
    LARGE = "large_sites_first"  # most known pages
    SMALL = "small_sites_first"
    OLD = "old_sites_first"  # longest unvisited on average; never visited comes first
    NEW = "new_sites_first"
    PAGERANK = "avg_pagerank"
    CHANGE_RATE = "avg_change_rate"
    IN_DEGREE = "avg_in_degree"
    OPIC = "avg_opic"  # most cash waiting
    BREADTH = "breadth_first"  # known longest
    WEBFOUNTAIN = "web_fountain"  # largest expected staleness; never downloaded counts as wholly stale
    DUE = "due"  # ready longest: the queue that costs least
    FRESHNESS = "freshness"  # where the next visits gain most freshness (Souza and Laber)


class PageOrder(StrEnum):
    """Which page of a site first (short-term queue)."""

    RANDOM = "random"
    OLD = "old_pages_first"
    NEW = "new_pages_first"
    PAGERANK = "pagerank"
    CHANGE_RATE = "change_rate"
    IN_DEGREE = "in_degree"
    OPIC = "opic"
    DUE = "due"


class Partitioning(StrEnum):
    """Which fetcher gets a site (Gäbeler §4.3)."""

    NONE = "none"
    TLD = "top_level_domain"
    SITE_HASH = "fqdn_hash"
    CONSISTENT = "consistent_hashing"
    RTT = "round_trip_time"  # lowest median of the last 24 hours
    GEOGRAPHIC = "geographic"  # by a table the operator supplies
    GRAPH = "graph"  # communities of the link graph


# --- which sites a fetcher may have: what a partitioning comes to for one fetcher ------------------------------------


@dataclass(frozen=True, slots=True)
class Everything:
    """Any site."""


@dataclass(frozen=True, slots=True)
class TopLevelDomain:
    """Sites under one top-level domain."""

    tld: str


@dataclass(frozen=True, slots=True)
class HashClass:
    """Sites whose hash leaves this remainder: ``hash % count == index``."""

    index: int
    count: int


@dataclass(frozen=True, slots=True)
class HashArcs:
    """Sites whose hash lies in one of these half-open arcs ``[start, end)`` of 0 … 2^63; none: no site."""

    arcs: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Home:
    """Sites assigned to this fetcher (by round-trip time, geography or graph), and those assigned to nobody yet."""

    fetcher: str


Partition = Everything | TopLevelDomain | HashClass | HashArcs | Home


# --- fetchers --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class FetcherAccount:
    """A registered fetcher. ``contact`` and ``name`` together are unique."""

    uuid: str
    contact: str
    name: str
    registered: float
    token_digest: str = ""  # SHA-256 of its secret in hex; empty: none was issued
    location: str = ""
    tld_preference: str = ""
    address: str = ""
    last_seen: float | None = None  # last list or report


# --- pages and sites -------------------------------------------------------------------------------------------------


class Seed(NamedTuple):
    """A URL to know of. ``url`` is canonical and ``site`` its host; a known URL is never overwritten by it."""

    url: str
    site: str
    pagerank: float = 0.0
    discovered: float | None = None  # None: now
    last_visited: float | None = None  # None: never
    due: float = 0.0
    crawl_delay: float | None = None  # of the site; taken if the site is new or had none
    bot_excluded: bool = False


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import came to."""

    urls: int  # of these, new
    sites: int  # new sites
    known: int  # URLs that were known before
    refused: int = 0  # no URL that can be kept (too long, no host)
    backlog: int = 0  # of the new ones, over the site's budget: known, but not handed out before the budget grows
    revived: int = 0  # of the known ones: they were gone, failing or refused, and are handed out again


class PageLine(NamedTuple):
    """One page of a site's list."""

    url: str
    pagerank: float
    discovered: float | None
    last_visited: float | None
    due: float
    etag: str = ""
    last_modified: str = ""
    content_hash: str = ""  # of the last visit, for the fetcher to tell "changed"
    number: int = 0  # of the page, for the report to echo: it saves the store a look for the URL


class SiteList(NamedTuple):
    """A site with the pages to fetch now: the unit of work. Held by one fetcher until ``expires``."""

    lease: int  # its number; grows for ever
    name: str
    tld: str
    hash: int
    crawl_delay: float | None  # None: the fetcher's default
    url_count: int  # known pages of the site
    avg_pagerank: float
    last_ipv4: str = ""
    last_ipv6: str = ""
    pages: tuple[PageLine, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest:
    """What a fetcher asks for, with every default already filled in."""

    fetcher: str
    sites: int  # 0: all available
    pages: int  # per site; 0: all due
    site_order: SiteOrder = SiteOrder.DUE
    page_order: PageOrder = PageOrder.DUE
    partition: Partition = field(default_factory=Everything)
    revisit_share: float | None = None  # two queues: this share of each list for pages seen before; None: one queue
    default_delay: float = 10.0  # between two requests to a site that states none
    release_on_report: bool = True  # False: a lease lasts until it expires, as in the thesis's tests
    expires: float = 0.0
    crawl: int = 1  # its number; 1: the crawl that is there from the beginning
    site: str = ""  # this one alone, whatever the partition; '': any


# --- results ---------------------------------------------------------------------------------------------------------


class PageResult(StrEnum):
    """What became of one page of a list."""

    FETCHED = "fetched"
    NOT_MODIFIED = "not_modified"
    EXCLUDED = "excluded"  # robots.txt forbids it
    NOT_FOUND = "not_found"  # 404, 410
    ERROR = "error"  # network or server failure: may be tried again
    SKIPPED = "skipped"  # not tried: goes back to the queue as it was
    REFUSED = "refused"  # its fetcher does not ask there, or nobody answers there: put off, for another may reach it


class UrlStanding(StrEnum):
    """How a page stands after its last try."""

    VISITED_WELL = "visited_well"  # something came of it
    FAILED = "failed"  # nothing came: not found, no answer, an error, an address that its fetcher may not ask
    LEFT_OUT = "left_out"  # not asked for: robots.txt forbids it
    WAITING = "waiting"  # never tried


class PageReport(NamedTuple):
    """One page fetched (or not), as its fetcher reports it. ``number`` is the list's; 0: found by the URL."""

    url: str
    result: PageResult = PageResult.FETCHED
    fetched: float | None = None  # when; None: when the report arrived
    changed: bool | None = None  # against the last visit; None: compare content_hash
    content_hash: str = ""
    etag: str = ""
    last_modified: str = ""
    soft_404: bool = False
    bytes: int = 0
    seconds: float | None = None  # how long the server took
    links: Sequence[str] = ()  # canonical URLs found on it
    number: int = 0
    due: float | None = None  # when to fetch it again if all went well; None: as the frontier estimates
    why: str = ""  # what went wrong, in a few words for people; kept until the page is well, and told to sinks
    http: int = 0  # status of the answer; 0: there was none
    content_type: str = ""  # as the server says
    redirect: str = ""  # where it sends to, resolved; '': it does not
    links_left_out: int = 0  # found on it, but more than are reported of one page


class PageFailure(NamedTuple):
    """The last try of a page, of which nothing came."""

    at: float  # when it was reported
    result: PageResult  # FETCHED: an error page behind a 200; SKIPPED: not asked for, since its site cannot be asked
    why: str  # as its fetcher says; '': it does not
    fetcher: str  # its UUID


class FailedPage(NamedTuple):
    """A page of which nothing came at its last try."""

    url: str
    site: str
    due: float  # when it is tried again; infinity: not at all
    failure: PageFailure


class SiteReport(NamedTuple):
    """All that a fetcher says about one leased site."""

    lease: int  # 0: not known; the lease is found by site and fetcher
    name: str
    pages: Sequence[PageReport]
    crawl_delay: float | None = None  # as robots.txt says; None: says nothing
    last_ipv4: str = ""
    last_ipv6: str = ""
    round_trip: float | None = None  # seconds; DNS, connect and first byte
    retry_after: float | None = None  # seconds from now that the site wants to be left alone; None: its delay will do
    is_partial: bool = False  # the rest of the list follows: it stays leased, from now for as long as it was at first


class KeptResult(NamedTuple):
    """A page that was reported, kept until every sink has taken it."""

    number: int  # only grows
    at: float  # when the report arrived
    fetcher: str
    site: str
    page: PageReport


class Standing(StrEnum):
    """What became of a reported site."""

    ACCEPTED = "accepted"
    LATE = "late"  # the lease had expired: visits are kept, nothing is released
    UNKNOWN = "unknown"  # never leased to this fetcher: nothing is taken over


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What became of a report. The same key again gives the same receipt and changes nothing."""

    standings: tuple[Standing, ...]  # one a site, in order
    visited: int = 0  # pages counted as visited
    ignored: int = 0  # pages that were not of the list
    discovered: int = 0  # links that were new
    known: int = 0  # links that were known
    refused: int = 0  # links that cannot be kept, over a site's budget, or farther away than the crawl goes
    too_far: int = 0  # of these: farther away than the crawl goes; not kept with the key
    repeated: bool = False  # this key had been reported before
    until: float | None = None  # when the first lease ends that a partial report has renewed; None: there is none


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierStats:
    """Totals, for `/stats` and for experiments."""

    fetchers: int
    sites: int
    urls: int
    visited: int  # pages visited at least once, those among them that were not there
    leased_sites: int
    mean_last_visited: float | None  # over visited pages; None: none was
    visits: int  # counted for ever
    edges: int
    backlog: int
    set_aside: int = 0  # rows that could not be read
    leased_urls: int = 0  # in lists that are out
    visited_well: int = 0  # pages of which something came at their last try
    failed: int = 0  # nothing came
    left_out: int = 0  # robots.txt forbids them

    @property
    def waiting(self) -> int:
        """Pages that were never tried."""
        return self.urls - self.visited_well - self.failed - self.left_out


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteFacts:
    """A site as its page and the orders see it; all means are kept incrementally."""

    name: str
    tld: str
    hash: int
    crawl_delay: float | None
    ready: float | None  # when it may be leased; None: nothing to fetch
    leased_by: str
    leased_until: float | None
    urls: int
    visited: int
    first_discovered: float | None
    mean_last_visited: float | None
    mean_pagerank: float
    mean_change_rate: float  # a second
    mean_in_degree: float
    cash: float
    errors: int  # in a row
    slow: float  # smoothed seconds an answer takes
    backlog: int
    home: str
    last_ipv4: str = ""
    last_ipv6: str = ""
    blocked: float = 0.0  # no list before then, as an operator said
    limit: int = 0  # completed pages after which nothing more is handed out; 0: none
    completed: int = 0  # pages that are not to be fetched again, as a client said
    visited_well: int = 0  # pages of which something came at their last try
    failed: int = 0  # nothing came
    left_out: int = 0  # robots.txt forbids them
    failure: PageFailure | None = None  # of its last page; None: something came of it, or nothing is told

    @property
    def mean_changes_per_day(self) -> float:
        return self.mean_change_rate * DAY

    @property
    def waiting(self) -> int:
        """Pages that were never tried."""
        return self.urls - self.visited_well - self.failed - self.left_out


class FetcherUnknown(NotFound, StoreError):
    """No fetcher of that UUID."""

    words = "no fetcher is registered as {}; register with POST /api/v1/fetchers"


class KeyTaken(Conflict):
    """A key under which something else was reported."""

    def __init__(self, key: str) -> None:
        super().__init__(f"another report was sent under the key {key}; nothing of this one was taken: use a new key")
        self.key = key


class FetcherTaken(Conflict):
    """Contact and name together are another fetcher's."""

    def __init__(self, contact: str, name: str) -> None:
        super().__init__(
            f"{contact} has registered a fetcher called {name} already; choose another name, start it with "
            f"its state file, or if that is lost let an operator say `afresh frontier forget {name}`"
        )
        self.contact, self.name = contact, name
