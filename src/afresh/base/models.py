"""The values that travel between layers: frozen, slotted, in seconds since 1970 UTC."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from afresh.base.value_class import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from afresh.base.records.explained import Belief, HeldBack, PriceOrigin
    from afresh.base.records.history import Document
    from afresh.base.records.links import CheckRecord
    from afresh.base.records.pages import Heard, ListedPage
    from afresh.base.records.watches import PageRecord

    Row = NDArray[np.float64]
else:  # where nobody calculates, nobody waits for numpy
    Row = Any


def no_numbers() -> Row:
    """The row of what has no state."""
    import numpy as np  # noqa: PLC0415

    return np.empty(0)


class Kind(StrEnum):
    """What a resource is watched for."""

    FEED = "feed"  # new entries
    PAGE = "page"  # changes of its text
    LINK = "link"  # whether it is still the page that was saved
    SITEMAP = "sitemap"  # pages to watch, and hints that they changed; also a robots.txt that names sitemaps


class Status(StrEnum):
    """Whether a resource is visited at all."""

    ACTIVE = "active"
    PAUSED = "paused"  # by the operator; a page that was named for a feed that is watched already
    GONE = "gone"  # the server said 410
    BLOCKED = "blocked"  # too many failures, only if the operator asked for the 10 : 1 rule
    DAMAGED = "damaged"  # what the store has of it cannot be read; set aside until it is mended


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of the interval between polls, in seconds (Reichert §4.2.1)."""

    shortest: float = 60.0  # never shorter
    longest: float = 86_400.0  # never longer
    standard: float = 3_600.0  # where no interval can be computed


@dataclass(frozen=True, slots=True)
class Window:
    """The entries a feed's document showed: identity and corrected publication time, ascending by time.

    An empty document does not replace the stored window (Reichert §3.7.8), so a later document is compared with the
    last one that had entries.
    """

    uids: tuple[bytes, ...] = ()
    times: Row = field(default_factory=no_numbers)
    ids: tuple[bytes, ...] = ()  # marks of what entries have to themselves, in that order, b"": nothing; (): not known

    def __len__(self) -> int:
        return len(self.uids)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Window) or (self.uids, self.ids) != (other.uids, other.ids):
            return False
        if len(self.times) != len(other.times):
            return False
        return bool((self.times == other.times).all())

    def __hash__(self) -> int:
        return hash(self.uids)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedFacts:
    """What a feed's document and its HTTP headers say about the feed itself."""

    format: str = ""  # "rss20", "atom10", "json11", ...; empty: never parsed
    title: str = ""
    site_url: str = ""
    language: str = ""
    ttl: float | None = None  # RSS ttl, seconds
    skip_hours: tuple[int, ...] = ()  # hours (UTC) without updates
    skip_days: tuple[int, ...] = ()  # weekdays, Monday = 0, without updates
    update_period: float | None = None  # sy:updatePeriod / sy:updateFrequency, seconds
    cloud: str = ""  # RSS cloud endpoint, empty: none
    hub: str = ""  # WebSub hub, empty: none
    self_url: str = ""
    has_ids: bool = False
    has_dates: bool = False
    request_time_dates: bool = False  # all dates are made when the document is asked for
    also_announced: tuple[str, ...] = ()  # other feeds of the page that somebody named for this one
    answered_at: str = ""  # of a feed whose address leads to another server: where its last document came from


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosure:
    """A file that belongs to an entry: an episode, a video, a picture."""

    url: str
    type: str = ""  # media type as written, empty: not said
    length: int | None = None  # bytes, None: not said


class Deferred:
    """Fields that are read when somebody asks for one of them: most entries of a document are known already."""

    __slots__ = ("_source",)
    _source: tuple[Callable[[Any], tuple[object, ...]], Any]  # read(source) -> the fields
    FIELDS: ClassVar = ("author", "summary", "content", "categories", "language", "enclosures")

    def __getattr__(self, name: str) -> Any:
        # Only a field that was left empty comes here.
        if name not in Deferred.FIELDS:
            raise AttributeError(name)
        try:
            read, source = self._source
        except AttributeError:  # another thread was quicker
            return object.__getattribute__(self, name)
        for field_name, value in zip(Deferred.FIELDS, read(source), strict=True):
            object.__setattr__(self, field_name, value)
        object.__delattr__(self, "_source")  # which may be large
        return getattr(self, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedEntry(Deferred):
    """An entry as a document gives it."""

    title: str = ""
    link: str = ""
    native_id: str = ""  # Atom id, RSS guid, JSON Feed id: as written, outer blanks gone
    published: float | None = None  # as published, before any correction; None: no usable date
    date_source: str = ""  # the element the date came from: "published", "updated", "pubDate", "dc:date", ...
    updated: float | None = None
    author: str = ""
    summary: str = ""  # plain or HTML as received; escaped or sandboxed where it is shown
    content: str = ""
    categories: tuple[str, ...] = ()
    language: str = ""  # of this entry where it says so itself, else empty: that of the feed
    enclosures: tuple[Enclosure, ...] = ()


class ReadPath(StrEnum):
    """Which reader a document went through."""

    JSON = "json"
    FAST = "fast"  # well-formed UTF-8: expat alone
    TREE = "tree"  # another encoding, a document type, or something to repair: libxml2
    PATIENT = "patient"  # tags that do not fit together: one tag after the other


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedDocument:
    """A parsed feed, with what had to be repaired to read it."""

    facts: FeedFacts
    entries: tuple[ParsedEntry, ...]
    # Two documents are equal that say the same, however they had to be read.
    path: ReadPath = field(default=ReadPath.FAST, compare=False)
    repaired: tuple[str, ...] = field(default=(), compare=False)  # in plain words; empty: nothing


class Revised(NamedTuple):
    """A known entry that says something else now."""

    published: float  # corrected, at its first sight: where the store finds it
    parsed: ParsedEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry of a feed's stream, with its identity and corrected time."""

    uid: bytes  # SHA-1 over title, link and native id (Reichert Alg. 1)
    published: float  # corrected; what intervals and delays are computed from
    published_raw: float | None  # as published
    found: float  # time of the poll that found it
    initial: bool = False  # was in the first window: no delay is counted
    after_gap: bool = False  # first of a window that did not overlap the one before: a miss may lie in front of it
    parsed: ParsedEntry

    @property
    def dated(self) -> float:
        """When its publisher says it was published: what readers are told. Without a usable date, the time used."""
        raw = self.published_raw
        return self.published if raw is None or raw > self.found else raw

    @property
    def delay(self) -> float | None:
        """Seconds from publication to finding.

        None: not known. It was in the first window, has no date, or bears one at which it was not there yet.
        """
        return None if self.initial or self.published >= self.found else self.found - self.published


# --- one request and what became of it -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What the caller knows of the site it asks; the gate does the rest."""

    leased: str = ""  # the site whose lease the caller holds; empty: none, the gate takes what it needs
    pause: float = 0.0  # seconds the site is known to want between two requests
    is_shared: bool = True  # others may ask the same site soon, so its pace has to be known
    until: float | None = None  # a turn after this is not waited for; None: the gate's own patience
    held_until: float = 0.0  # when the lease ends: as long a redirect may wait for the next turn of the same site


NO_TERMS = Terms()  # nothing is known


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the fetcher is asked to do."""

    url: str
    etag: str = ""  # sent back exactly as received
    last_modified: str = ""
    answered_at: str = ""  # the address whose server gave these two; empty: that of the URL
    no_cache: bool = False
    accept: str = "*/*"
    as_of: float | None = None  # of an archive: the copy nearest to this moment is wanted (RFC 7089)
    is_crawl: bool = False  # nobody asked for this very URL now: robots.txt counts
    follows: bool = True  # redirects; False: the first one ends it
    is_feed: bool = False  # it may be as large as feeds may be
    enough: int = 0  # bytes that will do: the rest is not read; 0: all of it, within the limits
    error_bytes: int = 0  # for an archive: so much of the body of an error or redirect is read; 0: none
    is_archived: bool = False  # what is sent is told, too
    render: bool = False  # a browser runs the page's scripts; the document is what they have made of it
    screenshot: bool = False  # of a rendered page: with a picture of what it shows
    terms: Terms = NO_TERMS


@dataclass(frozen=True, slots=True)
class Redirect:
    """One hop: the status that sent us on, and where to."""

    status: int
    url: str
    fragment: str = ""  # which part of it, where the server said so

    @property
    def is_permanent(self) -> bool:
        return self.status in (301, 308)


@dataclass(frozen=True, slots=True)
class ReceivedHead:
    """The head of an answer as it was received, for an archive."""

    version: str  # of HTTP: "1.1"
    reason: str
    fields: tuple[tuple[str, str], ...]  # in their order and spelling
    address: str = ""  # of who answered; '': behind a proxy nobody knows


Octets = bytes  # within a class that has a field called bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Trip:
    """What every request has, however it ended."""

    url: str
    final_url: str
    started: float
    finished: float
    bytes: int = 0  # received over the wire, headers included as far as known
    redirects: tuple[Redirect, ...] = ()  # the last may be one that was not followed: a loop, a wish, or time was up
    requests: int = 1  # that left us, robots.txt not counted; 0: we did not get that far
    robots_requests: int = 0  # for robots.txt, of any site on the way
    robots_bytes: int = 0  # that came with them
    headers: Mapping[str, str] = field(default_factory=dict)  # of the last answer, lower-case names
    robots_read: bool = False  # robots.txt was looked at for this request
    crawl_delay: float | None = None  # seconds between requests it asks for; None: it does not
    sent: tuple[tuple[str, str], ...] = ()  # headers of the last request without secrets, where they are archived
    error_body: Octets = b""  # of an error or redirect, as far as it was read
    is_cut: bool = True  # whether that is not all of it
    head: ReceivedHead | None = None  # of the last answer, where it is archived


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A document arrived."""

    trip: Trip
    status: int
    body: bytes
    picture: bytes = b""  # what a rendered page shows, as ``parse.pictures`` keeps it; empty: none was taken


@dataclass(frozen=True, slots=True, kw_only=True)
class NotModified:
    """304: what we have is current."""

    trip: Trip


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """The server answered with an error status."""

    trip: Trip
    status: int
    retry_after: float | None = None  # seconds
    said: bytes = b""  # of a refusal (403, 429, 503) the beginning of its page: who keeps robots out says so there


class Failure(StrEnum):
    """Why no answer came, or none that could be used."""

    DNS = "dns"
    CONNECT = "connect"
    TLS = "tls"
    TIMEOUT = "timeout"
    TOO_LARGE = "too_large"  # includes decompression bombs
    REDIRECTS = "redirects"  # loop or too many
    PROTOCOL = "protocol"  # not HTTP, broken encoding, invalid redirect
    ADDRESS = "address"  # not a public address
    ROBOTS = "robots"  # robots.txt forbids it
    LATER = "later"  # not asked yet: the site wants a long pause, or its robots.txt cannot be read
    OFFLINE = "offline"  # our own network is down: not the feed's fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """No usable answer came."""

    trip: Trip
    cause: Failure
    detail: str = ""
    retry_after: float | None = None  # seconds; with LATER and ROBOTS: when it is worth another try
    site_rest: float = 0.0  # seconds; with LATER: how long the site of the lease is to be left alone, whoever asks

    def __str__(self) -> str:
        """For people: the cause, and what is known of it."""
        cause = self.cause.replace("_", " ")
        return self.detail if self.cause is Failure.LATER else f"{cause}: {self.detail}" if self.detail else cause


Outcome = Fetched | NotModified | Rejected | Failed


class Result(StrEnum):
    """What a visit came to, as it is counted."""

    NEW = "new"  # new entries, or a changed page
    SAME = "same"  # a document without news
    NOT_MODIFIED = "not_modified"  # 304
    UNPARSABLE = "unparsable"
    THROTTLED = "throttled"  # 429, or 503 with Retry-After
    HTTP_ERROR = "http_error"
    GONE = "gone"  # 410
    UNREACHABLE = "unreachable"
    REFUSED = "refused"  # by us: robots, address, size
    OFFLINE = "offline"  # our own network

    @property
    def is_success(self) -> bool:
        return self in (Result.NEW, Result.SAME, Result.NOT_MODIFIED)

    @property
    def is_failure(self) -> bool:
        """Whether it counts as one; not if we were too quick, or our own network is down."""
        return not self.is_success and self not in (Result.THROTTLED, Result.OFFLINE)


# --- resources, sites, visits ----------------------------------------------------------------------------------------


#: ``state_of`` a page that a person chose by itself, until its first visit; others were found, by a sitemap say
CHOSEN = "chosen"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewResource:
    """A URL to be watched, already canonical."""

    url: str
    site: str
    kind: Kind = Kind.FEED
    status: Status = Status.ACTIVE  # PAUSED: kept, and not visited before somebody says so
    title: str = ""
    folder: str = ""
    tags: tuple[str, ...] = ()
    weight: float = 1.0
    rule: str | None = None
    pinned: float | None = None
    note: str = ""  # what its owner wrote about it
    saved: float | None = None  # when its owner saved it elsewhere; None: not known
    home: str = ""  # of a feed: the page it belongs to, until the feed says so itself
    due: float | None = None  # first visit; None: at once
    state: Row = field(default_factory=no_numbers, compare=False)  # what its rule may start from
    state_of: str = ""  # the rule that is


@dataclass(frozen=True, slots=True)
class Added:
    """What became of one URL that was added."""

    id: int
    url: str
    is_new: bool
    has_moved: bool = False  # it is known, and has another address now


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceFilter:
    """Which resources a listing shows; None means any."""

    kind: Kind | None = None
    status: Status | None = None
    folder: str | None = None  # or one below it; '': those in none
    tag: str | None = None
    site: str | None = None
    failing: bool | None = None  # the last visit failed, or a page does not show what is watched of it
    repaired: bool | None = None  # whether its document had to be repaired to be read
    text: str = ""  # words in URL, title, tags or folder, see ``base.search_words``


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """How the visits of a resource went."""

    ok: int = 0
    not_modified: int = 0
    unreachable: int = 0  # network failures and HTTP errors
    unparsable: int = 0
    misses: int = 0  # windows that did not overlap (potential gaps)
    entries: int = 0
    failures: int = 0  # failures in a row
    bytes: int = 0

    @property
    def failed(self) -> int:
        return self.unreachable + self.unparsable


@dataclass(frozen=True, slots=True, kw_only=True)
class Validators:
    """What the last answer gave us to ask conditionally with, exactly as received."""

    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moving:
    """A permanent redirect we have seen but do not trust yet."""

    target: str = ""
    days: int = 0  # different days on which it was seen
    last_day: int = -1  # days since 1970


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """Everything afresh knows about one URL between two visits."""

    id: int
    url: str
    site: str
    kind: Kind = Kind.FEED
    status: Status = Status.ACTIVE
    title: str = ""
    folder: str = ""
    tags: tuple[str, ...] = ()
    weight: float = 1.0
    rule: str | None = None  # rule by name; None: the default of the settings
    pinned: float | None = None  # the operator's own interval, seconds
    shortest: float | None = None  # bounds of this resource; None: those of the settings
    longest: float | None = None
    standard: float | None = None
    added: float = 0.0
    due: float = 0.0
    last_visit: float | None = None  # any visit
    last_ok: float | None = None  # last successful one
    last_interval: float | None = None
    state: Row = field(default_factory=no_numbers, compare=False)  # the rule's numbers
    state_of: str = ""  # the rule they belong to
    window: Window = field(default_factory=Window)
    capacity: int = 0  # largest window seen
    validators: Validators = field(default_factory=Validators)
    moving: Moving = field(default_factory=Moving)
    facts: FeedFacts = field(default_factory=FeedFacts)
    max_age: float | None = None  # of the last answer, seconds
    clock_offset: float = 0.0  # ours minus the server's, seconds
    counters: Counters = field(default_factory=Counters)
    pattern: str = ""  # update-pattern class
    last_result: Result | None = None
    error: str = ""  # of the last visit, empty: none
    reason: str = ""  # why the next visit is when it is
    turn: float | None = None  # its place in the order of its site; None: it has none and is visited by ``due``
    frequency: float = 0.0  # visits a second planned for a page in turn
    announced: Mapping[str, int] = field(default_factory=dict)  # changes announced since the last visit, by signal
    note: str = ""  # what its owner wrote about it
    saved: float | None = None  # when its owner saved it elsewhere; None: not known
    repaired: tuple[str, ...] = ()  # what had to be repaired in the document read last; empty: nothing


@dataclass(frozen=True, slots=True)
class TakenSite:
    """A site that is somebody's for one request, by a lease without a resource."""

    lease: int
    pause: float  # seconds it wants between two requests: the operator's wish or its Crawl-delay


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One row of the log: what was asked, what came, what was decided."""

    resource: int
    started: float
    finished: float
    result: Result
    status: int | None = None
    bytes: int = 0
    etag: str = ""
    last_modified: str = ""
    date: float | None = None  # the server's clock
    expires: float | None = None
    max_age: float | None = None
    window_size: int | None = None
    new: int = 0
    missed: bool = False
    next_due: float = 0.0
    reason: str = ""
    error: str = ""
    repaired: tuple[str, ...] = ()  # what had to be repaired in the document to read it

    @property
    def was_kept_back(self) -> bool:
        """Whether it is to be made later, by our own doing: nobody was asked, and nobody is to blame."""
        return self.result is Result.THROTTLED and self.status is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """What a visit does to the pace of its site."""

    added: float = 0.0  # visits a second its pages are given more than before; negative: fewer
    at: float | None = None  # until when the site's own time has run; None: as it was
    next_turn: float | None = None  # when the next page's turn is; None: as it was
    speed: float | None = None  # turns a second of a site that had no page yet
    called: tuple[int, float] | None = None  # the page that is served next, and the first place, which it gets
    state: Row | None = None  # the policy's numbers of the site; None: as they were
    own_price: float = 0.0  # of the site, where that was in force and not the price of all; not kept


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteState:
    """What the store keeps of a site for the sake of its pages."""

    crawl_delay: float | None = None  # of its robots.txt, seconds; None: it does not ask for one
    answer: float = 0.0  # seconds an answer takes, smoothed; 0: not known
    price: float = 0.0  # its own, where its politeness binds; 0: it does not
    frequency: float = 0.0  # visits a second planned for its pages together
    turn: float = 0.0  # its own time, in turns
    next_turn: float | None = None  # when the next page's turn is; None: never planned
    turn_at: float | None = None  # when ``turn`` was true; None: it stands still
    speed: float | None = None  # turns a second; None: as ``frequency``
    row: Row = field(default_factory=no_numbers, compare=False)  # the page policy's numbers of the site

    def turn_now(self, now: float) -> float:
        """The site's own time."""
        return self.turn + (0.0 if self.turn_at is None else self.pace * max(0.0, now - self.turn_at))

    @property
    def pace(self) -> float:
        """Turns a second. They follow the price and not the number of pages: who joins moves nobody."""
        return self.frequency if self.speed is None else self.speed


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The unit of politeness."""

    name: str
    delay: float | None = None  # seconds between requests; None: the settings' minimum
    next_allowed: float = 0.0  # no request before this
    retry_after: float | None = None  # until when the server asked us to stay away
    ready: float = 0.0  # when the site's next request may and should be made
    resources: int = 0
    requests: int = 0
    failures: int = 0  # in a row, over all its resources
    leased_by: str = ""
    leased_until: float = 0.0
    leased_resource: int | None = None  # that is being visited; None: nobody has the site, or for no visit
    state: SiteState = field(default_factory=SiteState)  # for the sake of its pages


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A resource handed to one fetcher; its site is nobody else's until the report or the expiry."""

    id: int
    site: str
    until: float
    resource: Resource
    pause: float = 0.0  # seconds between two requests that the site is known to want: its own, or its Crawl-delay
    is_shared: bool = False  # the site has other resources as well

    @property
    def terms(self) -> Terms:
        """What the gate has to know for a request of this visit."""
        return Terms(leased=self.site, pause=self.pause, is_shared=self.is_shared, held_until=self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a fetcher hands back for a lease: applied in one transaction, or not at all."""

    lease: int
    visit: Visit
    resource: Resource  # as it shall be from now on
    next_allowed: float  # of the site
    retry_after: float | None = None  # of the site: until when
    entries: tuple[Entry, ...] = ()  # new ones, in order of publication
    revised: tuple[Revised, ...] = ()  # known ones by their own marks, with another title or link
    lost: float = 0.0  # entries taken for lost before these, by estimate; of the totals
    document: Document | None = None
    link: CheckRecord | None = None  # of a visit that checked a link
    parts: tuple[CheckRecord, ...] = ()  # and of other links to the same page, and to parts of it
    page: PageRecord | None = None  # of a visit that saw a page
    pace: Pace = field(default_factory=Pace)  # what the visit does to the pace of its site
    is_guess: bool = False  # its next visit was planned before anything was known of it; not kept
    heard: Heard | None = None  # what it says about signals; None: nothing
    robots_read: bool = False  # ``crawl_delay`` is what robots.txt says now
    crawl_delay: float | None = None
    listed: tuple[ListedPage, ...] = ()  # pages a sitemap names
    sitemaps: tuple[ListedPage, ...] = ()  # sitemaps an index or robots.txt names


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why the next visit is when it is, in words and numbers."""

    rule: str
    summary: str
    numbers: Mapping[str, float] = field(default_factory=dict)
    price: PriceOrigin | None = None  # None: no price has a say
    watched: tuple[str, ...] = ()  # which part of a page is watched, which is left out
    readers: tuple[str, ...] = ()  # who reads its entries, in words, the most important first
    beliefs: tuple[Belief, ...] = ()  # of each estimator, whoever decided
    site_rests: str = ""  # why its site is left alone for a while, in words; empty: it is not
    target: str = ""  # the quality target it belongs to and what has become of that, in words; empty: none
    held: HeldBack | None = None  # by the budget, though it is due; None: it is not
    redirect: str = ""  # a permanent redirect that is not followed yet, in words; empty: none
    checked: float | None = None  # of a link that was never visited: when ``afresh check`` looked at it; None: never
