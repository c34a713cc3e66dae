"""Rates are counted over a minute at least: fetchers report many pages at once, and then none for a while."""

from dataclasses import replace

from afresh.base.records.frontier import FrontierStats
from afresh.frontier.recent_rates import Lately

NOTHING = FrontierStats(
    fetchers=0, sites=0, urls=0, visited=0, leased_sites=0, mean_last_visited=None, visits=0, edges=0, backlog=0
)


def test_reports_that_come_in_heaps_make_no_peaks() -> None:
    lately = Lately()
    for step in range(121):  # five seconds apart; a hundred visits are reported every half minute
        visits = 100 * (step // 6)
        lately.sample(replace(NOTHING, visits=visits), 5.0 * step)
    rates = [rate.visits for rate in lately.rates() if rate.at > 60.0]
    assert len(rates) > 30
    assert set(rates) == {200.0}
