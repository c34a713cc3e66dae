"""Query feeds as a use case: create and drop them; what is wrong with a query is said before anything is kept."""

from dataclasses import dataclass

from afresh.base.errors import AfreshError, ResourceNotFound, StoreBusy, UsageError
from afresh.base.models import Kind, Resource, ResourceFilter
from afresh.base.protocols import Store
from afresh.base.records.queries import (
    KeptQuery,
    Matched,
    NewQuery,
    NewSource,
    Offered,
    QueryNotFound,
    QuerySource,
    QueryState,
)
from afresh.feeds.queries.cycles import find_cycle
from afresh.feeds.queries.index import EVERYTHING, PAGES, QueryIndex, query_selector
from afresh.feeds.queries.language import parse_query
from afresh.feeds.queries.matching import match_entries
from afresh.feeds.queries.model import Query, Source, SourceKind
from afresh.feeds.queries.warnings import warnings_of
from afresh.parse.linear_regex import compile_linear
from afresh.store.finding import find_one

BACKLOG = 1_000  # known entries of a feed that a new query is tried on, newest first
MOST = 20_000  # of a source that is many feeds
_ATTEMPTS = 50
_ITSELF = 0  # a query's number before it has one


@dataclass(frozen=True, slots=True)
class Created:
    """A query feed as it was made."""

    query: KeptQuery
    is_new: bool  # False: it replaced one of the same name
    warnings: tuple[str, ...] = ()  # what may not be meant


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a statement would make, tried on what is known; nothing is kept."""

    name: str
    title: str
    is_new: bool  # False: there is one of that name
    sources: tuple[QuerySource, ...]
    taken: int  # known entries that it would start with
    newest: tuple[Offered, ...]  # of these, the newest first
    warnings: tuple[str, ...]


_NAMED = 20  # folders or tags named where another was meant


def create(store: Store, text: str, *, now: float, replace: bool = False) -> Created:
    """Make a query feed from a statement; it starts with what is known of its sources.

    Raises ParseError (syntax), UsageError (unknown source, cycle, name taken); then nothing was made.
    """
    query = parse_query(text)
    for _ in range(_ATTEMPTS):
        # Everything below is true of this state, and is kept only if the state is still the same then.
        state = store.queries.query_state()
        is_new = not _is_known(store, query.name)
        sources = tuple(_resolve(store, branch.source, query.name) for branch in query.branches)
        _refuse_cycle(store, query)
        cursor = _cursor(store, state)
        new = NewQuery(
            name=query.name, title=query.title, text=query.text, sources=sources, replace=replace or query.replace
        )
        found = _backlog(store, query, sources, cursor)
        if store.queries.put_query(new, found, expected=state, cursor=cursor, now=now) is not None:
            return Created(store.queries.query(query.name), is_new, warnings_of(query))
    raise StoreBusy(f"query feed {query.name} could not be made: queries change all the time; try again")


def preview(store: Store, text: str, *, newest: int = 10) -> Preview:
    """What ``create`` would make of a statement; raises the same."""
    query = parse_query(text)
    sources = tuple(_resolve(store, branch.source, query.name) for branch in query.branches)
    _refuse_cycle(store, query)
    found = _backlog(store, query, sources, None)
    taken = list({match.identity: match.seq for match in found.matches}.values())
    return Preview(
        name=query.name,
        title=query.title or query.name,
        is_new=not _is_known(store, query.name),
        sources=tuple(
            QuerySource(
                selector=source.selector,
                label=source.label,
                seen=found.seen.get(source.selector, 0),
                matched=found.passed.get((_ITSELF, place), 0),
            )
            for place, source in enumerate(sources)
        ),
        taken=len(taken),
        newest=tuple(store.search.entry(seq) for seq in sorted(taken)[: -newest - 1 : -1]),
        warnings=warnings_of(query),
    )


def drop(store: Store, name: str) -> None:
    """Forget a query feed with its archive; refused while another builds on it."""
    store.queries.drop_query(name)


def _is_known(store: Store, name: str) -> bool:
    try:
        store.queries.query(name)
    except QueryNotFound:
        return False
    return True


def _cursor(store: Store, state: QueryState) -> int:
    """The last entry that the new query is tried on here; later ones come to it by matching."""
    if state.has_queries:
        return state.cursor
    newest = store.entries(newest_first=True, limit=1)
    return newest[0].seq if newest else 0


def _resolve(store: Store, source: Source, name: str) -> NewSource:
    """What selects the entries of a source; an unknown source is refused."""
    match source.kind:
        case SourceKind.ALL:
            return NewSource(EVERYTHING, str(source))
        case SourceKind.PAGES:
            return NewSource(PAGES, str(source))
        case SourceKind.URL | SourceKind.NUMBER:
            number = _resource(store, source).id
            return NewSource(f"resource:{number}", str(source), resource=number)
        case SourceKind.FEED:
            if source.value == name:
                raise UsageError(f"query feed {name} cannot read itself: {name} → {name} is a circle")
            try:
                number = store.queries.query(source.value).id
            except QueryNotFound as error:
                raise UsageError(f"unknown source: {error}") from error
            return NewSource(query_selector(number), str(source), query=number)
        case SourceKind.FOLDER | SourceKind.TAG:
            selector = f"{source.kind.value}:{source.value}"
            if not store.queries.has_sources(selector):
                raise UsageError(f"unknown source: {_nothing_there(store, source)}")
            return NewSource(selector, str(source))


def _nothing_there(store: Store, source: Source) -> str:
    """With the names there are: most mistakes are a letter."""
    is_folder = source.kind is SourceKind.FOLDER
    known = sorted(filter(None, store.search.folders() if is_folder else store.search.tags()))
    there = f"{', '.join(known[:_NAMED])}{' …' if len(known) > _NAMED else ''}" if known else "none"
    if is_folder:
        return f'nothing is in folder "{source.value}"; folders are: {there}'
    return f'nothing is tagged "{source.value}"; tags are: {there}'


def _resource(store: Store, source: Source) -> Resource:
    try:
        return store.get(find_one(store, source.value))
    except ResourceNotFound as error:
        raise UsageError(f"unknown source: {error}") from error
    except AfreshError as error:
        raise UsageError(f"unknown source: {source.value!r} is no watched URL ({error})") from error


def _refuse_cycle(store: Store, query: Query) -> None:
    read = [branch.source.value for branch in query.branches if branch.source.kind is SourceKind.FEED]
    circle = find_cycle(query.name, read, store.queries.query_graph())
    if circle:
        raise UsageError(f"query feed {query.name} would read itself: {' → '.join(circle)} is a circle")


def _backlog(store: Store, query: Query, sources: tuple[NewSource, ...], until: int | None) -> Matched:
    """What the query takes of the entries known already, oldest first."""
    index = QueryIndex(compile_linear)
    index.put(_ITSELF, [(s.selector, b) for s, b in zip(sources, query.branches, strict=True)])
    offered: dict[int, Offered] = {}
    through: dict[int, set[str]] = {}  # entries that come from another query feed, by its selector
    for source in sources:
        for entry in _known(store, source, until):
            offered[entry.stored.seq] = entry
            if source.query is not None:
                through.setdefault(entry.stored.seq, set()).add(source.selector)
    parts = [match_entries(index, [offered[seq]], sorted(through.get(seq, ()))) for seq in sorted(offered)]
    return _sum(parts)


def _known(store: Store, source: NewSource, until: int | None) -> list[Offered]:
    if source.query is not None:
        kept = store.queries.queries_by_id([source.query])
        last = kept[0].places if kept else 0
        return [
            item.offered for item in store.queries.published(source.query, first=max(1, last - BACKLOG + 1), last=last)
        ]
    if source.resource is not None:
        return store.queries.offered(until=until, limit=BACKLOG, resource=source.resource, newest_first=True)
    if source.selector == EVERYTHING:
        return _newest_of_all(store, until)
    found: list[Offered] = []
    for resource in store.iterate(_members(source.selector)):
        found += store.queries.offered(until=until, limit=BACKLOG, resource=resource.id, newest_first=True)
        if len(found) >= MOST:
            break
    return found[:MOST]


def _newest_of_all(store: Store, until: int | None) -> list[Offered]:
    found: list[Offered] = []
    while page := store.queries.offered(until=until, limit=BACKLOG, newest_first=True):
        found += page
        until = page[-1].stored.seq - 1
        if len(found) >= MOST:
            break
    return found


def _members(selector: str) -> ResourceFilter:
    """The resources that a folder, a tag, or all pages are.

    >>> _members("folder:news/local").folder, _members("tag:a:b").tag, _members(PAGES).kind
    ('news/local', 'a:b', <Kind.PAGE: 'page'>)
    """
    if selector == PAGES:
        return ResourceFilter(kind=Kind.PAGE)
    kind, _, name = selector.partition(":")
    return ResourceFilter(folder=name) if kind == SourceKind.FOLDER.value else ResourceFilter(tag=name)


def _sum(parts: list[Matched]) -> Matched:
    seen: dict[str, int] = {}
    passed: dict[tuple[int, int], int] = {}
    for part in parts:
        for selector, count in part.seen.items():
            seen[selector] = seen.get(selector, 0) + count
        for branch, count in part.passed.items():
            passed[branch] = passed.get(branch, 0) + count
    return Matched(matches=tuple(match for part in parts for match in part.matches), seen=seen, passed=passed)
