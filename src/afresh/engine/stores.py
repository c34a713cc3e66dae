"""The store of the settings. Apart from the daemon, so that a command that only looks something up starts quickly."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from afresh.base.settings import Settings
from afresh.store import open_store

if TYPE_CHECKING:
    from afresh.base.protocols import Store


@contextmanager
def opened_store(settings: Settings, *, exclusive: bool = False) -> Iterator[Store]:
    """The store of the settings, closed at the end; ``exclusive`` for the one daemon."""
    store = open_store(settings.store.url, exclusive=exclusive, keep_documents=settings.keep.unparsable)
    try:
        yield store
    finally:
        store.close()
