"""What is watched and what was found, asked of a daemon over REST by the names of ``afresh.open``."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec

from afresh.base.errors import ResourceNotFound, UsageError
from afresh.doors.presenting.entries import EntryPage, EntryView
from afresh.doors.presenting.lists import Items, NumberedPage
from afresh.doors.presenting.resources import (
    AddedPage,
    AddedView,
    ResourcePage,
    ResourceView,
    VisitPage,
    VisitView,
    WhyView,
)
from afresh.doors.python.remote.asking import Asking, Listing, Plan, ask, asked, listed
from afresh.http.service import Call, HttpService, NotThere

T = TypeVar("T")
LOCAL = "http://127.0.0.1:8080"
_BATCH = 500  # items asked for at a time


def reader(kind: type[T]) -> Callable[[bytes], T]:
    """Reads an answer of this type; fields that a newer service adds are passed over."""
    return msgspec.json.Decoder(kind).decode


def nothing(_: bytes) -> None:
    """An answer that says only that it was done."""


_ADDED, _RESOURCE, _RESOURCES = reader(AddedPage), reader(ResourceView), reader(ResourcePage)
_ENTRIES, _VISITS, _WHY = reader(EntryPage), reader(VisitPage), reader(WhyView)


class Watching(Asking):
    """The names of ``afresh.open``, but over REST."""

    def __init__(self, where: str = LOCAL, *, token: str = "", timeout: float = 60.0, patience: float = 60.0) -> None:
        super().__init__(HttpService(where, token=token, timeout=timeout, patience=patience))

    @asked
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
    ) -> Plan[AddedView]:
        """Watches a URL; one that is watched already stays as it is. Raises UsageError for what cannot be watched."""
        body = {
            "urls": [url],
            "kind": kind,
            "title": title,
            "folder": folder,
            "tags": list(tags),
            "weight": weight,
            "rule": rule,
            "pinned": pinned,
        }
        page: Items[AddedView] = yield from ask(Call("POST", "/resources", _ADDED, body=body))
        [added] = page.items
        if added.error:
            raise UsageError(f"{url}: {added.error}")
        return added

    @listed
    def resources(
        self,
        *,
        kind: str | None = None,
        status: str | None = None,
        folder: str | None = None,
        tag: str | None = None,
        search: str = "",
        failing: bool | None = None,
    ) -> Listing[ResourceView]:
        """What is watched, in the order it was added."""
        told = None if failing is None else str(failing).lower()
        filters = {"kind": kind, "status": status, "folder": folder, "tag": tag, "q": search or None, "failing": told}
        wanted = {name: value for name, value in filters.items() if value is not None}

        def part(after: int) -> Plan[tuple[list[ResourceView], int | None]]:
            query: dict[str, str | int] = {**wanted, "after": after, "limit": _BATCH}
            page: NumberedPage[ResourceView] = yield from ask(Call("GET", "/resources", _RESOURCES, query=query))
            return list(page.items), page.next

        return Listing(part)

    @asked
    def resource(self, key: str | int) -> Plan[ResourceView]:
        """One of them, by URL or number; raises ResourceNotFound."""
        return (yield from _found(key))

    @asked
    def remove(self, *keys: str | int) -> Plan[int]:
        """Stops watching and forgets; how many there were."""
        numbers: dict[str | int, int] = {}
        for key in keys:
            numbers[key] = yield from _number(key)
        for number in numbers.values():
            try:
                yield from ask(Call("DELETE", f"/resources/{number}", nothing))
            except NotThere:  # what was asked for has happened: the answer to an earlier try was lost
                continue
        return len(numbers)

    @asked
    def poll(self, key: str | int) -> Plan[None]:
        """Makes a resource due now; the daemon visits it when its site allows."""
        number = yield from _number(key)
        yield from ask(Call("POST", f"/resources/{number}/visit", nothing))

    @listed
    def entries(self, *, after: int = 0, of: str | int | None = None) -> Listing[EntryView]:
        """Entries behind a place in the one sequence, oldest first: nothing is skipped, nothing comes twice.

        Keep ``entry.seq`` of the last one, and pass it as ``after`` next time.
        """

        def part(place: int) -> Plan[tuple[list[EntryView], int | None]]:
            path = "/entries" if of is None else f"/resources/{(yield from _number(of))}/entries"
            page: EntryPage = yield from ask(Call("GET", path, _ENTRIES, query={"after": place, "limit": _BATCH}))
            return list(page.items), page.next if page.items else None

        return Listing(part, after)

    @asked
    def visits(self, key: str | int, *, limit: int = 100) -> Plan[list[VisitView]]:
        """The latest visits of a resource, newest first."""
        number = yield from _number(key)
        page: VisitPage = yield from ask(Call("GET", f"/resources/{number}/visits", _VISITS, query={"limit": limit}))
        return list(page.items)

    @asked
    def why(self, key: str | int) -> Plan[WhyView]:
        """Why the next visit is when it is."""
        number = yield from _number(key)
        return (yield from ask(Call("GET", f"/resources/{number}/why", _WHY)))


def _found(key: str | int) -> Plan[ResourceView]:
    by_number = str(key).isdigit()
    call = (
        Call("GET", f"/resources/{key}", _RESOURCE)
        if by_number
        else Call("GET", "/resources/lookup", _RESOURCE, query={"url": str(key)})
    )
    try:
        return (yield from ask(call))
    except NotThere as error:
        raise ResourceNotFound(key) from error


def _number(key: str | int) -> Plan[int]:
    found: ResourceView = yield from _found(key)
    return found.id
