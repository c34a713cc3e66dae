"""Refuses query parameters that a route does not have: a mistyped filter would show everything, as if all matched."""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from starlette.requests import Request

from afresh.doors.rest.problems import FieldError, Refused

_LONGEST = 60  # signs of a name that are said again


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
        told = {name: _told(name, known) for name in unknown}
        super().__init__(422, "; ".join(told.values()))
        self.errors = tuple(FieldError(f"query.{name}", words) for name, words in told.items())


def _told(name: str, known: frozenset[str]) -> str:
    shown = name[:_LONGEST]
    if near := get_close_matches(shown, sorted(known), n=1):
        return f"no parameter is called {shown}; did you mean {near[0]}?"
    if known:
        return f"no parameter is called {shown}; there are {', '.join(sorted(known))}"
    return f"no parameter is called {shown}; there is none here"


def _parameters(dependant: Any) -> Iterator[str]:
    """The names of what a route and all it depends on read from the query."""
    if dependant is None:
        return
    yield from (field.alias for field in dependant.query_params)
    for inner in dependant.dependencies:
        yield from _parameters(inner)
