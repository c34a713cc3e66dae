"""The seams: what a store, a fetcher and a clock promise."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from afresh.base.models import (
    Activity,
    Document,
    Kind,
    Lease,
    NewResource,
    Outcome,
    Report,
    Request,
    Resource,
    Row,
    Site,
    Status,
    StoredEntry,
    Visit,
)
from afresh.base.records.damage import DamageStore
from afresh.base.records.labels import LearningStore
from afresh.base.records.links import LinkStore
from afresh.base.records.notices import NoticeStore
from afresh.base.records.page_store import RevisitStore
from afresh.base.records.push import PushStore
from afresh.base.records.queries import QueryStore

#: step(params, state, now, window, new, hints, u) -> absolute time of the next poll
Step = Callable[[Row, Row, float, Row, int, Row, float], float]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of the interval between polls, in seconds (Reichert §4.2.1)."""

    shortest: float = 60.0  # never shorter
    longest: float = 86_400.0  # never longer
    standard: float = 3_600.0  # where no interval can be computed


class Clock(Protocol):
    """The one source of time; virtual in the lab."""

    def now(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


class Fetcher(Protocol):
    """Turns a request into an outcome. Never raises for what the web does."""

    async def fetch(self, request: Request) -> Outcome: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Added:
    """What became of one URL that was added."""

    id: int
    url: str
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceFilter:
    """Which resources a listing shows; None means any."""

    kind: Kind | None = None
    status: Status | None = None
    folder: str | None = None
    tag: str | None = None
    site: str | None = None
    failing: bool | None = None
    text: str = ""  # part of URL or title


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

        That is: status, title, folder, tags, weight, predictor, pinned, alpha, beta, eta, due.
        """
        ...

    def remove(self, resources: Sequence[int]) -> int: ...


class LeaseStore(Protocol):
    """Hands out work and takes reports of it.

    A site is leased at most once at a time; a lease expires; no request to a site before ``next_allowed``; recording
    twice is harmless; a crash loses nothing that was recorded.
    """

    def lease(self, *, holder: str, now: float, until: float, limit: int) -> list[Lease]:
        """Due resources of ready sites, one a site, most overdue first; reserves the sites in the same step."""
        ...

    def bring_forward(self, resources: Sequence[int], *, now: float) -> None:
        """What is visited by due time is due now. Its site's pause, and who has the site, stay as they are."""
        ...

    def release(self, leases: Sequence[int], *, now: float) -> None:
        """Gives leases back unvisited (shutdown)."""
        ...

    def record(self, reports: Sequence[Report]) -> list[bool]:
        """Applies reports; False for one whose lease was already reported or has been handed out again."""
        ...

    def next_ready(self) -> float | None:
        """When the next site becomes ready; None if nothing will."""
        ...


class SiteTurnStore(Protocol):
    """A taken site is nobody else's, a leased one not taken (``tests.laws.store_site_turns``)."""

    def take_site(self, name: str, *, holder: str, now: float, until: float) -> int | None:
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


class TotalStore(Protocol):
    """Totals, what is forgotten, and what the daemon remembers between runs."""

    def stats(self, *, now: float) -> Mapping[str, float]:
        """Totals for status pages and /metrics; keys are documented in docs/reference."""
        ...

    def activity(self, *, since: float, until: float, step: int) -> list[Activity]:
        """What happened in steps of so many minutes, ascending, empty ones left out; kept for two days."""
        ...

    def prune(self, visits_before: float, entries_before: float | None = None) -> int:
        """Forgets old visits and, if asked, old entries, in short transactions; says how many rows."""
        ...

    def get_setting(self, key: str) -> str | None: ...

    def put_setting(self, key: str, value: str) -> None: ...


class Store(
    ResourceStore,
    LeaseStore,
    SiteStore,
    FeedStore,
    RevisitStore,
    LinkStore,
    LearningStore,
    QueryStore,
    NoticeStore,
    PushStore,
    TotalStore,
    DamageStore,
    Protocol,
):
    """Keeps everything, hands out work. Synchronous; set-based; every method is one transaction.

    Made of parts, one a noun: who needs one of them asks for its protocol and is given ``store.links``, say. All their
    methods are the store's, too. Laws: ``tests.laws.store`` and its neighbours.
    """

    @property
    def resources(self) -> ResourceStore: ...

    @property
    def leases(self) -> LeaseStore: ...

    @property
    def sites(self) -> SiteStore: ...

    @property
    def feeds(self) -> FeedStore: ...

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
    def totals(self) -> TotalStore: ...

    @property
    def damage(self) -> DamageStore: ...

    def close(self) -> None: ...
