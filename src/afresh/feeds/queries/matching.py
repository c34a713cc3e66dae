"""Matching: new entries are offered to the query feeds, in the order they were recorded, none lost in a crash.

The store keeps a cursor, the last entry that was matched. Matches and cursor are written in one transaction, and only
if nothing changed since the cursor was read; so whoever calls ``catch_up``, and however often it is interrupted, every
entry is offered exactly once.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha1
from uuid import UUID

from afresh.base.errors import AfreshError
from afresh.base.records.queries import KeptQuery, Match, Matched, Offered
from afresh.base.store_parts import QueryStore
from afresh.feeds.queries.index import Hit, QueryIndex, selectors_of
from afresh.feeds.queries.item import Item
from afresh.feeds.queries.language import parse_query
from afresh.parse.linear_regex import compile_linear
from afresh.parse.plain_text import plain_text

log = logging.getLogger("afresh.queries")

BATCH = 500  # entries read and written at a time
_URN = "urn:uuid:"


def identity_of(offered: Offered) -> bytes:
    """What makes an entry the same entry in a query feed, as 16 bytes.

    An id of the form ``urn:uuid:`` is kept, every other entry gets one from its uid. So an entry keeps its identity
    along a chain of afreshes, and a circle of subscriptions over HTTP comes to rest instead of growing.
    """
    native = offered.stored.entry.parsed.native_id
    if native.lower().startswith(_URN):
        try:
            return UUID(native[len(_URN) :]).bytes
        except ValueError:
            pass
    return UUID(bytes=sha1(offered.stored.entry.uid, usedforsecurity=False).digest()[:16], version=5).bytes


def item_of(offered: Offered) -> Item:
    """An entry as conditions see it."""
    entry = offered.stored.entry
    parsed = entry.parsed
    content = plain_text(parsed.content)
    summary = plain_text(parsed.summary)
    return Item(
        title=plain_text(parsed.title),
        content=content if summary in content else f"{summary}\n{content}",
        categories=parsed.categories,
        author=parsed.author,
        link=parsed.link,
        published=entry.dated,
        found=entry.found,
    )


class Matcher:
    """Keeps all queries of a store ready, and brings new entries to them."""

    def __init__(self, store: QueryStore, *, now: Callable[[], float]) -> None:
        self._store, self._now = store, now
        self._index = QueryIndex(compile_linear)
        self._versions: dict[int, int] = {}
        self._generation = -1

    def refresh(self) -> None:
        """Read the queries that changed; with thousands of new ones this takes seconds, and writes nothing."""
        state = self._store.query_state()
        if state.has_queries and state.generation != self._generation:
            self._load(state.generation)

    def catch_up(self) -> int:
        """Match what was recorded since the last time; how many entries were taken into query feeds."""
        taken = 0
        while True:
            state = self._store.query_state()
            if not state.has_queries:
                return taken
            if state.generation != self._generation:
                self._load(state.generation)
            entries = self._store.offered(after=state.cursor, limit=BATCH)
            if not entries:
                return taken
            found = self.match(entries)
            last = entries[-1].stored.seq
            if self._store.record_matches(found, expected=state, cursor=last, now=self._now()):
                taken += len(found.matches)
                if len(entries) < BATCH:
                    return taken

    def match(self, entries: Sequence[Offered]) -> Matched:
        """The queries that each entry belongs to; writes nothing."""
        return match_entries(self._index, entries)

    def _load(self, generation: int) -> None:
        """Read the queries that changed; the others stay as they are."""
        versions = dict(self._store.query_versions())
        for gone in self._versions.keys() - versions.keys():
            self._index.remove(gone)
        changed = [number for number, version in versions.items() if self._versions.get(number) != version]
        for start in range(0, len(changed), BATCH):
            for kept in self._store.queries_by_id(changed[start : start + BATCH]):
                self._put(kept)
        self._versions, self._generation = versions, generation

    def _put(self, kept: KeptQuery) -> None:
        try:
            branches = parse_query(kept.text).branches
            self._index.put(kept.id, [(s.selector, b) for s, b in zip(kept.sources, branches, strict=True)])
        except (AfreshError, ValueError):
            # A statement an older version accepted: its feed stands still, all others go on.
            self._index.remove(kept.id)
            log.exception("query feed %s cannot be read; create it again", kept.name)


def match_entries(index: QueryIndex, entries: Sequence[Offered], extra: Iterable[str] = ()) -> Matched:
    """What an index says to entries, each offered also under the ``extra`` selectors."""
    matches: list[Match] = []
    seen: Counter[str] = Counter()
    passed: Counter[tuple[int, int]] = Counter()
    for offered in entries:
        selectors = [*selectors_of(offered.stored.resource, offered.folder, offered.tags, offered.kind), *extra]
        selectors = [selector for selector in selectors if index.has_selector(selector)]
        if not selectors:
            continue
        hits, entered = index.hits(item_of(offered), selectors, offered.weight)
        seen.update(entered)
        passed.update((hit.query, hit.branch) for hit in hits)
        matches += _matches(offered, hits)
    return Matched(matches=tuple(matches), seen=seen, passed=passed)


def _matches(offered: Offered, hits: Sequence[Hit]) -> list[Match]:
    """One match a query, with the best score of its branches."""
    best: dict[int, float] = {}
    for hit in hits:
        best[hit.query] = max(hit.score, best.get(hit.query, 0.0))
    if not best:
        return []
    identity = identity_of(offered)
    return [Match(query, offered.stored.seq, identity, score) for query, score in best.items()]
