"""Query feeds as the store keeps them, and what it promises about them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from afresh.base.errors import NotFound, StoreError

if TYPE_CHECKING:
    from afresh.base.records.history import StoredEntry


@dataclass(frozen=True, slots=True)
class NewSource:
    """A source of a query, resolved: what selects its entries, and how it was written."""

    selector: str  # see ``index``
    label: str
    resource: int | None = None  # of a source that is one resource
    query: int | None = None  # of a source that is another query feed


@dataclass(frozen=True, slots=True, kw_only=True)
class NewQuery:
    """A query to be kept."""

    name: str
    title: str
    text: str
    sources: tuple[NewSource, ...]
    replace: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QuerySource:
    """A source of a kept query with its selectivity so far.  [H12] §1.4.2: sel(q) in [0, 1], 1 is a plain union."""

    selector: str  # empty: the resource is not watched any more
    label: str
    seen: int = 0  # entries it offered since the query was made
    matched: int = 0  # of these, passed its filter

    @property
    def selectivity(self) -> float | None:
        return self.matched / self.seen if self.seen else None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptQuery:
    """A query with what came of it."""

    id: int
    name: str
    title: str
    text: str
    version: int  # grows with every change of any query
    created: float
    modified: float  # when its feed last changed
    places: int  # entries ever taken; the last of them has this place
    sources: tuple[QuerySource, ...] = ()

    @property
    def seen(self) -> int:
        """Entries offered; one that two sources offer counts twice."""
        return sum(source.seen for source in self.sources)

    @property
    def matched(self) -> int:
        return sum(source.matched for source in self.sources)

    @property
    def selectivity(self) -> float | None:
        """Share of the offered entries that passed; None before the first."""
        return self.matched / self.seen if self.seen else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceShare:
    """A single resource that a query feed reads, however its source was written."""

    resource: int
    label: str  # its title, else its URL
    seen: int  # entries that are known of it
    matched: int  # of these, taken and still held

    @property
    def selectivity(self) -> float | None:
        return min(1.0, self.matched / self.seen) if self.seen else None


@dataclass(frozen=True, slots=True)
class QueryState:
    """Where matching stands: what was read from it may only be written back while it is still so."""

    generation: int  # grows with every change of any query
    cursor: int  # entries up to this number were matched
    has_queries: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """An entry with what selects it."""

    stored: StoredEntry
    folder: str
    tags: tuple[str, ...]
    weight: float
    source_title: str
    kind: str = "feed"  # of the resource it is of


@dataclass(frozen=True, slots=True)
class Match:
    """An entry that a query takes."""

    query: int
    seq: int
    identity: bytes  # an entry is published once a query, however often it comes
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """What matching a run of entries came to."""

    matches: tuple[Match, ...] = ()
    seen: Mapping[str, int]  # selector -> entries offered under it
    passed: Mapping[tuple[int, int], int]  # (query, branch) -> entries that passed


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """An entry at its place in a query feed."""

    place: int  # from 1, in the order of taking; never given again
    score: float
    taken: float
    offered: Offered


class QueryStore(Protocol):
    """Keeps query feeds. Laws: ``tests.laws.store_queries``.

    A query is made whole or not at all; an entry is taken once a query; places are dense, ascending and never given
    again; what was matched from an outdated state is refused, so nothing is lost or taken twice in a crash.
    """

    def query_state(self) -> QueryState: ...

    def put_query(self, new: NewQuery, found: Matched, *, expected: QueryState, cursor: int, now: float) -> int | None:
        """Makes or replaces a query with the entries it starts with; its number, or None if the state has moved on.

        In ``found`` the query itself has number 0. ``cursor`` is the last entry that was looked at for it; where this
        is the first query, matching goes on from there. Raises UsageError if the name is taken and ``replace`` is not
        set.
        """
        ...

    def drop_query(self, name: str) -> None:
        """Forgets a query and its archive; refuses (UsageError) while another query feed builds on it."""
        ...

    def query(self, name: str) -> KeptQuery:
        """By name; raises QueryNotFound."""
        ...

    def list_queries(self, *, after: str = "", limit: int = 100) -> list[KeptQuery]:
        """A page, by name."""
        ...

    def query_versions(self) -> Mapping[int, int]:
        """Version by number: what a reader of queries has to read again."""
        ...

    def queries_by_id(self, numbers: Sequence[int]) -> list[KeptQuery]: ...

    def query_graph(self) -> Mapping[str, tuple[str, ...]]:
        """Which query feeds each query feed reads, by name; those that read none are left out."""
        ...

    def offered(
        self,
        *,
        after: int = 0,
        until: int | None = None,
        limit: int = 100,
        resource: int | None = None,
        newest_first: bool = False,
    ) -> list[Offered]:
        """Entries with what selects them, by number; ``until`` is the last number, None: no end."""
        ...

    def record_matches(self, found: Matched, *, expected: QueryState, cursor: int, now: float) -> bool:
        """Takes the entries into their query feeds and moves the cursor; False if the state has moved on."""
        ...

    def published(self, query: int, *, first: int, last: int) -> list[Published]:
        """What stands at these places, ascending; removed entries leave holes."""
        ...

    def published_count(self, query: int, *, first: int, last: int) -> int: ...

    def taken(self, query: int) -> Mapping[int, int]:
        """How many entries of each resource it has taken and still holds; those without any are left out."""
        ...

    def shared_ids(self, ids: Collection[tuple[int, str]]) -> set[tuple[int, str]]:
        """Which of these (resource, its entry's own id) belong to more than one entry of the resource."""
        ...

    def has_sources(self, selector: str) -> bool:
        """Whether any resource is selected by it."""
        ...


class QueryNotFound(NotFound, StoreError):
    """No query feed of that name."""

    words = "no query feed is called {}; `afresh feed list` shows those there are"
