"""What travels between the frontier's store and doors that hand out single URLs.

A *queue* is a site under a key that a client chose; a *crawl* is a tenant of the frontier. URLs are kept as they are
written. Times are seconds since 1970 UTC. What comes in thousands is a named tuple, as in ``records.frontier``.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple

from afresh.base.calendar import DAY
from afresh.base.errors import NotFound, StoreError
from afresh.base.records.frontier import PageFailure, PageOrder, SiteOrder, UrlStanding

DEFAULT_CRAWL: Final = "DEFAULT"
FIRST_CRAWL: Final = 1  # its number: it is there from the beginning
LONGEST_KEY: Final = 255
NEVER_AGAIN: Final = math.inf  # as a time to fetch: the page is completed


class Put(NamedTuple):
    """A URL as a client sends it: found somewhere, or known and back with a time to fetch it again."""

    url: str
    key: str
    is_known: bool = False
    due: float | None = None  # of a known one; None: as the frontier estimates; ``NEVER_AGAIN``: completed
    metadata: str = ""  # a JSON object of lists of texts; '': nothing
    created: float | None = None  # when it was first stored, elsewhere; None: now
    content: str = ""  # of a known one: a hash of what was found, for the estimate
    quiet: float = 0.0  # of a known one: nothing of its queue before then, whatever its delay; 0: its delay will do


class Taken(IntEnum):
    """What became of a URL that was put."""

    NEW = 0
    UPDATED = 1
    KNOWN = 2  # found again: left as it was
    REFUSED = 3  # cannot be kept


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRequest:
    """What a client asks for: due URLs of some queues, each locked for a while."""

    crawl: str | None = DEFAULT_CRAWL  # None: any
    key: str = ""  # this queue alone; '': any
    queues: int = 0  # 0: all
    urls: int = 0  # of a queue; 0: all that are due
    hold: float = 30.0  # seconds for which they are locked
    default_delay: float = 1.0  # between two servings of a queue that has none of its own
    own_delay: bool = False  # that is the client's; otherwise it is replaced by what an operator said
    site_order: SiteOrder = SiteOrder.DUE
    page_order: PageOrder = PageOrder.DUE


class QueueControl(NamedTuple):
    """What an operator says about a queue; None: nothing."""

    delay: float | None = None
    forgets_delay: bool = False  # it has none of its own any more
    block_until: float | None = None
    limit: int | None = None  # 0: none


class QueueUrl(NamedTuple):
    """A URL that was handed out."""

    url: str
    key: str
    crawl: str
    metadata: str = ""
    number: int = 0  # of the page


class StoredUrl(NamedTuple):
    """A URL as it is stored."""

    url: str
    key: str
    crawl: str
    metadata: str
    due: float  # ``NEVER_AGAIN``: completed, or not to be fetched for another reason
    created: float
    visited: float | None = None  # None: never
    standing: UrlStanding = UrlStanding.WAITING


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFacts:
    """All that is known of one URL: how it stands, and what its visits have taught."""

    url: str
    site: str
    crawl: str
    metadata: str
    status: str
    due: float
    discovered: float | None
    visited: float | None
    failures: int  # in a row
    looks: int  # visits that could tell whether it had changed
    changes: int  # of these, those that said yes
    change_rate: float  # a second
    content_hash: str
    etag: str
    last_modified: str
    pagerank: float
    in_degree: int
    leased_by: str = ""
    leased_until: float | None = None
    failure: PageFailure | None = None  # its last try, if nothing came of that

    @property
    def changes_per_day(self) -> float:
        return self.change_rate * DAY

    @property
    def standing(self) -> UrlStanding:
        return standing_of(self.status, self.failures, self.visited)


def standing_of(status: str, failures: int, visited: float | None) -> UrlStanding:
    """How a page stands after its last try, by its status, its failures in a row and its last visit."""
    if status == "excluded":
        return UrlStanding.LEFT_OUT
    if failures or status in ("gone", "failing", "refused"):
        return UrlStanding.FAILED
    return UrlStanding.WAITING if visited is None else UrlStanding.VISITED_WELL


class StoredPart(NamedTuple):
    """Some stored URLs and where the next ones are; None: there are no more."""

    urls: Sequence[StoredUrl]
    cursor: tuple[int, int] | None


class Removed(NamedTuple):
    """How many URLs were removed, and the site to go on after; None: that was all."""

    urls: int
    cursor: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueStats:
    """Counts of a crawl, or of one queue of it."""

    queues: int
    urls: int
    completed: int
    locked: int
    active_queues: int  # with URLs to fetch

    @property
    def active(self) -> int:
        """URLs that are not completed."""
        return self.urls - self.completed


class CrawlUnknown(NotFound, StoreError):
    """No crawl of that name."""

    words = "there is no crawl {}; it is made by the first URL that is put into it"


class QueueUnknown(NotFound, StoreError):
    """No queue of that key in that crawl."""

    words = "there is no queue {}"
