"""The index finds exactly what testing every query would find, without testing every query."""

import re
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.feeds.queries.anchors import MOST, anchors_of
from afresh.feeds.queries.cycles import find_cycle
from afresh.feeds.queries.evaluate import compile_condition
from afresh.feeds.queries.index import QueryIndex, query_selector, selectors_of
from afresh.feeds.queries.item import Item
from afresh.feeds.queries.model import (
    And,
    Branch,
    Comparison,
    Condition,
    Contains,
    Dated,
    Equals,
    Field,
    Matches,
    Not,
    Or,
    Source,
    SourceKind,
)

VOCABULARY = ("ant", "bee", "cat", "dog", "东", "ß")
FIELDS = st.sampled_from(list(Field))
ALL = Source(SourceKind.ALL)


def regex(pattern: str) -> Callable[[str], bool]:
    return lambda text: re.search(pattern, text) is not None


def texts() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from([*VOCABULARY, "Cat", "DOG!", "-", "SS"]), max_size=5).map(" ".join)


def conditions() -> st.SearchStrategy[Condition]:
    words = st.lists(st.sampled_from(["ant", "bee", "cat", "dog", "东", "ss"]), min_size=1, max_size=2).map(tuple)
    whole = st.sampled_from([Field.TITLE, Field.CATEGORY, Field.AUTHOR, Field.LINK])
    leaves: st.SearchStrategy[Condition] = st.one_of(
        st.builds(Contains, FIELDS, words),
        st.builds(Equals, whole, st.sampled_from(["cat", "ant bee", "", "ss"])),
        st.builds(Matches, FIELDS, st.sampled_from(["a.t", "^b", "x"])),
        st.builds(Dated, st.sampled_from(list(Comparison)), st.just(5.0), st.just(9.0), st.booleans()),
    )

    def grown(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
        parts = st.lists(inner, min_size=2, max_size=3).map(tuple)
        return st.builds(And, parts) | st.builds(Or, parts) | st.builds(Not, inner)

    return st.recursive(leaves, grown, max_leaves=6)


ITEMS = st.builds(
    Item,
    title=texts(),
    content=texts(),
    categories=st.lists(texts(), max_size=2).map(tuple),
    author=texts(),
    link=texts(),
    published=st.sampled_from([4.0, 5.0, 9.0]),
    found=st.sampled_from([0.0, 9.0]),
)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["all", "tag:x", "resource:1"]), conditions()), max_size=8), ITEMS)
def test_the_index_agrees_with_testing_every_query(queries: list[tuple[str, Condition]], item: Item) -> None:
    index = QueryIndex(regex)
    for number, (selector, condition) in enumerate(queries):
        index.put(number, [(selector, Branch(ALL, condition))])
    offered = ["all", "resource:1"]
    hits, entered = index.hits(item, offered, 1.0)
    expected = {
        number
        for number, (selector, condition) in enumerate(queries)
        if selector in offered and compile_condition(condition, regex)(item)
    }
    assert sorted(hit.query for hit in hits) == sorted(expected)
    assert set(entered) == {selector for selector, _ in queries} & set(offered)


def test_only_queries_that_share_an_anchor_are_tested() -> None:
    index = QueryIndex(regex)
    for number in range(1000):
        index.put(number, [("all", Branch(ALL, Contains(Field.ITEM, (f"word{number}",))))])
    tested = list(index._selected["all"].candidates(Item(title="word7 word8 other").keys))
    assert sorted(planned.query for planned in tested) == [7, 8]


def test_a_removed_or_replaced_query_leaves_nothing_behind() -> None:
    index = QueryIndex(regex)
    branches = [("all", Branch(ALL, Contains(Field.ITEM, ("a",)))), ("tag:t", Branch(ALL)), ("", Branch(ALL))]
    index.put(1, branches)
    index.put(1, [("tag:u", Branch(ALL))])
    assert [index.has_selector(name) for name in ("all", "tag:t", "tag:u")] == [False, False, True]
    index.remove(1)
    index.remove(1)
    assert (len(index), index._selected) == (0, {})


def test_query_feeds_over_query_feeds_are_reached() -> None:
    index = QueryIndex(regex)
    index.put(1, [("all", Branch(ALL, Contains(Field.ITEM, ("cat",))))])
    index.put(2, [(query_selector(1), Branch(ALL)), ("tag:x", Branch(ALL))])
    index.put(3, [(query_selector(2), Branch(ALL, Not(Contains(Field.ITEM, ("dog",)))))])

    def reached(title: str, *selectors: str) -> list[tuple[int, int]]:
        hits, _ = index.hits(Item(title=title), ["all", *selectors], 1.0)
        return sorted((hit.query, hit.branch) for hit in hits)

    assert reached("cat") == [(1, 0), (2, 0), (3, 0)]
    assert reached("cat dog") == [(1, 0), (2, 0)]
    assert reached("bee") == []
    assert reached("bee", "tag:x") == [(2, 1), (3, 0)]
    assert reached("cat", "tag:x") == [(1, 0), (2, 0), (2, 1), (3, 0)]


def test_selectors_of_a_resource() -> None:
    assert selectors_of(1, "", []) == ["all", "resource:1"]
    assert "folder:a" in selectors_of(1, "/a//b/", [])
    assert "folder:a/b" in selectors_of(1, "/a//b/", [])


def test_a_long_disjunction_has_no_anchor() -> None:
    parts = tuple(Contains(Field.ITEM, (f"w{n}",)) for n in range(MOST + 1))
    assert anchors_of(Or(parts)) is None
    assert anchors_of(Or(parts[1:])) is not None
    assert anchors_of(Not(parts[0])) is None


def test_cycles_are_named() -> None:
    assert find_cycle("a", ["a"], {}) == ("a", "a")
    assert find_cycle("a", ["b", "d"], {"b": ["c"], "d": ["e"], "e": ["a"]}) == ("a", "d", "e", "a")
    assert find_cycle("a", ["b", "c"], {"b": ["d"], "c": ["d"]}) == ()
