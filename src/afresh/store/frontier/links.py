"""What links of visited pages change, whatever the database: edges, in-degrees, OPIC cash, links from other sites.

Every page begins with a cash of one. A visit passes the cash of a page on in equal parts along its links and adds it to
the page's history (Abiteboul, Preda and Cobena, OPIC); a page without links keeps it, so that no cash is ever lost.
Pages visited in one report pass on what they had when it arrived.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from afresh.base.page_numbers import site_of

FIRST_CASH = 1.0

Edges = list[tuple[int, int]]


class PageChange(NamedTuple):
    """What a page has more than before."""

    cash: float
    in_degree: int
    history: float
    page: int


class SiteChange(NamedTuple):
    """What a site has more than before."""

    cash: float
    in_degree: int
    referrals: int  # links from other sites
    site: int


def distinct_edges(links: Iterable[tuple[int, Sequence[int]]]) -> Edges:
    """Links as sorted pairs, each once; a page's link to itself is none."""
    return sorted({(source, target) for source, targets in links for target in targets if target != source})


def changes(
    edges: Edges, cash: Mapping[int, float], new: Sequence[tuple[int, int]]
) -> tuple[list[PageChange], list[SiteChange]]:
    """What visits over these edges change, the sources having this cash; ``new`` edges count for in-degrees."""
    degree = Counter(source for source, _ in edges)
    flow: dict[int, float] = defaultdict(float)
    for source in degree:
        flow[source] -= cash.get(source, 0.0)
    for source, target in edges:
        flow[target] += cash.get(source, 0.0) / degree[source]
    found = Counter(target for _, target in new)
    referrals = Counter(site_of(target) for source, target in new if site_of(source) != site_of(target))
    pages = [
        PageChange(flow[page], found[page], cash.get(page, 0.0) if page in degree else 0.0, page)
        for page in sorted(flow)
    ]
    site_cash: dict[int, float] = defaultdict(float)
    site_degree: Counter[int] = Counter()
    for change in pages:
        site_cash[site_of(change.page)] += change.cash
        site_degree[site_of(change.page)] += change.in_degree
    sites = [SiteChange(site_cash[site], site_degree[site], referrals[site], site) for site in sorted(site_cash)]
    return pages, sites
