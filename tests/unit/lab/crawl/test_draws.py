"""The generators of the example database against the tables of the thesis ([G20] §7.1.5, App. D)."""

from collections import Counter

import numpy as np
import pytest

from afresh.base.errors import UsageError
from afresh.lab.crawl import draws
from afresh.lab.crawl.database import ExampleSettings, example_fetchers, example_links, example_seeds
from afresh.parse.url import canonical, site_of

NOW = 1_595_000_000.0


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_the_table_of_domains_is_whole() -> None:
    table = draws.top_level_domains()
    assert len(table) == 193
    assert sum(table.values()) == 400_959_599
    assert table["com"] / 400_959_599 == pytest.approx(0.418, abs=5e-4)
    assert list(table.values()) == sorted(table.values(), reverse=True)


def test_domains_are_drawn_by_registrations() -> None:
    found = Counter(draws.draw_tlds(rng(), 20_000))
    assert found["com"] / 20_000 == pytest.approx(0.4176, abs=0.015)
    assert found["de"] / 20_000 == pytest.approx(13_381_471 / 400_959_599, abs=0.006)


def test_delays_are_drawn_by_their_weights() -> None:
    """Four fifths (800 of 973.8) state none; ten seconds is the most frequent of the others."""
    assert sum(draws.CRAWL_DELAYS.values()) == pytest.approx(973.8)
    found = Counter(draws.draw_delays(rng(), 20_000))
    assert found[None] / 20_000 == pytest.approx(800 / 973.8, abs=0.012)
    assert max((delay for delay in found if delay), key=lambda delay: found[delay]) == 10


def test_pageranks_lie_in_their_buckets() -> None:
    values = draws.draw_pageranks(rng(), 50_000)
    assert values.min() >= 1e-6
    assert values.max() <= 10.0
    assert np.mean(values <= 1e-5) == pytest.approx(59 / 60, abs=0.003)


def test_spread_ranks_reach_every_bucket() -> None:
    values = draws.draw_pageranks(rng(), 20_000, spread=True)
    edges = [0.0, *sorted(bucket[1] for bucket in draws.PAGERANK_BUCKETS)[1:], 10.0]
    assert (np.histogram(values, edges)[0] > 500).all()


def test_buckets_join_without_gaps() -> None:
    lows = [low for _, low, _ in draws.PAGERANK_BUCKETS]
    highs = [high for _, _, high in draws.PAGERANK_BUCKETS]
    assert highs[1:] == lows[:-1]
    assert draws.PAGERANK_BUCKETS[-1][0] == 60_000_000_000


def test_names_are_urls_as_the_frontier_keeps_them() -> None:
    """A generated URL must be canonical, or the frontier would know it under another name."""
    for seed in example_seeds(ExampleSettings(fqdn_amount=30, min_url_amount=1, max_url_amount=4), rng(), NOW):
        assert canonical(seed.url) == seed.url
        assert site_of(seed.url) == seed.site
        assert seed.site.startswith("www.")


def test_hosts_and_pages_are_all_different() -> None:
    seeds = list(example_seeds(ExampleSettings(fqdn_amount=500, min_url_amount=2, max_url_amount=6), rng(), NOW))
    assert len({seed.site for seed in seeds}) == 500
    assert len({seed.url for seed in seeds}) == len(seeds)
    assert set(Counter(seed.site for seed in seeds).values()) == {2, 3, 4, 5, 6}


def test_the_same_generator_gives_the_same_database() -> None:
    settings = ExampleSettings(visited_ratio=0.5)
    assert list(example_seeds(settings, rng(4), NOW)) == list(example_seeds(settings, rng(4), NOW))
    assert list(example_seeds(settings, rng(4), NOW)) != list(example_seeds(settings, rng(5), NOW))


def test_visited_share_and_fixed_delay() -> None:
    settings = ExampleSettings(fqdn_amount=100, visited_ratio=0.3, fixed_crawl_delay=7.0)
    seeds = list(example_seeds(settings, rng(), NOW))
    seen = [seed.last_visited for seed in seeds if seed.last_visited is not None]
    assert len(seen) / len(seeds) == pytest.approx(0.3, abs=0.03)
    assert all(946_684_800.0 <= when <= NOW for when in seen)
    assert {seed.crawl_delay for seed in seeds} == {7.0}


def test_links_and_fetchers_of_the_example() -> None:
    settings = ExampleSettings(fetcher_amount=4, connection_amount=3)
    urls = [seed.url for seed in example_seeds(settings, rng(), NOW)]
    assert all(len(page.links) == 3 and set(page.links) <= set(urls) for page in example_links(urls, settings, rng()))
    fetchers = example_fetchers(settings, rng(), NOW)
    assert len({one.uuid for one in fetchers}) == 4
    assert all(one.tld_preference in draws.top_level_domains() for one in fetchers)


@pytest.mark.parametrize(
    "wrong",
    [
        {"min_url_amount": 5, "max_url_amount": 4},
        {"visited_ratio": 1.5},
        {"fqdn_amount": -1},
        {"fixed_crawl_delay": -1.0},
    ],
)
def test_senseless_examples_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        ExampleSettings(**wrong)
