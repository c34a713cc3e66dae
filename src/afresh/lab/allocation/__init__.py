"""Whom to visit, how often? One policy a module, found by name, loaded when it is first asked for.

    load("optimal")   load("uniform")   load("optimal:objective=age,floor=1e-7")

Importing this package compiles nothing.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, cast

from afresh.base.errors import ModelError
from afresh.lab.allocation.policy import Policy

__all__ = ["Policy", "load", "names", "policy_class"]

#: name -> module and class
_REGISTRY: Mapping[str, tuple[str, str]] = {
    "azar": ("optimal", "Azar"),
    "belief": ("optimal", "Belief"),
    "by_weight": ("by_weight", "ByWeight"),
    "lambda_crawl": ("optimal", "LambdaCrawl"),
    "optimal": ("optimal", "Optimal"),
    "proportional": ("proportional", "Proportional"),
    "uniform": ("uniform", "Uniform"),
}


def names() -> tuple[str, ...]:
    """The registered names, in alphabetical order."""
    return tuple(sorted(_REGISTRY))


def policy_class(name: str) -> type[Any]:
    """The class of a policy; ModelError lists the names."""
    if name not in _REGISTRY:
        raise ModelError(f"unknown policy {name!r}; one of {', '.join(names())}")
    module, found = _REGISTRY[name]
    return cast("type[Any]", getattr(import_module(f"afresh.lab.allocation.{module}"), found))


def load(spec: str) -> Policy:
    """A policy by name, with parameters behind a colon: numbers where they look like numbers, else text.

    >>> load("optimal:objective=age").objective
    'age'
    """
    name, _, rest = spec.partition(":")
    parameters: dict[str, float | str] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise ModelError(f"{spec!r}: write parameters as name=value, separated by commas")
        try:
            parameters[key.strip()] = float(value)
        except ValueError:
            parameters[key.strip()] = value.strip()
    try:
        return cast("Policy", policy_class(name)(**parameters))
    except TypeError as error:
        raise ModelError(f"{spec!r}: {error}") from error
