"""Finds the resource a person means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afresh.base.errors import AfreshError, UsageError
from afresh.parse.url import kept_url

if TYPE_CHECKING:
    from afresh.base.protocols import Store


def find_one(store: Store, key: str) -> int:
    """The number of the resource a person means by a number or a URL."""
    if key.isdigit():
        return store.get(int(key)).id
    try:
        return store.get(kept_url(key)).id
    except AfreshError as error:
        if isinstance(error, LookupError):
            raise
        raise UsageError(str(error)) from error
