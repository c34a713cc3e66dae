"""All settings in one frozen value: a section for each concern, with names, types and defaults."""

import math
from dataclasses import field
from ipaddress import ip_network

from afresh import __version__
from afresh.base.default_rule import DEFAULT_RULE
from afresh.base.errors import ConfigError
from afresh.base.models import Bounds
from afresh.base.passwords import hide_password
from afresh.base.value_class import dataclass

#: Who we are and where a webmaster reads what we do and how to stop us.
USER_AGENT = f"afresh/{__version__} (+https://afresh.readthedocs.io/bot)"

#: What the demo and the tests pass as ``allowed_networks`` to reach their own servers.
LOOPBACK = ("127.0.0.0/8", "::1/128")


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchSettings:
    """Limits of one request and of the client as a whole; seconds and bytes.

    The size and the total time are those of Reichert §3.5.6 (1 MB, 3 minutes).
    """

    user_agent: str = USER_AGENT
    max_bytes: int = 1_000_000  # of a body on the wire
    max_feed_bytes: int = 8_000_000  # of a feed's: those of podcasts and of whole articles have several million
    max_decoded_bytes: int = 8_000_000  # of a body after decompression: feeds shrink to a fifth, bombs to a thousandth
    max_links: int = 10_000  # of a page, reported to a frontier
    max_header_bytes: int = 32_768  # of one header line; content security policies outgrow the usual 8 kB
    max_headers: int = 128
    connect_timeout: float = 20.0  # name resolution, connection and TLS handshake together
    read_timeout: float = 60.0  # silence between two pieces of an answer
    total_timeout: float = 180.0  # all hops of a request together
    max_redirects: int = 10
    allow_private: bool = False  # True: the address guard is off
    allowed_networks: tuple[str, ...] = ()  # exceptions from the guard, in CIDR notation
    no_cache: bool = False  # ask caches on the way for a fresh copy with every request (Reichert §2.5.8)
    concurrency: int = 64  # requests in flight; one at a time to a site is the business of the gate
    # Idle connections are kept that long: less than the 5 s after which common servers close theirs, for a request on a
    # connection just closed fails, and repeating it unasked would press the server.
    keep_alive: float = 4.0
    dns_ttl: float = 60.0  # answers of the resolver are remembered that long
    respect_robots: bool = True  # for pages and links
    respect_robots_for_feeds: bool = False  # a subscribed feed is fetched on behalf of a person who asked for it
    proxy: str = ""  # "http://host:port"; empty: none, whatever the environment says
    passwords: tuple[str, ...] = ()  # "host=name:password": for that host alone, at whatever hop
    headers: tuple[str, ...] = ()  # "host=Name: value", likewise

    def __post_init__(self) -> None:
        for option, form in (("passwords", "example.org=name:password"), ("headers", "example.org=X-Api-Key: 123")):
            for number, line in enumerate(getattr(self, option), 1):
                host, _, value = line.partition("=")
                if not host.strip() or ":" not in value:  # a secret is not repeated
                    raise ConfigError(
                        f"fetch.{option}: number {number} is not of the form {form}", option=f"fetch.{option}"
                    )
        for network in self.allowed_networks:
            try:
                ip_network(network)
            except ValueError as error:
                raise ConfigError(
                    f"fetch.allowed_networks: {network!r} is not a network; write several like "
                    '["10.0.0.0/8", "::1/128"], or with blanks in between: 10.0.0.0/8 ::1/128',
                    option="fetch.allowed_networks",
                ) from error
        for name in _POSITIVE:
            if not getattr(self, name) > 0:
                raise ConfigError(f"must be positive: {name} = {getattr(self, name)!r}", option=f"fetch.{name}")
        if self.max_redirects < 0:
            raise ConfigError("must not be negative: max_redirects", option="fetch.max_redirects")
        if not self.user_agent.isascii() or not self.user_agent.isprintable() or not self.user_agent.strip():
            raise ConfigError("must be printable ASCII: user_agent", option="fetch.user_agent")
        if self.proxy and not self.proxy.startswith(("http://", "https://")):
            raise ConfigError(f"not a proxy: {self.proxy!r}; write it like http://host:3128", option="fetch.proxy")


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserSettings:
    """Limits of a browser that renders one page; seconds and bytes."""

    program: str = ""  # path of a Chromium; empty: the one that is installed
    time: float = 30.0  # from the moment it has started until the page must be ready
    settle: float = 10.0  # of these: how long a page that does not come to rest is waited for
    requests: int = 60  # that a page may make besides its own
    max_bytes: int = 10_000_000  # that they may bring together
    memory: int = 1_000_000_000  # of all its processes
    at_once: int = 1  # browsers


_POSITIVE = (
    "max_bytes",
    "max_feed_bytes",
    "max_decoded_bytes",
    "max_links",
    "max_header_bytes",
    "max_headers",
    "connect_timeout",
    "read_timeout",
    "total_timeout",
    "concurrency",
    "keep_alive",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictSettings:
    """When is a feed polled next?"""

    rule: str = DEFAULT_RULE
    shortest: float = 60.0
    longest: float = 86_400.0
    standard: float = 3_600.0
    ttl: str = "ignore"  # "ignore", "lower" bound or "interval" (Reichert §5.2)
    skips: bool = False  # heed skipHours and skipDays
    clock_offset: bool = True  # shift dates by the server clock's offset
    retrain: float = 7 * 86_400.0  # seconds after which trained profiles are learnt anew

    @property
    def bounds(self) -> Bounds:
        return Bounds(self.shortest, self.longest, self.standard)


@dataclass(frozen=True, slots=True, kw_only=True)
class PolitenessSettings:
    """How a server is spared."""

    delay: float = 5.0  # seconds between two requests to a site
    scope: str = "host"  # what a site is: "host", "domain" or "service"
    services: tuple[str, ...] = ()  # more named services, each "name=suffix,suffix"
    load_factor: float = 0.0  # also wait this many times the last answer took (Mercator: 10)
    trouble_wait: float = 60.0  # a site with a server error or no answer is left alone this long
    retry_after_cap: float = 86_400.0  # longest wait a server may ask for


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisitSettings:
    """When is a page visited next?"""

    policy: str = "site-clocked"
    objective: str = "freshness"  # what visits are for: copies that are "freshness", or little "age"
    shortest: float = 60.0  # interval between visits of a page
    longest: float = 30 * 86_400.0
    second_look: float = 86_400.0  # longest wait for a page's second visit, before which nothing is known about it
    replan: float = 300.0  # seconds after which prices and paces of sites are computed anew, if nothing moved before
    sitemap_every: float = 86_400.0  # between two readings of a sitemap
    pages_per_site: int = 100_000  # most pages taken from the sitemaps of a site
    pages_per_domain: int = 200_000  # the same for all sites of a registrable domain together
    day: float = 86_400.0  # seconds a day lasts on the web that is watched; another value is for webs in fast motion

    @property
    def bounds(self) -> Bounds:
        return Bounds(self.shortest, self.longest, self.shortest)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshSettings:
    """What visits are for."""

    unread: float = 0.2  # worth of an entry that no query feed and no notice reads; counts where there is one at all
    strategy: str = "priced"  # who decides which feeds are visited: "priced" (rules and a price), or in rounds another
    estimator: str = "hybrid"  # what strategies other than "priced" go by
    round: float = 60.0  # seconds between two rounds of these
    fairness: float = 0.4  # what "priced" spends requests on: 0 all entries alike, 1 all feeds alike

    @property
    def has_rounds(self) -> bool:
        """Whether a strategy chooses feeds in rounds, and not each by its rule and a price."""
        return self.strategy != "priced"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSettings:
    """What is kept and told of pages that change."""

    versions: int = 10  # stored versions of a page; 0: none
    keep_for: float = 365 * 86_400.0  # seconds a version is kept after it was seen last; the newest stays
    told: int = 4_000  # characters of a difference in an entry or a notice


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorSettings:
    """What follows a failed visit."""

    first_wait: float = 300.0  # after the first failure; doubles with each further one
    longest_wait: float = 86_400.0  # one try a day for as long as it takes
    block_ratio: float = 0.0  # failures per success that block a feed (Reichert §3.5.6: 10); 0: never
    redirect_days: int = 3  # different days a permanent redirect must be seen before the URL is changed


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepSettings:
    """How much is kept."""

    unparsable: int = 200  # documents that could not be parsed
    archive_news: bool = False  # raw documents of polls with news
    visits: float = 90 * 86_400.0  # seconds the visit log reaches back
    content: int = 20_000  # characters of an entry's text


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopSettings:
    """The daemon's own pace."""

    concurrency: int = 64
    lease: float = 300.0  # seconds until work of a dead process is handed out again
    batch: int = 200  # reports written in one transaction
    flush: float = 0.05  # seconds a report may wait to be written with others


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetSettings:
    """What may be spent, or what shall be reached; at most one of the first three."""

    requests_per_hour: float = 0.0  # 0: no limit
    requests_per_minute: float = 0.0
    mean_delay: float = 0.0  # seconds; a quality target instead of a budget
    bytes_per_hour: float = 0.0
    spend: str = "all"  # of a budget: all, on whoever gains most by it, or as much as is needed without one
    price: float = 1_000.0  # what a request costs where no budget sets a price: seconds of waiting, summed over entries
    every: float = 60.0  # seconds between two corrections of the price
    gain: float = 0.3  # how much of the deviation one correction takes back
    lowest_price: float = 1e-6
    highest_price: float = 1e9

    @property
    def hourly(self) -> float:
        return self.requests_per_hour or 60.0 * self.requests_per_minute

    @property
    def floor(self) -> float:
        """Below this no price falls to use a budget up; 0: whatever is allowed is spent."""
        is_ceiling = self.spend == "needed" and not self.mean_delay and (self.hourly or self.bytes_per_hour)
        return self.price if is_ceiling else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSettings:
    """How links are watched."""

    versions: int = 10  # stored versions of a link
    checks: int = 100  # remembered checks of a link
    failures: int = 3  # in a row before a link is called broken,
    days: int = 3  # on so many different days
    shortest: float = 6 * 3_600.0  # seconds between two checks of a link
    longest: float = 30 * 86_400.0
    probe: bool = True  # compare a page that looks like an error page with the site's answer for an impossible address

    @property
    def bounds(self) -> Bounds:
        return Bounds(self.shortest, self.longest, min(max(86_400.0, self.shortest), self.longest))


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeSettings:
    """How notices are told."""

    every: float = 5.0  # seconds between two looks for something to tell; news wakes it sooner
    failures: int = 3  # in a row, before a feed or page is told of
    batch: int = 50  # events told at once
    lease: float = 90.0  # seconds until a delivery of a dead process is tried again
    first_wait: float = 30.0  # after a target did not take a delivery; doubles with each further try
    longest_wait: float = 6 * 3_600.0
    give_up: float = 3 * 86_400.0  # after so many seconds a delivery is given up
    keep: float = 90 * 86_400.0  # seconds that told events are remembered


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkSettings:
    """Where entries and results go besides the store."""

    to: tuple[str, ...] = ()  # addresses, "ndjson:out"; empty: nowhere
    every: float = 1.0  # seconds between two looks for something to carry over
    first_wait: float = 1.0  # after a sink did not take something; doubles with each further try
    longest_wait: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PushSettings:
    """Hubs that tell us of news, and the hub that tells others of ours."""

    callback: str = ""  # where hubs reach us, "https://afresh.example.org"; empty: nothing is subscribed
    lease: float = 10 * 86_400.0  # seconds a subscription is asked for
    safety: float = 6 * 3_600.0  # interval of polls while a hub has proved that it tells
    hub: str = ""  # announced in our own query feeds and told when they change; empty: none


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSettings:
    """Where everything is kept."""

    url: str = "afresh.db"

    @property
    def shown(self) -> str:
        """The URL as anybody may see it."""
        return hide_password(self.url)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """The door for browsers and programs."""

    host: str = "127.0.0.1"
    port: int = 8080
    tokens: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    passwords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSettings:
    """What the daemon says while it runs."""

    level: str = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierOptions:
    """How a frontier is run; read at start."""

    url: str = "frontier.db"
    workers: int = 1
    join_tokens: tuple[str, ...] = ()
    public_url: str = ""
    allow_private: bool = False
    keep_keys: float = 86_400.0
    links: bool = False
    rank_every: float = 3_600.0
    places: str = ""
    stay: str = ""  # empty, as are the next two: as the frontier keeps it from an earlier start
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    depth: int = -1  # 0: as far as links lead; -1: as the frontier keeps it


@dataclass(frozen=True, slots=True, kw_only=True)
class GrpcSettings:
    """How the frontier is offered to crawlers that speak URLFrontier's gRPC."""

    listen: str = ""  # empty: not at all
    certificate: str = ""
    private_key: str = ""
    open: bool = False
    schedule_known: str = "client"
    content_key: str = "signature"

    @property
    def host(self) -> str:
        return self.listen.rpartition(":")[0].strip("[]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hygiene:
    """Limits of a crawl for failing pages and sites, slow sites and sites without end (``hygiene.*``)."""

    failures: int = 5  # in a row, then the page is not handed out any more
    retry: float = 300.0  # seconds after the first failure; doubles with each
    longest_retry: float = 7 * 86_400.0
    second_look: float = 30 * 86_400.0  # seconds until a page that is not there is asked for once more; 0: it never is
    site_errors: int = 10  # failures in a row, then the site is left alone for ``retry``, doubling
    shortest_revisit: float = 60.0  # seconds; when due times come from change rates
    longest_revisit: float = 90 * 86_400.0
    longest_delay: float = 86_400.0  # seconds between two requests; a site that asks for more gets this
    slow_after: float = 10.0  # seconds an answer may take; a slower site is visited less often
    slow_pause: float = 10.0  # times as long as its answers take, such a site is left alone after a list
    budget: int = 0  # pages a site may have handed out; more wait in its backlog; 0: no limit
    budget_per_referral: float = 1.0  # by which a link from another site raises it

    def room(self, *, held: int, referrals: int) -> float:
        """How many more pages a site may have (Lee et al., IRLbot: budgets grow with links from other sites)."""
        return self.budget + self.budget_per_referral * referrals - held if self.budget else math.inf

    def site_pause(self, errors: int, slow: float) -> float:
        """Seconds to leave a site alone beyond its delay."""
        pause = self.slow_pause * slow if slow > self.slow_after else 0.0
        if errors >= self.site_errors:
            doubled = min(errors // self.site_errors - 1, 60)
            pause = max(pause, min(self.retry * 2.0**doubled, self.longest_retry))
        return pause


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All sections; frozen, so whoever holds it knows it will not change."""

    store: StoreSettings = field(default_factory=StoreSettings)
    fetch: FetchSettings = field(default_factory=FetchSettings)
    browser: BrowserSettings = field(default_factory=BrowserSettings)
    politeness: PolitenessSettings = field(default_factory=PolitenessSettings)
    predict: PredictSettings = field(default_factory=PredictSettings)
    revisit: RevisitSettings = field(default_factory=RevisitSettings)
    pages: PageSettings = field(default_factory=PageSettings)
    refresh: RefreshSettings = field(default_factory=RefreshSettings)
    errors: ErrorSettings = field(default_factory=ErrorSettings)
    keep: KeepSettings = field(default_factory=KeepSettings)
    links: LinkSettings = field(default_factory=LinkSettings)
    loop: LoopSettings = field(default_factory=LoopSettings)
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    notices: NoticeSettings = field(default_factory=NoticeSettings)
    push: PushSettings = field(default_factory=PushSettings)
    sinks: SinkSettings = field(default_factory=SinkSettings)
    service: ServiceSettings = field(default_factory=ServiceSettings)
    frontier: FrontierOptions = field(default_factory=FrontierOptions)
    grpc: GrpcSettings = field(default_factory=GrpcSettings)
    hygiene: Hygiene = field(default_factory=Hygiene)
    log: LogSettings = field(default_factory=LogSettings)
