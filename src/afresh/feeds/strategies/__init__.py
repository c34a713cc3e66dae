"""Refresh under a budget: which sources to refresh in this round.  [H12] Ch. 4.

STRATEGIES.make("two_steps", budget=30.0) makes one by name; compiled code is loaded only for those that are asked for.
"""

from collections.abc import Mapping

from afresh.base.registry import Registry
from afresh.feeds.strategies.round import Strategy

__all__ = ["PLACES", "STRATEGIES", "Strategy"]

PLACES: Mapping[str, str] = {
    "two_steps": "two_steps:TwoSteps",
    "only_tau": "only_tau:OnlyTau",
    "only_sat": "only_sat:OnlySat",
    "uniform": "uniform:Uniform",
    "best_effort": "only_tau:BestEffort",
}
STRATEGIES: Registry[type[Strategy]] = Registry("strategy", PLACES, package=__name__)
