"""The seams: what a predictor, a store, a fetcher and a clock promise."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from afresh.base.models import (
    Activity,
    Document,
    Explanation,
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

    alpha: float = 60.0  # never shorter
    beta: float = 86_400.0  # never longer
    eta: float = 3_600.0  # where no interval can be computed


@runtime_checkable
class Predictor(Protocol):
    """Says, after each poll of a feed, when to poll it next.

    An implementation is a frozen dataclass of named parameters and one compiled step (``base.compiled.STEP``).
    ``params`` starts with alpha, beta, eta. A state row of zeros means "nothing learnt yet".
    """

    name: ClassVar[str]
    state_size: ClassVar[int]  # float64s kept per feed between polls
    profile_size: ClassVar[int]  # float64s of a trained profile expected behind the hints; 0: needs no training
    step: ClassVar[Step]

    @property
    def bounds(self) -> Bounds: ...

    def params(self) -> Row: ...

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation: ...


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


class SiteTurnStore(Protocol):
    """A part of ``Store``. A taken site is nobody else's, a leased one not taken (``tests.laws.store_site_turns``)."""

    def take_site(self, name: str, *, holder: str, now: float, until: float) -> int | None:
        """Reserves a site for one request that no plan foresaw; None: it may not be asked yet, or somebody has it."""
        ...

    def leave_site(self, lease: int, *, next_allowed: float) -> bool:
        """Ends such a reservation after the request; False: it had expired, and the site was handed out again."""
        ...


class Store(QueryStore, LinkStore, RevisitStore, NoticeStore, PushStore, LearningStore, SiteTurnStore, Protocol):
    """Keeps everything, hands out work. Synchronous; set-based; every method is one transaction.

    Laws (``tests.laws.store``): a site is leased at most once at a time; a lease expires; no request to a site before
    ``next_allowed``; recording twice is harmless; adding never overwrites; a crash loses nothing that was recorded.
    """

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

    def lease(self, *, holder: str, now: float, until: float, limit: int, early: float = 0.0) -> list[Lease]:
        """Due resources of ready sites, one a site, most overdue first; reserves the sites in the same step.

        ``early`` takes resources up to so many seconds before they are due; a site's pause holds all the same.
        """
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

    def site(self, name: str) -> Site | None: ...

    def list_sites(self, *, after: str = "", limit: int = 100, text: str = "", failing: bool = False) -> list[Site]:
        """A page by name; ``text``: with this in their name; ``failing``: only those whose last request failed."""
        ...

    def set_site_delay(self, name: str, delay: float | None) -> None: ...

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

    def close(self) -> None: ...
