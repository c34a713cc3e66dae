"""The seams: what a store, a fetcher and a clock promise."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from afresh.base.models import (
    Added,
    Lease,
    NewResource,
    Outcome,
    Report,
    Request,
    Resource,
    ResourceFilter,
    Row,
    Site,
    TakenSite,
    Visit,
)

if TYPE_CHECKING:
    from afresh.base.records.explained import DueRound
    from afresh.base.records.history import Activity, Document, KeptDocument, StoredEntry
    from afresh.base.records.link_store import LinkStore
    from afresh.base.store_parts import (
        DaemonStore,
        DamageStore,
        LearningStore,
        NoticeStore,
        PushStore,
        QueryStore,
        RevisitStore,
        RobotsStore,
        SearchStore,
        TimeStore,
        WatchStore,
    )

#: step(params, state, now, window, new, hints, u) -> absolute time of the next poll
Step = Callable[[Row, Row, float, Row, int, Row, float], float]


class Clock(Protocol):
    """The one source of time; virtual in the lab."""

    def now(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


class Fetcher(Protocol):
    """Turns a request into an outcome. Never raises for what the web does."""

    async def fetch(self, request: Request) -> Outcome: ...

    async def close(self) -> None: ...


class ResourceStore(Protocol):
    """What is watched. Adding never overwrites."""

    def add(self, resources: Sequence[NewResource], *, now: float) -> list[Added]: ...

    def get(self, key: int | str) -> Resource:
        """By number or URL; raises ResourceNotFound."""
        ...

    def list_resources(
        self,
        where: ResourceFilter = ...,
        *,
        after: int = 0,
        limit: int = 100,
        order: str = "id",
    ) -> list[Resource]:
        """A page; ``order`` is one of id, due, url, title, last_visit (key paging works with id)."""
        ...

    def count(self, where: ResourceFilter = ...) -> int: ...

    def iterate(self, where: ResourceFilter = ...) -> Iterator[Resource]: ...

    def update(self, resource: int, **changes: object) -> Resource:
        """Changes what the operator may change.

        That is: kind (page or link, of which one can become the other), status, title, folder, tags, weight, rule,
        pinned, shortest, longest, standard, due.
        """
        ...

    def take_address(self, resource: int, *, url: str, site: str, now: float) -> Resource:
        """It is at this address from now on, with all that is kept of it, and due at once; Conflict if that is watched.

        A visit that is out is of the old address, and left out.
        """
        ...

    def remove(self, resources: Sequence[int]) -> int: ...


class LeaseStore(Protocol):
    """Hands out work and takes reports of it.

    A site is leased at most once at a time; a lease expires; no request to a site before ``next_allowed``; recording
    twice is harmless; a crash loses nothing that was recorded.
    """

    def lease(
        self, *, holder: str, now: float, until: float, limit: int, only: Sequence[int] | None = None
    ) -> list[Lease]:
        """Due resources of ready sites, one a site, those first that were asked for, then the most overdue; reserves
        the sites in the same step.

        With ``only`` these resources alone, due or not; their sites' pauses hold, and so do leases of others.
        """
        ...

    def bring_forward(
        self, resources: Sequence[int], *, now: float, seen: float = math.inf, is_asked_for: bool = False
    ) -> None:
        """These are due now, a page as the first of its site. The site's pause, and who has it, stay as they are.

        Not those that were visited after ``seen``: who asks does not know of it yet. What a person has asked for is
        handed out before whatever else is due.
        """
        ...

    def refused(self, *, after: int = 0, limit: int = 1_000) -> list[tuple[int, str]]:
        """Watched resources whose last visit was refused on our side, by number, and why."""
        ...

    def renew(self, leases: Sequence[int], *, until: float) -> None:
        """Those of these leases that nobody else has taken last until then."""
        ...

    def release(self, leases: Sequence[int], *, now: float) -> None:
        """Gives leases back unvisited (shutdown)."""
        ...

    def take_back(self, *, now: float, delay: float) -> None:
        """Ends the leases of a daemon that was killed, where there is one at most; its sites have a pause from now."""
        ...

    def record(self, reports: Sequence[Report]) -> list[bool | None]:
        """Applies reports; False for one whose lease was already reported or has been handed out again.

        None for one whose server is away while others answer: it can be recorded later.
        """
        ...

    def next_ready(self) -> float | None:
        """When the next site becomes ready; None if nothing will."""
        ...


class SiteTurnStore(Protocol):
    """A taken site is nobody else's, a leased one not taken (``tests.laws.store_site_turns``)."""

    def take_site(self, name: str, *, holder: str, now: float, until: float) -> TakenSite | None:
        """Reserves a site for one request that no plan foresaw; None: it may not be asked yet, or somebody has it."""
        ...

    def leave_site(self, lease: int, *, next_allowed: float) -> bool:
        """Ends such a reservation after the request; False: it had expired, and the site was handed out again."""
        ...


class SiteStore(SiteTurnStore, Protocol):
    """The units of politeness."""

    def site(self, name: str) -> Site | None: ...

    def list_sites(self, *, after: str = "", limit: int = 100, text: str = "", failing: bool = False) -> list[Site]:
        """A page by name; ``text``: with this in their name; ``failing``: only those whose last request failed."""
        ...

    def set_site_delay(self, name: str, delay: float | None) -> None: ...


class FeedStore(Protocol):
    """What visits found: entries, the log, answers kept for study."""

    def entries(
        self, *, after: int = 0, limit: int = 100, resource: int | None = None, newest_first: bool = False
    ) -> list[StoredEntry]:
        """Entries by their monotonic sequence: read with ``after`` = the last seen, nothing is skipped or repeated."""
        ...

    def entry_counts(self, resource: int, since: float) -> tuple[int, float | None]:
        """How many known entries were published since then, and when the oldest of them was."""
        ...

    def visits(
        self, *, resource: int | None = None, before: int | None = None, limit: int = 100
    ) -> list[tuple[int, Visit]]:
        """The log, newest first, with row numbers to page by."""
        ...

    def documents(self, *, resource: int | None = None, limit: int = 100) -> list[Document]: ...

    def documents_after(self, after: int, *, limit: int = 100) -> list[KeptDocument]:
        """Kept answers by number, ascending, none of which is kept later than one that follows it."""
        ...


class TotalStore(Protocol):
    """Totals, what is forgotten, and what the daemon remembers between runs."""

    def stats(self, *, now: float) -> Mapping[str, float]:
        """Totals for status pages and /metrics; keys are documented in docs/reference."""
        ...

    def due_round(self, *, now: float, delay: float) -> DueRound:
        """What it takes to visit all that is due once, where sites are left alone for ``delay`` at least."""
        ...

    def activity(self, *, since: float, until: float, step: int) -> list[Activity]:
        """What happened in steps of so many minutes, ascending, empty ones left out; kept for two days."""
        ...

    def prune(self, visits_before: float, entries_before: float | None = None) -> int:
        """Forgets old visits and, if asked, old entries, in short transactions; says how many rows."""
        ...

    def in_use(self) -> frozenset[str]:
        """The parts of the store that keep anything, among pages (or sitemaps), queries, notices, push and choices."""
        ...

    def get_setting(self, key: str) -> str | None: ...

    def put_setting(self, key: str, value: str) -> None: ...


class Store(ResourceStore, LeaseStore, SiteStore, FeedStore, TotalStore, Protocol):
    """Keeps everything, hands out work. Synchronous; set-based; every method is one transaction.

    What every visit needs the store does itself. What one domain keeps is asked of a part of it, ``store.links`` say:
    who has nothing to do with links never loads it. Laws: ``tests.laws.store`` and its neighbours.
    """

    @property
    def pages(self) -> RevisitStore: ...

    @property
    def links(self) -> LinkStore: ...

    @property
    def learning(self) -> LearningStore: ...

    @property
    def queries(self) -> QueryStore: ...

    @property
    def notices(self) -> NoticeStore: ...

    @property
    def push(self) -> PushStore: ...

    @property
    def times(self) -> TimeStore: ...

    @property
    def daemons(self) -> DaemonStore: ...

    @property
    def damage(self) -> DamageStore: ...

    @property
    def watches(self) -> WatchStore: ...

    @property
    def search(self) -> SearchStore: ...

    @property
    def robots(self) -> RobotsStore: ...

    def close(self) -> None: ...
