"""The test projects of [G20]: Tables 21 to 26 and App. E, as the executor takes them.

Where table and appendix differ, the table that fits the published result is followed: T5 has 50 iterations and 5 links
a page.
"""

from afresh.base.records.frontier import PageOrder, Partitioning, SiteOrder
from afresh.lab.crawl.database import ExampleSettings
from afresh.lab.crawl.settings import Project, SimulatorSettings


def _example(sites: int, delay: float) -> ExampleSettings:
    return ExampleSettings(fqdn_amount=sites, min_url_amount=5, max_url_amount=5, fixed_crawl_delay=delay)


T1 = Project(
    name="parallel_processes",
    example=_example(1_000, 1.0),
    base=SimulatorSettings(
        crawling_speed_factor=10.0,
        default_crawl_delay=1.0,
        long_term_prio_mode=SiteOrder.OLD,
        short_term_prio_mode=PageOrder.OLD,
        min_links_per_page=3,
        max_links_per_page=3,
    ),
    vary={"parallel_process": range(2, 31, 2), "fqdn_amount": range(4, 45, 4)},
)

T2 = Project(
    name="parallel_fetchers",
    example=_example(1_000, 1.0),
    base=SimulatorSettings(
        crawling_speed_factor=1.0,
        default_crawl_delay=5.0,
        fqdn_amount=16,
        long_term_prio_mode=SiteOrder.OLD,
        short_term_prio_mode=PageOrder.OLD,
        min_links_per_page=3,
        max_links_per_page=3,
    ),
    vary={"parallel_fetcher": range(8, 57, 8), "parallel_process": range(8, 33, 8)},
    repetition=4,
)

T3 = Project(
    name="partition",
    example=_example(4_000, 10.0),
    base=SimulatorSettings(
        crawling_speed_factor=1.0,
        default_crawl_delay=10.0,
        parallel_process=16,
        parallel_fetcher=16,
        iterations=5,
        fqdn_amount=50,
        long_term_prio_mode=SiteOrder.OLD,
        short_term_prio_mode=PageOrder.OLD,
        min_links_per_page=5,
        max_links_per_page=5,
    ),
    vary={
        "long_term_part_mode": (Partitioning.NONE, Partitioning.TLD, Partitioning.SITE_HASH, Partitioning.CONSISTENT)
    },
)

T4 = Project(
    name="prioritization_size",
    example=_example(4_000, 5.0),
    base=SimulatorSettings(
        crawling_speed_factor=1.0,
        default_crawl_delay=5.0,
        parallel_process=16,
        parallel_fetcher=4,
        iterations=20,
        fqdn_amount=50,
        short_term_prio_mode=PageOrder.PAGERANK,
        int_vs_ext_threshold=0.85,
        new_vs_exist_threshold=0.95,
    ),
    vary={"long_term_prio_mode": (SiteOrder.LARGE, SiteOrder.RANDOM, SiteOrder.SMALL)},
    repetition=3,
)

T5 = Project(
    name="prioritization_age",
    example=_example(4_000, 5.0),
    base=SimulatorSettings(
        crawling_speed_factor=5.0,
        default_crawl_delay=5.0,
        parallel_process=10,
        parallel_fetcher=4,
        iterations=50,
        fqdn_amount=20,
        short_term_prio_mode=PageOrder.PAGERANK,
        min_links_per_page=5,
        max_links_per_page=5,
        pause=5.0,
    ),
    vary={"long_term_prio_mode": (SiteOrder.OLD, SiteOrder.RANDOM, SiteOrder.NEW)},
)
