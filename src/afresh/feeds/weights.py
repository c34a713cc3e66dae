"""What a feed's entries are worth: its own weight times what those who read them make of it.  [H12] §1.4.2, §5.1.

A query feed, or a notice, reads a share of the entries of its sources: those that pass its filter. A feed is worth the
sum of the weights of its readers times these shares, and a little for whoever reads entries without saying so. Where
there are no readers at all, everybody's entries are worth the same.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from afresh.base.errors import AfreshError
from afresh.base.records.notices import Topic
from afresh.feeds.queries.index import EVERYTHING, query_selector, selectors_of
from afresh.feeds.queries.language import parse_query

if TYPE_CHECKING:
    from afresh.base.models import Resource
    from afresh.base.protocols import Store
    from afresh.base.records.notices import Notice
    from afresh.base.records.queries import KeptQuery, QuerySource

_FRESH = 30.0  # seconds for which readers are remembered
_MANY = 10_000


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody who reads entries of a source."""

    name: str
    weight: float  # what an entry is worth to it
    share: float  # of the source's entries that it lets through

    @property
    def worth(self) -> float:
        return self.weight * self.share

    def __str__(self) -> str:
        return f"{self.name} reads {self.share:.0%} of its entries, each worth {self.weight:g}"


@dataclass(slots=True)
class Worth:
    """Knows the readers of all feeds of a store; changes are seen within half a minute."""

    store: Store
    unread: float  # what an entry is worth that no reader is known for
    _readers: Mapping[str, tuple[Reader, ...]] = field(default_factory=dict)  # by selector
    _until: float = 0.0

    def of(self, resource: Resource) -> float:
        """What one entry is worth, on average."""
        self._look()
        if not self._readers:
            return resource.weight
        return resource.weight * (self.unread + sum(reader.worth for reader in self.readers(resource)))

    def readers(self, resource: Resource) -> list[Reader]:
        """Those who read its entries, the most important first."""
        self._look()
        selectors = selectors_of(resource.id, resource.folder, resource.tags, resource.kind)
        found = [reader for selector in selectors for reader in self._readers.get(selector, ())]
        return sorted(found, key=lambda reader: -reader.worth)

    def _look(self) -> None:
        if time.monotonic() >= self._until:
            self._readers = _readers(self.store)
            self._until = time.monotonic() + _FRESH


def _readers(store: Store) -> Mapping[str, tuple[Reader, ...]]:
    """By selector; what reads a query feed reads its sources through it."""
    queries = store.queries.list_queries(limit=_MANY)
    weights = _weights(store, queries)
    found: defaultdict[str, list[Reader]] = defaultdict(list)
    for query in queries:
        for source in query.sources:
            if source.selector:
                found[source.selector].append(Reader(f"query feed {query.name}", weights[query.id], _share(source)))
    for notice in store.notices.list_notices(limit=_MANY):
        if selector := _selector(notice):
            found[selector].append(Reader(f"notice {notice.id}", 1.0, 1.0))
    return {selector: tuple(readers) for selector, readers in found.items()}


def _selector(notice: Notice) -> str:
    """Of the feeds whose entries it tells of; empty: it tells of something else, or reads through a query feed."""
    match notice.topic:
        case Topic.ENTRIES:
            return EVERYTHING
        case Topic.TAG:
            return f"tag:{notice.subject}"
        case Topic.FOLDER:
            return f"folder:{notice.subject.strip('/')}"
        case _:
            return ""


def _weights(store: Store, queries: list[KeptQuery]) -> dict[int, float]:
    """What an entry of each query feed is worth: its own weight, its notices, and what is read of it by others."""
    weights = {query.id: float(_weight(query.text)) for query in queries}
    names = {query.name: query.id for query in queries}
    for notice in store.notices.list_notices(limit=_MANY):
        if notice.topic is Topic.QUERY and notice.subject in names:
            weights[names[notice.subject]] += 1.0
    by_selector = {query_selector(query.id): query.id for query in queries}
    for query in reversed(_in_order(queries, by_selector)):
        for source in query.sources:
            if (read := by_selector.get(source.selector)) is not None:
                weights[read] += weights[query.id] * _share(source)
    return weights


def _in_order(queries: list[KeptQuery], by_selector: Mapping[str, int]) -> list[KeptQuery]:
    """Those that are read before those that read them; there are no circles."""
    known = {query.id: query for query in queries}
    ordered: dict[int, KeptQuery] = {}

    def visit(number: int) -> None:
        if number in ordered:
            return
        for source in known[number].sources:
            if (read := by_selector.get(source.selector)) is not None and read != number:
                visit(read)
        ordered[number] = known[number]

    for query in queries:
        visit(query.id)
    return list(ordered.values())


def _share(source: QuerySource) -> float:
    """Of the entries offered, those that passed; one before the first is known, since somebody wants them."""
    return (source.matched + 1) / (source.seen + 1)


@lru_cache(maxsize=4096)
def _weight(text: str) -> int:
    try:
        return parse_query(text).weight
    except AfreshError:  # damaged: it reads as others do
        return 1
