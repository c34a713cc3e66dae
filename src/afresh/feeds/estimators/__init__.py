"""Publication models of feeds, learnt from the counts of new entries alone.  [H12] Ch. 7.

ESTIMATORS.make("periodic", alpha=0.05) makes one by name; compiled code is loaded only for those that are asked for.
"""

from collections.abc import Mapping

from afresh.base.registry import Registry
from afresh.feeds.estimators.model import Estimator

__all__ = ["ESTIMATORS", "PLACES", "Estimator"]

PLACES: Mapping[str, str] = {
    "last_interval": "single:LastInterval",
    "single": "single:SingleVariable",
    "periodic": "periodic:Periodic",
    "hybrid": "hybrid:Hybrid",
    "shapes": "shapes:Shapes",
    "censored": "censored:CensoredPoisson",
    "moving_average": "moving_average:MovingAverage",
}
ESTIMATORS: Registry[type[Estimator]] = Registry("estimator", PLACES, package=__name__)
