"""Crawls of link graphs: everything reachable once, politely; who knows all does best."""

from itertools import pairwise

import numpy as np
import pytest

from afresh.frontier.orders.pagerank import pagerank
from afresh.lab.crawl.graphs import LinkGraph, synthetic_graph
from afresh.lab.crawl.ordered import ORDERS, crawl
from afresh.lab.metrics.rankings import mean_cumulative_share

GRAPH = synthetic_graph(np.random.default_rng(1), sites=30, pages=600)
TRUTH = pagerank(GRAPH.pages, GRAPH.sources, GRAPH.targets)


def test_graphs_are_whole() -> None:
    assert GRAPH.pages == pytest.approx(600, rel=0.3)
    assert GRAPH.sources.max() < GRAPH.pages
    assert GRAPH.targets.max() < GRAPH.pages
    assert len(set(GRAPH.site.tolist())) == 30


@pytest.mark.parametrize("order", ORDERS)
def test_every_page_once_and_sites_rest(order: str) -> None:
    done, rounds = crawl(GRAPH, order, truth=TRUTH, robots=5, rest=2, batch=50)
    assert sorted(done) == list(range(GRAPH.pages))
    assert rounds == sorted(rounds)
    assert max(np.bincount(rounds)) <= 5
    for site in range(30):
        own = [at for page, at in zip(done, rounds, strict=True) if GRAPH.site[page] == site]
        assert all(later - sooner > 2 for sooner, later in pairwise(own))


def test_a_page_is_known_before_it_is_fetched() -> None:
    done, _ = crawl(GRAPH, "omniscient", truth=TRUTH, robots=3, rest=0)
    seen = {0}
    links = GRAPH.leaving()
    for page in done:
        assert page in seen
        seen.update(links[page])


def test_who_knows_all_finds_most() -> None:
    found = {
        order: mean_cumulative_share(TRUTH[crawl(GRAPH, order, truth=TRUTH, robots=5, rest=0, batch=20)[0]])
        for order in ORDERS
    }
    assert max(found, key=lambda order: found[order]) == "omniscient"


def test_one_robot_in_order_of_links() -> None:
    """0 links to 1 and 2, 1 and 2 to 3, 1 to 4: page 3 has most links once both were fetched."""
    graph = LinkGraph(np.zeros(5, dtype=np.int64), np.array([0, 0, 1, 2, 1]), np.array([1, 2, 3, 3, 4]))
    truth = pagerank(5, graph.sources, graph.targets)
    assert crawl(graph, "in_degree", truth=truth, robots=1, rest=0)[0] == [0, 1, 2, 3, 4]
    assert crawl(graph, "breadth_first", truth=truth, robots=1, rest=0)[0] == [0, 1, 2, 3, 4]
    assert crawl(graph, "omniscient", truth=np.array([0, 0, 1, 0, 9.0]), robots=1, rest=0)[0] == [0, 2, 1, 4, 3]
