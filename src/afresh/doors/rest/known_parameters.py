"""Refuses query parameters that a route does not have: a mistyped filter would show everything, as if all matched."""

from collections.abc import Iterable, Iterator
from typing import Any

from starlette.requests import Request

from afresh.doors.rest.near_names import meant, shown
from afresh.doors.rest.problems import FieldError, Refused


async def require_known_parameters(request: Request) -> None:
    """For all routes of an API at once: each knows what it takes."""
    if not (given := dict.fromkeys(request.query_params.keys())):
        return
    route = request.scope.get("route")
    refuse_unknown(given, frozenset(_parameters(getattr(route, "dependant", None))))


def refuse_unknown(given: Iterable[str], known: frozenset[str]) -> None:
    """Refuses names that are not among those known."""
    if unknown := [name for name in given if name not in known]:
        raise UnknownParameters(unknown, known)


class UnknownParameters(Refused):
    """Query parameters that mean nothing here, each with the one that was meant."""

    def __init__(self, unknown: list[str], known: frozenset[str]) -> None:
        told = {name: f"no parameter is called {shown(name)}; {meant(name, known)}" for name in unknown}
        super().__init__(422, "; ".join(told.values()))
        self.errors = tuple(FieldError(f"query.{name}", words) for name, words in told.items())


def _parameters(dependant: Any) -> Iterator[str]:
    """The names of what a route and all it depends on read from the query."""
    if dependant is None:
        return
    yield from (field.alias for field in dependant.query_params)
    for inner in dependant.dependencies:
        yield from _parameters(inner)
