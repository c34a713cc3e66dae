"""What travels between the daemon and its store about pages that are revisited in turn.

A page has a *place* in the order of its site, in turns: how many requests to pages the site will have had when it comes
to this one. A turn is not a length of time. How long one lasts is a number of the site, so a change of the price or of
the budget moves every page by writing to sites alone (decisions 0006 and 0018).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

Row = NDArray[np.float64]


class Signal(StrEnum):
    """Who says that a page has changed."""

    SITEMAP = "sitemap"  # a lastmod after our visit
    FEED = "feed"  # a new entry that links to it
    LINK = "link"  # a link to it appeared on a page
    PING = "ping"  # somebody told us: WebSub, a hook, the operator


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPage:
    """A page a sitemap names, or a sitemap an index names."""

    url: str
    modified: float | None = None  # lastmod; None: not said
    frequency: str = ""  # changefreq, empty: not said
    priority: float | None = None  # 0 to 1


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
class Heard:
    """A visit as a test of the signals that went before it."""

    announced: Mapping[str, int]  # announcements since the visit before, by kind of signal
    changed: bool
    elapsed: float  # seconds since the visit before


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalCounts:
    """What one kind of signal has proved worth at a site."""

    announced_changes: float = 0.0  # visits that found an announced change
    silent_changes: float = 0.0  # visits that found one nobody had announced
    false_alarms: float = 0.0  # announcements that came to nothing
    watched: float = 0.0  # seconds of pages


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """Somebody says that a page has changed."""

    url: str  # canonical
    at: float | None = None  # when it is said to have changed; None: not said


@dataclass(frozen=True, slots=True, kw_only=True)
class Hastened:
    """A page that comes to its turn sooner by so many seconds."""

    resource: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SitePlan:
    """A site's price and pace, as planned from the beliefs about all its pages."""

    site: int
    price: float  # its own, where its politeness binds; 0: it does not
    frequency: float  # visits a second of its pages together
    next_turn: float | None = None  # when the next page's turn is; None: what is left of it is stretched with the pace


#: no announcements
NOTHING: Mapping[str, int] = MappingProxyType({})


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
    row: Row = field(default_factory=lambda: np.empty(0), compare=False)  # the page policy's numbers of the site

    def turn_now(self, now: float) -> float:
        """The site's own time."""
        return self.turn + (0.0 if self.turn_at is None else self.pace * max(0.0, now - self.turn_at))

    @property
    def pace(self) -> float:
        """Turns a second. They follow the price and not the number of pages: who joins moves nobody."""
        return self.frequency if self.speed is None else self.speed
