"""A view is what it shows: the fields of the same names, in the form its types ask for."""

from collections.abc import Callable, Sequence
from functools import cache
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from afresh.base.value_class import same_fields
from afresh.doors.presenting.times import finite, iso

View = TypeVar("View")


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
    found = same_fields(view, *sources) | told
    for name, convert in _conversions(view):
        if name in found and name not in told:
            found[name] = convert(found[name])
    return found


def following(found: Sequence[Any], limit: int, name: str = "id") -> Any:
    """Where to read on after a page; None: it was the last."""
    return getattr(found[-1], name) if len(found) == limit else None


@cache
def _conversions(kind: Any) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    found = ((name, _conversion(hint)) for name, hint in get_type_hints(kind).items())
    return tuple((name, convert) for name, convert in found if convert is not None)


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
