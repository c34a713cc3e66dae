"""What clients of queues do, counted under the names that operators of URLFrontier look for."""

from prometheus_client import CollectorRegistry, Counter, Summary, generate_latest


class QueueMetrics:
    """Counters since the start of this process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.get_calls = self._counter("frontier_getURLs_calls", "Calls of GetURLs.")
        self.got = self._counter("frontier_getURLs", "URLs handed out.")
        self.get_latency = Summary(
            "frontier_getURLs_latency_seconds", "Seconds a call of GetURLs took.", registry=self.registry
        )
        self.put_calls = self._counter("frontier_putURLs_calls", "Calls of PutURLs.")
        self.batch_calls = self._counter("frontier_putDiscovered_calls", "Calls of PutDiscovered.")
        self.put = self._counter("frontier_putURLs", "URLs sent to the frontier.")
        self.discovered = Counter(
            "frontier_putURLs_discovered",
            "URLs sent to the frontier, found (true) or known (false).",
            ["discovered"],
            registry=self.registry,
        )
        self.ignored = self._counter("frontier_putURLs_ignored", "Found URLs that were known already.")
        self.completed = self._counter("frontier_putURLs_completed", "URLs that are not to be fetched again.")

    def _counter(self, name: str, words: str) -> Counter:
        return Counter(name, words, registry=self.registry)

    def text(self) -> bytes:
        """In Prometheus' format."""
        return generate_latest(self.registry)
