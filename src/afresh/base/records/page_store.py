"""What a store promises about pages that are revisited in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from afresh.base.models import Resource, SiteState

if TYPE_CHECKING:
    from afresh.base.records.pages import Announcement, Hastened, SignalCounts, SitePlan

Floats = NDArray[np.float64]


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


class RevisitStore(Protocol):
    """Places, paces and signals.

    A resource with a place (``Resource.turn``) is leased when its site's next turn has come (``SiteState.next_turn``)
    and no page of the site has a smaller place; its ``due`` is an estimate for people. Others are leased by ``due``.
    Where both are due the site serves them alternately. ``record`` writes ``turn`` and ``frequency`` of the
    resource, applies ``Report.pace`` and ``Report.heard`` and forgets the announcements that the visit answered.
    Giving a resource a ``due`` of the operator's (``update``) takes its place away until the next visit.

    Laws: ``tests.laws.store_revisits``.
    """

    def announce(self, told: Sequence[Announcement], *, signal: str) -> list[Resource]:
        """Notes announcements of active pages that were visited before; the pages to which that was news.

        An announcement older than the page's last good visit, or not newer than one already noted, is no news.
        """
        ...

    def hasten(self, pages: Sequence[Hastened], *, now: float) -> None:
        """Moves pages forward in the order of their sites; one that becomes the next makes its site's turn due."""
        ...

    def signals(self, site: str) -> Mapping[str, SignalCounts]:
        """What the signals of a site have proved worth, by kind."""
        ...

    def first_in_turn(self, site: str, *, besides: int, limit: int) -> Waiting:
        """The pages of a site with the smallest places, in their order, without the page ``besides``."""
        ...

    def site_pages(self, *, after: int = 0, limit: int = 5_000) -> list[SitePages]:
        """Sites with pages in turn behind site number ``after``, ascending, whole sites.

        As many as have about ``limit`` pages together, at least one; empty: no more sites.
        """
        ...

    def plan_sites(self, plans: Sequence[SitePlan], *, now: float) -> None:
        """Sets price and pace of sites; what is left of a pending turn is as the plan says, or is stretched in
        proportion and never more than one turn."""
        ...
