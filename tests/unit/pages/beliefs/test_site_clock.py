"""The clock of a site: mass edits, busy hours, and their inverse."""

import numpy as np
import pytest

from afresh.pages.beliefs.site_clock import (
    DAY,
    DAYS,
    HOUR,
    HOUR_PACE,
    SITE_SIZE,
    WORLD_SIZE,
    advance,
    day_pace,
    hour_time,
    learn_days,
    learn_hours,
    moment_after,
    set_hours,
    site_time,
)

START = 20_000 * DAY


def _site() -> np.ndarray:
    site = np.zeros(SITE_SIZE)
    advance(site, START)
    return site


def test_a_new_site_keeps_usual_time() -> None:
    site = _site()
    assert site_time(site, START - 90 * DAY, START, 3.0) == pytest.approx(90 * DAY)
    assert moment_after(site, START + 5.0, 3.3 * DAY) == pytest.approx(START + 5.0 + 3.3 * DAY)


def test_a_mass_edit_makes_its_day_long() -> None:
    site = _site()
    rate = 0.01 / DAY
    busy = START + 2.5 * DAY
    for k in range(40):  # forty pages of two days each; those visited after the edit have all changed
        now = busy + (k - 20) * 0.02 * DAY
        advance(site, now)
        whole = site_time(site, now - 2 * DAY, now, 3.0)
        learn_days(site, now - 2 * DAY, now, rate, float(now > busy), whole, 3.0)
    assert day_pace(site, START / DAY + 2, 3.0) > 2.0
    usual = site[0] - START
    assert site_time(site, START, site[0], 3.0) > 2.0 * usual  # a page not visited since is as stale as after so long
    assert site_time(site, site[0], site[0] + HOUR, 3.0) > HOUR
    assert site_time(site, START - 9 * DAY, START - 5 * DAY, 3.0) == pytest.approx(4 * DAY)


def test_days_are_forgotten() -> None:
    site = _site()
    learn_days(site, START, START + DAY, 1.0 / DAY, 50.0, DAY, 3.0)
    assert day_pace(site, START / DAY, 3.0) > 5.0
    advance(site, START + (DAYS + 1) * DAY)
    assert day_pace(site, START / DAY, 3.0) == 1.0


def test_busy_hours_are_learnt_and_time_is_inverted() -> None:
    site, world = _site(), np.zeros(WORLD_SIZE)
    for k in range(400):  # visits every three hours; changes at noon
        now = START + k * 3 * HOUR
        advance(site, now)
        holds_noon = (now - 3 * HOUR) % DAY == 12 * HOUR
        learn_hours(site, world, now - 3 * HOUR, now, 1.0 / DAY, float(holds_noon))
        set_hours(site, world, 3.0, 20.0)
    paces = site[HOUR_PACE:]
    assert paces.sum() == pytest.approx(24.0, rel=0.02)
    assert paces[12:15].min() > 2.0 > 0.6 > paces[:9].max()
    for wait in (0.1 * DAY, 0.9 * DAY):
        moment = moment_after(site, START + 7.0, wait)
        pieces = hour_time(site, START + 7.0, min(moment, START + DAY)) + hour_time(site, START + DAY, moment)
        assert pieces == pytest.approx(wait, rel=0.02)


def test_other_sites_lend_their_hours() -> None:
    site, other, world = _site(), _site(), np.zeros(WORLD_SIZE)
    for k in range(400):
        now = START + k * HOUR + HOUR
        learn_hours(site, world, now - HOUR, now, 2.0 / DAY, float(k % 24 == 6))
    set_hours(other, world, 3.0, 5.0)
    assert other[HOUR_PACE + 6] > 1.3 > 1.0 > other[HOUR_PACE + 7]
