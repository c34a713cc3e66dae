"""A view is what it shows: the fields of the same names, in the form its types ask for."""

from collections.abc import Callable, Sequence
from dataclasses import fields
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from afresh.doors.presenting.times import finite, iso

View = TypeVar("View")

_plans: dict[tuple[type, ...], tuple[tuple[str, int, Callable[[Any], Any] | None], ...]] = {}


def shown(view: type[View], /, *sources: object, **told: object) -> View:
    """The view of one or more things: each field as told here, else from the first of them that has it.

    A number under a field of text is a time (ISO 8601); a number JSON has no word for is null; a list is a tuple.

    >>> from afresh.base.models import Site
    >>> from afresh.doors.presenting.sites import view_site
    >>> view_site(Site(name="example.org", next_allowed=0.25, delay=float("inf"))).next_allowed
    '1970-01-01T00:00:00.250Z'
    """
    return view(**told_fields(view, *sources, **told))


def told_fields(view: type, /, *sources: object, **told: object) -> dict[str, Any]:
    """The fields of such a view by name, for whoever writes them down at once."""
    key = (view, *map(type, sources))
    plan = _plans.get(key)
    if plan is None:
        plan = _plans[key] = tuple(
            (name, place, convert)
            for name, convert in _conversions(view)
            for place in [next((i for i, source in enumerate(sources) if hasattr(source, name)), -1)]
            if place >= 0
        )
    found = {}
    for name, place, convert in plan:
        value = getattr(sources[place], name)
        found[name] = value if convert is None else convert(value)
    return {**found, **told}


def following(found: Sequence[Any], limit: int, name: str = "id") -> Any:
    """Where to read on after a page; None: it was the last."""
    return getattr(found[-1], name) if len(found) == limit else None


def _conversions(kind: Any) -> tuple[tuple[str, Callable[[Any], Any] | None], ...]:
    hints = get_type_hints(kind)
    names = getattr(kind, "__struct_fields__", None) or [field.name for field in fields(kind)]  # msgspec's, or ours
    return tuple((name, _conversion(hints[name])) for name in names)


def _conversion(hint: Any) -> Callable[[Any], Any] | None:
    """What makes a value of such a field; None: it is shown as it is."""
    parts = set(get_args(hint)) - {NoneType}
    if parts == {str}:
        return _text
    if parts == {float}:
        return _number
    return _listed if get_origin(hint) is tuple else None


def _text(value: Any) -> Any:
    return iso(value) if isinstance(value, int | float) else value


def _number(value: Any) -> Any:
    return finite(value) if isinstance(value, float) else value


def _listed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
