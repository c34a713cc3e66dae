"""What an operator can change while the frontier runs; kept in its store, shared by all scheduler processes.

The store keeps them by the names of Gäbeler's Table C-14 (``THESIS_NAMES``); the REST door takes and shows these, too.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from afresh.base.records.frontier import PageOrder, Partitioning, SiteOrder

#: most sites and pages of one list, whatever is asked for
MOST_SITES = 10_000
MOST_PAGES = 10_000
#: URLs with which a list is full, however many sites are asked for: the site that reaches it is its last
MOST_URLS = 50_000
#: modes that say nothing without the link graph, or ranks that came with an import
NEED_RANKS = frozenset({SiteOrder.PAGERANK.value, PageOrder.PAGERANK.value})
#: modes that say nothing without the link graph
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
class FrontierSettings:
    """The global settings; a request may say otherwise for amounts and modes."""

    # --- lists ---
    sites: int = 10  # of a list; 0: all available
    pages: int = 0  # of a site; 0: all due
    site_order: SiteOrder = SiteOrder.DUE
    partitioning: Partitioning = Partitioning.NONE
    page_order: PageOrder = PageOrder.DUE
    default_delay: float = 10.0  # seconds between two requests to a site that states none
    revisit_share: float | None = None  # two queues: this share of a list for pages seen before; None: one queue
    # --- leases ---
    lease_seconds: float = 3_600.0
    release_on_report: bool = True  # False: a lease lasts until it expires, as in the thesis's tests
    revisit_after: float | None = None  # a visited page is due again after so many seconds; None: by its change rate
    # --- what fetchers keep here for each other; a frontier does not read it ---
    kept: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def from_thesis(cls, values: Mapping[str, Any]) -> "FrontierSettings":
        """From the names of Table C-14; what is not among ours is kept."""
        ours = {THESIS_NAMES[name]: value for name, value in values.items() if name in THESIS_NAMES}
        modes: dict[str, Callable[[Any], Any]] = {
            "site_order": SiteOrder,
            "partitioning": Partitioning,
            "page_order": PageOrder,
        }
        read = {name: modes[name](value) if name in modes else value for name, value in ours.items()}
        return cls(**read, kept={name: value for name, value in values.items() if name not in THESIS_NAMES})

    def to_thesis(self) -> dict[str, Any]:
        """By the names of Table C-14, as the store has them."""
        return {name: getattr(self, ours) for name, ours in THESIS_NAMES.items()} | dict(self.kept)


#: Gäbeler's Table C-14 where it has a name, and ours.
THESIS_NAMES: Final = {
    "fqdn_amount": "sites",
    "url_amount": "pages",
    "long_term_prio_mode": "site_order",
    "long_term_part_mode": "partitioning",
    "short_term_prio_mode": "page_order",
    "default_crawl_delay": "default_delay",
    "revisit_share": "revisit_share",
    "reservation_seconds": "lease_seconds",
    "release_on_submit": "release_on_report",
    "revisit_after": "revisit_after",
}
