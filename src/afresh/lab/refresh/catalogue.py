"""Strategies and estimators by name: those that a daemon can run, and those for a laboratory alone.

strategy("two_steps", budget=30.0) and estimator("periodic", alpha=0.05) make one.
"""

from collections.abc import Callable

from afresh.base.registry import Registry
from afresh.feeds import estimators, strategies
from afresh.feeds.estimators import Estimator
from afresh.feeds.strategies import Strategy
from afresh.lab.refresh.known import Known
from afresh.lab.refresh.reference import Reference
from afresh.lab.refresh.uniform_random import UniformRandom

__all__ = ["ESTIMATORS", "STRATEGIES", "estimator", "strategy"]

STRATEGIES: Registry[type[Strategy]] = Registry(
    "strategy",
    {**strategies.PLACES, "reference": Reference, "uniform_random": UniformRandom},
    package=strategies.__name__,
)
ESTIMATORS: Registry[type[Estimator]] = Registry(
    "estimator", {**estimators.PLACES, "known": Known}, package=estimators.__name__
)

#: the strategy, and the estimator, of a name with these parameters
strategy: Callable[..., Strategy] = STRATEGIES.make
estimator: Callable[..., Estimator] = ESTIMATORS.make
