"""A measurement from an empty store to its figures."""

import asyncio
import socket
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from afresh.frontier.workers import Workers
from afresh.lab.bench_frontier.cpu import CpuMeter
from afresh.lab.bench_frontier.fetchers import SimulatedFetcher, Times, Trouble
from afresh.lab.bench_frontier.http import Broken, Connection, Reply
from afresh.lab.bench_frontier.ledger import Ledger
from afresh.lab.bench_frontier.material import Material
from afresh.lab.bench_frontier.options import BenchOptions
from afresh.lab.bench_frontier.plain import Plain, measure_plain
from afresh.lab.pgserver import running_postgres

_PREFIX = "/api/v1"
_IMPORT_BATCH = 25_000
_IMPORT_STREAMS = 2
_START = 60.0  # seconds until the first answer


@dataclass(frozen=True, slots=True)
class Scheduler:
    """The processes under measurement and where they listen."""

    workers: Workers
    address: tuple[str, int]
    store: str

    async def ask(self, method: str, path: str, body: bytes = b"", *, kind: str = "application/json") -> Reply:
        """One request on a connection of its own, tried again while nobody answers."""
        deadline = time.perf_counter() + _START
        while True:
            connection = Connection(*self.address)
            try:
                reply = await connection.post(_PREFIX + path, body, method=method, kind=kind)
            except Broken:
                if time.perf_counter() > deadline:
                    raise Trouble(f"no scheduler answered within {_START:.0f} s") from None
                self.workers.revive()
                await asyncio.sleep(0.05)
                continue
            finally:
                connection.close()
            if reply.status >= 400:
                raise Trouble(f"{method} {path} answered {reply.status}: {reply.body[:300].decode(errors='replace')}")
            return reply


@contextmanager
def prepared_store(store: str) -> Iterator[str]:
    """The URL of the store to measure; one of our own is gone afterwards."""
    if store == "postgresql":
        with running_postgres() as url:
            yield url
    elif store == "sqlite":
        with tempfile.TemporaryDirectory(prefix="afresh-bench-", ignore_cleanup_errors=True) as folder:
            yield str(Path(folder) / "frontier.db")
    else:
        yield store


@asynccontextmanager
async def running_scheduler(url: str, processes: int, *, links: bool = False) -> AsyncIterator[Scheduler]:
    """Scheduler processes on a loopback socket; with ``links`` and a table of places, for strategies that need them."""
    with (
        socket.create_server(("127.0.0.1", 0), backlog=1024) as listener,
        tempfile.NamedTemporaryFile("w", prefix="afresh-places-") as places,
    ):
        places.write("place,vienna,48.2,16.4\ntld,at,vienna\n")
        places.flush()
        needed = {"AFRESH_FRONTIER_LINKS": "true", "AFRESH_FRONTIER_PLACES": places.name} if links else {}
        workers = Workers(
            listener,
            ["serve", "--workers", "1"],
            count=processes,
            environment={"AFRESH_FRONTIER_URL": url, **needed},
        )
        workers.start()
        try:
            yield Scheduler(workers, ("127.0.0.1", listener.getsockname()[1]), url)
        finally:
            workers.stop()


def run_bench(options: BenchOptions) -> dict[str, Any]:
    """All figures of one measurement."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(measure(options))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop  # noqa: PLC0415 (not on Windows)
    except ImportError:
        return None
    return uvloop.new_event_loop


async def measure(options: BenchOptions) -> dict[str, Any]:
    """All figures of one measurement."""
    plain = measure_plain(options)
    with prepared_store(options.store) as url:
        async with running_scheduler(url, options.processes, links=options.needs_links) as scheduler:
            await _configure(scheduler, options)
            material = Material(options)
            imported, imported_cpu = await _import(scheduler, material)
            crawled = await _crawl(scheduler, options, material)
            return {
                "store": "postgresql" if options.is_postgres else "sqlite",
                "sites": options.sites,
                "urls": options.urls,
                "fetchers": options.fetchers,
                "links": options.links,
                "processes": options.processes,
                "import_per_second": round(imported),
                **crawled,
                **_beside(plain, imported, imported_cpu, crawled),
            }


def _beside(plain: Plain, imported: float, imported_cpu: float, crawled: dict[str, Any]) -> dict[str, float]:
    """The figures as shares of plain SQLite's; by processor time, of the schedulers and their store alone."""
    used = crawled["cpu_seconds_scheduler"] + crawled["cpu_seconds_store"]
    return {
        "plain_urls_per_second": round(plain.crawled),
        "plain_import_per_second": round(plain.imported),
        "of_plain": round(crawled["urls_per_second"] / plain.crawled, 3),
        "import_of_plain": round(imported / plain.imported, 3),
        "cpu_of_plain": round(crawled["acknowledged"] / max(used, 0.01) / plain.crawled_cpu, 3),
        "import_cpu_of_plain": round(imported_cpu / plain.imported_cpu, 3),
    }


async def _configure(scheduler: Scheduler, options: BenchOptions) -> None:
    settings = {
        "default_delay": options.delay,
        "revisit_after": options.revisit_after,
        "lease_seconds": options.reservation,
        "site_order": options.set_order,
    }
    await scheduler.ask("PUT", "/settings", orjson.dumps(settings))


async def _import(scheduler: Scheduler, material: Material) -> tuple[float, float]:
    """URLs a second, and a second of the schedulers' processors.

    A few requests at a time, so that reading one and storing another overlap.
    """
    batches = material.all_urls(_IMPORT_BATCH)
    count = 0
    await scheduler.ask("GET", "/stats")  # started
    began, meter = time.perf_counter(), CpuMeter(scheduler.workers, scheduler.store)

    async def stream() -> None:
        nonlocal count
        for batch in batches:
            reply = await scheduler.ask("POST", "/urls", "\n".join(batch).encode(), kind="text/plain")
            count += orjson.loads(reply.body)["urls"]

    await asyncio.gather(*(stream() for _ in range(_IMPORT_STREAMS)))
    cpu = meter.read()
    used = cpu["cpu_seconds_scheduler"] + cpu["cpu_seconds_store"]
    return count / (time.perf_counter() - began), count / max(used, 0.01)


async def _crawl(scheduler: Scheduler, options: BenchOptions, material: Material) -> dict[str, Any]:
    ledger = Ledger(delay=options.delay, reservation=options.reservation)
    times = Times()
    fetchers = [
        SimulatedFetcher(number, scheduler.address, options, material, ledger, times)
        for number in range(options.fetchers)
    ]
    await asyncio.gather(*(fetcher.register() for fetcher in fetchers))
    visits_before = orjson.loads((await scheduler.ask("GET", "/stats")).body)["visits"]
    meter = CpuMeter(scheduler.workers, scheduler.store)
    began = time.perf_counter()
    tending = asyncio.create_task(_tend(scheduler.workers, meter, options, lambda: ledger.acknowledged))
    try:
        await asyncio.gather(
            *(fetcher.work(lambda: time.perf_counter() - began >= options.seconds) for fetcher in fetchers)
        )
        elapsed = time.perf_counter() - began
        cpu = meter.read()
    finally:
        tending.cancel()
        with suppress(asyncio.CancelledError):
            await tending
    after = orjson.loads((await scheduler.ask("GET", "/stats")).body)
    counted = after["visits"] - visits_before
    return {
        "seconds": round(elapsed, 2),
        "urls_per_second": round(ledger.acknowledged / elapsed),
        **_percentiles("lease", times.lease),
        **_percentiles("report", times.report),
        **shares([fetcher.acknowledged for fetcher in fetchers]),
        "violations": ledger.violations,
        "two_on_a_site": ledger.shared,
        "before_its_delay": ledger.hurried,
        "lost": max(0, ledger.acknowledged - counted),
        "doubled": max(0, counted - ledger.acknowledged),
        "acknowledged": ledger.acknowledged,
        "late": ledger.late,
        "unknown": ledger.unknown,
        "ignored": ledger.ignored,
        "empty_lists": times.empty,
        "retries": times.retries,
        "kills": scheduler.workers.restarts,
        "url_amount": after["url_amount"],
        **cpu,
    }


async def _tend(workers: Workers, meter: CpuMeter, options: BenchOptions, progress: Callable[[], int]) -> None:
    """Starts what died again, and kills in turn if that is asked for: never before somebody was answered again."""
    began = time.perf_counter()
    turn, answered, last = 0, 0, began
    while True:
        await asyncio.sleep(0.05)
        now = time.perf_counter()
        is_time = options.kill_every is not None and now - last >= options.kill_every
        if is_time and now - began < options.seconds and progress() > answered:
            place = turn % len(workers.pids)
            meter.retire(workers.pids[place])
            workers.kill(place)
            turn, answered, last = turn + 1, progress(), now
        workers.revive()


def shares(done: Sequence[int]) -> dict[str, float]:
    """How evenly fetchers, who all ask for as much as they get, were served.

    ``fairness`` is Jain's index, (sum x)² / (n · sum x²): 1 if all got the same, 1/n if one got everything.

    >>> shares([100, 100, 100, 100])["fairness"], shares([0, 200])
    (1.0, {'fairness': 0.5, 'least_of_mean': 0.0, 'most_of_mean': 2.0})
    """
    mean = sum(done) / len(done)
    if not mean:
        return {"fairness": 1.0, "least_of_mean": 1.0, "most_of_mean": 1.0}
    squares = sum(one * one for one in done)
    return {
        "fairness": round(sum(done) ** 2 / (len(done) * squares), 3),
        "least_of_mean": round(min(done) / mean, 3),
        "most_of_mean": round(max(done) / mean, 3),
    }


def _percentiles(name: str, seconds: list[float]) -> dict[str, float]:
    if not seconds:
        return {f"{name}_p50_ms": 0.0, f"{name}_p99_ms": 0.0}
    ordered = sorted(seconds)
    return {
        f"{name}_p50_ms": round(ordered[len(ordered) // 2] * 1000, 2),
        f"{name}_p99_ms": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))] * 1000, 2),
    }
