"""What is known of a resource, in words: one fact a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from afresh.base.durations import format_duration
from afresh.base.plain_numbers import amount
from afresh.doors.cli.output import clean, moment
from afresh.doors.presenting.resources import ResourceView

_TIMES = frozenset({"added", "due", "last_visit", "last_ok", "saved"})
_SPANS = frozenset({"pinned", "shortest", "longest", "standard", "last_interval", "max_age", "ttl", "update_period"})
_SECOND_NAMES = frozenset({"predictor", "alpha", "beta", "eta"})


def facts_for_people(view: ResourceView) -> Iterator[tuple[str, str]]:
    """What is known, one fact a line; what is not set is left out, and so are second names."""
    known = asdict(view)
    counters, facts = known.pop("counters"), known.pop("facts")
    for name, value in {**known, **counters, **facts, "title": view.title}.items():
        if name in _SECOND_NAMES or value in (None, "", [], (), 0, {}, False):
            continue
        if words := in_words(name, value):  # validators that a server never sent are none
            yield name, words


def in_words(name: str, value: Any) -> str:
    """A fact by its name."""
    if value in (None, ""):
        return "none"
    if name in _TIMES:
        return moment(value)
    return format_duration(value) if name in _SPANS else clean(_said(value))


def _said(value: object) -> str:
    """A fact in words: a list with commas, names with their values."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_said(item)}" for name, item in value.items() if item not in (None, "", (), []))
    if isinstance(value, list | tuple):
        return ", ".join(map(_said, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return amount(value) if isinstance(value, float) else str(value)
