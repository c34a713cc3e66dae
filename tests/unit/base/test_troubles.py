"""Health: every trouble once, with its reason and its beginning, and one word for all of it."""

import logging

import pytest

from afresh.base.troubles import Standing, Trouble, Troubles, standing
from tests.fakes.clocks import StillClock


def test_a_trouble_has_a_reason_and_a_beginning(caplog: pytest.LogCaptureFixture) -> None:
    clock = StillClock(1000.0)
    troubles = Troubles(clock.now)
    assert troubles.current() == ()
    troubles.report("store", "the disk is full")
    clock.advance(5.0)
    troubles.report("store", "it still is")
    troubles.report("clock", "it jumped")
    assert troubles.current() == (
        Trouble("store", "it still is", 1000.0, times=2),
        Trouble("clock", "it jumped", 1005.0),
    )
    assert (troubles.why("store"), troubles.since("store"), troubles.why("push")) == ("it still is", 1000.0, "")
    with caplog.at_level(logging.INFO):
        troubles.over("store")
    assert "store: it works again, after 5 s" in caplog.text
    assert "store" not in troubles
    assert "clock" in troubles


def test_what_is_not_reported_again_passes() -> None:
    clock = StillClock()
    troubles = Troubles(clock.now)
    troubles.report("push", "TypeError", lasting=10.0)
    clock.advance(9.0)
    troubles.report("push", "TypeError", lasting=10.0)
    clock.advance(9.0)
    assert [one.times for one in troubles.current()] == [2]
    clock.advance(2.0)
    assert troubles.current() == ()


def test_a_trouble_that_lasts_is_logged_now_and_then(caplog: pytest.LogCaptureFixture) -> None:
    clock = StillClock()
    troubles = Troubles(clock.now)
    for _ in range(1800):
        troubles.report("store", "away")
        clock.advance(1.0)
    assert len(caplog.records) == 3
    assert "1201 times" in caplog.text


def test_one_word_for_all() -> None:
    store = Trouble("store", "away", 0.0)
    assert standing((), is_alive=True) is Standing.OK
    assert standing((store,), is_alive=True) is Standing.DEGRADED
    assert standing((store, Trouble("loop", "stands still", 0.0)), is_alive=True) is Standing.FAILING
    assert standing((), is_alive=False) is Standing.FAILING
