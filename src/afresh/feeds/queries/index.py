"""Finds the queries an entry belongs to without testing every query.

First by source (a *selector*: one resource, a folder, a tag, another query feed, everything), then by anchor, then by
the whole condition. The cost of an entry is the number of its words or of the selector's anchors, whichever is
smaller, plus the candidates that share an anchor with it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afresh.feeds.queries.anchors import anchors_of
from afresh.feeds.queries.evaluate import Regex, Scorer, Test, compile_condition

if TYPE_CHECKING:
    from afresh.feeds.queries.item import Item
    from afresh.feeds.queries.model import Branch

EVERYTHING = "all"
PAGES = "pages"


def selectors_of(resource: int, folder: str, tags: Iterable[str], kind: str = "feed") -> list[str]:
    """The selectors a resource's entries are offered under; changes of pages also under one for all of them.

    >>> selectors_of(7, "news/local", ["daily"])
    ['all', 'resource:7', 'folder:news', 'folder:news/local', 'tag:daily']
    """
    found = [EVERYTHING, f"resource:{resource}"]
    if kind == "page":
        found.append(PAGES)
    parts = [part for part in folder.split("/") if part]
    found += [f"folder:{'/'.join(parts[:depth])}" for depth in range(1, len(parts) + 1)]
    return found + [f"tag:{tag}" for tag in tags]


def query_selector(query: int) -> str:
    """The selector of another query's entries."""
    return f"query:{query}"


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """One branch of a query, ready to be tested."""

    query: int
    branch: int  # its place in the query, from 0
    selector: str
    test: Test
    scorer: Scorer
    anchors: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Hit:
    """A branch that an entry passed."""

    query: int
    branch: int
    score: float


@dataclass(slots=True)
class _Selected:
    """The branches over one selector: by anchor, and those without."""

    anchored: dict[str, list[Planned]] = field(default_factory=dict)
    free: list[Planned] = field(default_factory=list)

    def candidates(self, keys: Collection[str]) -> Iterator[Planned]:
        yield from self.free
        anchored = self.anchored
        shared = (
            [key for key in anchored if key in keys]
            if len(anchored) < len(keys)
            else [k for k in keys if k in anchored]
        )
        seen: set[int] = set()
        for key in shared:
            for planned in anchored[key]:
                if id(planned) not in seen:
                    seen.add(id(planned))
                    yield planned


class QueryIndex:
    """All queries of a store, by what selects them."""

    def __init__(self, regex: Regex) -> None:
        self._regex = regex
        self._selected: dict[str, _Selected] = {}
        self._planned: dict[int, list[Planned]] = {}

    def __len__(self) -> int:
        return len(self._planned)

    def has_selector(self, selector: str) -> bool:
        return selector in self._selected

    def put(self, query: int, branches: Sequence[tuple[str, Branch]]) -> None:
        """Adds a query, or replaces it; each branch comes with its selector (empty: the source is gone)."""
        self.remove(query)
        planned = [
            Planned(
                query=query,
                branch=place,
                selector=selector,
                test=compile_condition(branch.condition, self._regex),
                scorer=Scorer(branch.condition, self._regex),
                anchors=anchors_of(branch.condition),
            )
            for place, (selector, branch) in enumerate(branches)
            if selector
        ]
        self._planned[query] = planned
        for item in planned:
            selected = self._selected.setdefault(item.selector, _Selected())
            if item.anchors is None:
                selected.free.append(item)
            else:
                for key in item.anchors:
                    selected.anchored.setdefault(key, []).append(item)

    def remove(self, query: int) -> None:
        """Forgets a query; harmless if it is not known."""
        for item in self._planned.pop(query, ()):
            selected = self._selected[item.selector]
            if item.anchors is None:
                selected.free.remove(item)
            for key in item.anchors or ():
                selected.anchored[key].remove(item)
                if not selected.anchored[key]:
                    del selected.anchored[key]
            if not selected.free and not selected.anchored:
                del self._selected[item.selector]

    def hits(self, item: Item, selectors: Sequence[str], weight: float) -> tuple[list[Hit], list[str]]:
        """The branches an entry passes, and the selectors (of those in use) it was offered under.

        Query feeds over query feeds follow in waves: what a query took is offered under its own selector. Cycles were
        refused when the queries were made, and no query is entered twice, so this ends.
        """
        found: list[Hit] = []
        offered: list[str] = []
        entered: set[int] = set()
        pending = [selector for selector in dict.fromkeys(selectors) if selector in self._selected]
        while pending:
            selector = pending.pop()
            offered.append(selector)
            for planned in self._selected[selector].candidates(item.keys):
                if not planned.test(item):
                    continue
                found.append(Hit(planned.query, planned.branch, planned.scorer.score(item, weight)))
                if planned.query not in entered:
                    entered.add(planned.query)
                    following = query_selector(planned.query)
                    if following in self._selected:
                        pending.append(following)
        return found, offered
