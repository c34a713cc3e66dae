"""The web of pages: its truth about freshness, and its sizes."""

import numpy as np
import pytest

from afresh.lab.web.page_web import PageWeb, TruePage, site_sizes


def test_fresh_time_by_hand() -> None:
    page = TruePage("/", 1.0, np.array([10.0, 20.0, 30.0]), served=[5.0, 12.0, 25.0])
    # fresh in 5-10, 12-20 and 25-30
    assert page.fresh_time(0.0, 40.0) == pytest.approx(18.0)
    assert page.fresh_time(15.0, 27.0) == pytest.approx(5.0 + 2.0)
    assert TruePage("/", 1.0, np.array([10.0])).fresh_time(0.0, 40.0) == 0.0, "never served, never fresh"
    assert TruePage("/", 1.0, np.array([]), served=[5.0]).fresh_time(10.0, 40.0) == 30.0


@pytest.mark.parametrize(("pages", "sites"), [(2000, 50), (10, 3), (5, 5), (7, 1), (3, 9), (100, 2)])
def test_every_page_has_a_site(pages: int, sites: int) -> None:
    sizes = site_sizes(pages, sites)
    assert sum(sizes) == pages
    assert min(sizes) >= 1
    assert len(sizes) <= sites


def test_freshness_is_the_mean_over_pages() -> None:
    web = PageWeb(pages=4, sites=2, seed=1, clock=lambda: 1_000.0)
    web._settle(0)
    for page in web.pages[:2]:
        page.served.append(1_000.0)
        page.changes = np.array([])
    assert web.freshness(1_000.0, 1_010.0) == pytest.approx(0.5)
