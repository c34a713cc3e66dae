"""``afresh lab bench scale``: replays of more feeds than fit into memory, and how speed and memory grow."""

import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from afresh.base.calendar import DAY
from afresh.feeds.rules import load
from afresh.lab.on_dask import DaskStage, connected
from afresh.lab.population import generate
from afresh.lab.replay.period import Period, period_of
from afresh.lab.replay.result import ReplayResult
from afresh.lab.replay.stage import Here, Stage
from afresh.lab.replay.trace import Trace
from afresh.lab.traces.parted import Part, PartedTrace, joined, read_parted, write_part, write_summary

_DISTINCT = 100_000  # feeds that are made up; more are the same again under other numbers, read again all the same
_KB = 1_024  # ru_maxrss counts in them


def bench_scale(
    feeds: int,
    workers: Sequence[int],
    *,
    rule: str = "mavsync",
    days: float = 8.0,
    part: int = 10_000,
    seed: int = 0,
    folder: str | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[dict[str, object]]:
    """A row for each number of workers and for a tenth of the feeds; then one process with as many threads.

    The first day trains, the others test. ``folder``: keeps the parts there, and takes them from there.
    """
    made_up = min(feeds, _DISTINCT)
    with tempfile.TemporaryDirectory(prefix="afresh-scale-") as made:
        place = Path(folder or made)
        trace = _parts(place, made_up, part, days, seed, max(workers), progress)
        # Not from the oldest entry on: what the first windows show was published years before watching begins.
        period = period_of(trace, train=DAY, test=(days - 1.0) * DAY)
        every = [Again(p, turn * made_up) for turn in range(max(1, feeds // made_up)) for p in trace.parts]
        tenth = every[: max(1, len(every) // 10)]
        for count in workers:
            for parts in (tenth, every) if len(tenth) < len(every) else (every,):
                progress(f"{len(parts)} of {len(every)} parts on {count} workers")
                yield _on_workers(parts, count, rule, period, seed)
        for count in workers:
            progress(f"a tenth in one process, {count} threads")
            yield _in_one(tenth, count, rule, period, seed)


@dataclass(frozen=True, slots=True)
class Again:
    """A part whose feeds have other numbers: they draw other random numbers, too."""

    part: Part
    shift: int

    def load(self) -> Trace:
        trace = self.part.load()
        return replace(trace, feed_ids=trace.feed_ids + self.shift)


def _parts(
    folder: Path, feeds: int, part: int, days: float, seed: int, workers: int, progress: Callable[[str], None]
) -> PartedTrace:
    """Made by the workers, each part from a seed of its own; those that are there are taken as they are."""
    if (folder / "trace.json").exists():
        return read_parted(folder)
    progress(f"making {feeds:,} feeds")
    folder.mkdir(parents=True, exist_ok=True)
    sizes = [min(part, feeds - first) for first in range(0, feeds, part)]
    with connected(f"local:{workers}") as client:
        jobs = [
            client.submit(_made, str(folder), number, size, number * part, days, seed + number)
            for number, size in enumerate(sizes)
        ]
        written = client.gather(jobs)
    return write_summary(written, folder, name=f"scale-{feeds}-{seed}")


def _made(folder: str, number: int, size: int, before: int, days: float, seed: int) -> dict[str, Any]:
    trace = generate(size, seed, days)
    return write_part(replace(trace, feed_ids=trace.feed_ids + before), Path(folder), number)


def _on_workers(parts: Sequence[Again], count: int, rule: str, period: Period, seed: int) -> dict[str, object]:
    with connected(f"local:{count}") as client:
        stage = DaskStage(client, parts)
        row = _row(stage, rule, period, seed)
        peaks = client.run(_peak).values()
    return {"on": f"{count} workers", **row, "megabytes_a_worker": max(peaks)}


def _in_one(parts: Sequence[Again], jobs: int, rule: str, period: Period, seed: int) -> dict[str, object]:
    """In a process of its own, so that its memory can be told."""
    with connected("local:1") as client:
        row: dict[str, object] = client.submit(_here, list(parts), jobs, rule, period, seed).result()
    return {"on": f"--jobs {jobs}", **row}


def _here(parts: Sequence[Again], jobs: int, rule: str, period: Period, seed: int) -> dict[str, object]:
    began = time.perf_counter()
    trace = joined([part.load() for part in parts])
    read = time.perf_counter() - began
    return {**_row(Here(trace, jobs=jobs), rule, period, seed, read=read), "megabytes_a_worker": _peak()}


def _row(stage: Stage, rule: str, period: Period, seed: int, *, read: float = 0.0) -> dict[str, object]:
    """One replay by the clock: reading counts, compiling does not."""
    _warm(stage, rule, period, seed)
    began = time.perf_counter()
    result: ReplayResult = stage.replay(load(rule), period=period, seed=seed)
    seconds = time.perf_counter() - began + read
    return {
        "feeds": len(stage),
        "polls": result.executed,
        "seconds": round(seconds, 2),
        "polls_a_second": round(result.executed / seconds),
    }


def _warm(stage: Stage, rule: str, period: Period, seed: int) -> None:
    stage.replay(load(rule), period=replace(period, end=period.test + 1.0), seed=seed)


def _peak() -> int:
    """The most memory that this process has held, MB."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KB / 1_000_000)
