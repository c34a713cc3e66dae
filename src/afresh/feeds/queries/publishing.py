"""Publishing: the pages of a query feed, stable for ever, and the validators a reader asks with.

The current document shows the newest entries; everything older is on archive pages (RFC 5005 §4). An entry's place is
fixed when it is taken, so page N holds the places (N - 1) x LIMIT + 1 to N x LIMIT now and always; the order of the
query sorts the entries within a page.
"""

import re
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha1
from uuid import NAMESPACE_URL, UUID, uuid5

from afresh.base.protocols import Store
from afresh.base.records.queries import KeptQuery, Offered, Published, QueryNotFound
from afresh.base.records.searching import EntryFilter
from afresh.base.value_class import alike
from afresh.feeds.queries.language import parse_query
from afresh.feeds.queries.matching import identity_of
from afresh.feeds.queries.model import Order, Query
from afresh.parse.render_feed import FeedItem, FeedPage

_NEWEST = 50  # entries of a feed that has no archive
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:[^\s<>\"{}|\\^`]{1,1990}")  # RFC 3987, as far as it matters here

#: page number (None: the current document) -> address
Address = Callable[[int | None], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One page of a query feed: which places it shows, and what tells a reader whether it has changed."""

    query: KeptQuery
    number: int | None  # archive page, from 1, the oldest; None: the current document
    first: int
    last: int
    stamp: str  # differs whenever the page does

    @property
    def is_archive(self) -> bool:
        return self.number is not None


@lru_cache(maxsize=1024)
def _understood(text: str) -> Query:
    return parse_query(text)


def find_leaf(store: Store, name: str, number: int | None = None) -> Leaf:
    """A page without its entries, for conditional requests; raises QueryNotFound for what was never published."""
    kept = store.queries.query(name)
    limit = _understood(kept.text).limit
    if number is None:
        first, last = max(1, kept.places - limit + 1), kept.places
    else:
        first, last = (number - 1) * limit + 1, number * limit
        if number < 1 or last > kept.places:
            raise QueryNotFound(f"{name}, page {number}")
    filled = store.queries.published_count(kept.id, first=first, last=last)
    facts = f"{kept.id} {kept.created!r} {kept.version} {first} {last} {filled}"
    stamp = sha1(facts.encode(), usedforsecurity=False).hexdigest()
    return Leaf(query=kept, number=number, first=first, last=last, stamp=stamp)


def read_leaf(store: Store, leaf: Leaf, address: Address) -> FeedPage:
    """The page with its entries in the query's order."""
    kept = leaf.query
    query = _understood(kept.text)
    entries = store.queries.published(kept.id, first=leaf.first, last=leaf.last)
    entries.sort(key=_sort_key(query.order), reverse=query.descending)
    return FeedPage(
        id=feed_id(kept),
        title=kept.title or kept.name,
        updated=max((entry.taken for entry in entries), default=kept.created),
        self_url=address(leaf.number),
        current_url=address(None),
        is_archive=leaf.is_archive,
        older_url=_older(leaf, query.limit, address),
        newer_url=_newer(leaf, query.limit, address),
        items=_items(store, [entry.offered for entry in entries]),
    )


def feed_id(kept: KeptQuery) -> str:
    """For ever the same, wherever the feed is served."""
    facts = f"{kept.name} {kept.id} {kept.created!r}".encode()
    return f"urn:uuid:{UUID(bytes=sha1(facts, usedforsecurity=False).digest()[:16], version=5)}"


def _older(leaf: Leaf, limit: int, address: Address) -> str:
    """The page that holds the entry before the first one here: complete by then, since the current document is full."""
    before = leaf.first - 1
    return address((before - 1) // limit + 1) if before > 0 else ""


def _newer(leaf: Leaf, limit: int, address: Address) -> str:
    if leaf.number is None or leaf.last + limit > leaf.query.places:
        return ""
    return address(leaf.number + 1)


def _sort_key(order: Order) -> Callable[[Published], tuple[object, ...]]:
    match order:
        case Order.DATE:
            return lambda entry: (entry.offered.stored.entry.dated, entry.place)
        case Order.SCORE:
            return lambda entry: (entry.score, entry.offered.stored.entry.dated, entry.place)
        case Order.SOURCE:
            return lambda entry: (
                entry.offered.source_title.casefold() or entry.offered.stored.url,
                entry.offered.stored.resource,
                entry.place,
            )


def newest_page(store: Store, *, title: str, address: str, where: EntryFilter) -> FeedPage:
    """The newest entries that a filter lets through, as a feed without an archive."""
    wanted = store.search.entries(where, limit=_NEWEST).items
    return FeedPage(
        id=f"urn:uuid:{uuid5(NAMESPACE_URL, address)}",
        title=title,
        updated=max((offered.stored.entry.found for offered in wanted), default=0.0),
        self_url=address,
        current_url=address,
        items=_items(store, wanted),
    )


def _items(store: Store, offered: Sequence[Offered]) -> tuple[FeedItem, ...]:
    """The entries as they are published, each with its own id where that can stand for it.

    An id has to be an IRI and its entry's alone: some feeds give all their entries the same one, and readers would take
    them for one entry. The others get one of ours, which stays the same along a chain of afreshes.
    """
    owners: dict[str, int] = {}
    for one in sorted(offered, key=lambda one: one.stored.seq):
        owners.setdefault(one.stored.entry.parsed.native_id, one.stored.resource)  # of several sources the first
    usable = {(resource, name) for name, resource in owners.items() if _IRI.fullmatch(name)}
    usable -= store.queries.shared_ids(usable)
    return tuple(_item(one, usable) for one in offered)


def _item(offered: Offered, usable: Container[tuple[int, str]]) -> FeedItem:
    stored = offered.stored
    parsed = stored.entry.parsed
    published = stored.entry.dated
    return alike(
        FeedItem,
        parsed,
        offered,
        id=parsed.native_id
        if (stored.resource, parsed.native_id) in usable
        else f"urn:uuid:{UUID(bytes=identity_of(offered))}",
        own_id=parsed.native_id,
        published=published,
        updated=published if parsed.updated is None else max(published, parsed.updated),
        source_url=stored.url,
    )
