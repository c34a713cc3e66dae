"""Learn: fold a finding into what is known about the resource."""

from dataclasses import replace
from typing import assert_never

import numpy as np

from afresh.base.models import (
    Counters,
    FeedFacts,
    Fetched,
    Moving,
    NotModified,
    Outcome,
    Resource,
    Result,
    Status,
    Trip,
    Validators,
    Window,
)
from afresh.base.settings.watching import ErrorSettings
from afresh.engine.judge import Finding
from afresh.feeds.patterns import Pattern, classify
from afresh.parse.headers import link_hub

#: Failures a feed may have before the 10 : 1 rule can block it: one bad start is not a habit.
BLOCK_AFTER = 20


def learn(resource: Resource, outcome: Outcome, finding: Finding, settings: ErrorSettings) -> Resource:
    """The resource as it is known after this visit; planning the next one comes after."""
    trip = outcome.trip
    known = replace(
        resource,
        last_visit=trip.finished,
        last_result=finding.result,
        error=finding.error,
        counters=_count(resource.counters, finding, trip),
        moving=note_redirect(resource.moving, trip, trip.finished),
    )
    known = replace(known, status=_status(known, finding, settings))
    if finding.result.is_success:
        known = _learn_success(known, outcome, finding)
    return known


def confirmed_move(moving: Moving, settings: ErrorSettings) -> str | None:
    """The new URL, once the redirect was seen on enough different days."""
    return moving.target if moving.target and moving.days >= settings.redirect_days else None


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


def _learn_success(resource: Resource, outcome: Outcome, finding: Finding) -> Resource:
    trip = outcome.trip
    known = replace(
        resource,
        last_ok=trip.finished,
        validators=_validators(resource.validators, outcome),
        max_age=finding.max_age,
        clock_offset=resource.clock_offset if finding.clock_offset is None else finding.clock_offset,
    )
    if finding.fingerprint:
        return _learn_page(known, finding)
    if finding.comparison is None or finding.document is None:
        return known
    window = finding.comparison.window
    facts = replace(
        finding.document.facts,
        request_time_dates=finding.comparison.request_time_dates,
        hub=link_hub(trip.headers) or finding.document.facts.hub,  # WebSub §4: the header goes before the document
    )
    known = replace(
        known,
        window=window,
        capacity=max(resource.capacity, len(finding.document.entries)),
        facts=facts,
        title=resource.title or facts.title,
    )
    return replace(known, pattern=_pattern(known, facts)) if finding.comparison.new or not resource.pattern else known


def _learn_page(resource: Resource, finding: Finding) -> Resource:
    """A page's window is the mark of its text and when that was first seen."""
    if finding.result is not Result.NEW:
        return resource
    if finding.sitemap is not None:  # its title is what it has, which changes
        return replace(resource, window=Window((finding.fingerprint,), np.array([resource.last_ok or 0.0])))
    window = Window((finding.fingerprint,), np.array([resource.last_ok or 0.0]))
    return replace(resource, window=window, title=resource.title or finding.title)


def _pattern(resource: Resource, facts: FeedFacts) -> str:
    now = resource.last_ok or 0.0
    if facts.request_time_dates:
        return Pattern.ON_THE_FLY.value
    return classify(resource.window.times, now).value


def _validators(old: Validators, outcome: Outcome) -> Validators:
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


def _count(counters: Counters, finding: Finding, trip: Trip) -> Counters:
    counted = replace(
        counters,
        bytes=counters.bytes + trip.bytes,
        entries=counters.entries + finding.new,
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
        case Result.THROTTLED | Result.OFFLINE:  # we were too quick, or our own network is down: not the feed's fault
            return counted
        case _:
            assert_never(finding.result)
