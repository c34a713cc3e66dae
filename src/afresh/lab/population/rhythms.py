"""Rhythms of publishing: weekly profiles in local time, and clocks that run by them.

A feed's *operational time* advances by one each week in proportion to its profile, so an even stream of events in
operational time becomes one with nights and weekends in clock time.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

HOUR, DAY, WEEK = 3_600.0, 86_400.0, 604_800.0
MONDAY = 4 * DAY  # 1970-01-05 was a Monday
HOURS = 168

ACTIVE_HOURS = (8, 10, 12, 14, 16)
SLICED_LEVELS = ((0.0, 0.5), (0.03, 0.8), (0.06, 0.65), (0.1, 0.6))  # (night rate, weekend factor)
AMPLITUDES = (0.1, 0.2, 0.3)  # of feeds that never sleep


@dataclass(frozen=True, slots=True)
class Rhythms:
    """Cumulative weekly profiles, one a row: from 0 at Monday 00:00 UTC to 1 a week later."""

    cumulative: Floats  # (profiles, 169)

    def to_operational(self, profile: Ints, times: Floats) -> Floats:
        """Weeks of operational time at clock times."""
        weeks, rest = np.divmod((times - MONDAY) / HOUR, HOURS)
        hour = np.minimum(rest.astype(np.int64), HOURS - 1)
        low, high = self.cumulative[profile, hour], self.cumulative[profile, hour + 1]
        return np.asarray(weeks + low + (high - low) * (rest - hour))

    def to_clock(self, profile: Ints, operational: Floats) -> Floats:
        """Clock times (seconds) at weeks of operational time; the inverse of ``to_operational``."""
        weeks = np.floor(operational)
        rest = operational - weeks
        hours = np.empty(len(rest))
        order = np.argsort(profile, kind="stable")
        bounds = np.searchsorted(profile[order], np.arange(len(self.cumulative) + 1))
        grid = np.arange(HOURS + 1, dtype=np.float64)
        for p in np.flatnonzero(np.diff(bounds)):
            rows = order[bounds[p] : bounds[p + 1]]
            hours[rows] = np.interp(rest[rows], self.cumulative[p], grid)
        return MONDAY + weeks * WEEK + hours * HOUR


FLAT = 0  # place of the profile without any rhythm


def _sliced(zone: int, hours: int, night: float, weekend: float) -> Floats:
    """A working day of so many hours from eight o'clock local time."""
    local = (np.arange(HOURS) + zone) % HOURS
    hour, day = local % 24, local // 24
    rate = np.where((hour >= 8) & (hour < 8 + hours), 1.0, night)
    return np.where(day >= 5, rate * weekend, rate)


def _waved(zone: int, amplitude: float) -> Floats:
    hour = (np.arange(HOURS) + zone) % 24
    return 1.0 - amplitude * np.cos(2 * np.pi * (hour - 3) / 24)


def make_rhythms() -> tuple[Rhythms, Ints, dict[float, Ints]]:
    """All profiles; which of them slice the day; which never sleep, by amplitude."""
    rates = [np.ones(HOURS)]
    sliced = [_sliced(z, h, *level) for z in range(24) for h in ACTIVE_HOURS for level in SLICED_LEVELS]
    rates += sliced
    waves: dict[float, Ints] = {0.0: np.array([FLAT])}
    for amplitude in AMPLITUDES:
        waves[amplitude] = len(rates) + np.arange(24)
        rates += [_waved(z, amplitude) for z in range(24)]
    # a night without any entry still needs an invertible clock
    table = np.maximum(np.array(rates), 1e-6)
    cumulative = np.cumsum(table, axis=1) / table.sum(axis=1, keepdims=True)
    with_zero = np.concatenate((np.zeros((len(table), 1)), cumulative), axis=1)
    with_zero[:, -1] = 1.0
    return Rhythms(with_zero), 1 + np.arange(len(sliced)), waves
