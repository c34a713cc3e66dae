"""One plain sentence: how often a resource is visited, and why; the numbers come after it."""

import math
import textwrap
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo

from afresh.base.models import Explanation, Failure, Kind, Resource, Result, Status
from afresh.base.plain_numbers import often, roughly
from afresh.base.records.explained import DOUBLED_PAGE, FORBIDDEN_TARGET, TOLD_BY_A_HUB, DueRound, HeldBack

_HALT = {
    Status.GONE: "Not visited any more, because its server says that it is gone for good (410)",
    Status.BLOCKED: "Not visited any more, because almost every visit failed",
    Status.DAMAGED: "Not visited, because what the store has of it cannot be read",
}
_DAY = 86_400.0
_BUSY = 1.5  # times the average, from which on a part of the day is worth a word
_QUIET = 0.5  # of a weekday, up to which a weekend counts as quiet
WORTH_A_WORD = 5.0  #: seconds that a budget makes a single request wait
_FEW = 2.0  # changes of a page, below which its rate is no observation
_NEAR = 0.06  # intervals are scattered by so much
_PARTS = ((5, "nights"), (12, "mornings"), (18, "afternoons"), (23, "evenings"), (24, "nights"))


def why_sentence(resource: Resource, told: Explanation, zone: tzinfo = UTC) -> str:
    """Without its full stop; parts of the day as they are in that zone."""
    if resource.status is Status.PAUSED:
        return f"Not visited, because it {_why_paused(resource.error)}"
    if resource.status is not Status.ACTIVE:
        return _HALT[resource.status]
    if resource.last_visit is None:
        then = "" if resource.pinned is None else f"; then every {roughly(resource.pinned)}, because somebody said so"
        if told.checked is not None and (wait := resource.due - told.checked) > 0.0:
            return f"{roughly(wait)} after `afresh check` looked at it{then}"
        return f"As soon as its site allows, because it was never visited{then}"
    if resource.last_result is Result.REFUSED and resource.error.startswith(Failure.ROBOTS):
        what = _what_is_forbidden(resource.error)
        return f"Not asked for, because robots.txt forbids {what}; looked at again when robots.txt is read anew"
    if resource.last_result is not None and not resource.last_result.is_success:
        return _after_failure(resource)
    if resource.pinned is not None:
        return f"Every {roughly(resource.pinned)}, because somebody set this interval"
    if resource.reason.startswith(TOLD_BY_A_HUB) and (planned := _planned(resource)):
        return f"Every {roughly(planned)}, and whenever its hub tells of news"
    per_day = _per_day(resource, told.numbers)
    if per_day is None:
        return f"{_how_often(resource, told)}: {told.summary or 'its rule says so'}"
    return f"{_how_often(resource, told)}, because {_reason(resource, told, zone, per_day)}"


def next_at(due: float | None, now: float, zone: tzinfo) -> str:
    """When the next visit is, as short as it is clear.

    >>> next_at(45_600.0, 0.0, UTC), next_at(None, 0.0, UTC), next_at(0.0, 4_000.0, UTC)
    ('next at 12:40 UTC', 'no visit is planned', 'due since 00:00 UTC')
    """
    if due is None or not math.isfinite(due):
        return "no visit is planned"
    then, today = datetime.fromtimestamp(due, zone), datetime.fromtimestamp(now, zone)
    clock = then.strftime("%H:%M:%S" if abs(due - now) < 60 else "%H:%M")
    days = (then.date() - today.date()).days
    day = {0: "", 1: "tomorrow ", -1: "yesterday "}.get(days, f"on {then:%A}, {then.day} {then:%B}, ")
    if then.utcoffset():
        clock += f" ({datetime.fromtimestamp(due, UTC):%H:%M} UTC)"
    else:
        clock += " UTC"
    return f"{'next' if due > now else 'due since'} {day}{'at ' if due > now else ''}{clock}"


def held_words(held: HeldBack, now: float, zone: tzinfo = UTC) -> str:
    """What a visit that is due waits for, by the budget.

    >>> held_words(HeldBack(budget="10 requests an hour", pace=360.0, free_at=45_600.0), 45_500.0)
    'waits for the budget of 10 requests an hour; the next request is free at 12:40 UTC'
    >>> held_words(HeldBack(budget="600 requests an hour", pace=6.0, free_at=None), 45_500.0)
    'waits for its turn within the budget of 600 requests an hour: one every 6 s'
    """
    if held.free_at is not None and held.free_at > now:
        free = next_at(held.free_at, now, zone).removeprefix("next ")
        free += _ahead_words(held)
        return f"waits for the budget of {held.budget}; the next request is free {free}"
    pace = f": one every {roughly(held.pace)}" if held.pace else ""
    return f"waits for its turn within the budget of {held.budget}{pace}{_ahead_words(held)}"


def queue_words(held: HeldBack) -> str:
    """What all that is due waits for, by the budget; empty: it is no queue.

    >>> ahead = DueRound(visits=30)
    >>> queue_words(HeldBack(budget="600 requests an hour", pace=6.0, free_at=None, ahead=ahead))
    'Within the budget of 600 requests an hour one leaves every 6 s; 30 are due, which takes about 3 min.'
    """
    words = _ahead_words(held)
    return f"Within the budget of {held.budget} one leaves every {roughly(held.pace or 0.0)}{words}." if words else ""


def _ahead_words(held: HeldBack) -> str:
    """How many are due with it, and how long they take; empty: it is alone."""
    ahead = held.ahead
    if not held.pace or ahead is None or ahead.visits < 2:
        return ""
    robots = f" and {ahead.robots:,} robots.txt to be read before" if ahead.robots else ""
    return f"; {ahead.visits:,} are due{robots}, which takes about {roughly(ahead.takes(held.pace, saved=held.saved))}"


def allowed_words(held: HeldBack | None, now: float, zone: tzinfo = UTC) -> str:
    """When a request that takes the next one may leave; empty: in a moment.

    >>> allowed_words(HeldBack(budget="60 requests an hour", pace=60.0, free_at=45_600.0), 45_500.0)
    'the budget of 60 requests an hour allows it at 12:40 UTC'
    """
    if held is None or (free := held.next_free(now)) - now <= WORTH_A_WORD:
        return ""
    return f"the budget of {held.budget} allows it {next_at(free, now, zone).removeprefix('next ')}"


def asked_words(asked: DueRound, held: HeldBack | None) -> str:
    """How long it takes until all were visited that somebody asked for at once; empty: a moment.

    >>> held = HeldBack(budget="60 requests an hour", pace=60.0, free_at=None)
    >>> asked_words(DueRound(visits=30, busiest=50.0), held)
    'within the budget of 60 requests an hour that takes at least 30 min'
    >>> asked_words(DueRound(visits=30), HeldBack(budget="60 requests an hour", pace=60.0, free_at=None, saved=40))
    ''
    >>> asked_words(DueRound(visits=30, busiest=50.0), None)
    'that takes at least 50 s'
    """
    takes = asked.takes(0.0) if held is None else asked.takes(held.pace, saved=held.saved)
    if takes <= WORTH_A_WORD:
        return ""
    within = f"within the budget of {held.budget} " if held is not None and held.pace else ""
    return f"{within}that takes at least {roughly(takes)}"


def _why_paused(error: str) -> str:
    if error.startswith(DOUBLED_PAGE):  # not by its operator
        return f"is a page whose feed is watched already: {error.removeprefix(DOUBLED_PAGE)}"
    return f"was paused; its last visit: {error}" if error else "was paused"


def _what_is_forbidden(error: str) -> str:
    _, _, target = error.partition(FORBIDDEN_TARGET)
    return f"where it leads ({target.split()[0]})" if target.strip() else "it"


def _after_failure(resource: Resource) -> str:
    count = resource.counters.failures
    times = f"{count} visits in a row failed" if count > 1 else "the last visit failed"
    if not count and resource.last_result is Result.THROTTLED:  # by the gate: nobody was asked
        times = "it could not be asked for"
    planned = _planned(resource)
    wait = roughly(planned) if planned else ""
    error = f" ({textwrap.shorten(resource.error, 120, placeholder=' …')})" if resource.error else ""
    return f"Again after {wait}, because {times}{error}" if wait else f"Again, because {times}{error}"


def _how_often(resource: Resource, told: Explanation) -> str:
    usual = told.numbers.get("usual_interval")
    if usual and math.isfinite(usual):  # it waits for the moments that are worth it; when the next is, is told apart
        soon = told.numbers.get("interval", math.inf)
        return f"About every {roughly(usual)}" + (f" on average, now after {roughly(soon)}" if 2 * soon < usual else "")
    interval = told.numbers.get("interval") or resource.last_interval
    if not interval or not math.isfinite(interval):
        return "Visited when it is chosen"
    planned = _planned(resource)
    return f"Every {roughly(interval)}" + (f", now after {roughly(planned)}" if 0.0 < 2 * planned < interval else "")


def _planned(resource: Resource) -> float:
    """Seconds from the last visit to the next one; 0: nobody knows."""
    planned = resource.due - (resource.last_visit or math.inf)
    return planned if 0.0 < planned < math.inf else 0.0


def _reason(resource: Resource, told: Explanation, zone: tzinfo, per_day: float) -> str:
    does = "publishes" if resource.kind is Kind.FEED else "changes"
    if not per_day:
        return f"nothing is known yet of when it {does}"
    if told.numbers.get("changes_seen", _FEW) < _FEW:  # what pages do in general has the say
        does = "is believed to change"
    return f"it {does} {often(per_day)}{_rhythm(told.numbers, zone)}{_limit(told.numbers)}"


def _per_day(resource: Resource, numbers: Mapping[str, float]) -> float | None:
    """How often something comes, by whichever name the rule gives it, else as its document shows; None: unknown."""
    for name in ("rate_per_day", "per_day"):
        if (value := numbers.get(name)) is not None and math.isfinite(value):
            return value
    gap = numbers.get("mean_gap", math.nan)
    if gap > 0 and math.isfinite(gap):
        return _DAY / gap
    times = resource.window.times
    span = (resource.last_ok or 0.0) - float(times[0]) if resource.kind is Kind.FEED and len(times) > 1 else 0.0
    return len(times) * _DAY / span if span > 0 else None


def _rhythm(numbers: Mapping[str, float], zone: tzinfo) -> str:
    """When it is busiest, where that is known and marked."""
    hour, factor = numbers.get("busiest_hour"), numbers.get("busiest_hour_factor", 0.0)
    part = _part_of_day(hour, zone) if hour is not None and factor >= _BUSY else ""
    weekend = numbers.get("weekend_factor", 1.0)
    if weekend <= _QUIET:
        return f", mostly on weekday {part}" if part else ", mostly on weekdays"
    if weekend >= 1 / _QUIET:
        return f", mostly on weekend {part}" if part else ", mostly on weekends"
    return f", mostly in the {part[:-1]}" if part and part != "nights" else ", mostly at night" if part else ""


def _part_of_day(hour: float, zone: tzinfo) -> str:
    """Of an hour in UTC, as it is there today."""
    there = datetime.now(UTC).replace(hour=int(hour) % 24, minute=30).astimezone(zone).hour
    return next(name for end, name in _PARTS if there < end)


def _limit(numbers: Mapping[str, float]) -> str:
    """Whether the interval is as short or as long as it may be."""
    interval = numbers.get("usual_interval", numbers.get("interval", math.nan))
    if math.isclose(interval, numbers.get("shortest", math.nan), rel_tol=_NEAR):
        return ", and may not be asked more often"
    if math.isclose(interval, numbers.get("longest", math.nan), rel_tol=_NEAR):
        return ", and is asked that often at least"
    return ""
