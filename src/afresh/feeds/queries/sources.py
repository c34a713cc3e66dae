"""The resources a query feed reads, one by one: ``RETURN ALL`` and a folder are many, each with its own share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afresh.base.records.queries import SourceShare
from afresh.feeds.queries.index import query_selector, selectors_of

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.base.records.queries import KeptQuery

_PAGE = 1_000
_MANY = 10_000


def selectors_read(query: KeptQuery, queries: dict[int, KeptQuery]) -> set[str]:
    """What selects the entries of a query feed in the end: of its sources, and of those of query feeds it reads."""
    numbers = {query_selector(number): number for number in queries}
    found: set[str] = set()
    waiting, met = [query], {query.id}
    while waiting:
        for source in waiting.pop().sources:
            read = numbers.get(source.selector)
            if read is None:
                found.add(source.selector)
            elif read not in met:
                met.add(read)
                waiting.append(queries[read])
    return found - {""}


def shares(store: Store, name: str, *, after: int = 0, limit: int = 100) -> list[SourceShare]:
    """One row a resource, ascending by number, with what was found of it and what the query feed took of that."""
    kept = store.queries.query(name)
    wanted = selectors_read(kept, {one.id: one for one in store.queries.list_queries(limit=_MANY)})
    taken = store.queries.taken(kept.id)
    found: list[SourceShare] = []
    while True:
        page = store.list_resources(after=after, limit=_PAGE)
        for one in page:
            if wanted.isdisjoint(selectors_of(one.id, one.folder, one.tags, one.kind)):
                continue
            label, known = one.title or one.facts.title or one.url, store.entry_counts(one.id, 0.0)[0]
            found.append(SourceShare(resource=one.id, label=label, seen=known, matched=taken.get(one.id, 0)))
            if len(found) == limit:
                return found
        if len(page) < _PAGE:
            return found
        after = page[-1].id
