"""``/metrics`` of a frontier: its totals, and what its processes have counted, whichever of them is asked."""

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from afresh import __version__
from afresh.base.records.frontier import FrontierStats, UrlStanding
from afresh.base.records.frontier_store import Waiting
from afresh.doors.rest.frontier.door import Door
from afresh.frontier.failures import Reason
from afresh.frontier.recent_rates import Lately
from afresh.frontier.scheduling import Frontier

#: What is told of the totals: field and words.
_GAUGES = {
    "fetchers": "Registered fetchers.",
    "sites": "Sites known.",
    "urls": "URLs known.",
    "visited": "URLs visited at least once, those among them that were not there.",
    "leased_sites": "Sites leased to fetchers.",
    "leased_urls": "URLs in lists that are out.",
    "backlog": "URLs over the budget of their site.",
    "edges": "Links between pages.",
}
_CLASSES = range(2, 6)  # of statuses: others end no request


class _Totals(Collector):
    """One scrape."""

    def __init__(
        self, stats: FrontierStats, waiting: Waiting, lately: Lately, *, is_active: bool, troubles: int, silent: int
    ) -> None:
        self._stats, self._waiting, self._lately = stats, waiting, lately
        self._is_active, self._troubles, self._silent = is_active, troubles, silent

    def collect(self) -> Iterable[Metric]:
        yield InfoMetricFamily("afresh_frontier_build", "The running version.", {"version": __version__})
        for name, words in _GAUGES.items():
            yield GaugeMetricFamily(f"afresh_frontier_{name}", words, getattr(self._stats, name))
        never = self._stats.urls - self._stats.visited
        yield GaugeMetricFamily("afresh_frontier_waiting_urls", "URLs never visited.", never)
        yield self._standings()
        yield GaugeMetricFamily("afresh_frontier_due_sites", "Sites to be handed out now.", self._waiting.due)
        yield GaugeMetricFamily(
            "afresh_frontier_waiting_sites", "Sites that rest, or of which nothing is due yet.", self._waiting.later
        )
        yield CounterMetricFamily("afresh_frontier_visits", "Visits reported.", self._stats.visits)
        yield CounterMetricFamily(
            "afresh_frontier_links_left_out",
            "Links of pages that had more than their fetcher reports (fetch.max_links).",
            self._lately.links_left_out(),
        )
        yield self._failures()
        yield self._answers()
        yield GaugeMetricFamily(
            "afresh_frontier_silent_fetchers", "Fetchers that hold sites and are not heard of any more.", self._silent
        )
        yield GaugeMetricFamily("afresh_frontier_active", "1: lists are handed out; 0: paused.", self._is_active)
        yield GaugeMetricFamily(
            "afresh_frontier_troubles", "What does not work, as /api/v1/health has it.", self._troubles
        )

    def _standings(self) -> Metric:
        words = "URLs by how they stand after their last try; waiting: never tried."
        standings = GaugeMetricFamily("afresh_frontier_urls_by_standing", words, labels=["standing"])
        for standing in UrlStanding:
            standings.add_metric([standing.value], getattr(self._stats, standing.value))
        return standings

    def _failures(self) -> Metric:
        words = "Pages of which nothing came, by why; since the start of `afresh serve`."
        failures = CounterMetricFamily("afresh_frontier_failures", words, labels=["reason"])
        for reason in Reason:
            failures.add_metric([reason.value], self._lately.failures(reason))
        return failures

    def _answers(self) -> Metric:
        words = "Answers of servers by class of their status, as fetchers tell; since the start of `afresh serve`."
        answers = CounterMetricFamily("afresh_frontier_answers", words, labels=["status"])
        for digit in _CLASSES:
            answers.add_metric([f"{digit}xx"], self._lately.answers(digit))
        return answers


def _silent_holders(frontier: Frontier) -> int:
    silent = frontier.heard.silent(frontier.now())
    return len(silent.keys() & frontier.store.holdings().keys()) if silent else 0


async def frontier_metrics(door: Door) -> bytes:
    """The text of one scrape."""
    frontier = door.frontier
    stats = await frontier.stats()
    is_active = await frontier.run(frontier.is_active, frontier.now())
    registry = CollectorRegistry(auto_describe=False)
    waiting = await frontier.run_beside(frontier.store.waiting, now=frontier.now())
    troubles = len(frontier.troubles.current())
    silent = await frontier.run(_silent_holders, frontier)
    registry.register(_Totals(stats, waiting, frontier.lately, is_active=is_active, troubles=troubles, silent=silent))
    return generate_latest(registry) + door.metrics.text()
