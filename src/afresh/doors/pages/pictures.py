"""The data behind the plots of the overview and of one resource: how it went, what was learnt, what is expected."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

import numpy as np
from fastapi import APIRouter
from fastapi.responses import Response

from afresh.base.durations import format_duration
from afresh.base.models import Resource, Visit
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
_STEP = 15  # minutes
_FEW = 8  # steps that are too few for a picture
_RECENT = 2000  # entries that make the distribution of delays
_POINTS = 1000  # visits or entries of one resource
#: Ends of the classes of the distribution of delays, seconds, and their names.
_CLASSES = (
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
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


# --- overview --------------------------------------------------------------------------------------------------------


def activity_plot(steps: Sequence[Activity]) -> Plot:
    """Visits and entries an hour over the last day."""
    times = tuple(iso(step.start) for step in steps)
    scale = 60 / _step_of(steps)
    return Plot(
        title="Visits and entries an hour",
        x="time (UTC)",
        y="an hour",
        times=True,
        empty="No visit in the last day.",
        series=(
            Line(name="visits", x=times, y=tuple(step.visits * scale for step in steps), kind="steps"),
            Line(name="entries found", x=times, y=tuple(step.entries * scale for step in steps), kind="steps"),
            Line(name="failed visits", x=times, y=tuple(step.errors * scale for step in steps), kind="steps"),
        ),
    )


def delay_plot(steps: Sequence[Activity]) -> Plot:
    """Mean delay over the last day."""
    known = [step for step in steps if step.mean_delay is not None]
    delays, unit = in_one_unit([step.mean_delay or 0.0 for step in known])
    times = tuple(iso(step.start) for step in known)
    line = Line(name="mean delay", x=times, y=delays, kind="both")
    empty = "No entry was found in the last day."
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
    delays = [max(0.0, item.entry.found - item.entry.published) for item in entries if not item.entry.initial]
    ends = [0.0, *(end for end, _ in _CLASSES)]
    counts = [sum(low <= delay < high for delay in delays) for low, high in pairwise(ends)]
    shares = tuple(round(100.0 * count / len(delays), 2) for count in counts) if delays else ()
    names = tuple(name for _, name in _CLASSES) if delays else ()
    line = Line(name="share of entries", x=names, y=shares, kind="bars")
    empty = "No entry was found since its feed was added."
    return Plot(title="Delay of the latest entries", x="found within", y="% of entries", series=(line,), empty=empty)


def _recent(store: Store, now: float) -> list[Activity]:
    """The last day in quarters of an hour, or in minutes while there is little to see; the running one left out."""
    steps = store.activity(since=now - _DAY, until=now, step=_STEP)
    step = _STEP if len(steps) > _FEW else 1
    steps = steps if step == _STEP else store.activity(since=now - _DAY, until=now, step=1)
    ended = [item for item in steps if item.start + 60.0 * step <= now]
    return ended or steps


def _step_of(steps: Sequence[Activity]) -> int:
    """Minutes of a step: quarters begin at quarters, so that one beginning elsewhere tells of minutes."""
    return _STEP if all(step.start % (60 * _STEP) == 0 for step in steps) else 1


async def _overview(context: Context, name: str) -> Plot:
    store, now = context.store, context.now()
    if name == "delays":
        return distribution_plot(await context.run(store.entries, limit=_RECENT, newest_first=True))
    draw: Callable[[Sequence[Activity]], Plot] = delay_plot if name == "delay" else activity_plot
    return draw(await context.run(_recent, store, now))


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
    delays, unit = in_one_unit([max(0.0, entry.found - entry.published) for entry in published])
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


def rhythm_plot(found: Outlook | None) -> Plot:
    """The week as it was learnt: entries an hour by weekday and hour."""
    hours = tuple(range(24))
    series = (
        tuple(
            Line(
                name=day, x=hours, y=tuple(float(f"{value:.4g}") for value in found.week[24 * place : 24 * place + 24])
            )
            for place, day in enumerate(_WEEKDAYS)
        )
        if found is not None
        else ()
    )
    empty = "Only the rule “priced” learns a rhythm, once it has seen enough entries."
    hour = (
        "hour (UTC)" if found is None or found.hour == _HOUR else f"hour of a day of {format_duration(24 * found.hour)}"
    )
    return Plot(title="Rhythm learnt", x=hour, y="entries an hour", series=series, empty=empty)


def forecast_plot(found: Outlook | None) -> Plot:
    """What is expected in the next 24 hours, hour by hour and summed up."""
    if found is None:
        empty = "Only the rule “priced” forecasts, once it has seen enough entries."
        return Plot(title="Next 24 hours", x="time (UTC)", y="entries an hour", series=(), empty=empty)
    times = tuple(iso(float(start)) for start in found.starts)
    sums = np.cumsum(found.expected)
    is_usual = found.hour == _HOUR
    return Plot(
        title="Next 24 hours" if is_usual else f"Next day, of {format_duration(24 * found.hour)}",
        x="time (UTC)",
        y="entries an hour",
        y2="entries from now on",
        times=True,
        series=(
            Line(name="expected in the hour", x=times, y=_rounded(found.expected), kind="bars"),
            Line(name="expected from now on", x=times, y=_rounded(sums), second=True),
        ),
    )


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
    found = outlook_of(await context.run(context.store.get, number), context.now())
    if name == "rhythm":  # a week that was not observed is nobody's rhythm
        return rhythm_plot(found if found is not None and found.is_own else None)
    return forecast_plot(found)


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
