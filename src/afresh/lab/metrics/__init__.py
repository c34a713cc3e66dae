"""How good was it? Delay, recall, polls per entry and volume; goodness joins them into one number."""

from afresh.lab.metrics.averages import Averages, average
from afresh.lab.metrics.delays import DelayDistribution, delay_distribution, histogram_quantile, log_edges
from afresh.lab.metrics.goodness import (
    EQUAL,
    Goodness,
    Mean,
    Normalisation,
    Qualities,
    Weights,
    combine_modes,
    goodness,
    mean_of_hats,
    normalise_to_best,
    normalise_to_worst,
)
from afresh.lab.metrics.tally import Tally
from afresh.lab.metrics.volume import cumulative_volume, poll_volume

__all__ = [
    "EQUAL",
    "Averages",
    "DelayDistribution",
    "Goodness",
    "Mean",
    "Normalisation",
    "Qualities",
    "Tally",
    "Weights",
    "average",
    "combine_modes",
    "cumulative_volume",
    "delay_distribution",
    "goodness",
    "histogram_quantile",
    "log_edges",
    "mean_of_hats",
    "normalise_to_best",
    "normalise_to_worst",
    "poll_volume",
]
