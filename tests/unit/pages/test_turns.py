"""The order within a site: who is next and when, and how places bear failures, jumps of the clock and odd numbers."""

import math

import numpy as np
import pytest

from afresh.base.models import SiteState
from afresh.base.records.pages import Waiting
from afresh.base.settings.sections import RevisitSettings
from afresh.base.visits import Seat
from afresh.pages.model import PAGE_SIZE, PageModel
from afresh.pages.policies.belief import EVIDENCE, EXPOSURE
from afresh.pages.turns import Visited, order, seat

NOW = 1_000_000.0
DAY = 86_400.0
PRICE = 500.0
MODEL = PageModel(RevisitSettings(policy="belief", shortest=1.0))


def row(rate: float = 1 / DAY, weight: float = 1.0) -> np.ndarray:
    made = np.zeros(PAGE_SIZE)
    made[0], made[EVIDENCE], made[EXPOSURE] = weight, 4.0, 4.0 / rate
    return made


def waiting(*pages: tuple[float, np.ndarray], turns: tuple[float, ...] = ()) -> Waiting:
    """Pages by the time of their last visit and their row."""
    count = len(pages)
    nothing = np.full(count, math.nan)
    return Waiting(
        ids=np.arange(10, 10 + count),
        turn=np.array(turns or range(1, count + 1), dtype=np.float64),
        last=np.array([last for last, _ in pages]),
        hastened=np.zeros(count),
        weight=np.array([known[0] for _, known in pages]),
        shortest=nothing,
        longest=nothing,
        state_of=("belief",) * count,
        state=np.array([known for _, known in pages]).reshape(count, PAGE_SIZE),
    )


def seated(
    others: Waiting | None = None,
    *,
    site: SiteState | None = None,
    wait: float | None = None,
    free: float = NOW,
    price: float = PRICE,
    was_turn: bool = True,
    frequency: float = 0.0,
) -> Seat:
    known = row()
    wanted = MODEL.interval(known, price) if wait is None else wait
    page = Visited(
        row=known, last=NOW, wait=wanted, shortest=1.0, longest=30 * DAY, was_turn=was_turn, frequency=frequency
    )
    state = site or SiteState()
    clock = MODEL.clock(state.row)
    return seat(MODEL, page, state, order(MODEL, others), clock, price=price, now=NOW, free=free)


def test_the_only_page_of_a_site_comes_when_its_interval_is_over() -> None:
    made = seated()
    wait = MODEL.interval(row(), PRICE)
    assert made.pace.next_turn == pytest.approx(NOW + wait)
    assert made.frequency == pytest.approx(1.0 / wait)
    assert (made.pace.added, made.pace.called) == (made.frequency, None)


def test_the_page_that_is_due_first_is_called() -> None:
    wait = MODEL.interval(row(), PRICE)
    made = seated(waiting((NOW - 0.2 * wait, row()), (NOW - 0.7 * wait, row())))
    assert made.pace.called is not None
    assert made.pace.called[0] == 11
    assert made.pace.called[1] < 1.0, "before all others"
    assert made.pace.next_turn == pytest.approx(NOW + 0.3 * wait)


def test_of_pages_that_are_overdue_the_one_worth_most_is_served() -> None:
    wait = MODEL.interval(row(), PRICE)
    overdue = waiting((NOW - 1.5 * wait, row()), (NOW - 1.4 * wait, row(weight=5.0)))
    made = seated(overdue, free=NOW + 30.0)
    assert made.pace.called is not None
    assert made.pace.called[0] == 11
    assert made.pace.next_turn == NOW, "the site's pause holds it back, not its turn"


def test_a_full_site_ticks_evenly_and_serves_what_is_worth_most() -> None:
    full = SiteState(price=100 * PRICE, frequency=0.2, next_turn=NOW, turn=0.0, turn_at=NOW, speed=0.01)
    others = waiting((NOW - 50.0, row()), (NOW - 60.0, row(rate=20 / DAY)))
    made = seated(others, site=full, wait=50.0, frequency=0.02)
    assert made.pace.next_turn == pytest.approx(NOW + 5.0)
    assert made.pace.called is not None
    assert made.pace.called[0] == 11


def test_a_change_of_the_price_moves_places_with_the_sites_time_alone() -> None:
    slow = SiteState(frequency=1.0, turn=7.0, turn_at=NOW - 100.0, speed=0.5)
    assert slow.turn_now(NOW) == 57.0
    made = seated(waiting((NOW, row()), turns=(1e9,)), site=slow)
    assert made.turn is not None
    assert made.turn < 1e9


def test_what_was_missed_is_not_made_up_for() -> None:
    full = SiteState(price=100 * PRICE, frequency=0.1, next_turn=NOW - 3.0, speed=0.1)
    late = seated(waiting((NOW, row())), site=full, wait=10.0, frequency=0.1)
    assert late.pace.next_turn == pytest.approx(NOW + 7.0), "a little lateness is not lost for ever"
    asleep = SiteState(price=100 * PRICE, frequency=0.1, next_turn=NOW - DAY, speed=0.1)
    assert seated(waiting((NOW, row())), site=asleep, wait=10.0, frequency=0.1).pace.next_turn == NOW


def test_a_failed_visit_loses_its_place_and_the_next_page_has_the_turn() -> None:
    wait = MODEL.interval(row(), PRICE)
    made = seated(waiting((NOW - 0.5 * wait, row())), wait=math.inf, frequency=0.1)
    assert (made.turn, made.frequency) == (None, 0.0)
    assert made.pace.added == -0.1
    assert made.pace.next_turn == pytest.approx(NOW + 0.5 * wait)


def test_without_pages_there_is_no_turn() -> None:
    made = seated(wait=math.inf)
    assert (made.turn, made.pace.next_turn, made.pace.called) == (None, None, None)


@pytest.mark.parametrize("wait", [1e-6, 1.0, 1e9])
def test_places_are_finite_whatever_the_site_remembers(wait: float) -> None:
    for remembered in (0.0, 1e-12, 1e9):
        made = seated(site=SiteState(frequency=remembered, speed=remembered), wait=wait)
        assert made.turn is not None
        assert math.isfinite(made.turn)
        assert made.pace.next_turn is not None
        assert math.isfinite(made.pace.next_turn)
