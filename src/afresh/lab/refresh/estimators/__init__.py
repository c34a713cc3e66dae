"""Publication models of feeds, learnt from the counts of new entries alone.  [H12] Ch. 7.

estimator("periodic", alpha=0.05) makes one by name; compiled code is loaded only for those that are asked for.
"""

from collections.abc import Callable

from afresh.base.registry import Registry
from afresh.lab.refresh.estimators.model import Estimator

__all__ = ["ESTIMATORS", "Estimator", "estimator"]

ESTIMATORS: Registry[type[Estimator]] = Registry(
    "estimator",
    {
        "single": "single:SingleVariable",
        "periodic": "periodic:Periodic",
        "hybrid": "hybrid:Hybrid",
        "censored": "censored:CensoredPoisson",
        "moving_average": "moving_average:MovingAverage",
        "known": "known:Known",
    },
    package=__name__,
)

#: the estimator of a name with these parameters
estimator: Callable[..., Estimator] = ESTIMATORS.make
