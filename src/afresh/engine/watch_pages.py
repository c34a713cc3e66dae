"""What of a page is watched: said by an operator, for a page, a site or a tag, from whatever door."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from afresh.base.errors import UsageError
from afresh.base.records.watches import USUAL, Watch
from afresh.http.browser import check_browser
from afresh.parse.url import Sites, kept_url
from afresh.parse.watched_parts import check_selectors

if TYPE_CHECKING:
    from afresh.base.protocols import Store

_MOST = 20  # selectors, expressions or words of a kind
_LONGEST = 1_000  # characters of one
_MOST_WORDS = 100_000


def checked(watch: Watch) -> Watch:
    """The same; raises UsageError for what nobody can mean."""
    for one in fields(watch):
        value = getattr(watch, one.name)
        if isinstance(value, tuple) and (len(value) > _MOST or any(not 0 < len(text) <= _LONGEST for text in value)):
            raise UsageError(f"{one.name.replace('_', '-')}: at most {_MOST} of 1 to {_LONGEST} characters")
    if not 1 <= watch.at_least <= _MOST_WORDS:
        raise UsageError(f"at-least: a number of words from 1 to {_MOST_WORDS:,}")
    check_selectors(watch)
    if watch.renders:
        check_browser()
    return watch


def page_scope(resource: int) -> str:
    return f"page:{resource}"


def site_scope(site: str, sites: Sites) -> str:
    """Of a site by its name, or by any address of it."""
    return f"site:{sites.of(kept_url(site))}"


def watch_of(store: Store, scope: str) -> Watch:
    """What is watched by a scope by itself."""
    return store.watches.watches().get(scope, USUAL)


def change_watch(store: Store, scope: str, changes: Mapping[str, Any]) -> Watch:
    """What is watched with these values; what is not among them stays."""
    watch = checked(replace(watch_of(store, scope), **changes))
    store.watches.put_watch(scope, watch)
    return watch
