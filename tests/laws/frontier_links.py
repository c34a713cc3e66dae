"""The laws of the link graph, for a frontier that keeps links."""

from afresh.base.records.frontier import PageReport, SiteReport
from afresh.base.records.frontier_store import FrontierStore
from tests.laws.frontier_material import NOW, OpenFrontier, filled, host, laws_of, take, url, wrong_sums


def _visit(store: FrontierStore, links: dict[str, list[str]], now: float) -> None:
    """Visits everything that is due; pages have these links."""
    for one in take(store, now=now):
        pages = [PageReport(page.url, number=page.number, links=links.get(page.url, [])) for page in one.pages]
        store.report("one", [SiteReport(one.lease, one.name, pages)], key="", now=now, revisit_after=50.0)


def links_are_kept_once_and_not_to_oneself(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2, pages=1) as store:
        links = {url(0, 0): [url(1, 0), url(1, 0), url(0, 0), url(0, 1)], url(1, 0): [url(0, 0)]}
        _visit(store, links, NOW)
        assert store.stats().edges == 3
        _visit(store, links, NOW + 1_000)
        edges = list(store.edges())
        assert store.stats().edges == len(edges) == 3
        assert edges == sorted(set(edges))
        assert sorted(store.site_edges()) == [(host(0), host(1), 1), (host(1), host(0), 1)]
        assert not wrong_sums(store)


def in_degree_counts_links(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=3, pages=1) as store:
        links = {url(0, 0): [url(2, 0), url(1, 0)], url(1, 0): [url(2, 0)], url(2, 0): []}
        _visit(store, links, NOW)
        _visit(store, links, NOW + 1_000)
        found = {site.name: site.mean_in_degree for site in store.sites()}
        assert found == {host(0): 0.0, host(1): 1.0, host(2): 2.0}
        assert not wrong_sums(store)


def cash_flows_along_links_and_is_never_lost(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2, pages=2) as store:
        links = {
            url(0, 0): [url(1, 0), url(1, 1)],
            url(0, 1): [url(1, 0)],
            url(1, 0): [url(0, 0)],
            url(1, 1): [url(0, 0), url(0, 1)],
        }
        before = sum(site.cash for site in store.sites())
        assert before == 4.0
        for step in range(5):
            _visit(store, links, NOW + 1_000 * step)
            assert abs(sum(site.cash for site in store.sites()) - before) < 1e-9 * before
        assert not wrong_sums(store)


LINK_LAWS = laws_of(globals())
