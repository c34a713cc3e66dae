"""Query feeds as the store keeps them, and what it promises about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

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


class QueryNotFound(NotFound, StoreError):
    """No query feed of that name."""

    words = "no query feed is called {}; `afresh feed list` shows those there are"
