"""The laws of a store that keeps query feeds."""

from dataclasses import replace as with_parts

from afresh.base.errors import UsageError
from afresh.base.protocols import Store
from afresh.base.records.queries import Match, Matched, NewQuery, NewSource, QueryNotFound, QueryState
from tests.laws.store_material import NOW, Open, entry, feeds, laws_of, opened, raises, report, take

_NOTHING = Matched(seen={}, passed={})
_ALL = NewSource("all", "ALL")


def _fill(store: Store, *names: str) -> list[int]:
    """Entries of one feed; their numbers."""
    if store.count() == 0:
        store.add(feeds(1, due=0.0), now=NOW)
    before = store.entries(newest_first=True, limit=1)
    now = NOW + 100 * len(store.visits(limit=1000))
    [lease] = take(store, now)
    store.record([report(lease, now, due=0.0, entries=tuple(entry(name, found=now) for name in names))])
    return [stored.seq for stored in store.entries(after=before[0].seq if before else 0, limit=1000)]


def _put(store: Store, name: str, *sources: NewSource, found: Matched = _NOTHING, replace: bool = False) -> int:
    new = NewQuery(name=name, title=name.title(), text=f"text of {name}", sources=sources or (_ALL,), replace=replace)
    number = store.queries.put_query(new, found, expected=store.queries.query_state(), cursor=0, now=NOW)
    assert number is not None
    return number


def _take(store: Store, query: int, *seqs: int, now: float = NOW, identity: bytes = b"") -> bool:
    matches = tuple(Match(query, seq, identity or seq.to_bytes(16, "big"), 1.5) for seq in seqs)
    found = Matched(matches=matches, seen={"all": len(seqs)}, passed={(query, 0): len(seqs)})
    return store.queries.record_matches(found, expected=store.queries.query_state(), cursor=max(seqs), now=now)


def a_query_comes_back_as_it_was(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        _put(store, "a", NewSource("resource:1", '"http://x"', resource=1), NewSource("tag:t", 'TAG "t"'))
    with opened(open_store) as store:
        kept = store.queries.query("a")
        assert (kept.name, kept.title, kept.text, kept.created, kept.places) == ("a", "A", "text of a", NOW, 0)
        assert [(s.selector, s.label, s.seen) for s in kept.sources] == [
            ("resource:1", '"http://x"', 0),
            ("tag:t", 'TAG "t"', 0),
        ]
        assert kept.selectivity is None
        assert raises(QueryNotFound, store.queries.query, "b")
        assert store.in_use() == {"queries"}


def a_name_is_taken_once_unless_replaced(open_store: Open) -> None:
    with opened(open_store) as store:
        seqs = _fill(store, "x")
        number = _put(store, "a")
        _take(store, number, *seqs)
        assert raises(UsageError, _put, store, "a")
        version = store.queries.query("a").version
        assert _put(store, "a", NewSource("tag:t", "T"), replace=True) == number
        kept = store.queries.query("a")
        assert kept.version > version
        assert ([s.selector for s in kept.sources], kept.places) == (["tag:t"], 1)
        assert len(store.queries.published(number, first=1, last=9)) == 1


def what_was_taken_is_counted_by_resource(open_store: Open) -> None:
    with opened(open_store) as store:
        seqs = _fill(store, "x", "y", "z")
        first, second = _put(store, "a"), _put(store, "b")
        _take(store, first, *seqs[:2])
        [resource] = {one.resource for one in store.entries()}
        assert dict(store.queries.taken(first)) == {resource: 2}
        assert dict(store.queries.taken(second)) == {}
        store.remove([resource])
        assert dict(store.queries.taken(first)) == {}


def an_outdated_state_changes_nothing(open_store: Open) -> None:
    with opened(open_store) as store:
        seqs = _fill(store, "x")
        number = _put(store, "a")
        state = store.queries.query_state()
        _put(store, "b")
        new = NewQuery(name="c", title="", text="", sources=(_ALL,))
        assert store.queries.put_query(new, _NOTHING, expected=state, cursor=0, now=NOW) is None
        found = Matched(matches=(Match(number, seqs[0], b"i" * 16, 1.0),), seen={"all": 1}, passed={})
        assert not store.queries.record_matches(found, expected=state, cursor=seqs[0], now=NOW)
        assert [kept.name for kept in store.queries.list_queries()] == ["a", "b"]
        assert (store.queries.query("a").places, store.queries.query_state().cursor) == (0, 0)


def matching_starts_where_the_first_query_looked_to(open_store: Open) -> None:
    with opened(open_store) as store:
        seqs = _fill(store, "x", "y")
        assert store.queries.query_state() == QueryState(0, 0, False)
        new = NewQuery(name="a", title="", text="", sources=(_ALL,))
        store.queries.put_query(new, _NOTHING, expected=store.queries.query_state(), cursor=seqs[0], now=NOW)
        assert store.queries.query_state() == QueryState(1, seqs[0], True)
        later = NewQuery(name="b", title="", text="", sources=(_ALL,))
        store.queries.put_query(later, _NOTHING, expected=store.queries.query_state(), cursor=seqs[1], now=NOW)
        assert store.queries.query_state().cursor == seqs[0]


def an_entry_is_taken_once_a_query(open_store: Open) -> None:
    with opened(open_store) as store:
        seqs = _fill(store, "x", "y")
        a, b = _put(store, "a"), _put(store, "b")
        assert _take(store, a, *seqs, identity=b"same" * 4)
        assert _take(store, a, *seqs, identity=b"same" * 4)
        assert _take(store, b, seqs[1], identity=b"same" * 4)
        assert [item.offered.stored.seq for item in store.queries.published(a, first=1, last=9)] == [seqs[0]]
        assert [item.offered.stored.seq for item in store.queries.published(b, first=1, last=9)] == [seqs[1]]


def an_id_that_several_entries_of_a_feed_bear_is_told(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(2, due=0.0), now=NOW)
        for lease in take(store):
            made = [entry("one"), entry("two"), entry("three")]
            ids = ("same", "same", "own") if lease.resource.id == 1 else ("same", "own", "")
            named = [with_parts(e, parsed=with_parts(e.parsed, native_id=i)) for e, i in zip(made, ids, strict=True)]
            store.record([report(lease, entries=tuple(named))])
        asked = {(number, name) for number in (1, 2) for name in ("same", "own", "none")}
        assert store.queries.shared_ids(asked) == {(1, "same")}
        assert store.queries.shared_ids([]) == set()


def places_are_dense_and_never_given_again(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _put(store, "a")
        old = _fill(store, "x", "y", "z")
        _take(store, number, *old, now=NOW + 7)
        assert [item.place for item in store.queries.published(number, first=1, last=9)] == [1, 2, 3]
        assert [item.place for item in store.queries.published(number, first=2, last=2)] == [2]
        store.prune(0.0, NOW + 1)
        assert store.queries.published_count(number, first=1, last=9) == 0
        _take(store, number, *_fill(store, "new"), now=NOW + 9)
        [item] = store.queries.published(number, first=1, last=9)
        assert (item.place, item.taken, item.score) == (4, NOW + 9, 1.5)
        assert (store.queries.query("a").places, store.queries.query("a").modified) == (4, NOW + 9)


def selectivity_counts_from_the_making_of_the_query(open_store: Open) -> None:
    with opened(open_store) as store:
        first = _put(store, "a")
        _take(store, first, *_fill(store, "x", "y"))
        backlog = Matched(seen={"all": 5}, passed={(0, 0): 2})
        second = _put(store, "b", found=backlog)
        [seq] = _fill(store, "z")
        found = Matched(seen={"all": 1}, passed={(first, 0): 1})
        assert store.queries.record_matches(found, expected=store.queries.query_state(), cursor=seq, now=NOW)
        a, b = store.queries.queries_by_id([second, first])
        assert [(q.name, q.seen, q.matched) for q in (a, b)] == [("a", 3, 3), ("b", 6, 2)]
        assert b.selectivity == 2 / 6


def entries_are_offered_with_what_selects_them(open_store: Open) -> None:
    with opened(open_store) as store:
        seqs = _fill(store, "x", "y", "z")
        store.update(1, folder="f/g", tags=("t",), weight=3.0, title="T")
        offered = store.queries.offered(after=seqs[0], until=seqs[1])
        assert [item.stored.seq for item in offered] == [seqs[1]]
        [item] = offered
        assert (item.folder, item.tags, item.weight, item.source_title) == ("f/g", ("t",), 3.0, "T")
        assert [item.stored.seq for item in store.queries.offered(resource=1, limit=2, newest_first=True)] == seqs[
            :0:-1
        ]
        assert store.queries.offered(resource=2) == []
        known = ("folder:f", "folder:f/g", "tag:t", "all")
        assert [store.queries.has_sources(name) for name in known] == [True] * 4
        assert [store.queries.has_sources(name) for name in ("folder:g", "folder:f/", "tag:T")] == [False] * 3


def a_removed_resource_leaves_its_query(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1, due=0.0), now=NOW)
        number = _put(store, "a", NewSource("resource:1", "1", resource=1))
        _take(store, number, *_fill(store, "x"))
        store.remove([1])
        assert [source.selector for source in store.queries.query("a").sources] == [""]
        assert store.queries.published(number, first=1, last=9) == []


def a_query_others_build_on_is_not_dropped(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _put(store, "a")
        _put(store, "b", NewSource(f"query:{number}", "FEED a", query=number))
        assert store.queries.query_graph() == {"b": ("a",)}
        assert raises(UsageError, store.queries.drop_query, "a")
        generation = store.queries.query_state().generation
        store.queries.drop_query("b")
        store.queries.drop_query("a")
        assert raises(QueryNotFound, store.queries.drop_query, "a")
        assert (store.queries.list_queries(), store.queries.query_versions()) == ([], {})
        assert store.queries.query_state().generation > generation
        assert _put(store, "a") > number


def queries_are_listed_by_name(open_store: Open) -> None:
    with opened(open_store) as store:
        for name in ("c", "a", "b"):
            _put(store, name)
        names: list[str] = []
        while page := store.queries.list_queries(after=names[-1] if names else "", limit=2):
            names += [kept.name for kept in page]
        assert names == ["a", "b", "c"]
        assert len(store.queries.query_versions()) == 3


LAWS = laws_of(globals())
