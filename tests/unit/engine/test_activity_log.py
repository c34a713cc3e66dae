"""A line of the log now and then says what visits came to."""

import logging
from dataclasses import replace

import pytest

from afresh.base.models import Kind, Lease, Resource, Result
from afresh.engine.activity_log import ActivityLog
from tests.laws.store_material import entry, report

LEASE = Lease(id=1, site="a", until=1.0, resource=Resource(id=1, url="https://a/", site="a", kind=Kind.FEED, added=0.0))


def test_a_line_a_minute_while_something_happens(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="afresh.loop")
    log = ActivityLog()
    log.say(1000.0)
    visit = report(LEASE, entries=(entry("a"), entry("b")))
    failed = replace(visit, entries=(), visit=replace(visit.visit, result=Result.UNREACHABLE))
    put_off = replace(failed, visit=replace(visit.visit, result=Result.THROTTLED, status=None))
    for one in (visit, visit, failed, put_off):
        log.note(one)
    log.say(1059.0)
    assert caplog.messages == []
    log.say(1060.0)
    assert caplog.messages == ["3 visits, 4 new entries, 1 failed, 1 put off"]
    log.say(1200.0)
    assert len(caplog.messages) == 1, "nothing happened since"
    log.note(visit)
    log.say(1201.0, is_last=True)
    assert caplog.messages[1:] == ["1 visit, 2 new entries"]
