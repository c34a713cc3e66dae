"""What an outcome means whatever the kind of visit: a plain finding, what is learnt, the wait after a failure."""

import math
from dataclasses import replace
from typing import assert_never

from afresh.base.durations import format_duration
from afresh.base.models import (
    Bounds,
    Counters,
    Failed,
    Failure,
    Fetched,
    Moving,
    NotModified,
    Outcome,
    Rejected,
    Resource,
    Result,
    Status,
    Trip,
    Validators,
)
from afresh.base.politeness import DAY, backoff
from afresh.base.settings.sections import ErrorSettings
from afresh.base.visits import Answer, Finding, Planned
from afresh.http.robots import UNREAD
from afresh.parse.headers import clock_offset, max_age

#: Failures a feed may have before the 10 : 1 rule can block it: one bad start is not a habit.
BLOCK_AFTER = 20
_REFUSED = (Failure.ADDRESS, Failure.ROBOTS, Failure.TOO_LARGE)
_KEPT_BACK = (Failure.ADDRESS, Failure.ROBOTS, Failure.LATER)
_NOT_ASKED = {Failure.LATER: Result.THROTTLED, Failure.OFFLINE: Result.OFFLINE}
_OFFLINE_WAIT = 60.0
_LONG_UNREAD = DAY  # without a visit: then it fails, whoever is to blame, and its operator should know
_PATIENCE = 3  # times in a row that a server is taken at its word about when to come back


def plain_finding(outcome: Outcome) -> Finding:
    """What status and headers say by themselves; a document is the SAME until its kind has looked at it."""
    trip = outcome.trip
    freshness, offset = max_age(trip.headers, trip.finished), clock_offset(trip.headers, trip.finished)
    match outcome:
        case Fetched(status=status):
            return Finding(result=Result.SAME, status=status, max_age=freshness, clock_offset=offset)
        case NotModified():
            return Finding(result=Result.NOT_MODIFIED, status=304, max_age=freshness, clock_offset=offset)
        case Rejected(status=status, retry_after=wait):
            return Finding(
                result=_rejection(status, wait), status=status, retry_after=wait, error=_rejected_words(status)
            )
        case Failed(cause=cause, retry_after=wait):
            return Finding(result=_failure(cause), retry_after=wait, error=str(outcome))
        case _:
            assert_never(outcome)


def _rejected_words(status: int) -> str:
    return (
        "HTTP 401: a name and password are wanted (fetch.passwords; for a host without https write http://host=…)"
        if status == 401
        else f"HTTP {status}"
    )


def _rejection(status: int, wait: float | None) -> Result:
    if status == 410:
        return Result.GONE
    if status == 429 or (status == 503 and wait is not None):
        return Result.THROTTLED
    return Result.HTTP_ERROR


def _failure(cause: Failure) -> Result:
    if cause in _NOT_ASKED:
        return _NOT_ASKED[cause]
    return Result.REFUSED if cause in _REFUSED else Result.UNREACHABLE


def plan_without_kind(
    known: Resource, answer: Answer, finding: Finding, *, errors: ErrorSettings, bounds: Bounds
) -> Planned | None:
    """The next visit where the kind has no say: not watched, failed; None: it has.

    ``bounds`` has the interval of a resource that has none yet, and the shortest that is ever kept.
    """
    now, u = answer.now, answer.u
    if known.status is not Status.ACTIVE:
        return Planned(math.inf, f"{known.status}: not visited")
    if finding.result is Result.OFFLINE:
        return Planned(now + _OFFLINE_WAIT * (1 + u), "our own network seems down; trying again shortly")
    if finding.result is Result.THROTTLED and finding.status is None:  # not asked at all: the gate says when
        wait = finding.retry_after or 0.0
        if answer.outcome.trip.requests:  # a first hop was asked: it is not asked again at every pause
            wait = max(wait, known.last_interval or bounds.standard)
        return Planned(now + wait * (1 + 0.1 * u), finding.error)
    if finding.result is Result.THROTTLED:
        return _throttled(known, now, finding, bounds, errors, u)
    if finding.result is Result.REFUSED and finding.retry_after is not None:
        words = "robots.txt forbids it" if finding.error.startswith(Failure.ROBOTS) else finding.error
        reason = f"{words}; looked at again when robots.txt is read anew"
        return Planned(now + finding.retry_after * (1 + 0.1 * u), reason)
    if not finding.result.is_success:
        count = known.counters.failures
        wait = backoff(count, base=errors.first_wait, cap=errors.longest_wait, u=u)
        times = "once" if count == 1 else f"{count} times in a row"
        return Planned(now + wait, f"failed {times} ({finding.error}); tried again after {format_duration(wait)}")
    return None


def _throttled(
    known: Resource, now: float, finding: Finding, bounds: Bounds, errors: ErrorSettings, u: float
) -> Planned:
    """Exactly when the server wants to be asked again, if it says so: it knows better than our usual interval.

    Whoever came when it was told to, and is told the same again and again, waits twice as long each time.
    """
    asked, count = finding.retry_after, known.counters.failures
    if asked is None:
        wait, words = (known.last_interval or bounds.standard) * (1 + 0.1 * u), "is asked too often"
    else:
        wait, words = max(asked, bounds.shortest), "asked us to wait"
    if count > 1:
        wait = max(wait, backoff(count - _PATIENCE, base=2.0 * wait, cap=errors.longest_wait))
        words = f"{words}, {count} times in a row"
    return Planned(now + wait, f"the server {words} ({finding.error})")


def pin(planned: Planned, interval: float, *, now: float) -> Planned:
    """The next visit where somebody has said when; what the visit has taught is kept all the same."""
    reason = f"pinned to {format_duration(interval)}"
    return Planned(now + interval, reason, clock=planned.clock, state=planned.state, state_of=planned.state_of)


def learn(resource: Resource, outcome: Outcome, finding: Finding, settings: ErrorSettings) -> Resource:
    """The resource as it is known after this visit; what its kind learns and plans comes after."""
    trip = outcome.trip
    known = replace(
        resource,
        last_visit=trip.finished,
        last_result=finding.result,
        error=finding.error,
        counters=_count(resource, finding, trip),
        moving=resource.moving if _was_kept_back(outcome) else note_redirect(resource.moving, trip, trip.finished),
        validators=_validators(resource.validators, outcome, finding),
    )
    known = replace(known, status=_status(known, finding, settings))
    if not finding.result.is_success:
        return known
    return replace(
        known,
        last_ok=trip.finished,
        max_age=finding.max_age,
        clock_offset=resource.clock_offset if finding.clock_offset is None else finding.clock_offset,
        window=resource.window if finding.window is None else finding.window,
        title=resource.title or finding.title,
    )


def confirmed_move(moving: Moving, settings: ErrorSettings) -> str | None:
    """The new URL, once the redirect was seen on enough different days."""
    return moving.target if moving.target and moving.days >= settings.redirect_days else None


def _was_kept_back(outcome: Outcome) -> bool:
    """Whether a hop was not made: nothing is known of where it leads, and nobody moves to where we may not go."""
    return isinstance(outcome, Failed) and outcome.cause in _KEPT_BACK


def note_redirect(moving: Moving, trip: Trip, now: float) -> Moving:
    """Count the days on which the same permanent redirect was seen; anything else starts again.

    Only the leading permanent hops count: behind a temporary one the address may differ tomorrow. A visit that
    brought no answer at all proves nothing either way.
    """
    target = ""
    for hop in trip.redirects:
        if not hop.is_permanent:
            break
        target = hop.url
    if not trip.headers:
        return moving
    if not target:
        return Moving()
    day = int(now // 86_400)
    if target != moving.target:
        return Moving(target=target, days=1, last_day=day)
    return moving if day == moving.last_day else Moving(target=target, days=moving.days + 1, last_day=day)


def _validators(old: Validators, outcome: Outcome, finding: Finding) -> Validators:
    """Of the last answer that is known; of a link that is what was kept last, be it no more than an excuse."""
    if finding.link is not None and finding.link.validators is not None:
        return finding.link.validators
    if not finding.result.is_success:
        return old
    headers = outcome.trip.headers
    etag, last_modified = headers.get("etag", ""), headers.get("last-modified", "")
    match outcome:
        case Fetched():
            return Validators(etag=etag, last_modified=last_modified)
        case NotModified():  # a 304 may renew them, and need not repeat them
            return Validators(etag=etag or old.etag, last_modified=last_modified or old.last_modified)
        case _:
            return old


def _status(resource: Resource, finding: Finding, settings: ErrorSettings) -> Status:
    if finding.result is Result.GONE:
        return Status.GONE
    counters = resource.counters
    ratio = settings.block_ratio
    if ratio and counters.failed > max(BLOCK_AFTER, ratio * max(1, counters.ok)):
        return Status.BLOCKED
    return resource.status


def _count(resource: Resource, finding: Finding, trip: Trip) -> Counters:
    counters = resource.counters
    counted = replace(
        counters,
        bytes=counters.bytes + trip.bytes,
        entries=counters.entries + len(finding.entries),
        misses=counters.misses + finding.missed,
    )
    match finding.result:
        case Result.NEW | Result.SAME:
            return replace(counted, ok=counted.ok + 1, failures=0)
        case Result.NOT_MODIFIED:
            return replace(counted, ok=counted.ok + 1, not_modified=counted.not_modified + 1, failures=0)
        case Result.UNPARSABLE:
            return replace(counted, unparsable=counted.unparsable + 1, failures=counted.failures + 1)
        case Result.HTTP_ERROR | Result.UNREACHABLE | Result.REFUSED | Result.GONE:
            return replace(counted, unreachable=counted.unreachable + 1, failures=counted.failures + 1)
        case Result.THROTTLED if finding.status is not None or _is_long_unread(resource, finding, trip.finished):
            # nothing came; it speaks for no fault of the feed's
            return replace(counted, failures=counted.failures + 1)
        case Result.THROTTLED | Result.OFFLINE:  # not asked, or our own network is down
            return counted
        case _:
            assert_never(finding.result)


def _is_long_unread(resource: Resource, finding: Finding, now: float) -> bool:
    """Whether a robots.txt that answers with errors has kept it from being asked for long; it may be another site's."""
    since = resource.added if resource.last_ok is None else resource.last_ok
    return finding.error.startswith(UNREAD) and now - since > _LONG_UNREAD
