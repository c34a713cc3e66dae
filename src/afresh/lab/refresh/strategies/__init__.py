"""Refresh under a budget: which sources to refresh in this round.  [H12] Ch. 4.

strategy("two_steps", budget=30.0) makes one by name; compiled code is loaded only for those that are asked for.
"""

import difflib
from importlib import import_module
from typing import Any

from afresh.base.errors import ModelError
from afresh.lab.refresh.strategies.round import Strategy

__all__ = ["Strategy", "strategy", "strategy_names"]

_REGISTRY = {
    "two_steps": ("two_steps", "TwoSteps"),
    "only_tau": ("only_tau", "OnlyTau"),
    "only_sat": ("only_sat", "OnlySat"),
    "uniform": ("uniform", "Uniform"),
    "best_effort": ("only_tau", "BestEffort"),
    "reference": ("reference", "Reference"),
    "uniform_random": ("uniform_random", "UniformRandom"),
}


def strategy_names() -> tuple[str, ...]:
    """All strategies by name."""
    return tuple(_REGISTRY)


def strategy(name: str, **parameters: Any) -> Strategy:
    """The strategy of that name with these parameters; ModelError names the nearest.

    >>> strategy("uniform", budget=2.5).budget
    2.5
    """
    if name not in _REGISTRY:
        near = difflib.get_close_matches(name, _REGISTRY, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise ModelError(f"unknown strategy {name!r}; {hint}there are {', '.join(_REGISTRY)}")
    module, attribute = _REGISTRY[name]
    made: Strategy = getattr(import_module(f"{__name__}.{module}"), attribute)(**parameters)
    return made
