"""Publication models of feeds, learnt from the counts of new entries alone.  [H12] Ch. 7.

estimator("periodic", alpha=0.05) makes one by name; compiled code is loaded only for those that are asked for.
"""

import difflib
from importlib import import_module
from typing import Any

from afresh.base.errors import ModelError
from afresh.lab.refresh.estimators.model import Estimator

__all__ = ["Estimator", "estimator", "estimator_names"]

_REGISTRY = {
    "single": ("single", "SingleVariable"),
    "periodic": ("periodic", "Periodic"),
    "hybrid": ("hybrid", "Hybrid"),
    "censored": ("censored", "CensoredPoisson"),
    "moving_average": ("moving_average", "MovingAverage"),
    "known": ("known", "Known"),
}


def estimator_names() -> tuple[str, ...]:
    """All publication models by name."""
    return tuple(_REGISTRY)


def estimator(name: str, **parameters: Any) -> Estimator:
    """The model of that name with these parameters; ModelError names the nearest.

    >>> estimator("single", alpha=0.05).state_size
    1
    """
    if name not in _REGISTRY:
        near = difflib.get_close_matches(name, _REGISTRY, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise ModelError(f"unknown estimator {name!r}; {hint}there are {', '.join(_REGISTRY)}")
    module, attribute = _REGISTRY[name]
    made: Estimator = getattr(import_module(f"{__name__}.{module}"), attribute)(**parameters)
    return made
