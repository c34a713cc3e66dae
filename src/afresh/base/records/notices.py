"""Notices as the store keeps them: what is told to whom, the outbox, and what is promised about both.

An event is something to tell. A notice says which events go to which target. Events wait in the outbox until they are
put into a delivery, which is tried until the target has taken it; a delivery keeps its events and its mark for ever, so
a second try after a crash can be recognised as the same one.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from afresh.base.errors import NotFound, StoreError
from afresh.base.models import Kind, Status


class Topic(StrEnum):
    """What a notice is about."""

    ENTRIES = "entries"  # new entries of all feeds, those that are added later included
    QUERY = "query"  # new entries of a query feed
    TAG = "tag"  # new entries of feeds with a tag
    FOLDER = "folder"  # new entries of feeds in a folder, or in one below it
    FAILING = "failing"  # feeds and pages that fail several times in a row, are gone, work again
    BROKEN = "broken"  # watched links that no longer lead to their page, and those that do again
    PAGES = "pages"  # watched pages that changed; all of them, or those with a tag

    @property
    def has_subject(self) -> bool:
        return self in (Topic.QUERY, Topic.TAG, Topic.FOLDER)

    @property
    def may_have_subject(self) -> bool:
        return self.has_subject or self is Topic.PAGES


class EventKind(StrEnum):
    """What happened."""

    ENTRY = "entry"
    FAILING_FEED = "failing_feed"
    FAILING_PAGE = "failing_page"
    GONE = "gone"  # a feed or page that is not visited any more
    WORKS_AGAIN = "works_again"  # a feed, page or link that was told to fail, to be gone or broken
    BROKEN_LINK = "broken_link"
    PAGE_CHANGE = "page_change"
    TEST = "test"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something to tell. ``key`` is its identity: a notice tells an event of the same key once."""

    key: str
    kind: EventKind
    at: float
    title: str  # hostile: written by anybody
    link: str = ""
    detail: str = ""
    source: str = ""  # title or URL of the feed it comes from
    resource: int | None = None  # number of the feed, page or link; None: it is about none
    feed_url: str = ""  # its address
    summary: str = ""  # what an entry says, as short plain text; empty: it says nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class NewNotice:
    """A notice to be kept."""

    topic: Topic
    target: str  # an http(s) address for a signed webhook, else a URL of apprise
    subject: str = ""  # name of a query feed, a tag, or a folder
    secret: str = ""  # of a webhook; empty: none
    digest: float = 0.0  # seconds events are gathered before they are sent together; 0: sent at once
    quiet: str = ""  # "22:00-07:00 Europe/Berlin": nothing is sent meanwhile


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice(NewNotice):
    """A kept notice and how it fares."""

    id: int
    created: float
    cursor: float  # how far the events of its topic have been looked at
    waiting: int = 0  # events in the outbox that are in no delivery yet
    open: int = 0  # deliveries that the target has not taken yet
    sent: int = 0  # events told so far, as far as they are remembered
    last_sent: float | None = None
    error: str = ""  # of the newest delivery that failed; empty: none is failing

    @property
    def is_webhook(self) -> bool:
        return self.target.startswith(("http://", "https://"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """Events that go to a target together."""

    id: int
    mark: str  # the same at every try
    notice: Notice
    attempts: int  # so far
    created: float
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failing:
    """A feed or page whose last visits failed."""

    visit: int  # number of the visit that showed it
    resource: int
    kind: Kind
    status: Status
    url: str
    title: str
    failures: int
    last_ok: float | None
    at: float
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingAgain:
    """A feed, page or link that a notice has told to fail, and that was visited with success since."""

    key: str  # of the event that told it
    resource: int
    url: str
    title: str
    at: float  # of the newest such visit; of a link, since when it is well


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenLink:
    """A watched link that turned out broken."""

    resource: int
    url: str
    title: str
    changed: float
    detail: str


class Sender(Protocol):
    """Brings a delivery to its target. Never raises for what the other side does."""

    def check(self, target: str) -> None:
        """Raises UsageError for a target that nothing could ever be sent to."""
        ...

    async def send(self, delivery: Delivery, *, now: float) -> str:
        """Empty: it was taken; else what went wrong."""
        ...

    async def close(self) -> None: ...


class NoticeNotFound(NotFound, StoreError):
    """No notice of that number."""

    words = "there is no notice {}; `afresh notice list` shows those there are"
