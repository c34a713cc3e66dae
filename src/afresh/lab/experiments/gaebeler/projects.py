"""The test projects of [G20]: Tables 21 to 26 and App. E, as the executor takes them.

Where table and appendix differ, the table that fits the published result is followed: T5 has 50 iterations and 5 links
a page.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from afresh.base.records.frontier import PageOrder, Partitioning, SiteOrder
from afresh.lab.crawl.database import ExampleSettings
from afresh.lab.crawl.settings import Project, SimulatorSettings


def _project(
    name: str, sites: int, delay: float, vary: Mapping[str, Sequence[Any]], *, repetition: int = 1, **settings: Any
) -> Project:
    example = ExampleSettings(fqdn_amount=sites, min_url_amount=5, max_url_amount=5, fixed_crawl_delay=delay)
    return Project(name=name, example=example, base=SimulatorSettings(**settings), vary=vary, repetition=repetition)


def _links(count: int) -> dict[str, int]:
    return {"min_links_per_page": count, "max_links_per_page": count}


_OLD: dict[str, Any] = {"long_term_prio_mode": SiteOrder.OLD, "short_term_prio_mode": PageOrder.OLD}
_RANKED: dict[str, Any] = {"short_term_prio_mode": PageOrder.PAGERANK}

_LOAD = {"parallel_process": range(2, 31, 2), "fqdn_amount": range(4, 45, 4)}
T1 = _project(
    "parallel_processes", 1_000, 1.0, _LOAD, crawling_speed_factor=10.0, default_crawl_delay=1.0, **_OLD, **_links(3)
)

_FETCHERS = {"parallel_fetcher": range(8, 57, 8), "parallel_process": range(8, 33, 8)}
_SLOW: dict[str, Any] = {"crawling_speed_factor": 1.0, "default_crawl_delay": 5.0}
T2 = _project("parallel_fetchers", 1_000, 1.0, _FETCHERS, repetition=4, fqdn_amount=16, **_SLOW, **_OLD, **_links(3))

_MODES = {"long_term_part_mode": (Partitioning.NONE, Partitioning.TLD, Partitioning.SITE_HASH, Partitioning.CONSISTENT)}
_MANY: dict[str, Any] = {"parallel_process": 16, "fqdn_amount": 50}
T3 = _project(
    "partition",
    4_000,
    10.0,
    _MODES,
    crawling_speed_factor=1.0,
    default_crawl_delay=10.0,
    parallel_fetcher=16,
    iterations=5,
    **_MANY,
    **_OLD,
    **_links(5),
)

_BY_SIZE = {"long_term_prio_mode": (SiteOrder.LARGE, SiteOrder.RANDOM, SiteOrder.SMALL)}
_SHARES: dict[str, Any] = {"int_vs_ext_threshold": 0.85, "new_vs_exist_threshold": 0.95}
T4 = _project(
    "prioritization_size",
    4_000,
    5.0,
    _BY_SIZE,
    repetition=3,
    parallel_fetcher=4,
    iterations=20,
    **_SLOW,
    **_MANY,
    **_RANKED,
    **_SHARES,
)

_BY_AGE = {"long_term_prio_mode": (SiteOrder.OLD, SiteOrder.RANDOM, SiteOrder.NEW)}
_FEW: dict[str, Any] = {"parallel_process": 10, "parallel_fetcher": 4, "iterations": 50, "fqdn_amount": 20}
T5 = _project(
    "prioritization_age",
    4_000,
    5.0,
    _BY_AGE,
    crawling_speed_factor=5.0,
    default_crawl_delay=5.0,
    pause=5.0,
    **_FEW,
    **_RANKED,
    **_links(5),
)
