"""A clock that does not believe every jump of the system's."""

import time

import pytest

from afresh.base.clock import WatchedClock, steady_seconds

DAY = 86_400.0


class Machine:
    """A machine whose clock can be set, and whose seconds pass on command."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.wall, self.seconds = 1_700_000_000.0, 500.0
        monkeypatch.setattr(time, "time", lambda: self.wall)

    def steady(self) -> float:
        return self.seconds

    def pass_by(self, seconds: float) -> None:
        self.wall += seconds
        self.seconds += seconds


def test_small_steps_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch)
    clock = WatchedClock(steady=machine.steady)
    for step in (0.0, 20.0, -25.0, 1.0):
        machine.wall += step
        machine.pass_by(1.0)
        assert clock.now() == machine.wall
    assert (clock.doubt, list(clock.steps)) == (0.0, [])


@pytest.mark.parametrize("jump", [30 * DAY, 365 * DAY, -30 * DAY])
def test_a_jump_that_does_not_last_is_not_believed(monkeypatch: pytest.MonkeyPatch, jump: float) -> None:
    machine = Machine(monkeypatch)
    clock = WatchedClock(steady=machine.steady)
    before = clock.now()
    machine.wall += jump
    for second in range(1, 13):
        machine.pass_by(1.0)
        assert clock.now() == pytest.approx(before + second)
        assert clock.doubt == pytest.approx(jump)
    machine.wall -= jump
    machine.pass_by(1.0)
    assert clock.now() == machine.wall
    assert (clock.doubt, list(clock.steps)) == (0.0, [])


@pytest.mark.parametrize("jump", [30 * DAY, -30 * DAY])
def test_a_jump_that_stays_is_believed(monkeypatch: pytest.MonkeyPatch, jump: float) -> None:
    machine = Machine(monkeypatch)
    clock = WatchedClock(steady=machine.steady, patience=60.0)
    machine.wall += jump
    clock.now()
    machine.pass_by(59.0)
    assert clock.now() != machine.wall
    machine.pass_by(2.0)
    assert clock.now() == machine.wall
    assert list(clock.steps) == [pytest.approx(jump)]
    assert clock.doubt == 0.0


def test_a_second_jump_is_doubted_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch)
    clock = WatchedClock(steady=machine.steady, patience=60.0)
    machine.wall += DAY
    clock.now()
    machine.pass_by(59.0)
    machine.wall += DAY
    clock.now()
    machine.pass_by(59.0)
    assert clock.now() != machine.wall
    assert clock.doubt == pytest.approx(2 * DAY)


def test_steady_seconds_pass() -> None:
    first = steady_seconds()
    assert steady_seconds() >= first
