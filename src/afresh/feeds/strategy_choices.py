"""Which strategy, estimator and target hold for a feed: its own, a query feed's, its tag's, its folder's, the daemon's.

The nearest scope that says something about it goes first. A feed whose rule or interval was chosen by itself keeps it,
whatever is said for its folder.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afresh.base.records.refreshing import KEY, PRICED, Choice, from_text
from afresh.feeds.queries.index import selectors_of
from afresh.feeds.queries.sources import selectors_read

if TYPE_CHECKING:
    from afresh.base.models import Resource
    from afresh.base.protocols import Store

_FRESH = 5.0  # seconds for which choices are remembered
_MANY = 10_000
EVERYTHING = "all"  #: the scope of the daemon's own settings


@dataclass(frozen=True, slots=True)
class Chosen:
    """What holds for a feed, and by which scope each part of it is said."""

    choice: Choice
    by: Mapping[str, str]  # scope by the name of a part

    @property
    def strategy(self) -> str:
        return self.choice.strategy or PRICED

    @property
    def is_priced(self) -> bool:
        return self.strategy == PRICED


@dataclass(slots=True)
class Choices:
    """Knows what was said for all scopes of a store; changes are seen within seconds."""

    store: Store
    usual: Choice  # the daemon's settings
    _scopes: Mapping[str, Choice] = field(default_factory=dict)
    _selected: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # query scopes by the selectors they read
    _until: float = 0.0
    version: int = 0  # grows with every change that was seen

    @property
    def scopes(self) -> Mapping[str, Choice]:
        """What was said, by scope."""
        self._look()
        return self._scopes

    def of(self, resource: Resource) -> Chosen:
        """What holds for it."""
        self._look()
        choice, by = self.usual, dict.fromkeys(self.usual.said(), EVERYTHING)
        if not self._scopes:
            return Chosen(choice, by)
        for scope in self._general_first(resource):
            said = self._scopes.get(scope)
            if said is not None:
                choice = said.over(choice)
                by |= dict.fromkeys(said.said(), scope)
        return Chosen(choice, by)

    def _general_first(self, resource: Resource) -> list[str]:
        selectors = selectors_of(resource.id, resource.folder, resource.tags, resource.kind)
        queries = [scope for selector in selectors for scope in self._selected.get(selector, ())]
        return [*selectors[2:], *sorted(queries), f"feed:{resource.id}"]  # folders from the outermost, then tags

    def _look(self) -> None:
        if time.monotonic() < self._until:
            return
        found = from_text(self.store.get_setting(KEY))
        if found != self._scopes:
            self.version += 1
        self._scopes = found
        self._selected = self._read_queries() if any(scope.startswith("query:") for scope in found) else {}
        self._until = time.monotonic() + _FRESH

    def _read_queries(self) -> Mapping[str, tuple[str, ...]]:
        """Scopes of query feeds by the selectors of their sources; what they read through others included."""
        queries = {query.id: query for query in self.store.queries.list_queries(limit=_MANY)}
        selected: dict[str, tuple[str, ...]] = {}
        for query in queries.values():
            if (scope := f"query:{query.name}") in self._scopes:
                for selector in selectors_read(query, queries):
                    selected[selector] = (*selected.get(selector, ()), scope)
        return selected
