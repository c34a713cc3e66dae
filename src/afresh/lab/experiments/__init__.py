"""Each published table or figure is one experiment, run by name: published numbers beside ours, claims tested."""

import difflib
from collections.abc import Mapping
from importlib import import_module

from afresh.errors import UsageError
from afresh.lab.experiments.model import Claim, Experiment, Figure, Options, Outcome, Series

__all__ = ["Claim", "Experiment", "Figure", "Options", "Outcome", "Series", "experiment", "experiment_names"]

#: name of an experiment: (module below this package, attribute); loaded when asked for
_REGISTRY: Mapping[str, tuple[str, str]] = {
    "reichert-adaptive-ttl": ("reichert.sweeps", "ADAPTIVE_TTL"),
    "reichert-indhist": ("reichert.sweeps", "INDHIST"),
    "reichert-lihz": ("reichert.sweeps", "LIHZ"),
    "reichert-comparison": ("reichert.comparison", "COMPARISON"),
    "reichert-volume": ("reichert.volume", "VOLUME"),
    "reichert-bounds": ("reichert.bounds", "BOUNDS"),
    "reichert-ttl": ("reichert.ttl", "TTL"),
    "reichert-weighted": ("reichert.weighted", "WEIGHTED"),
}


def experiment_names() -> tuple[str, ...]:
    """All experiments, in the order of the works they come from."""
    return tuple(_REGISTRY)


def experiment(name: str) -> Experiment:
    """The experiment of that name; UsageError names the nearest."""
    if name not in _REGISTRY:
        near = difflib.get_close_matches(name, _REGISTRY, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise UsageError(f"unknown experiment {name!r}; {hint}`afresh lab list` shows them all")
    module, attribute = _REGISTRY[name]
    found: Experiment = getattr(import_module(f"{__name__}.{module}"), attribute)
    return found
