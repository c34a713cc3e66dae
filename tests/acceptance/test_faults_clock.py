"""A wrong clock: what it wrote is pulled back, what it says is not believed at once, nothing is forgotten by it."""

from pathlib import Path

import pytest

from tests.faults.clock import a_year_ahead, ahead_at_the_start, ahead_for_a_moment

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("faults")]


def test_a_month_ahead_for_twelve_seconds_plans_nothing(tmp_path: Path) -> None:
    counted = ahead_for_a_moment(tmp_path)
    assert (counted["lost"], counted["doubled"]) == (0, 0)
    assert "30d forward" in str(counted["why"])


def test_a_start_a_month_ahead_is_put_right(tmp_path: Path) -> None:
    counted = ahead_at_the_start(tmp_path)
    assert (counted["lost"], counted["doubled"]) == (0, 0)
    assert "pulled back" in str(counted["why"])


def test_a_year_ahead_forgets_nothing(tmp_path: Path) -> None:
    counted = a_year_ahead(tmp_path)
    assert counted["pruned"] == 0
    assert float(str(counted["furthest_due"])) < 60.0
