"""How feeds are visited: said by an operator for one, a folder, a tag or a query feed, from whatever door."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from afresh.base.durations import format_duration
from afresh.base.errors import ModelError, UsageError
from afresh.base.models import Kind
from afresh.base.records.refreshing import KEY, PRICED, Choice, GroupReport, from_text, to_text
from afresh.base.settings.sections import RefreshSettings
from afresh.engine import accepted_values as values

if TYPE_CHECKING:
    from afresh.base.protocols import Store

REPORT = "refresh.report"  #: where the store keeps what strategies last did, and where their thresholds stand


def checked(choice: Choice) -> Choice:
    """The same; raises UsageError for what nobody can mean."""
    if choice.strategy not in (None, PRICED) or choice.estimator is not None:
        from afresh.feeds.rounds import estimator_of, strategy_of  # noqa: PLC0415 (few say which)

        if choice.strategy not in (None, PRICED):
            try:
                strategy_of(choice.strategy or "", budget=1.0)
            except ModelError as error:
                raise UsageError(f"{error}; `{PRICED}` leaves it to rules and prices") from error
        if choice.estimator is not None:
            estimator_of(choice.estimator)
    if choice.mean_delay is not None and not 1.0 <= choice.mean_delay <= values.LONGEST_INTERVAL:
        raise UsageError(f"a mean delay is 1 s to ten years, not {format_duration(choice.mean_delay)}")
    if choice.completeness is not None and not 0.5 <= choice.completeness <= 0.9999:
        raise UsageError(f"completeness is a share from 0.5 to 0.9999, not {choice.completeness:g}")
    if choice.has_target and choice.strategy not in (None, PRICED):
        raise UsageError(
            f"targets are met by the strategy priced, not by {choice.strategy}; set one of the two to none"
        )
    return choice


def check_usual(settings: RefreshSettings) -> None:
    """What holds where nothing was said; raises UsageError for what nobody can mean."""
    checked(Choice(strategy=settings.strategy, estimator=settings.estimator))


def scope_of(
    store: Store,
    *,
    feed: int | None = None,
    folder: str | None = None,
    tag: str | None = None,
    query: str | None = None,
) -> str:
    """Who something holds for: a feed by its number, a folder with those below it, a tag, or what a query feed reads.

    Raises UsageError where not exactly one was named or it can be none, NotFound where it is not there.
    """
    if sum(value is not None for value in (feed, folder, tag, query)) != 1:
        raise UsageError("name one of feed, folder, tag and query")
    if feed is not None:
        if store.get(feed).kind is not Kind.FEED:
            raise UsageError("strategies, estimators and targets are for feeds; this is none")
        return f"feed:{feed}"
    if folder is not None:
        values.check({"folder": folder})
        if not (name := folder.strip("/")):
            raise UsageError("a folder has a name; what holds for everything is set by refresh.strategy")
        return f"folder:{name}"
    return values.tag_scope(tag) if tag is not None else f"query:{store.queries.query(query or '').name}"


def choices_of(store: Store) -> dict[str, Choice]:
    """What was said, by scope."""
    return from_text(store.get_setting(KEY))


def change_choice(store: Store, scope: str, changes: Mapping[str, Any]) -> Choice:
    """What holds for a scope with these values; None takes one back, what is not among them stays."""
    known = choices_of(store)
    choice = checked(replace(known.get(scope, Choice()), **changes))
    store.put_setting(KEY, to_text({**known, scope: choice}))
    return choice


def kept_groups(store: Store) -> tuple[GroupReport, ...]:
    """What the groups of strategies last did."""
    kept = json.loads(store.get_setting(REPORT) or "{}")
    return tuple(GroupReport(**one) for one in kept.get("groups", ()))
