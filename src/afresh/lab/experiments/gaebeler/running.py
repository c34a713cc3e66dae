"""How the experiments run a project: in virtual time over SQLite in memory."""

from collections.abc import Sequence
from functools import partial

from afresh.lab.crawl.executor import run_project
from afresh.lab.crawl.results import RunResult
from afresh.lab.crawl.settings import Project
from afresh.lab.experiments.model import Options, Series
from afresh.store.frontier import open_frontier

#: what one processor of a busy laboratory cannot blame on the code
NOISE = 1.25


def run(project: Project, options: Options, *, jobs: int = 1) -> list[RunResult]:
    """All cases of a project; side by side where what they cost is not the question."""
    scaled = project.scaled(options.scale) if options.scale != 1.0 else project
    store = partial(open_frontier, ":memory:", seed=options.seed)
    return list(run_project(scaled, seed=options.seed, store=store, progress=options.progress, jobs=jobs))


def shares_over_time(label: str, result: RunResult) -> Series:
    """The visited share over minutes."""
    return Series(
        label,
        [sample.seconds / 60.0 for sample in result.samples],
        [100.0 * sample.visited_ratio for sample in result.samples],
    )


def freshness_over_time(label: str, result: RunResult) -> Series:
    """Freshness′ in minutes over minutes."""
    seen = [sample for sample in result.samples if sample.freshness_prime is not None]
    return Series(
        label, [sample.seconds / 60.0 for sample in seen], [(sample.freshness_prime or 0.0) / 60.0 for sample in seen]
    )


def cpu(result: RunResult, parts: Sequence[str]) -> float:
    """Processor seconds of some parts."""
    return sum(result.parts[name].cpu_seconds for name in parts if name in result.parts)


def percent(share: float | None) -> float | None:
    """For tables: per cent with two digits."""
    return None if share is None else round(100.0 * share, 2)
