"""From a feed's learnt intensity to the entries expected by each of the coming poll times."""

import math

import numpy as np

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.feeds.rules._intensity import DAY, LATELY, MEMORY, TURN, USUAL, WAITED, rates, regularity
from afresh.feeds.rules._plan import AT, ENTRIES, FLUID, MOMENT, PLAIN, phase_of
from afresh.feeds.rules._rhythm import rhythm

SOON, LATE = 1.0, 1.0 / 3.0  # how far the gamma shape bends the intensity right after an entry and long after it


@compiled(cache=False)
def worth(params: Row, usual: float, fairness: float) -> float:
    """How much an entry of a feed with this rate counts, for its own sake and for the feed's; the larger part is 1.

    A feed that publishes at all (within the memory) counts as much as the entries of a feed of the usual rate.
    """
    entries = 1.0 - fairness
    feed = fairness * params[USUAL] / DAY * (1.0 - math.exp(-usual * params[MEMORY] * DAY)) / usual
    return float((entries + feed) / max(entries, fairness))


@compiled(cache=False)
def cut(minutes: Row, step: int, phase: int, shares: Row, places: Row, quarter: Row) -> None:
    """Cut the hour into cells of ``step`` minutes from minute ``phase`` on: what each has of the quarters it touches.

    A cell touches up to three quarter hours, the first of them ``quarter``. For each: the share of the quarter's
    entries that fall into the cell, and the same times their mean place in it (seconds from the cell's start).
    """
    inverse = np.zeros(4)
    for i in range(60):
        inverse[i // 15] += minutes[i]
    for i in range(4):
        inverse[i] = 1.0 / inverse[i]
    shares[:] = 0.0
    places[:] = 0.0
    for c in range(60 // step):
        first = (phase + c * step) // 15
        quarter[c] = first
        for i in range(step):
            minute = phase + c * step + i
            part = 3 * c + minute // 15 - first
            share = minutes[minute % 60] * inverse[minute % 60 // 15]
            shares[part] += share
            places[part] += share * 60.0 * (i + 0.5)


@compiled(cache=False)
def forecast(params: Row, grid: Row, last: int, step: int, state: Row, now: float, price: float, value: float) -> None:
    """Fill the grid with what is expected up to each node: rate x rhythm x renewal, times the worth of an entry."""
    block = np.empty(96 + 7 + 60 + 180 + 180 + 60)
    quarters, weekdays, minutes = block[:96], block[96:103], block[103:163]
    shares, places, quarter = block[163:343], block[343:523], block[523:583]
    rhythm(params, state, quarters, weekdays, minutes)
    phase = phase_of(minutes, step)
    cells = 60 // step
    cut(minutes, step, phase, shares, places, quarter)
    parts = 1 if step == 1 else 3 if step == 30 else 2

    usual, lately = rates(params, state, now)
    shape = regularity(params, state)
    soon = shape**-SOON
    late = shape**LATE
    level = 3_600.0 * value * usual
    extra = (lately - usual) / usual
    fade = math.exp(-60.0 * step / (params[LATELY] * DAY))
    turn = 1.0 / params[TURN]
    waited = state[WAITED]

    length = 60.0 * step
    clock = math.floor((now - 60.0 * phase) / length)  # cells since 1970, on a clock that is late by the phase
    cell = clock % cells
    hour = clock // cells % 24
    day = (clock // cells // 24 + 3) % 7
    at = clock * length + 60.0 * phase - now
    total = 0.0
    moment = 0.0
    fluid = 0.0
    plain = 0.0
    half = last // 2
    grid[:5, 0] = 0.0
    for j in range(1, last + 1):
        mass = 0.0
        lever = 0.0
        q = 4 * hour + int(quarter[cell])
        for part in range(3 * cell, 3 * cell + parts):
            here = quarters[q if q < 96 else q - 96]
            mass += here * shares[part]
            lever += here * places[part]
            q += 1
        mass *= weekdays[day]
        lever *= weekdays[day]
        cell += 1
        if cell == cells:
            cell = 0
            hour += 1
            if hour == 24:
                hour = 0
                day = (day + 1) % 7
        end = at + length
        if j == 1:  # only the part of the cell that lies ahead
            mass *= end / length
            lever = mass * (0.5 * end - at)
        turned = (waited + plain) * turn
        plain += mass * usual * 3_600.0
        factor = level * (1.0 + extra) * (soon + late * turned) / (1.0 + turned)
        extra *= fade
        mass *= factor
        total += mass
        moment += mass * at + lever * factor
        if j >= half:  # only differences in the second half are asked for
            fluid += math.sqrt(2.0 * price * mass * length)
        at = end
        grid[AT, j] = at
        grid[ENTRIES, j] = total
        grid[MOMENT, j] = moment
        grid[FLUID, j] = fluid
        grid[PLAIN, j] = plain
