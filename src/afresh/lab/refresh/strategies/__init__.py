"""Refresh under a budget: which sources to refresh in this round.  [H12] Ch. 4.

strategy("two_steps", budget=30.0) makes one by name; compiled code is loaded only for those that are asked for.
"""

from collections.abc import Callable

from afresh.base.registry import Registry
from afresh.lab.refresh.strategies.round import Strategy

__all__ = ["STRATEGIES", "Strategy", "strategy"]

STRATEGIES: Registry[type[Strategy]] = Registry(
    "strategy",
    {
        "two_steps": "two_steps:TwoSteps",
        "only_tau": "only_tau:OnlyTau",
        "only_sat": "only_sat:OnlySat",
        "uniform": "uniform:Uniform",
        "best_effort": "only_tau:BestEffort",
        "reference": "reference:Reference",
        "uniform_random": "uniform_random:UniformRandom",
    },
    package=__name__,
)

#: the strategy of a name with these parameters
strategy: Callable[..., Strategy] = STRATEGIES.make
