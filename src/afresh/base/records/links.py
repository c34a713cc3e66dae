"""Links: what a check says of one, and what the store keeps of those that are watched."""

import re
from dataclasses import replace
from enum import StrEnum
from typing import Self

from afresh.base.errors import NotFound, ResourceNotFound, StoreError, UsageError
from afresh.base.models import Validators
from afresh.base.value_class import dataclass


class CheckStatus(StrEnum):
    """Status of one check; the number in ``code`` keeps the thesis's three and fills the gaps."""

    NEW = "content_new"  # answered, nothing to compare with yet
    EQUAL = "content_equal"
    SIMILAR = "content_similar"
    MOVED = "content_moved"  # the content is elsewhere; the new address is offered
    DIFFERENT = "content_different"  # replaced, or turned into something else behind a 200
    MISSING = "content_missing"  # 404 or 410; a file that is not there
    FRAGMENT_MISSING = "fragment_missing"  # the page is there, but no part of it has the name behind "#"
    UNSUPPORTED = "content_unsupported"  # not a page any more
    ACCESS_DENIED = "access_denied"
    SERVER_ERROR = "server_error"
    THROTTLED = "throttled"  # asked to come back later: nothing is known
    NET_NOT_FOUND = "net_not_found"
    NET_UNREACHABLE = "net_unreachable"
    NET_TIMEOUT = "net_timeout"
    OFFLINE = "offline"  # our own network: nothing is known
    REFUSED = "refused"  # by us: robots, address
    PROTOCOL_UNSUPPORTED = "protocol_unsupported"
    SYNTAX_URL = "syntax_url"

    @property
    def code(self) -> int:
        return _CODES[self]

    @property
    def standing(self) -> "Standing":
        return _STANDINGS.get(self, Standing.BROKEN)


class Standing(StrEnum):
    """What a status means for the one who keeps the link."""

    OK = "ok"
    MOVED = "moved"  # works, but the address should be changed
    SUSPECT = "suspect"  # of a watched link: fails, but not yet long enough to be called broken
    BROKEN = "broken"
    UNKNOWN = "unknown"  # could not be told this time

    @property
    def urgency(self) -> int:
        """Its place wherever people read of links: what is broken first, what is well last."""
        return _URGENCY.index(self)


class EntryStatus(StrEnum):
    """Status of a watched link as a whole.  [M03] §4.2: it follows the newest check, equal and similar alike."""

    WAITING = "waiting"  # never checked
    RUNNING = "running"  # a check is under way
    OK = "ok"
    NOT_OK = "not_ok"


class Usage(StrEnum):
    """What the reader means by the link.  [M03] §2.1."""

    REFERENTIAL = "referential"  # the page as a place, whatever it says today
    ATTRIBUTIVE = "attributive"  # this very content
    CHANGING = "changing"  # a place whose content changes by nature: only its end is told

    @property
    def strict(self) -> "Usage":
        """The same for comparisons in which something has to be left of a page."""
        return Usage.REFERENTIAL if self is Usage.CHANGING else self

    @property
    def in_words(self) -> str:
        """For people."""
        return _MEANINGS[self]


_MEANINGS = {
    Usage.REFERENTIAL: "a place, whatever it says today",
    Usage.ATTRIBUTIVE: "this very content",
    Usage.CHANGING: "a page that changes by nature: tell me only if it dies",
}


class Turned(StrEnum):
    """What a page can turn into behind a friendly ``200``."""

    SOFT_404 = "soft_404"
    PARKED = "parked"
    LOGIN_WALL = "login_wall"
    CONSENT_WALL = "consent_wall"
    CAPTCHA = "captcha"
    MAINTENANCE = "maintenance"
    SUSPENDED = "suspended"
    LISTING = "directory_listing"
    ERROR = "error_dump"
    PLACEHOLDER = "placeholder"
    SPAM = "spam"
    TAKEN_OVER = "taken_over"
    FRONT_PAGE = "front_page"  # whoever asks for it is sent to the site's front page
    STAND_IN = "stand_in"  # a few words that nobody knows, where the page was
    EMPTY = "empty"


_CODES = {
    CheckStatus.NEW: 1000,
    CheckStatus.EQUAL: 1010,
    CheckStatus.SIMILAR: 1020,
    CheckStatus.MOVED: 1030,
    CheckStatus.DIFFERENT: 1040,
    CheckStatus.MISSING: 1050,
    CheckStatus.FRAGMENT_MISSING: 1055,
    CheckStatus.UNSUPPORTED: 1060,
    CheckStatus.ACCESS_DENIED: 1070,
    CheckStatus.SERVER_ERROR: 1080,
    CheckStatus.THROTTLED: 1090,
    CheckStatus.NET_NOT_FOUND: 2010,
    CheckStatus.NET_UNREACHABLE: 2020,
    CheckStatus.NET_TIMEOUT: 2030,
    CheckStatus.OFFLINE: 2040,
    CheckStatus.REFUSED: 2050,
    CheckStatus.PROTOCOL_UNSUPPORTED: 3010,
    CheckStatus.SYNTAX_URL: 3020,
}

_STANDINGS = {
    CheckStatus.NEW: Standing.OK,
    CheckStatus.EQUAL: Standing.OK,
    CheckStatus.SIMILAR: Standing.OK,
    CheckStatus.MOVED: Standing.MOVED,
    CheckStatus.THROTTLED: Standing.UNKNOWN,
    CheckStatus.OFFLINE: Standing.UNKNOWN,
    CheckStatus.REFUSED: Standing.UNKNOWN,
    CheckStatus.PROTOCOL_UNSUPPORTED: Standing.UNKNOWN,
}


#: Says nothing about the link: our network, our rules, or a server that asks for patience.
SILENT = frozenset((CheckStatus.OFFLINE, CheckStatus.REFUSED, CheckStatus.THROTTLED))
#: Of a check that brought no page, or nothing that could be compared with one.
_NO_PAGE = frozenset(
    (
        CheckStatus.MISSING,
        CheckStatus.UNSUPPORTED,
        CheckStatus.ACCESS_DENIED,
        CheckStatus.SERVER_ERROR,
        CheckStatus.NET_NOT_FOUND,
        CheckStatus.NET_UNREACHABLE,
        CheckStatus.NET_TIMEOUT,
        CheckStatus.PROTOCOL_UNSUPPORTED,
        CheckStatus.SYNTAX_URL,
    )
)

_URGENCY = (Standing.BROKEN, Standing.MOVED, Standing.SUSPECT, Standing.UNKNOWN, Standing.OK)

SHIPPED = 0  # the number of the model that came with afresh
_MODEL = re.compile(r"[1-9][0-9]{0,17}")


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Which model judges a link: the one everybody uses, the one an owner uses, or always the same one.  [M03] §6.

    >>> [str(ModelChoice.parse(text)) for text in ("everybody", "owner:ada", "7", "shipped")]
    ['everybody', 'owner:ada', '7', 'shipped']
    """

    owner: str = ""  # whose, as it is at the time; empty: everybody's
    number: int | None = None  # this very one, whatever is put to use later

    @classmethod
    def parse(cls, text: str) -> Self:
        """As it is written; raises UsageError."""
        if text == "everybody":
            return cls()
        if text == "shipped":
            return cls(number=SHIPPED)
        if text.startswith("owner:") and len(text) > len("owner:"):
            return cls(owner=text.removeprefix("owner:"))
        if _MODEL.fullmatch(text):
            return cls(number=int(text))
        raise UsageError(
            f"{text[:60]!r} names no model; write everybody, owner:NAME, shipped, or the number of a model"
        )

    def __str__(self) -> str:
        if self.number is not None:
            return str(self.number) if self.number else "shipped"
        return f"owner:{self.owner}" if self.owner else "everybody"


EVERYBODYS = ModelChoice()


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRef:
    """A link as it stands in a file, with what its owner says of it."""

    url: str
    title: str = ""
    line: int = 0  # 0: unknown
    folder: str = ""  # "a/b"; empty: none
    tags: tuple[str, ...] = ()
    note: str = ""  # what its owner wrote about it
    saved: float | None = None  # when its owner saved it; None: the file does not say
    home: str = ""  # of a feed: the page it belongs to
    watch: str = ""  # of a page: what of it is watched, as ``Watch.to_text`` writes it; empty: it need not be a page
    kind: str = ""  # feed, page, link or sitemap, where the file says so of this one; empty: it does not
    visits: str = ""  # what was decided about its visits, as ``Visiting.to_text`` writes it; empty: nothing
    asked_every: float = 0.0  # seconds between two looks of the program that wrote the file; 0: it does not say

    def tagged(self, tags: tuple[str, ...]) -> Self:
        """The link with these tags as well."""
        return self if set(tags) <= set(self.tags) else replace(self, tags=tuple(dict.fromkeys((*self.tags, *tags))))


class Origin(StrEnum):
    """Where a stored version came from."""

    CHECK = "check"
    ARCHIVE = "archive"  # imported from a web archive, the archive's own additions removed
    EXAMPLE = "example"  # fetched for an example to learn from; belongs to no link


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVersion:
    """A version of a page, to be stored."""

    at: float
    url: str  # after redirects
    mark: bytes  # identity of the visible text: a version with the newest one's mark is not stored again
    body: bytes
    content_type: str = ""
    title: str = ""
    origin: Origin = Origin.CHECK
    picture: bytes = b""  # what it showed; empty: no picture was taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A stored version without its body, which may be large."""

    id: int
    resource: int | None  # None: a page of an example, or its link was removed
    at: float
    last_seen: float
    origin: Origin
    url: str
    title: str
    content_type: str
    mark: bytes
    size: int
    stored: int  # bytes it takes in the store
    picture: int | None = None  # the same number: the same picture; None: none was taken
    number: int = 0  # among those of its resource, from 1; 0: of an example


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkState:
    """What is known of a link between two checks; the defaults are those of a link never checked."""

    usage: Usage = Usage.REFERENTIAL
    entry: EntryStatus = EntryStatus.WAITING
    standing: Standing = Standing.UNKNOWN
    status: CheckStatus | None = None  # of the newest check
    checked: float | None = None
    reference: int | None = None  # the version compared with; advances on acceptance only
    accepted: float | None = None  # None: there is no reference, or nobody has accepted it yet
    accepted_by: str = ""  # empty: the first version, taken by itself
    rejected: int | None = None  # a version a person said is not the page
    probability: float | None = None  # P(same page) against the reference
    step: float | None = None  # P(same page) against the version before
    drifted: bool = False  # each step small, together no longer the page that was accepted
    turned: Turned | None = None
    new_url: str = ""
    failures: int = 0  # checks in a row that brought nothing that counts; our own outages left out
    failing_days: int = 0
    failing_day: int = -1  # days since 1970
    failing_since: float | None = None
    changed: float | None = None  # when the standing changed last
    detail: str = ""

    @property
    def is_candidate(self) -> bool:
        """Whether the reference is one only if a person says so: at first sight it did not look like a page."""
        return self.reference is not None and self.accepted is None

    @property
    def has_no_page(self) -> bool:
        """Whether the last check that tells of the link brought no page, or there was none: nothing is to accept."""
        if self.status is None:
            return True
        if self.status in SILENT:
            return self.failures > 0 and self.turned is None
        if self.status is CheckStatus.NEW:  # after the first version: it answered, and nobody could read so much
            return self.accepted is not None and self.checked is not None and self.checked > self.accepted
        return self.status in _NO_PAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptLink:
    """A watched link: its resource as far as a reader needs it, and its state."""

    id: int  # of the resource
    url: str
    title: str
    folder: str
    tags: tuple[str, ...]
    due: float
    is_watched: bool  # False: kept, but visited by nobody (paused, gone, blocked)
    versions: int  # stored ones
    state: LinkState
    model: ModelChoice = EVERYBODYS  # by the operator
    note: str = ""  # what its owner wrote about it
    saved: float | None = None  # when its owner saved it elsewhere; None: not known
    archived: str = ""  # where an archive has a copy of its page, as far as one was asked; empty: nobody knows


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check of a link, in the one shape that is judged, recorded and shown.  [M03] §4.2: an element of an entry."""

    url: str  # the link's
    at: float
    status: CheckStatus
    title: str = ""  # the name its owner gave it, else the page's own
    final_url: str = ""  # where the answer came from, after redirects; empty: none came
    http: int | None = None
    size: int = 0  # bytes received
    probability: float | None = None  # P(same page) against the reference; None: nothing was compared
    turned: Turned | None = None  # what the page turned into behind a friendly 200
    new_url: str = ""  # where it moved to, as far as known
    detail: str = ""
    against: int | None = None  # the reference it was compared with, if that is still stored
    id: int | None = None  # given by the store; None: not recorded
    version: int | None = None  # what it brought, if that is still stored
    overruled: CheckStatus | None = None  # what a person said instead

    @property
    def standing(self) -> Standing:
        """What the check says by itself; a watched link is given some grace (``LinkState.standing``)."""
        return self.status.standing


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkEvent:
    """A link stands differently than before: something to tell people."""

    resource: int
    url: str
    title: str
    at: float
    before: Standing
    after: Standing
    status: CheckStatus
    turned: Turned | None = None
    new_url: str = ""
    detail: str = ""
    drifted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRecord:
    """A check with what follows from it: applied in one transaction, or not at all."""

    resource: int
    check: Check
    state: LinkState  # as it shall be; its usage, reference and rejection stay the store's
    version: NewVersion | None = None  # None: nothing came that could be kept
    becomes_reference: bool = False  # the version is taken as reference if there is none yet, or a candidate only
    becomes_candidate: bool = (
        False  # it is kept to become the reference if a person says so; nothing is compared with it
    )
    keep_versions: int = 10
    keep_checks: int = 100
    event: LinkEvent | None = None  # what there is to tell once it is recorded; not stored
    validators: Validators | None = None  # to ask with the next time; None: those that are known still hold


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkFilter:
    """Which links a listing shows; None means any."""

    standing: Standing | None = None
    status: CheckStatus | None = None  # of the last check
    folder: str | None = None  # or one below it; '': those in none
    tag: str | None = None
    text: str = ""  # words in URL, title, tags or folder, see ``base.search_words``


def no_version(link: KeptLink) -> str:
    """Why nothing of a link can be accepted or compared, in words."""
    if link.state.checked is None:
        return f"no version of {link.url} is stored yet; it has to be checked first"
    last = link.state.detail or link.state.status
    return f"no version of {link.url} is stored: no check has brought a page (the last one: {last})"


def nothing_to_accept(link: KeptLink) -> str:
    """Why what is there now cannot be accepted as the page, in words; empty: it can, as far as versions are stored.

    >>> from afresh.base.records.links import CheckStatus, KeptLink, LinkState
    >>> gone = LinkState(status=CheckStatus.MISSING, detail="HTTP 404")
    >>> known = {"id": 1, "url": "https://a.example/", "title": "", "folder": "", "tags": (), "due": 0.0}
    >>> nothing_to_accept(KeptLink(**known, is_watched=True, versions=1, state=gone))
    'there is no page at https://a.example/ that could be accepted (last check: HTTP 404)'
    """
    if not link.state.has_no_page:
        return ""
    last = link.state.detail or link.state.status or "none yet"
    return f"there is no page at {link.url} that could be accepted (last check: {last})"


class NothingToAccept(UsageError):
    """A link whose last check brought no page cannot be accepted as it is."""

    brief = "no page there"


class LinkNotFound(ResourceNotFound):
    """No link of that URL or number."""

    words = "no such link: {}; `afresh link list` shows those that are kept, `afresh link add` adds one"


class VersionNotFound(NotFound, StoreError):
    """No stored version of that number."""

    words = "no version {} is stored (any more); `afresh link history` lists those of a link"


class PageVersionNotFound(VersionNotFound):
    """No stored version of a page has that number."""

    words = "no version {} of this page is stored (any more); `afresh page versions` lists those there are"
