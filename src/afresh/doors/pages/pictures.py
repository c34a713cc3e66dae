"""The data behind the plots of the overview and of one resource: how it went, what was learnt, what is expected."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
from fastapi import APIRouter
from fastapi.responses import Response

from afresh.base.durations import format_duration
from afresh.base.models import Resource, Visit
from afresh.base.plain_numbers import amount
from afresh.base.protocols import Store
from afresh.base.records.history import Activity, StoredEntry
from afresh.doors.pages.plots import Line, Plot, as_csv
from afresh.doors.presenting.times import iso
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.params import Context, ResourceId
from afresh.feeds.rules.outlook import Outlook, outlook

router = APIRouter(prefix="/plots")

_HOUR = 3600.0
_DAY = 86_400.0
#: Minutes of a step of the last day, by how long ago the first visit in it was: there is something to see at once.
_STEPS = ((3600.0, 1), (6 * 3600.0, 5), (_DAY, 15))
_RECENT = 2000  # entries that make the distribution of delays
_POINTS = 1000  # visits or entries of one resource
#: Ends of the classes of the distribution of delays, seconds, and their names; those without entries at both ends are
#: left out, as long as some remain.
_CLASSES = (
    (5.0, "5 s"),
    (15.0, "15 s"),
    (30.0, "30 s"),
    (60.0, "1 min"),
    (300.0, "5 min"),
    (900.0, "15 min"),
    (1800.0, "30 min"),
    (_HOUR, "1 h"),
    (3 * _HOUR, "3 h"),
    (6 * _HOUR, "6 h"),
    (12 * _HOUR, "12 h"),
    (_DAY, "1 d"),
    (float("inf"), "longer"),
)
#: Units of an axis, the largest first: one is used from twice its length on.
_UNITS = ((_DAY, "days"), (_HOUR, "hours"), (60.0, "minutes"), (1.0, "seconds"))
_FEWEST_CLASSES = 5
_LONG = 8 * _DAY  # after that every hour of the week was there once
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


# --- overview --------------------------------------------------------------------------------------------------------


def activity_plot(steps: Sequence[Activity], step: int = 15) -> Plot:
    """Visits and entries of the last day, in steps of so many minutes."""
    times = tuple(iso(one.start) for one in steps)
    return Plot(
        title="Visits and entries",
        x="time (UTC)",
        y="in a minute" if step == 1 else f"in {step} minutes",
        times=True,
        empty="No visit in the last day.",
        series=(
            Line(name="visits", x=times, y=tuple(one.visits for one in steps), kind="steps"),
            Line(name="entries found", x=times, y=tuple(one.entries for one in steps), kind="steps"),
            Line(name="failed visits", x=times, y=tuple(one.errors for one in steps), kind="steps"),
        ),
    )


def delay_plot(steps: Sequence[Activity]) -> Plot:
    """Mean delay over the last day."""
    known = [step for step in steps if step.mean_delay is not None]
    delays, unit = in_one_unit([step.mean_delay or 0.0 for step in known])
    times = tuple(iso(step.start) for step in known)
    line = Line(name="mean delay", x=times, y=delays, kind="both")
    empty = "No delay was measured in the last day: what a feed shows at its first visit has none."
    return Plot(title="Mean delay of entries", x="time (UTC)", y=unit, times=True, series=(line,), empty=empty)


def in_one_unit(seconds: Sequence[float]) -> tuple[tuple[float, ...], str]:
    """Lengths of time in the unit that suits the longest of them.

    >>> in_one_unit([30.0, 90.0]), in_one_unit([60.0, 7_000.0])
    (((30.0, 90.0), 'seconds'), ((1.0, 116.7), 'minutes'))
    """
    longest = max(seconds, default=0.0)
    length, unit = next((pair for pair in _UNITS if longest >= 2 * pair[0]), _UNITS[-1])
    return tuple(float(f"{value / length:.4g}") for value in seconds), unit


def distribution_plot(entries: Sequence[StoredEntry]) -> Plot:
    """How long the latest entries waited to be found, as shares of classes."""
    delays = [delay for item in entries if (delay := item.entry.delay) is not None]
    ends = [0.0, *(end for end, _ in _CLASSES)]
    counts = [sum(low <= delay < high for delay in delays) for low, high in pairwise(ends)]
    first, last = _filled(counts)
    shares = tuple(round(100.0 * count / len(delays), 2) for count in counts[first:last]) if delays else ()
    names = tuple(name for _, name in _CLASSES[first:last]) if delays else ()
    line = Line(name="share of entries", x=names, y=shares, kind="bars")
    empty = "No entry was found since its feed was added."
    return Plot(title="Delay of the latest entries", x="found within", y="% of entries", series=(line,), empty=empty)


def _filled(counts: Sequence[int]) -> tuple[int, int]:
    """The classes worth showing, from the first to behind the last that has any, some more where these are few.

    >>> _filled([0, 0, 3, 0, 1, 0, 0, 0]), _filled([0, 0, 0, 0, 0, 0, 0, 9])
    ((1, 6), (3, 8))
    """
    there = [place for place, count in enumerate(counts) if count] or [0]
    first, last = there[0], there[-1] + 1
    missing = max(0, _FEWEST_CLASSES - (last - first))
    first = max(0, min(first - missing // 2, len(counts) - _FEWEST_CLASSES))
    return first, min(len(counts), max(last, first + _FEWEST_CLASSES))


def _recent(store: Store, now: float) -> tuple[list[Activity], int]:
    """The last day in steps that suit it, those without a visit, too, the running one left out; and their minutes."""
    quarters = store.activity(since=now - _DAY, until=now, step=15)
    age = now - quarters[0].start if quarters else 0.0
    step = next((minutes for longest, minutes in _STEPS if age <= longest), 15)
    steps = quarters if step == 15 else store.activity(since=now - _DAY, until=now, step=step)
    ended = [item for item in steps if item.start + 60.0 * step <= now]
    return _without_gaps(ended or steps, 60.0 * step), step


def _without_gaps(steps: Sequence[Activity], length: float) -> list[Activity]:
    """What happened, and between it the steps in which nothing did: a line would go on over them as if it had."""
    if not steps:
        return []
    found = {round(step.start / length): step for step in steps}
    nothing = Activity(start=0.0, visits=0, errors=0, entries=0, missed=0, bytes=0, mean_delay=None)
    return [found.get(place) or replace(nothing, start=place * length) for place in range(min(found), max(found) + 1)]


async def _overview(context: Context, name: str) -> Plot:
    store, now = context.store, context.now()
    if name == "delays":
        return distribution_plot(await context.run(store.entries, limit=_RECENT, newest_first=True))
    steps, minutes = await context.run(_recent, store, now)
    return delay_plot(steps) if name == "delay" else activity_plot(steps, minutes)


def _add_overview_routes(name: str) -> None:
    """``/plots/NAME.json`` and ``.csv``."""

    async def as_json(context: Context) -> Response:
        return Json(await _overview(context, name))

    async def as_table(context: Context) -> Response:
        return as_csv(await _overview(context, name))

    router.add_api_route(f"/{name}.json", as_json, name=f"{name}_json")
    router.add_api_route(f"/{name}.csv", as_table, name=f"{name}_csv")


for _name in ("activity", "delay", "delays"):
    _add_overview_routes(_name)


# --- one resource ----------------------------------------------------------------------------------------------------


def history_plot(visits: Sequence[Visit], entries: Sequence[StoredEntry]) -> Plot:
    """Entries against polls: when each was published, when the visits were, what each visit found."""
    published = [item.entry for item in entries if not item.entry.initial]
    old = [item.entry for item in entries if item.entry.initial]
    good = [visit for visit in visits if visit.result.is_success]
    bad = [visit for visit in visits if not visit.result.is_success]
    delays, unit = in_one_unit([entry.delay or 0.0 for entry in published])
    return Plot(
        title="Entries against visits",
        x="time (UTC)",
        y="new entries",
        y2=f"delay, {unit}",
        times=True,
        height=320,
        empty="Not visited yet.",
        series=(
            Line(
                name="visits (new entries)",
                x=tuple(iso(visit.finished) for visit in good),
                y=tuple(visit.new for visit in good),
                kind="both",
                text=tuple(visit.reason[:160] for visit in good),
            ),
            Line(
                name="failed visits",
                x=tuple(iso(visit.finished) for visit in bad),
                y=tuple(0 for _ in bad),
                kind="points",
                text=tuple((visit.error or visit.result)[:160] for visit in bad),
            ),
            Line(
                name="entries published (delay)",
                x=tuple(iso(entry.published) for entry in published),
                y=delays,
                kind="points",
                second=True,
                text=tuple(entry.parsed.title[:120] for entry in published),
            ),
            Line(
                name="published before it was watched",
                x=tuple(iso(entry.published) for entry in old),
                y=tuple(0 for _ in old),
                kind="points",
                second=True,
                text=tuple(entry.parsed.title[:120] for entry in old),
            ),
        ),
    )


def rhythm_plot(found: Outlook | None, since: float = 0.0, now: float = _LONG) -> Plot:
    """The week as it was learnt: entries an hour by weekday and hour; hours that were never observed are left open."""
    empty = "No rhythm is known: not enough entries were seen yet. (Only the rule “priced” learns one.)"
    title, x, y = "Rhythm learnt", "hour (UTC)", "entries an hour"
    if found is None:
        return Plot(title=title, x=x, y=y, series=(), empty=empty)
    if found.hour != _HOUR:  # not a day of the reader's zone either
        x = f"hour of a day of {format_duration(24 * found.hour)}"
    known = observed_hours(since, now, found.hour)
    hours = tuple(range(24))
    rates = [float(f"{rate:.4g}") if is_known else None for rate, is_known in zip(found.week, known, strict=True)]
    days = (Line(name=day, x=hours, y=tuple(rates[24 * n : 24 * n + 24])) for n, day in enumerate(_WEEKDAYS))
    never = [hour for hour in hours if not any(known[hour::24])]
    unknown = tuple((hour - 0.5, hour + 0.5) for hour in never)
    return Plot(title=title, x=x, y=y, series=tuple(days), empty=empty, weekly=found.hour == _HOUR, unknown=unknown)


def forecast_plot(found: Outlook | None, since: float = 0.0, now: float = _LONG) -> Plot:
    """What is expected in the next 24 hours, hour by hour; hours whose like was never observed are marked."""
    title, x, y = "Next 24 hours", "time (UTC)", "entries an hour"
    if found is None:
        empty = "Only the rule “priced” forecasts, once it has seen enough entries."
        return Plot(title=title, x=x, y=y, series=(), empty=empty)
    if found.hour != _HOUR:
        title = f"Next day, of {format_duration(24 * found.hour)}"
    hour, known = found.hour, observed_hours(since, now, found.hour)
    starts = [float(start) for start in found.starts]
    unknown = tuple((iso(start), iso(start + hour)) for start in starts if not known[_hour_of_week(start, hour)])
    line = Line(
        name="expected in the hour",
        x=tuple(iso(start + hour / 2) for start in starts),
        y=_rounded(found.expected),
        kind="bars",
    )
    total = amount(float(np.sum(found.expected)))
    return Plot(title=f"{title}: about {total} entries", x=x, y=y, times=True, series=(line,), unknown=unknown)


def observed_hours(since: float, now: float, length: float = _HOUR) -> list[bool]:
    """Which hours of the week, Monday 00 h UTC first, were seen: the hour on some day, that day at some hour.

    >>> sum(observed_hours(0.0, 8 * 86_400.0)), sum(observed_hours(0.0, 5 * 3_600.0))
    (168, 5)
    """
    hours = range(math.floor(since / length), math.ceil(min(now, since + 168 * length) / length))
    seen = {_hour_of_week(hour * length, length) for hour in hours}
    days, times = {hour // 24 for hour in seen}, {hour % 24 for hour in seen}
    return [hour // 24 in days and hour % 24 in times for hour in range(168)]


def _hour_of_week(at: float, length: float) -> int:
    return (math.floor(at / length) + 3 * 24) % 168  # 1970 began on a Thursday


def _observed_since(resource: Resource) -> float:
    """From when on a feed's entries are known: its addition, or the oldest entry of its window."""
    times = resource.window.times
    return min(resource.added, float(times[0])) if len(times) else resource.added


def _rounded(values: Sequence[float] | np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> tuple[float, ...]:
    return tuple(float(f"{value:.4g}") for value in values)


def outlook_of(resource: Resource, now: float) -> Outlook | None:
    """What the default rule has learnt; None where another rule decides or nothing is known."""
    if resource.state_of != "priced" or not len(resource.state) or not resource.state[0] > 0.0:
        return None
    return outlook(resource.state, now)


def _read(store: Store, number: int) -> tuple[list[Visit], list[StoredEntry]]:
    store.get(number)
    visits = [visit for _, visit in store.visits(resource=number, limit=_POINTS)]
    return visits[::-1], store.entries(resource=number, limit=_POINTS, newest_first=True)[::-1]


async def _of_resource(context: Context, number: int, name: str) -> Plot:
    if name == "history":
        return history_plot(*await context.run(partial(_read, context.store, number)))
    resource, now = await context.run(context.store.get, number), context.now()
    found, since = outlook_of(resource, now), _observed_since(resource)
    if name == "rhythm":  # a week that was not observed is nobody's rhythm
        return rhythm_plot(found if found is not None and found.is_own else None, since, now)
    return forecast_plot(found, since, now)


def _add_resource_routes(name: str) -> None:
    """``/plots/resources/17/NAME.json`` and ``.csv``."""

    async def as_json(context: Context, resource_id: ResourceId) -> Response:
        return Json(await _of_resource(context, resource_id, name))

    async def as_table(context: Context, resource_id: ResourceId) -> Response:
        return as_csv(await _of_resource(context, resource_id, name))

    router.add_api_route(f"/resources/{{resource_id}}/{name}.json", as_json, name=f"{name}_json")
    router.add_api_route(f"/resources/{{resource_id}}/{name}.csv", as_table, name=f"{name}_csv")


for _name in ("history", "rhythm", "forecast"):
    _add_resource_routes(_name)
