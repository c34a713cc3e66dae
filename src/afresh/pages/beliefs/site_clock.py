"""A site's own clock: it runs fast while the pages of the site change more than they usually do, and slowly otherwise.

Pages of a site do not change independently: a new layout touches all of them in one second, a robot publishes at ten
in the evening, nothing moves at the weekend. Every visit to any page says a little about that, and two tables of the
site collect it, each as changes found over changes expected:

* the last ``DAYS`` days: a day on which many visits find more than their pages' own rates explain was a busy one;
* the hours of the day (UTC), shrunk towards those of all sites.

Changes that a visit found fell somewhere between it and the visit before; they are shared out over that time in
proportion to the present paces (one step of EM a visit). *Site time* is time weighted by both paces; a page's rate and
age are measured in it, so a mass edit is blamed on the day and not on the pages.

The row of a site holds the time of its latest visit, two numbers a day and three an hour; nothing is kept by page.
"""

import math

from afresh.base.compiled import compiled
from afresh.base.models import Row

DAY, HOUR = 86_400.0, 3_600.0
DAYS, HOURS = 32, 24

LATEST = 0  # site row: time of the latest visit; 0: never visited
DAY_FOUND = 1
DAY_EXPECTED = DAY_FOUND + DAYS
HOUR_FOUND = DAY_EXPECTED + DAYS
HOUR_EXPECTED = HOUR_FOUND + HOURS
HOUR_PACE = HOUR_EXPECTED + HOURS
SITE_SIZE = HOUR_PACE + HOURS
#: the same two tables for the hours of all sites, from this slot of the world row on
WORLD_HOURS = 2
WORLD_SIZE = WORLD_HOURS + 2 * HOURS

_SLOWEST = 0.02  # no hour is quite without changes
_SITE_MEMORY, _WORLD_MEMORY = 50.0, 500.0  # expected changes in an hour's table at which both are halved
_INFORMATIVE = 0.7 * DAY  # an interval longer than this says nothing about hours


@compiled()
def advance(site: Row, now: float) -> None:
    """Brings the row up to the time of a visit: days that have passed unseen are empty."""
    if site[LATEST] == 0.0:
        site[LATEST] = now
        for hour in range(HOURS):
            site[HOUR_PACE + hour] = 1.0
        return
    today = math.floor(now / DAY)
    day = max(math.floor(site[LATEST] / DAY) + 1, today - DAYS + 1)
    while day <= today:
        slot = int(day) % DAYS
        site[DAY_FOUND + slot] = 0.0
        site[DAY_EXPECTED + slot] = 0.0
        day += 1
    site[LATEST] = max(site[LATEST], now)


@compiled()
def day_pace(site: Row, day: float, doubt: float) -> float:
    """How much busier a day was than usual; ``doubt`` is the number of expected changes that say "as usual"."""
    slot = int(day) % DAYS
    return float((doubt + site[DAY_FOUND + slot]) / (doubt + site[DAY_EXPECTED + slot]))


@compiled()
def hour_time(site: Row, start: float, end: float) -> float:
    """Time weighted by the paces of its hours, for a piece of at most a day."""
    if end - start >= DAY - 1.0:
        return end - start
    total = 0.0
    while start < end:
        hour = math.floor(start / HOUR)
        stop = min((hour + 1) * HOUR, end)
        total += site[HOUR_PACE + int(hour) % HOURS] * (stop - start)
        start = stop
    return total


@compiled()
def site_time(site: Row, start: float, end: float, doubt: float) -> float:
    """Seconds of site time between two moments, ``end`` not after the latest visit's day; older days count as usual."""
    today, first = math.floor(end / DAY), math.floor(start / DAY)
    day = max(first, today - DAYS + 1)
    total = 0.0
    if day > first:
        total = day * DAY - start
        start = day * DAY
    while day <= today:
        stop = min((day + 1) * DAY, end)
        if stop > start:
            total += day_pace(site, day, doubt) * hour_time(site, start, stop)
            start = stop
        day += 1
    return total


@compiled()
def learn_days(site: Row, start: float, now: float, rate: float, found: float, whole: float, doubt: float) -> None:
    """Shares out what a visit found and what was expected of it over the days since the visit before.

    ``rate``: changes of the page in a second of site time; ``found``: changes the visit is thought to have found;
    ``whole``: site time from start to now.
    """
    today = math.floor(now / DAY)
    day = max(math.floor(start / DAY), today - DAYS + 1)
    while day <= today:
        part = hour_time(site, max(start, day * DAY), min((day + 1) * DAY, now))
        slot = int(day) % DAYS
        pace = day_pace(site, day, doubt)
        site[DAY_EXPECTED + slot] += rate * part
        site[DAY_FOUND + slot] += found * pace * part / whole
        day += 1


@compiled()
def learn_hours(site: Row, world: Row, start: float, now: float, rate: float, found: float) -> None:
    """The same for the hours of the day; long intervals say nothing about them."""
    if now - start > _INFORMATIVE:
        return
    whole = hour_time(site, start, now)
    if whole <= 0.0:
        return
    while start < now:
        hour = math.floor(start / HOUR)
        stop = min((hour + 1) * HOUR, now)
        slot = int(hour) % HOURS
        share = found * site[HOUR_PACE + slot] * (stop - start) / whole
        expected = rate * (stop - start)
        site[HOUR_FOUND + slot] += share
        site[HOUR_EXPECTED + slot] += expected
        world[WORLD_HOURS + slot] += share
        world[WORLD_HOURS + HOURS + slot] += expected
        start = stop
    _fade(site, HOUR_FOUND, _SITE_MEMORY)
    _fade(world, WORLD_HOURS, _WORLD_MEMORY)


@compiled()
def _fade(row: Row, first: int, memory: float) -> None:
    """Halves a table of found and expected changes once it has more than it should remember."""
    most = 0.0
    for hour in range(HOURS):
        most = max(most, row[first + HOURS + hour])
    if most > memory:
        for slot in range(first, first + 2 * HOURS):
            row[slot] *= 0.5


@compiled()
def set_hours(site: Row, world: Row, site_doubt: float, world_doubt: float) -> None:
    """Paces of the hours, 1 on average: the site's own where it has shown enough, else those of all sites, else 1."""
    total = 0.0
    for hour in range(HOURS):
        found, expected = world[WORLD_HOURS + hour], world[WORLD_HOURS + HOURS + hour]
        usual = (found + world_doubt) / (expected + world_doubt)
        pace = (site[HOUR_FOUND + hour] + site_doubt * usual) / (site[HOUR_EXPECTED + hour] + site_doubt)
        site[HOUR_PACE + hour] = pace
        total += pace
    for hour in range(HOURS):
        site[HOUR_PACE + hour] = max(_SLOWEST, site[HOUR_PACE + hour] * HOURS / total)


@compiled()
def moment_after(site: Row, start: float, wait: float) -> float:
    """When so much site time will have passed after ``start``, by the paces of the hours alone."""
    days = math.floor(wait / DAY)
    moment, left = start + days * DAY, wait - days * DAY
    for _ in range(2 * HOURS):
        hour = math.floor(moment / HOUR)
        pace = site[HOUR_PACE + int(hour) % HOURS]
        room = (hour + 1) * HOUR - moment
        if pace * room >= left:
            return float(moment + left / pace)
        left -= pace * room
        moment += room
    return float(moment + left)
