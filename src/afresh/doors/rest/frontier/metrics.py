"""``/metrics`` of a frontier: its totals, whichever process is asked, and what this one has counted."""

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from afresh import __version__
from afresh.base.records.frontier import FrontierStats
from afresh.doors.rest.frontier.door import Door

#: What is told of the totals: field and words.
_GAUGES = {
    "fetchers": "Registered fetchers.",
    "sites": "Sites known.",
    "urls": "URLs known.",
    "visited": "URLs visited at least once.",
    "leased_sites": "Sites leased to fetchers.",
    "backlog": "URLs over the budget of their site.",
    "edges": "Links between pages.",
}


class _Totals(Collector):
    """One scrape."""

    def __init__(self, stats: FrontierStats, *, is_active: bool, troubles: int) -> None:
        self._stats, self._is_active, self._troubles = stats, is_active, troubles

    def collect(self) -> Iterable[Metric]:
        yield InfoMetricFamily("afresh_frontier_build", "The running version.", {"version": __version__})
        for name, words in _GAUGES.items():
            yield GaugeMetricFamily(f"afresh_frontier_{name}", words, getattr(self._stats, name))
        yield CounterMetricFamily("afresh_frontier_visits", "Visits reported.", self._stats.visits)
        yield GaugeMetricFamily("afresh_frontier_active", "1: lists are handed out; 0: paused.", self._is_active)
        yield GaugeMetricFamily(
            "afresh_frontier_troubles", "What does not work, as /api/v1/health has it.", self._troubles
        )


async def frontier_metrics(door: Door) -> bytes:
    """The text of one scrape."""
    frontier = door.frontier
    stats = await frontier.stats()
    is_active = await frontier.run(frontier.is_active, frontier.now())
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Totals(stats, is_active=is_active, troubles=len(frontier.troubles.current())))
    return generate_latest(registry) + door.metrics.text()
