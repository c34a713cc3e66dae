"""Fields of a body that its model does not have, told with the one that was meant."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, get_args

from pydantic import BaseModel

from afresh.doors.rest.near_names import meant, shown


def unknown_field(route: Any, place: Sequence[str | int]) -> str:
    """What to say of the field at this place of a body that a route takes (``("body", "pin")``)."""
    known = _known(route, place[1:-1])
    name = shown(str(place[-1]))
    return f"no field is called {name}; {meant(name, known)}" if known else f"no field is called {name}"


def _known(route: Any, path: Iterable[str | int]) -> frozenset[str]:
    """The names at the end of a path into the body; none where it cannot be followed."""
    body = getattr(route, "body_field", None)
    models = [] if body is None else list(_models(body.field_info.annotation))
    for part in path:
        if isinstance(part, int):
            continue  # an item is of the kind of its list
        models = [
            inner
            for model in models
            for name, field in model.model_fields.items()
            if part == (field.alias or name)
            for inner in _models(field.annotation)
        ]
    return frozenset(field.alias or name for model in models for name, field in model.model_fields.items())


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models among what an annotation allows: lists of them, or none."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)
