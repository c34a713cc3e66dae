"""What a run of simulated fetchers comes to: iterations, samples of the store, processor time; and the CSV of many.

[G20] §6.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from afresh.base.records.frontier import FrontierStats
from afresh.lab.crawl.meters import Use
from afresh.lab.crawl.settings import SimulatorSettings
from afresh.lab.metrics.crawl import freshness_prime, throughput, utilisation


@dataclass(frozen=True, slots=True, kw_only=True)
class Iteration:
    """One round of one fetcher, with the names of [G20] Table 18."""

    fetcher: int
    iteration: int
    iter_fetch_start: float  # seconds after the start of the run
    iter_load_duration: float  # wall seconds until the list was there
    iter_fetch_duration: float  # (virtual) seconds of fetching
    iter_fetch_cpu_time: float
    iter_submit_duration: float  # wall seconds until the report was answered
    lists: int
    urls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The store at one moment."""

    seconds: float  # after the start
    urls: int
    visited: int
    freshness_prime: float | None  # seconds; None: nothing visited yet
    true_freshness: float | None = None  # where changes are simulated
    memory: int | None = None  # bytes

    @property
    def visited_ratio(self) -> float:
        """The share of known pages that are visited."""
        return self.visited / self.urls if self.urls else 0.0

    @classmethod
    def of(
        cls,
        stats: FrontierStats,
        *,
        seconds: float,
        started: float,
        fresh: float | None = None,
        memory: int | None = None,
    ) -> "Sample":
        """From the totals of a store."""
        mean = stats.mean_last_visited
        return cls(
            seconds=seconds,
            urls=stats.urls,
            visited=stats.visited,
            freshness_prime=None if mean is None else freshness_prime(mean, started),
            true_freshness=fresh,
            memory=memory,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """One run of one case."""

    settings: SimulatorSettings
    repetition: int
    seconds: float  # (virtual) seconds from the first request to the last report
    iterations: Sequence[Iteration]
    samples: Sequence[Sample]
    stats: FrontierStats
    parts: Mapping[str, Use]
    curves: Sequence[Mapping[str, object]] = ()  # processor seconds by part and slice of time
    violations: int = 0  # two fetchers on a site, or a site before its delay
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0  # of store, scheduler and simulated fetchers together; 0 where they are not one process
    order: Sequence[str] = field(default_factory=tuple)  # URLs in the order they were visited, if kept

    @property
    def visits(self) -> int:
        """Pages fetched, revisits too."""
        return sum(one.urls for one in self.iterations)

    @property
    def speed_factor(self) -> float:
        """How many times faster than the clock on the wall the run went; 0 if it took no time."""
        return self.seconds / self.wall_seconds if self.wall_seconds else 0.0

    @property
    def share(self) -> float:
        """The share of known pages that are visited at the end."""
        return self.stats.visited / self.stats.urls if self.stats.urls else 0.0

    def row(self, names: Iterable[str]) -> dict[str, object]:
        """A line of the summary: the named settings, times, the store at the end, processor time by part."""
        count = max(1, len(self.iterations))
        cpu = sum(one.iter_fetch_cpu_time for one in self.iterations)
        plain = self.settings.plain()
        last = self.samples[-1] if self.samples else None
        return {
            **{name: plain[name] for name in names},
            "repetition": self.repetition,
            "seconds": round(self.seconds, 6),
            "wall_seconds": round(self.wall_seconds, 6),
            "cpu_seconds": round(self.cpu_seconds, 6),
            "speed_factor": round(self.speed_factor, 3),
            "rounds": len(self.iterations),
            "iter_load_duration": sum(one.iter_load_duration for one in self.iterations) / count,
            "iter_fetch_duration": sum(one.iter_fetch_duration for one in self.iterations) / count,
            "iter_submit_duration": sum(one.iter_submit_duration for one in self.iterations) / count,
            "utilisation": utilisation(cpu, sum(one.iter_fetch_duration for one in self.iterations)),
            "throughput": throughput(self.visits, self.seconds),
            "db_fetcher_amount": self.stats.fetchers,
            "db_frontier_amount": self.stats.sites,
            "db_url_amount": self.stats.urls,
            "visited_pages": self.stats.visited,
            "db_visited_ratio": self.share,
            "freshness_prime": last.freshness_prime if last else None,
            "true_freshness": last.true_freshness if last else None,
            "violations": self.violations,
            **{f"cpu_{name}": use.cpu_seconds for name, use in sorted(self.parts.items())},
            **{f"calls_{name}": use.calls for name, use in sorted(self.parts.items())},
            "memory": last.memory if last else None,
        }


def summary_csv(results: Sequence[RunResult]) -> str:
    """All runs with all their settings, one a line ([G20] §7.1.3, last step)."""
    rows = [result.row(result.settings.plain()) for result in results]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()
