"""Something is given another address: where it is now, as its site says, or as somebody found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afresh.base.errors import Disallowed, UsageError
from afresh.base.models import Kind
from afresh.base.settings import Settings
from afresh.engine import accepted_values as values
from afresh.http.guard import Guard
from afresh.links.repairs import seen_there
from afresh.parse.url import Sites, kept_link, kept_url, with_part

if TYPE_CHECKING:
    from afresh.base.models import Resource
    from afresh.base.protocols import Store
    from afresh.base.records.links import KeptLink


def take_address(store: Store, resource: int, url: str, settings: Settings, *, now: float) -> KeptLink:
    """The link at its new address, due at once; UsageError for one that cannot be watched, Conflict for one that is.

    It is well where its last check has seen the page there.
    The link of a part of a page stays one, as in browsers, unless another part is named.
    """
    known = store.links.link(resource)
    address = kept_link(with_part(url, known.url))
    seen = seen_there(address, known.state)
    return store.links.take_address(resource, url=address, site=_site(address, settings), now=now, seen=seen)


def change_address(store: Store, resource: int, url: str, settings: Settings, *, now: float) -> Resource:
    """A resource of any kind at its new address, with its entries and all that was learnt; refused as above."""
    known = store.get(resource)
    if known.kind is Kind.LINK:
        take_address(store, resource, url, settings, now=now)
        return store.get(resource)
    address = kept_url(url)
    return store.take_address(resource, url=address, site=_site(address, settings), now=now)


def _site(address: str, settings: Settings) -> str:
    try:
        values.check_address(address, Guard.of(settings.fetch))
    except Disallowed as error:
        raise UsageError(str(error)) from error
    return Sites(settings.politeness).of(address)
