"""What the gRPC door takes and gives a second, with a client that wastes no time of its own."""

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from afresh.base.errors import UsageError
from afresh.base.records.queues import DEFAULT_CRAWL, Put
from afresh.lab.bench_frontier.cpu import cpu_seconds
from afresh.lab.bench_frontier.run import prepared_store
from afresh.lab.bench_grpc.client import FrontierClient
from afresh.lab.bench_grpc.server import running_server
from afresh.store.frontier import open_frontier

_BATCH = 256  # URLs of one message
_QUEUES, _EACH = 50, 10  # of one GetURLs
_HOLD = 3_600  # seconds of a lock
_SHARE_DUE = 100  # of so many queues one is due
_CALLS, _FEW = 30, 3  # for each number of queues: calls, and queues of a call; the same for all
_PIECE = 20_000  # URLs stored at once


@dataclass(frozen=True, slots=True, kw_only=True)
class GrpcBenchOptions:
    """Sizes of a measurement."""

    store: str = "sqlite"
    urls: int = 200_000
    singles: int = 20_000
    queues: Sequence[int] = (10_000, 100_000, 1_000_000)

    def __post_init__(self) -> None:
        if self.urls < _QUEUES * _EACH or self.singles < 1:
            raise UsageError(f"--urls must be at least {_QUEUES * _EACH}, --singles at least 1")


def bench_grpc(options: GrpcBenchOptions) -> dict[str, Any]:
    """All figures, one server process at a time."""
    with _serving(options.store) as (client, server):
        figures: dict[str, Any] = {"store": options.store, "urls": options.urls}
        used = cpu_seconds(server)
        figures["put_discovered_per_second"] = _put_discovered(client, options.urls)
        # On a machine that has other work the wall says little.
        figures["put_discovered_server_cpu_us"] = round((cpu_seconds(server) - used) / options.urls * 1e6, 1)
        figures["put_urls_per_second"] = _put_urls(client, options.singles)
        figures |= _get_urls(client)
    return figures | {"get_ms_by_queues": {count: _get_ms(options.store, count) for count in options.queues}}


@contextmanager
def _serving(store: str, *, queues: int = 0) -> Iterator[tuple[FrontierClient, int]]:
    """A client of a new server, whose store has so many queues; and the number of its process."""
    with (
        tempfile.TemporaryDirectory(prefix="afresh-bench-", ignore_cleanup_errors=True) as folder,
        prepared_store(store) as url,
    ):
        _fill(url, queues)
        with running_server(url, Path(folder)) as server, FrontierClient(server.address, is_raw=True) as client:
            yield client, server.process.pid


def _urls(count: int, *, queues: int, path: str) -> Iterator[str]:
    """Neighbours are of different hosts, as links are."""
    return (f"http://www.host-{number % queues}.example/{path}/{number}" for number in range(count))


def _put_discovered(client: FrontierClient, count: int) -> int:
    """Acknowledged URLs a second, in batches."""
    batch, info = client.messages["DiscoveredBatch"], client.messages["URLInfo"]
    infos = [info(url=url) for url in _urls(count, queues=max(count // 20, _QUEUES), path="found")]
    sent = [batch(items=infos[start : start + _BATCH]).SerializeToString() for start in range(0, count, _BATCH)]
    began = time.perf_counter()
    acks = sum(1 for _ in client.call("PutDiscovered", sent))
    took = time.perf_counter() - began
    assert acks == len(sent), "every batch is acknowledged"
    return round(count / took)


def _put_urls(client: FrontierClient, count: int) -> int:
    """Acknowledged URLs a second, one in each message."""
    item, found, info = (client.messages[name] for name in ("URLItem", "DiscoveredURLItem", "URLInfo"))
    urls = _urls(count, queues=max(count // 20, 1), path="single")
    sent = [item(discovered=found(info=info(url=url))).SerializeToString() for url in urls]
    began = time.perf_counter()
    acks = sum(1 for _ in client.call("PutURLs", sent))
    took = time.perf_counter() - began
    assert acks == count, "every URL is acknowledged"
    return round(count / took)


def _get_urls(client: FrontierClient) -> dict[str, Any]:
    """URLs a second and the slowest of a hundred calls; until nothing more is due, or for 200 calls."""
    asked = client.messages["GetParams"](
        max_queues=_QUEUES, max_urls_per_queue=_EACH, delay_requestable=_HOLD, crawlID=DEFAULT_CRAWL
    )
    times: list[float] = []
    got = 0
    while len(times) < 200:
        began = time.perf_counter()
        found = sum(1 for _ in client.ask_raw("GetURLs", asked))
        if not found:
            break
        times.append(time.perf_counter() - began)
        got += found
    slowest = sorted(times)[max(0, len(times) * 99 // 100 - 1)]
    return {"get_urls_per_second": round(got / sum(times)), "get_p99_ms": round(slowest * 1_000, 1)}


def _get_ms(store: str, queues: int) -> float:
    """The median of some calls, each of which finds enough that is due, in a frontier of so many queues."""
    with _serving(store, queues=queues) as (client, _):
        wanted = max(1, min(_FEW, queues // _SHARE_DUE // (_CALLS + 1)))
        asked = client.messages["GetParams"](max_queues=wanted, delay_requestable=_HOLD, crawlID=DEFAULT_CRAWL)
        times = []
        for _ in range(_CALLS + 1):
            began = time.perf_counter()
            found = sum(1 for _ in client.ask_raw("GetURLs", asked))
            times.append((time.perf_counter() - began) / found * wanted)
    return round(sorted(times[1:])[_CALLS // 2] * 1_000, 2)  # the first call opens the connection


def _fill(url: str, queues: int) -> None:
    store, now = open_frontier(url), time.time()
    later = now + 86_400.0
    try:
        for start in range(0, queues, _PIECE):
            numbers = range(start, min(start + _PIECE, queues))
            puts = [
                Put(f"http://h{n}.example/", f"h{n}.example", True, now if n % _SHARE_DUE == 0 else later)
                for n in numbers
            ]
            store.put(DEFAULT_CRAWL, puts, now=now)
    finally:
        store.close()
