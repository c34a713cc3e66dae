"""Finds the resource a person means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afresh.base.errors import AfreshError, ResourceNotFound, UsageError
from afresh.base.models import ResourceFilter
from afresh.parse.url import kept_link, kept_url

if TYPE_CHECKING:
    from afresh.base.protocols import Store


_MANY = 1_000  # resources that are looked at for a title
_NAMED = 5


def find_one(store: Store, key: str) -> int:
    """The number of the resource a person means by a number, a URL, or a title that no other has."""
    if key.isdigit():
        return store.get(int(key)).id
    try:
        return find_address(store, key)
    except AfreshError as error:
        called = _called(store, key)
        if len(called) > 1:
            numbers = ", ".join(f"#{number}" for number in called[:_NAMED])
            more = " and more" if len(called) > _NAMED else ""
            raise UsageError(f"several are called {key!r}: {numbers}{more}; name one by its number") from error
        if called:
            return called[0]
        if isinstance(error, LookupError):
            raise
        raise UsageError(str(error)) from error


def find_address(store: Store, url: str) -> int:
    """The number of what is kept at an address. A link to a part of a page is found by its page, and by another part,
    where the page is kept once; raises ResourceNotFound.
    """
    try:
        return store.get(kept_link(url)).id
    except ResourceNotFound:
        page = kept_url(url)
        links = store.links.links_of_page(page)
        return links[0].id if len(links) == 1 else store.get(page).id


def _called(store: Store, title: str) -> list[int]:
    wanted = " ".join(title.split())
    if not wanted:
        return []
    found = store.list_resources(ResourceFilter(text=wanted), limit=_MANY)
    return [one.id for one in found if " ".join(one.title.split()).casefold() == wanted.casefold()]
