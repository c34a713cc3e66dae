"""Prometheus text from the store's totals and the loop's health, made when asked for."""

import math
import re
from collections.abc import Iterable, Mapping

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from afresh.base.models import Result

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_NOT_A_NAME = re.compile(r"[^a-zA-Z0-9_]+")


class Totals(Collector):
    """One scrape. Sums since the beginning are counters, by result where they count visits; all else is a gauge.

    Sums over the last hour or day are left out: Prometheus makes its own from the counters.
    """

    def __init__(self, totals: Mapping[str, float], health: Mapping[str, object], version: str) -> None:
        self.totals = totals
        self.health = health
        self.version = version

    def collect(self) -> Iterable[Metric]:
        yield InfoMetricFamily("afresh_build", "The running version.", {"version": self.version})
        yield self._visits()
        for name, value in sorted(self.totals.items()):
            if not name.startswith("visits_") and not name.endswith(("_last_hour", "_last_day")):
                yield _family(name, float(value))
        for name, known in sorted(self.health.items()):
            if isinstance(known, bool | int | float) and math.isfinite(known):
                yield _family(f"loop_{name.removeprefix('loop_')}", float(known))

    def _visits(self) -> Metric:
        visits = CounterMetricFamily("afresh_visits", "Visits by what they came to.", labels=["result"])
        for result in Result:
            visits.add_metric([result.value], float(self.totals.get(f"visits_{result}_total", 0.0)))
        return visits


def _family(name: str, value: float) -> Metric:
    words, stem = name.replace("_", " "), name.removesuffix("_total")
    is_sum = stem != name and not stem.startswith("mean_") and not stem.endswith("_share")
    if is_sum:
        return CounterMetricFamily(metric_name(stem), f"{words}.", value)
    return GaugeMetricFamily(metric_name(stem), f"{words}.", value)


def metric_name(name: str) -> str:
    """A legal metric name.

    >>> metric_name("visits.last hour")
    'afresh_visits_last_hour'
    """
    return "afresh_" + _NOT_A_NAME.sub("_", name.strip().lower()).strip("_")


def render_metrics(totals: Mapping[str, float], health: Mapping[str, object], version: str) -> bytes:
    """The text of one scrape, from a registry of its own."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Totals(totals, health, version))
    return generate_latest(registry)
