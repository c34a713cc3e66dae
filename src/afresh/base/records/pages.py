"""What travels between the daemon and its store about pages that are revisited in turn.

A page has a *place* in the order of its site, in turns: how many requests to pages the site will have had when it comes
to this one. A turn is not a length of time. How long one lasts is a number of the site, so a change of the price or of
the budget moves every page by writing to sites alone (decisions 0006 and 0018).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from afresh.base.models import SiteState

Floats = NDArray[np.float64]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Pages of a site that wait for their turn, column by column."""

    ids: NDArray[np.int64]
    turn: Floats  # places
    last: Floats  # good visit; NaN: none
    hastened: Floats  # seconds by which announcements have brought them forward since
    weight: Floats
    shortest: Floats  # shortest interval; NaN: the settings'
    longest: Floats  # longest interval; NaN: the settings'
    state_of: tuple[str, ...]  # the policy that the page's numbers belong to
    state: Floats  # a row a page; shorter rows are filled up with NaN


@dataclass(frozen=True, slots=True, kw_only=True)
class SitePages:
    """The pages of a site that have a place in its order, and what the site can bear."""

    site: int  # number of the site
    delay: float | None  # the operator's; None: the settings'
    other: float  # visits a second of what is visited by due time: feeds, pinned pages
    next_allowed: float  # no request before this
    state: SiteState  # as planned before, with what visits have changed since
    pages: Waiting


#: no announcements
NOTHING: Mapping[str, int] = MappingProxyType({})
