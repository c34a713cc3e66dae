"""What an operator can change while the frontier runs; kept in its store, shared by all scheduler processes.

The names are those of Gäbeler's Table C-14 where it has one; the simulator's own values are kept for the fetchers that
read them at start (spec §2.5, §6.3).
"""

from dataclasses import dataclass

from afresh.base.records.frontier import PageOrder, Partitioning, SiteOrder

#: most sites and pages of one list, whatever is asked for
MOST_SITES = 10_000
MOST_PAGES = 10_000
#: modes that say nothing without the link graph (PageRank may also come with an import)
NEED_LINKS = frozenset(
    {
        SiteOrder.IN_DEGREE.value,
        SiteOrder.OPIC.value,
        PageOrder.IN_DEGREE.value,
        PageOrder.OPIC.value,
        Partitioning.GRAPH.value,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierOptions:
    """How a frontier is run; read at start."""

    url: str = "frontier.db"
    workers: int = 1
    join_tokens: tuple[str, ...] = ()
    public_url: str = ""
    allow_private: bool = False
    keep_keys: float = 86_400.0
    links: bool = False
    rank_every: float = 3_600.0
    places: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierSettings:
    """The global settings; a request may say otherwise for amounts and modes."""

    # --- lists ---
    fqdn_amount: int = 10  # sites of a list; 0: all available
    url_amount: int = 0  # pages of a site; 0: all due
    long_term_prio_mode: SiteOrder = SiteOrder.DUE
    long_term_part_mode: Partitioning = Partitioning.NONE
    short_term_prio_mode: PageOrder = PageOrder.DUE
    default_crawl_delay: float = 10.0  # seconds between two requests to a site that states none
    revisit_share: float | None = None  # two queues: this share of a list for pages seen before; None: one queue
    # --- reservations ---
    reservation_seconds: float = 3_600.0
    release_on_submit: bool = True  # False: a reservation lasts until it expires, as in the thesis's tests
    revisit_after: float | None = None  # a visited page is due again after so many seconds; None: by its change rate
    # --- what fetchers and simulators read at start ---
    logging_mode: int = 20
    crawling_speed_factor: float = 10.0
    parallel_process: int = 4
    parallel_fetcher: int = 1
    iterations: int = 1
    min_links_per_page: int = 1
    max_links_per_page: int = 1
    lpp_distribution_type: str = "discrete"
    internal_vs_external_threshold: float = 1.0
    new_vs_existing_threshold: float = 1.0
