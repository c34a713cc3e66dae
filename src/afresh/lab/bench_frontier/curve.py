"""What a lease costs as the number of sites grows: it should follow the logarithm, not the number."""

import time
from dataclasses import replace
from typing import Any

from afresh.base.records.frontier import FetcherAccount, ListRequest, PageOrder, Seed, SiteOrder
from afresh.base.records.frontier_store import FrontierStore
from afresh.lab.bench_frontier.material import Material
from afresh.lab.bench_frontier.options import BenchOptions
from afresh.lab.bench_frontier.run import prepared_store
from afresh.store.frontier import open_frontier

_SIZES = (10_000, 100_000, 1_000_000)
_LEASES = 200
_BATCH = 50_000
_PAGES = 1  # of a site: the number of sites is what the curve is about


def lease_curve(options: BenchOptions) -> list[dict[str, Any]]:
    """Milliseconds a lease of ``sites_per_list`` sites, in the store alone, for each number of sites."""
    return [_measure(replace(options, sites=sites, urls=sites * _PAGES)) for sites in _SIZES]


def _measure(options: BenchOptions) -> dict[str, Any]:
    with prepared_store(options.store) as url:
        store = open_frontier(url)
        try:
            return _lease(store, options)
        finally:
            store.close()


def _lease(store: FrontierStore, options: BenchOptions) -> dict[str, Any]:
    material, now = Material(options), 1_700_000_000.0
    store.register(FetcherAccount(uuid="bench", contact="bench@example.org", name="bench", registered=now))
    store.set_site_order(options.site_order)
    for batch in material.all_urls(_BATCH):
        store.add([Seed(url, url.split("/", 3)[2]) for url in batch], now=now)
    request = ListRequest(
        fetcher="bench",
        sites=min(options.sites_per_list, options.sites // _LEASES),
        pages=options.urls_per_site,
        site_order=SiteOrder(options.site_order),
        page_order=PageOrder(options.page_order),
        default_delay=options.delay,
        expires=now + 3_600.0,
    )
    times, used = [], time.process_time()
    for number in range(_LEASES):
        began = time.perf_counter()
        store.lease(request, now=now + number)
        times.append(time.perf_counter() - began)
    used = time.process_time() - used
    times.sort()
    return {
        "sites": options.sites,
        "urls": options.urls,
        "lease_p50_ms": round(times[_LEASES // 2] * 1000, 3),
        "lease_p90_ms": round(times[_LEASES * 9 // 10] * 1000, 3),
        "lease_cpu_ms": round(used / _LEASES * 1000, 3),  # of this process; PostgreSQL's is its own
    }
