"""A link is given another address: where its page is now, as its site says, or as somebody found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afresh.base.errors import Disallowed, UsageError
from afresh.base.settings import Settings
from afresh.engine import accepted_values as values
from afresh.http.guard import Guard
from afresh.parse.url import Sites, kept_link, with_part

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.base.records.links import KeptLink


def take_address(store: Store, resource: int, url: str, settings: Settings, *, now: float) -> KeptLink:
    """The link at its new address, due at once; UsageError for one that cannot be watched, Conflict for one that is.

    The link of a part of a page stays one, as in browsers, unless another part is named.
    """
    address = kept_link(with_part(url, store.get(resource).url))
    try:
        values.check_address(address, Guard.of(settings.fetch))
    except Disallowed as error:
        raise UsageError(str(error)) from error
    return store.links.take_address(resource, url=address, site=Sites(settings.politeness).of(address), now=now)
