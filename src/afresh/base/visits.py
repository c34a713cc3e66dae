"""One visit: request, outcome, finding, plan, report. What a kind of visit promises stands in ``visit_kinds``.

A feed, a page, a sitemap and a link are kinds. The engine calls a kind in this order and knows none of them by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from afresh.base.models import (
    Bounds,
    Entry,
    FeedFacts,
    Lease,
    Outcome,
    Pace,
    Request,
    Resource,
    Result,
    Revised,
    Row,
    Site,
    Window,
)

if TYPE_CHECKING:
    from afresh.base.records.links import CheckRecord
    from afresh.base.records.pages import Heard, ListedPage
    from afresh.base.records.watches import PageRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of a leased visit, and what else its kind may look at."""

    lease: Lease
    outcome: Outcome
    site: Site | None = None  # None: the store knows none
    u: float = 0.5  # a uniform random number

    @property
    def before(self) -> Resource:
        """The resource as it was leased."""
        return self.lease.resource

    @property
    def now(self) -> float:
        return self.outcome.trip.finished


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a visit came to. Each kind fills in what it has; the rest stays empty."""

    result: Result
    status: int | None = None
    error: str = ""
    retry_after: float | None = None  # seconds the server asked us to wait
    max_age: float | None = None
    clock_offset: float | None = None  # None: the answer had no usable Date
    title: str = ""
    window: Window | None = None  # to compare the next answer with; None: the one we have
    window_size: int | None = None  # entries of the document
    entries: tuple[Entry, ...] = ()  # new ones, in order of publication
    revised: tuple[Revised, ...] = ()  # known ones by their own marks, with another title or link
    missed: bool = False  # entries may have been lost since the visit before
    lost: float = 0.0  # so many, by estimate; 1 where nobody can say how many
    facts: FeedFacts | None = None
    repaired: tuple[str, ...] = ()  # what had to be repaired in the document, in words
    heard: Heard | None = None  # what it says about signals
    listed: tuple[ListedPage, ...] = ()  # pages a sitemap names
    sitemaps: tuple[ListedPage, ...] = ()
    link: CheckRecord | None = None
    instead: str = ""  # of a page that was taken for a feed: the address of the feed it announces
    also_announced: tuple[str, ...] = ()  # and of the others
    parts: tuple[CheckRecord, ...] = ()  # of other links to the same page, and to parts of it
    page: PageRecord | None = None


@dataclass(frozen=True, slots=True)
class Planned:
    """The next visit and the reason for it in one sentence."""

    due: float
    reason: str
    frequency: float = 0.0  # visits a second of what takes a place in the order of its site; 0: it goes by ``due``
    clock: Row | None = None  # the numbers of its site, which a visit to it has changed; None: as they were
    is_guess: bool = False  # made before anything was known: no evidence of what such resources ask for
    state: Row | None = None  # the rule's new numbers; None: as they were
    state_of: str = ""  # the rule they belong to


@dataclass(frozen=True, slots=True)
class Seat:
    """Where a resource stands in the order of its site after a visit, and what that does to the site."""

    turn: float | None
    frequency: float
    pace: Pace


def out_of_turn(before: Resource) -> Seat:
    """The seat of what is visited by due time."""
    return Seat(None, 0.0, Pace(added=-before.frequency))


def own_bounds(resource: Resource, default: Bounds) -> Bounds:
    """The bounds of the resource where it has its own, the default's elsewhere, in an order that makes sense."""
    shortest = default.shortest if resource.shortest is None else resource.shortest
    longest = max(shortest, default.longest if resource.longest is None else resource.longest)
    standard = default.standard if resource.standard is None else resource.standard
    return Bounds(shortest, longest, min(max(standard, shortest), longest))


class OneRequest:
    """What most kinds of a visit do: one request is enough, a permanent redirect is followed, the store has no say."""

    __slots__ = ()

    follow_up: ClassVar[None] = None
    follows_moves: ClassVar[bool] = True
    asks_store: ClassVar[bool] = False


def conditional(resource: Resource, *, no_cache: bool, accept: str, is_crawl: bool, is_feed: bool = False) -> Request:
    """A request for the resource: conditional whenever the last answer gave us something to ask with."""
    return Request(
        url=resource.url,
        etag=resource.validators.etag,
        last_modified=resource.validators.last_modified,
        answered_at=resource.facts.answered_at,
        no_cache=no_cache,
        accept=accept,
        is_crawl=is_crawl,
        is_feed=is_feed,
    )
