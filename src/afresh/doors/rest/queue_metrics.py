"""What clients of queues do, counted under the names that operators of URLFrontier look for."""

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, Metric, SummaryMetricFamily
from prometheus_client.registry import Collector

from afresh.frontier.shared_counters import Tallies

_COUNTERS = {
    "get_calls": ("frontier_getURLs_calls", "Calls of GetURLs."),
    "got": ("frontier_getURLs", "URLs handed out."),
    "put_calls": ("frontier_putURLs_calls", "Calls of PutURLs."),
    "batch_calls": ("frontier_putDiscovered_calls", "Calls of PutDiscovered."),
    "put": ("frontier_putURLs", "URLs sent to the frontier."),
    "ignored": ("frontier_putURLs_ignored", "Found URLs that were known already."),
    "completed": ("frontier_putURLs_completed", "URLs that are not to be fetched again."),
}


class QueueMetrics(Collector):
    """Counters since the start, of all processes together."""

    def __init__(self, tallies: Tallies | None = None) -> None:
        self._tallies = tallies or Tallies()
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(self)

    def add(self, name: str, amount: float = 1.0) -> None:
        """By the names of ``tallies.QUEUES``."""
        self._tallies.add(name, amount)

    def collect(self) -> Iterable[Metric]:
        total = self._tallies.total
        for name, (shown, words) in _COUNTERS.items():
            yield CounterMetricFamily(shown, words, total(name))
        calls, seconds = int(total("get_ended")), total("get_seconds")
        words = "Seconds a call of GetURLs took."
        yield SummaryMetricFamily("frontier_getURLs_latency_seconds", words, calls, seconds)
        words = "URLs sent to the frontier, found (true) or known (false)."
        found = CounterMetricFamily("frontier_putURLs_discovered", words, labels=["discovered"])
        found.add_metric(["true"], total("discovered"))
        found.add_metric(["false"], total("known"))
        yield found

    def text(self) -> bytes:
        """In Prometheus' format."""
        return generate_latest(self._registry)
