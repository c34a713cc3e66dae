"""The loop brings what it records to the query feeds, and survives trouble with them."""

from pathlib import Path

import pytest

from afresh.base.errors import StoreError
from afresh.feeds.queries.creating import create
from afresh.feeds.queries.matching import Matcher
from tests.fakes.fake_web import rss
from tests.unit.engine.test_loop import Running

URL = "https://one.example/feed"


def running(folder: Path) -> Running:
    made = Running(folder)
    made.add(URL)
    made.web.document(URL, rss("cat", "dog"))
    create(made.store, 'CREATE FEED f AS RETURN ALL WHERE TITLE CONTAINS "cat"', now=made.clock.now())
    return made


def test_recorded_entries_reach_their_query_feeds(tmp_path: Path) -> None:
    made = running(tmp_path)
    made.run(until=30)
    kept = made.store.queries.query("f")
    assert (kept.places, kept.seen) == (1, 2)
    made.store.close()


def test_what_an_earlier_run_left_behind_is_matched_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = running(tmp_path)
    with monkeypatch.context() as patched:

        def broken(self: Matcher) -> int:
            raise StoreError("no room")

        patched.setattr(Matcher, "catch_up", broken)
        loop = made.run(until=30)
    assert loop.health.recorded >= 1  # watching goes on
    assert "query feeds could not be brought up to date" in caplog.text
    assert made.store.queries.query("f").places == 0
    made.web.not_modified(URL)
    made.run(until=1)
    assert made.store.queries.query("f").places == 1
    made.store.close()
