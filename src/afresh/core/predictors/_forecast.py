"""From a feed's learnt intensity to the entries expected by each of the coming poll times."""

import math

import numpy as np

from afresh.core.compiled import compiled
from afresh.core.models import Row
from afresh.core.predictors._intensity import MEMORY_SHORT, WAITED, rates, regularity, rhythm
from afresh.core.predictors._plan import AT, ENTRIES, FLUID, MOMENT, PLAIN, phase_of

# A feed counts besides its entries: mode Feeds gives a sparse feed's entries a larger share. docs/theory/priced.md.
FEED_WORTH = 0.08 / 86_400.0  # entries a second that an active feed is worth more than it publishes
FEED_HORIZON = 56.0 * 86_400.0  # "active" means: expected to publish within this time
# Renewal: how far the gamma shape bends the intensity right after an entry and long after it.
SOON_REGULAR, LATE_REGULAR = 0.8, 0.25
SOON_BURSTY, LATE_BURSTY = 0.96, 0.32
TURN = 0.8  # expected entries after which it is half way from the one to the other


@compiled()
def worth(usual: float) -> float:
    """How much more an entry of a feed with this rate counts, for the feed's own sake."""
    return 1.0 + FEED_WORTH * (1.0 - math.exp(-usual * FEED_HORIZON)) / usual


@compiled()
def forecast(grid: Row, last: int, step: int, state: Row, now: float, price: float) -> None:
    """Fill the grid with what is expected up to each node: rate x rhythm x renewal, times the worth of the entries."""
    shapes = np.empty(91)
    hours, weekdays, minutes = shapes[:24], shapes[24:31], shapes[31:91]
    rhythm(state, hours, weekdays, minutes)
    phase = phase_of(minutes, step)
    cells = 60 // step
    # Each cell of the hour: share of the hour's entries and their mean place in it. The last one runs into the next
    # hour, and its second part has that hour's intensity.
    share = np.zeros(cells)
    place = np.zeros(cells)
    for i in range(phase, 60):
        c = (i - phase) // step
        share[c] += minutes[i]
        place[c] += minutes[i] * 60.0 * (i - phase - c * step + 0.5)
    over_share = 0.0
    over_place = 0.0
    for i in range(phase):
        over_share += minutes[i]
        over_place += minutes[i] * 60.0 * (step - phase + i + 0.5)

    usual, lately = rates(state, now)
    shape = math.log(regularity(state))
    soon = math.exp(-(SOON_REGULAR if shape > 0.0 else SOON_BURSTY) * shape)
    late = math.exp((LATE_REGULAR if shape > 0.0 else LATE_BURSTY) * shape)
    factor = 3_600.0 * worth(usual)
    extra = (lately - usual) / usual
    fade = math.exp(-60.0 * step / MEMORY_SHORT)
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
        level = hours[hour] * weekdays[day]
        mass = share[cell] * level
        lever = place[cell] * level
        cell += 1
        if cell == cells:
            cell = 0
            hour += 1
            if hour == 24:
                hour = 0
                day = (day + 1) % 7
            level = hours[hour] * weekdays[day]
            mass += over_share * level
            lever += over_place * level
        end = at + length
        if j == 1:  # only the part of the cell that lies ahead
            mass *= end / length
            lever = mass * (0.5 * end - at)
        turned = (waited + plain) * (1.0 / TURN)
        renewal = (soon + late * turned) / (1.0 + turned)
        plain += mass * usual * 3_600.0
        level = factor * usual * (1.0 + extra) * renewal
        extra *= fade
        mass *= level
        total += mass
        moment += mass * at + lever * level
        if j >= half:  # only differences in the second half are asked for
            fluid += math.sqrt(2.0 * price * mass * length)
        at = end
        grid[AT, j] = at
        grid[ENTRIES, j] = total
        grid[MOMENT, j] = moment
        grid[FLUID, j] = fluid
        grid[PLAIN, j] = plain
