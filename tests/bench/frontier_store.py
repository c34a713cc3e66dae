"""How fast the frontier's store is without HTTP: importing, leasing, reporting, and by number of sites."""

import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from afresh.base.records.frontier import FetcherAccount, ListRequest, PageReport, Seed, SiteList, SiteReport
from afresh.base.records.frontier_store import FrontierStore
from afresh.store.frontier import open_frontier

SITES = 20_000
URLS = 1_000_000
FETCHERS = 56
NOW = 1_700_000_000.0
DELAY = 0.1
PACE = 50_000.0  # URLs a virtual second


def measure() -> dict[str, float]:
    """Numbers by name."""
    with tempfile.TemporaryDirectory() as folder:
        figures = bench(f"{folder}/frontier.db")
        for sites in (10_000, 100_000, 1_000_000):
            figures[f"lease_us_at_{sites}_sites"] = lease_cost(Path(folder) / f"{sites}.db", sites)
    return figures


def bench(url: str, *, sites: int = SITES, urls: int = URLS, rounds: int = 600) -> dict[str, float]:
    store = open_frontier(url)
    spent = time.perf_counter()
    cpu = time.process_time()
    for part in parts(urls, sites):
        store.add(part, now=NOW)
    figures = {
        "import_per_second": urls / (time.perf_counter() - spent),
        "import_cpu_us": (time.process_time() - cpu) / urls * 1e6,
    }
    register(store)
    figures |= revisiting(store, rounds)
    figures |= {f"links_{name}": value for name, value in revisiting(store, rounds // 20, links=5).items()}
    wrong = {name: count for name, count in store.recount().items() if count}
    assert not wrong, wrong
    store.close()
    return figures


def register(store: FrontierStore) -> None:
    for number in range(FETCHERS):
        store.register(
            FetcherAccount(uuid=f"{number:08d}-0000", contact="a@b.example", name=str(number), registered=NOW)
        )


def parts(urls: int, sites: int) -> Iterator[list[Seed]]:
    for start in range(0, urls, 50_000):
        yield [
            Seed(
                f"https://www.example-{number % sites}.de/some/path/page-{number}.html",
                f"www.example-{number % sites}.de",
            )
            for number in range(start, min(start + 50_000, urls))
        ]


@dataclass
class _Clock:
    now: float = NOW + 10.0
    fresh: int = 0
    spent: dict[str, float] = field(default_factory=lambda: {"lease": 0.0, "report": 0.0})


CLOCK = _Clock()


def revisiting(store: FrontierStore, rounds: int, *, links: int = 0) -> dict[str, float]:
    """URLs a second, leased and reported, with all fetchers at work; CPU microseconds a URL."""
    spent = {"lease": 0.0, "report": 0.0}
    took: dict[str, list[float]] = {"lease": [], "report": []}
    out: deque[tuple[str, list[SiteList]]] = deque()
    done = 0
    started, cpu = time.perf_counter(), 0.0
    wall = 0.0
    for number in range(rounds + FETCHERS):
        fetcher = f"{number % FETCHERS:08d}-0000"
        if number >= FETCHERS:
            holder, lists = out.popleft()
            reports = [to_report(one, links) for one in lists]
            begin, start = time.process_time(), time.perf_counter()
            receipt = store.report(holder, reports, key=f"{CLOCK.now}", now=CLOCK.now, revisit_after=1.0)
            spent["report"] += time.process_time() - begin
            took["report"].append(time.perf_counter() - start)
            wall += took["report"][-1]
            done += receipt.visited
        if number < rounds:
            request = ListRequest(fetcher=fetcher, sites=50, pages=10, default_delay=DELAY, expires=CLOCK.now + 60.0)
            begin, start = time.process_time(), time.perf_counter()
            lists = store.lease(request, now=CLOCK.now)
            spent["lease"] += time.process_time() - begin
            took["lease"].append(time.perf_counter() - start)
            wall += took["lease"][-1]
            out.append((fetcher, lists))
        CLOCK.now += 500 / PACE
    del started, cpu
    return {
        "urls_per_second": done / wall,
        "lease_us_per_url": spent["lease"] / done * 1e6,
        "report_us_per_url": spent["report"] / done * 1e6,
        "lease_p99_ms": sorted(took["lease"])[int(len(took["lease"]) * 0.99)] * 1e3,
        "report_p99_ms": sorted(took["report"])[int(len(took["report"]) * 0.99)] * 1e3,
    }


def to_report(one: SiteList, links: int) -> SiteReport:
    pages = []
    for page in one.pages:
        found = []
        for place in range(links):
            CLOCK.fresh += 1
            number = CLOCK.fresh * 7_919 % URLS if place else URLS + CLOCK.fresh
            found.append(f"https://www.example-{number % SITES}.de/some/path/page-{number}.html")
        pages.append(PageReport(page.url, links=found, number=page.number))
    return SiteReport(lease=one.lease, name=one.name, pages=pages)


def lease_cost(path: Path, sites: int) -> float:
    """CPU microseconds that a site costs, leased and reported, with one page each."""
    store = open_frontier(path)
    for part in parts(sites, sites):
        store.add(part, now=NOW)
    now, spent, done = NOW + 10.0, 0.0, 0
    for _ in range(100):
        request = ListRequest(fetcher="f", sites=50, pages=10, default_delay=DELAY, expires=now + 60.0)
        begin = time.process_time()
        lists = store.lease(request, now=now)
        store.report("f", [to_report(one, 0) for one in lists], key="", now=now, revisit_after=1.0)
        spent += time.process_time() - begin
        done += len(lists)
        now += 0.01
    store.close()
    return spent / done * 1e6


if __name__ == "__main__":
    figures = bench(sys.argv[1]) if len(sys.argv) > 1 else measure()
    for name, value in figures.items():
        print(f"{name:36s} {value:12,.4g}")
