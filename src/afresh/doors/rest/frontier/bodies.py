"""What clients send to the frontier, read by msgspec straight from the bytes: checked, typed, no dictionary between.

Field names are those of the specification (§4). The documented limits stand here and nowhere else.
"""

from datetime import datetime
from typing import Annotated, get_type_hints
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType, defstruct, field

from afresh.base.email_addresses import EMAIL
from afresh.base.records.frontier import PageOrder, PageResult, Partitioning, SiteOrder
from afresh.base.records.queues import LONGEST_KEY
from afresh.base.report_limits import MOST_LINKS
from afresh.base.settings.frontier import MOST_PAGES, MOST_SITES, MOST_URLS, FrontierSettings

_ADDRESS = r"^[0-9A-Fa-f:.]*$"
_PLAIN = r"^[^\x00-\x1f\x7f]*$"
_TOP_LEVEL = r"^[A-Za-z0-9-]*$"
_DISTRIBUTION = "^(discrete|linear_smaller|power_law)$"
#: What texts have to look like, in words.
PATTERNS = {
    EMAIL: "an e-mail address, like ops@example.org,",
    _ADDRESS: "an IPv4 or IPv6 address",
    _PLAIN: "text on one line",
    _TOP_LEVEL: "a top-level domain, like org,",
    _DISTRIBUTION: "discrete, linear_smaller or power_law",
}

Email = Annotated[str, Meta(max_length=254, pattern=EMAIL, description="An e-mail address.", examples=["ops@e.org"])]
Name = Annotated[str, Meta(min_length=1, max_length=200, pattern=_PLAIN, examples=["fetcher-1"])]
Text = Annotated[str, Meta(max_length=1_000, pattern=_PLAIN)]
Address = Annotated[str, Meta(max_length=45, pattern=_ADDRESS, description="IPv4 or IPv6.", examples=["192.0.2.7"])]
TopLevel = Annotated[str, Meta(max_length=63, pattern=_TOP_LEVEL, examples=["de"])]
Key = Annotated[
    str, Meta(max_length=200, pattern=_PLAIN, description="Makes a repetition harmless.", examples=["k-17"])
]
Whole = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Seconds = Annotated[float, Meta(ge=0, le=31_536_000.0)]
Share = Annotated[float, Meta(ge=0, le=1)]
LeaseSeconds = Annotated[float, Meta(ge=1, le=2_592_000.0)]
Moment = Annotated[datetime, Meta(tz=True)]
Epoch = Annotated[float, Meta(ge=0, le=253_402_300_799)]  # seconds since 1970, to the end of year 9999
Amount = Annotated[
    int, Meta(ge=0, le=MOST_SITES, description="Number of sites; 0: all available, up to a full list.", examples=[50])
]
Length = Annotated[int, Meta(ge=0, le=MOST_PAGES, description="Most URLs of a site; 0: all.", examples=[10])]
LongText = Annotated[str, Meta(max_length=8_192)]
CrawlName = Annotated[
    str, Meta(max_length=LONGEST_KEY, pattern=_PLAIN, description="The crawl; left out: DEFAULT.", examples=["news"])
]


class NewFetcher(Struct, forbid_unknown_fields=True, kw_only=True):
    """An account to create."""

    contact: Email
    name: Name
    location: Text = ""
    tld_preference: TopLevel = ""
    ip_address: Address = ""


class FetcherKey(Struct, forbid_unknown_fields=True, kw_only=True):
    """Which account."""

    uuid: UUID


class _Known(FetcherKey, kw_only=True):
    contact: Email | UnsetType = UNSET
    name: Name | UnsetType = UNSET


class ResetFetcher(_Known, kw_only=True):
    """An account as it shall be: what is left out becomes empty; contact and name stay if left out."""

    location: Text = ""
    tld_preference: TopLevel = ""
    ip_address: Address = ""


class ChangedFetcher(_Known, kw_only=True):
    """What to change about an account: what is left out stays."""

    location: Text | UnsetType = UNSET
    tld_preference: TopLevel | UnsetType = UNSET
    ip_address: Address | UnsetType = UNSET


class WantedList(Struct, forbid_unknown_fields=True, kw_only=True):
    """A list to reserve; what is left out is as the settings say."""

    # called as the fields of ``frontier.scheduling.Wish`` are
    fetcher_uuid: UUID
    sites: Amount | None = field(default=None, name="amount")
    pages: Length | None = field(default=None, name="length")
    site_order: SiteOrder | None = field(default=None, name="long_term_prio_mode")
    partitioning: Partitioning | None = field(default=None, name="long_term_part_mode")
    page_order: PageOrder | None = field(default=None, name="short_term_prio_mode")
    crawl: CrawlName = ""
    site: Annotated[str, Meta(max_length=300, description="This site alone, whatever the partitioning.")] = field(
        default="", name="fqdn"
    )


class Page(Struct, kw_only=True, gc=False):
    """A page as its fetcher saw it; further fields of the list may come back and are ignored.

    Its fields are called as those of ``base.records.frontier.PageReport`` are, so that it can go to the store as it is.
    """

    url: Annotated[str, Meta(examples=["https://www.example.com/"])]
    result: PageResult = PageResult.FETCHED
    fetched: Annotated[Moment | Epoch | None, Meta(description="When it was fetched; left out: now.")] = field(
        default=None, name="url_last_visited"
    )
    is_excluded: bool = field(default=False, name="url_bot_excluded")
    changed: Annotated[bool | None, Meta(description="Against the visit before; null: compare content_hash.")] = None
    content_hash: Annotated[str, Meta(max_length=128)] = ""
    etag: LongText = ""
    last_modified: Annotated[str, Meta(max_length=128)] = ""
    soft_404: bool = False
    bytes: Whole = 0
    seconds: Annotated[Seconds | None, Meta(description="How long the server took.")] = None
    links: Annotated[list[str], Meta(max_length=MOST_LINKS, examples=[["https://www.example.com/next"]])] = []
    number: Annotated[Whole, Meta(description="As the list had it; 0: found by URL.")] = 0
    due: Annotated[
        Moment | Epoch | None, Meta(description="When to fetch it again; left out: as the frontier estimates.")
    ] = None
    completed: Annotated[bool, Meta(description="Never to be fetched again.")] = False
    why: Annotated[str, Meta(max_length=300, description="What went wrong, for people.", examples=["HTTP 500"])] = ""
    http: Annotated[int, Meta(ge=0, le=999, description="Status of the answer; 0: there was none.")] = 0
    content_type: Annotated[str, Meta(max_length=256, examples=["text/html"])] = ""
    redirect: Annotated[LongText, Meta(description="Where it sends to, as a whole URL.")] = ""
    links_left_out: Annotated[Whole, Meta(description="Links that it has besides those reported.")] = 0


class Site(Struct, kw_only=True, gc=False):
    """A reserved site with its pages."""

    fqdn: Annotated[str, Meta(min_length=1, max_length=300, examples=["www.example.com"])]
    reservation: Annotated[Whole, Meta(description="Its number in the list; left out: found by site.")] = 0
    fqdn_crawl_delay: Annotated[Seconds | None, Meta(description="As robots.txt says.")] = None
    fqdn_last_ipv4: Address | None = None
    fqdn_last_ipv6: Address | None = None
    round_trip: Annotated[Seconds | None, Meta(description="Seconds to the first byte.")] = None
    retry_after: Annotated[
        Seconds | None, Meta(description="Seconds from now to leave the site alone, beyond its crawl delay.")
    ] = None
    partial: Annotated[
        bool,
        Meta(
            description="More of this list follows: what is not reported stays reserved, from now for as long as it "
            "was at first. Without pages it only renews."
        ),
    ] = False
    url_list: Annotated[list[Page], Meta(max_length=MOST_PAGES)] = []


class FlatPage(Page, kw_only=True, gc=False):
    """A page beside its site; without url_last_visited, and if it is not said to have failed, it was discovered."""

    fqdn: Annotated[str, Meta(max_length=300)] | None = None


class Results(Struct, kw_only=True):
    """What a fetcher found: sites with their pages, or (as the thesis's collector had it) both side by side."""

    uuid: UUID
    key: Key = ""
    fqdn_count: Whole | None = None
    fqdns: Annotated[list[Site], Meta(max_length=MOST_SITES)] = []
    url_count: Whole | None = None
    urls: Annotated[list[FlatPage], Meta(max_length=100_000)] = []


class AsideReport(FetcherKey, kw_only=True):
    """The report of one page that could not be taken."""

    fqdn: Annotated[str, Meta(max_length=300)]
    reservation: Whole = 0
    url: Annotated[str, Meta(max_length=8192)]
    number: Whole = 0
    why: Annotated[str, Meta(max_length=300, examples=["500: internal error"])] = ""


class SeedUrl(Struct, kw_only=True):
    """A URL to know of."""

    url: Annotated[str, Meta(examples=["https://www.example.com/"])]
    url_pagerank: Annotated[float, Meta(ge=0, le=1e6)] = 0.0
    url_discovery_date: Moment | None = None
    url_last_visited: Moment | None = None
    url_bot_excluded: bool = False
    fqdn_crawl_delay: Seconds | None = None


class SeedList(Struct, forbid_unknown_fields=True, kw_only=True):
    """URLs to know of, in one body."""

    urls: Annotated[list[SeedUrl | str], Meta(max_length=1_000_000)]


class PutUrl(Struct, kw_only=True, gc=False):
    """A URL as a client has it: found somewhere; or known, with when to fetch it again."""

    url: Annotated[str, Meta(examples=["https://www.example.com/"])]
    fqdn: Annotated[str, Meta(max_length=LONGEST_KEY, description="Its site; left out: its host.")] = ""
    known: Annotated[bool, Meta(description="It was fetched: it is unlocked, and due again as estimated.")] = False
    due: Annotated[Moment | Epoch | None, Meta(description="When to fetch it (again); said of a known one.")] = None
    completed: Annotated[bool, Meta(description="Never to be fetched again; said of a known one.")] = False
    metadata: Annotated[dict[str, list[str]], Meta(description="Kept with it, and handed out with it.")] = {}


class PutUrls(Struct, forbid_unknown_fields=True, kw_only=True):
    """URLs of a crawl, each to be acknowledged."""

    crawl: CrawlName = ""
    urls: Annotated[list[PutUrl], Meta(max_length=MOST_URLS)]


class WantedUrls(Struct, forbid_unknown_fields=True, kw_only=True):
    """Single URLs to lock."""

    crawl: Annotated[CrawlName | None, Meta(description="Null: any crawl.")] = ""
    fqdn: Annotated[str, Meta(max_length=LONGEST_KEY, description="Of this site alone.")] = ""
    sites: Annotated[int, Meta(ge=1, le=MOST_SITES, description="Of so many sites at most.")] = 10
    urls: Annotated[int, Meta(ge=1, le=MOST_PAGES, description="So many of each at most.")] = 10
    seconds: Annotated[float, Meta(gt=0, le=2_592_000.0, description="How long nobody else gets them.")] = 30.0


class SiteControl(Struct, forbid_unknown_fields=True, kw_only=True):
    """What an operator says about a site; what is left out stays."""

    crawl: CrawlName = ""
    fqdn: Annotated[str, Meta(min_length=1, max_length=LONGEST_KEY, examples=["www.example.com"])]
    crawl_delay: Annotated[
        Seconds | UnsetType | None, Meta(description="Between two requests; null: none of its own, but the default.")
    ] = UNSET
    blocked_until: Annotated[
        Moment | Epoch | UnsetType | None,
        Meta(description="Nothing of it is handed out before; null or 0 takes it back."),
    ] = UNSET
    limit: Annotated[
        Whole | UnsetType, Meta(description="So many completed URLs, and nothing more is handed out; 0: no limit.")
    ] = UNSET


class SiteKey(Struct, forbid_unknown_fields=True, kw_only=True):
    """Which site."""

    crawl: CrawlName = ""
    fqdn: Annotated[str, Meta(min_length=1, max_length=LONGEST_KEY, examples=["www.example.com"])]


class Delay(Struct, forbid_unknown_fields=True, kw_only=True):
    """Of sites that have none of their own."""

    crawl_delay: Annotated[Seconds, Meta(description="Between two times that single URLs of a site are locked.")]


class CrawlKey(Struct, forbid_unknown_fields=True, kw_only=True):
    """Which crawl."""

    crawl: Annotated[str, Meta(min_length=1, max_length=LONGEST_KEY, pattern=_PLAIN, examples=["news"])]


_DEFAULTS = FrontierSettings()


def _setting(name: str, description: str = "") -> Meta:
    """Of a setting by our name; what is left out is as ``FrontierSettings`` has it."""
    return Meta(description=description or None, extra_json_schema={"default": getattr(_DEFAULTS, name)})


def _old(name: str) -> Meta:
    """Of its name in Gäbeler's Table C-14 (``THESIS_NAMES``)."""
    return Meta(description=f"Old name of {name}, until the next version.", extra_json_schema={"deprecated": True})


class Settings(Struct, forbid_unknown_fields=True, kw_only=True):
    """The global settings; PUT resets what is left out. Old names are understood as well."""

    sites: Annotated[Amount | UnsetType, _setting("sites")] = UNSET
    pages: Annotated[Length | UnsetType, _setting("pages")] = UNSET
    site_order: Annotated[SiteOrder | UnsetType, _setting("site_order", "Which sites come first.")] = UNSET
    partitioning: Annotated[Partitioning | UnsetType, _setting("partitioning", "Which fetcher gets which site.")] = (
        UNSET
    )
    page_order: Annotated[PageOrder | UnsetType, _setting("page_order", "Which pages of a site come first.")] = UNSET
    default_delay: Annotated[
        Seconds | UnsetType, _setting("default_delay", "Seconds between two requests to a site that states none.")
    ] = UNSET
    revisit_share: Annotated[
        Share | UnsetType | None, _setting("revisit_share", "Two queues: share of pages seen before.")
    ] = UNSET
    lease_seconds: Annotated[
        LeaseSeconds | UnsetType, _setting("lease_seconds", "How long a fetcher has a site to itself.")
    ] = UNSET
    release_on_report: Annotated[
        bool | UnsetType,
        _setting("release_on_report", "A report ends the lease; false: it lasts until it expires."),
    ] = UNSET
    revisit_after: Annotated[
        Seconds | UnsetType | None,
        _setting("revisit_after", "Counts from the next visit of each page; null: by its change rate."),
    ] = UNSET
    fqdn_amount: Annotated[Annotated[int, Meta(ge=0, le=MOST_SITES)] | UnsetType, _old("sites")] = UNSET
    url_amount: Annotated[Annotated[int, Meta(ge=0, le=MOST_PAGES)] | UnsetType, _old("pages")] = UNSET
    long_term_prio_mode: Annotated[SiteOrder | UnsetType, _old("site_order")] = UNSET
    long_term_part_mode: Annotated[Partitioning | UnsetType, _old("partitioning")] = UNSET
    short_term_prio_mode: Annotated[PageOrder | UnsetType, _old("page_order")] = UNSET
    default_crawl_delay: Annotated[Seconds | UnsetType, _old("default_delay")] = UNSET
    reservation_seconds: Annotated[LeaseSeconds | UnsetType, _old("lease_seconds")] = UNSET
    release_on_submit: Annotated[bool | UnsetType, _old("release_on_report")] = UNSET
    # What simulated fetchers go by (Table C-14): shown if somebody has put it, for the frontier goes by none of it.
    logging_mode: Annotated[int, Meta(ge=0, le=50)] | UnsetType = UNSET
    crawling_speed_factor: Annotated[float, Meta(gt=0, le=1e9)] | UnsetType = UNSET
    parallel_process: Annotated[int, Meta(ge=1, le=100_000)] | UnsetType = UNSET
    parallel_fetcher: Annotated[int, Meta(ge=1, le=100_000)] | UnsetType = UNSET
    iterations: Annotated[int, Meta(ge=0, le=2**31)] | UnsetType = UNSET
    min_links_per_page: Annotated[int, Meta(ge=0, le=10_000)] | UnsetType = UNSET
    max_links_per_page: Annotated[int, Meta(ge=0, le=10_000)] | UnsetType = UNSET
    lpp_distribution_type: Annotated[str, Meta(pattern=_DISTRIBUTION)] | UnsetType = UNSET
    internal_vs_external_threshold: Share | UnsetType = UNSET
    new_vs_existing_threshold: Share | UnsetType = UNSET


SettingsPatch = defstruct(
    "SettingsPatch",
    [(name, kind | None | UnsetType, UNSET) for name, kind in get_type_hints(Settings, include_extras=True).items()],
    namespace={"__doc__": "Settings to change: what is left out stays as it is, null is its default."},
    module=__name__,
    forbid_unknown_fields=True,
    kw_only=True,
)


class ExampleDatabase(Struct, forbid_unknown_fields=True, kw_only=True):
    """The example database to generate (spec §4.3)."""

    fetcher_amount: Annotated[int, Meta(ge=0, le=10_000)] = 3
    fqdn_amount: Annotated[int, Meta(ge=0, le=1_000_000)] = 20
    min_url_amount: Annotated[int, Meta(ge=0, le=1_000_000)] = 10
    max_url_amount: Annotated[int, Meta(ge=0, le=1_000_000)] = 100
    visited_ratio: Share = 0.0
    fixed_crawl_delay: Seconds | None = None
    connection_amount: Annotated[int, Meta(ge=0, le=100)] = 0
    seed: Annotated[int, Meta(ge=0, le=2**31)] = 0


class Deletion(Struct, forbid_unknown_fields=True, kw_only=True):
    """What to delete; everything defaults to no."""

    delete_fetcher_hashes: bool = False
    delete_fetchers: bool = False
    delete_urls: bool = False
    delete_fqdns: bool = False
    delete_reserved_fqdns: bool = False
    delete_url_refs: bool = False
