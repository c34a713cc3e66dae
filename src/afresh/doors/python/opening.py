"""``afresh.open``: everything afresh keeps, for a program or a notebook, with the names that REST and ``--json`` use.

It works beside a running daemon on the same store: what is added here is visited there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from afresh.base.errors import UsageError
from afresh.base.models import Kind, ResourceFilter, Status
from afresh.base.settings import load_settings
from afresh.doors.presenting.entries import EntryView, view_entry
from afresh.doors.presenting.resources import (
    AddedView,
    ResourceView,
    VisitView,
    WhyView,
    view_added,
    view_resource,
    view_visit,
    view_why,
)
from afresh.engine.add import Wanted, add
from afresh.engine.explaining import explain_stored
from afresh.store import open_store
from afresh.store.finding import find_one

if TYPE_CHECKING:
    from afresh.doors.python.frontier import LocalFrontier

Word = TypeVar("Word", Kind, Status)

_BATCH = 500  # rows read from the store at a time


class Afresh:
    """What is watched and what was found. Close it, or use it as a context manager.

    >>> import afresh, tempfile
    >>> with tempfile.TemporaryDirectory() as folder, afresh.open(f"{folder}/afresh.db") as a:
    ...     added = a.add("https://example.org/feed.xml", tags=["news"])
    ...     added.is_new, [one.url for one in a.resources(tag="news")], list(a.entries(after=0))
    (True, ['https://example.org/feed.xml'], [])
    """

    def __init__(self, where: str | Path = "afresh.db", *, file: Path | None = None, **settings: Any) -> None:
        """``settings`` by their names, with two underscores for the dot: ``politeness__delay="5s"``."""
        overrides = {"store.url": str(where)} | {name.replace("__", "."): value for name, value in settings.items()}
        self.settings = load_settings(file=file, environment=os.environ, overrides=overrides).settings
        self.store = open_store(self.settings.store.url, keep_documents=self.settings.keep.unparsable)

    def close(self) -> None:
        """Nothing can be asked any more."""
        if "frontier" in self.__dict__:
            self.frontier.close()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- what is watched ----------------------------------------------------------------------------------------------

    def add(
        self,
        url: str,
        *,
        kind: str = "feed",
        title: str = "",
        folder: str = "",
        tags: Iterable[str] = (),
        weight: float = 1.0,
        rule: str | None = None,
        pinned: float | None = None,
    ) -> AddedView:
        """Watches a URL; one that is watched already stays as it is. Raises UsageError for what cannot be watched."""
        wanted = Wanted(
            url=url,
            kind=_named(Kind, kind),
            title=title,
            folder=folder,
            tags=tuple(tags),
            weight=weight,
            rule=rule,
            pinned=pinned,
        )
        [added] = view_added(add(self.store, [wanted], self.settings, now=time.time()))
        if added.error:
            raise UsageError(f"{url}: {added.error}")
        return added

    def resources(
        self,
        *,
        kind: str | None = None,
        status: str | None = None,
        folder: str | None = None,
        tag: str | None = None,
        search: str = "",
        failing: bool | None = None,
    ) -> Iterator[ResourceView]:
        """What is watched, in the order it was added."""
        where = ResourceFilter(
            kind=None if kind is None else _named(Kind, kind),
            status=None if status is None else _named(Status, status),
            folder=folder,
            tag=tag,
            failing=failing,
            text=search,
        )
        after = 0
        while found := self.store.list_resources(where, after=after, limit=_BATCH):
            yield from map(view_resource, found)
            after = found[-1].id

    def resource(self, key: str | int) -> ResourceView:
        """One of them, by URL or number; raises ResourceNotFound."""
        return view_resource(self.store.get(self._number(key)))

    def remove(self, *keys: str | int) -> int:
        """Stops watching and forgets; how many there were."""
        return self.store.remove([self._number(key) for key in keys])

    def poll(self, key: str | int) -> None:
        """Makes a resource due now; the daemon visits it when its site allows."""
        self.store.update(self._number(key), due=time.time())

    # --- what was found -----------------------------------------------------------------------------------------------

    def entries(self, *, after: int = 0, of: str | int | None = None) -> Iterator[EntryView]:
        """Entries behind a place in the one sequence, oldest first: nothing is skipped, nothing comes twice.

        Keep ``entry.seq`` of the last one, and pass it as ``after`` next time.
        """
        resource = None if of is None else self._number(of)
        while found := self.store.entries(after=after, limit=_BATCH, resource=resource):
            yield from map(view_entry, found)
            after = found[-1].seq

    def visits(self, key: str | int, *, limit: int = 100) -> list[VisitView]:
        """The latest visits of a resource, newest first."""
        return [view_visit(number, one) for number, one in self.store.visits(resource=self._number(key), limit=limit)]

    def why(self, key: str | int) -> WhyView:
        """Why the next visit is when it is."""
        now = time.time()
        found = explain_stored(self.store, self.settings, str(key), now=now)
        return view_why(found.resource, found.told, found.site, now)

    # --- the frontier -------------------------------------------------------------------------------------------------

    @cached_property
    def frontier(self) -> LocalFrontier:
        """The frontier of the settings (``frontier.url``), in this process."""
        from afresh.doors.python.frontier import LocalFrontier  # noqa: PLC0415 (few programs crawl)

        return LocalFrontier(self.settings)

    def _number(self, key: str | int) -> int:
        return find_one(self.store, str(key))


def _named(words: type[Word], name: str) -> Word:
    try:
        return words(name)
    except ValueError:
        raise UsageError(f"{name!r} is none of {', '.join(words)}") from None
