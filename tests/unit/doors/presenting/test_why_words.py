"""The one sentence of why: how often, and because of what, in words that nobody has to look up."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from afresh.base.models import Counters, Explanation, Kind, Resource, Result, Status, Window
from afresh.base.records.explained import TOLD_BY_A_HUB, DueRound, HeldBack
from afresh.doors.presenting.why_words import held_words, next_at, why_sentence

NOW = datetime(2026, 1, 30, 11, 0, tzinfo=UTC).timestamp()
FEED = Resource(
    id=1,
    url="https://a.example/feed",
    site="a.example",
    kind=Kind.FEED,
    status=Status.ACTIVE,
    added=0.0,
    due=NOW + 6_000.0,
    last_visit=NOW,
    last_ok=NOW,
    last_interval=1_200.0,
    last_result=Result.NEW,
)


def told(**numbers: float) -> Explanation:
    return Explanation(rule="priced", summary="the rule's own words", numbers={"interval": 1_200.0, **numbers})


def test_what_robots_forbids_is_no_failed_visit() -> None:
    error = "robots: robots.txt disallows it (fetch.respect_robots)"
    page = replace(FEED, kind=Kind.PAGE, last_result=Result.REFUSED, error=error, counters=Counters(failures=1))
    said = why_sentence(page, told())
    assert said == "Not asked for, because robots.txt forbids it; looked at again when robots.txt is read anew"


def test_what_robots_forbids_behind_a_redirect_is_named() -> None:
    error = "robots: robots.txt forbids where it leads: https://a.example/no/feed (fetch.respect_robots)"
    feed = replace(FEED, last_result=Result.REFUSED, error=error, counters=Counters(failures=1))
    assert why_sentence(feed, told()) == (
        "Not asked for, because robots.txt forbids where it leads (https://a.example/no/feed);"
        " looked at again when robots.txt is read anew"
    )


def test_a_page_that_was_paused_for_its_feed_says_so() -> None:
    error = "a page, and the feed it announces is watched already: https://a.example/feed"
    page = replace(FEED, status=Status.PAUSED, last_result=Result.UNPARSABLE, error=error)
    said = "Not visited, because it is a page whose feed is watched already: https://a.example/feed"
    assert why_sentence(page, told()) == said


def test_what_nobody_could_ask_for_is_no_failed_visit() -> None:
    error = "robots.txt could not be read: HTTP 503; asked again at 12:40 UTC"
    page = replace(FEED, kind=Kind.PAGE, last_result=Result.THROTTLED, error=error)
    assert why_sentence(page, told()) == f"Again after 1.7 h, because it could not be asked for ({error})"
    busy = replace(FEED, last_result=Result.THROTTLED, error="HTTP 429", counters=Counters(failures=2))
    assert why_sentence(busy, told()) == "Again after 1.7 h, because 2 visits in a row failed (HTTP 429)"


def test_the_first_round_counts_robots_txt_and_the_pauses_of_its_busiest_site() -> None:
    held = HeldBack(budget="1,200 requests an hour", pace=3.0, free_at=None)
    many = replace(held, ahead=DueRound(visits=131, robots=90, busiest=60.0))
    end = "; 131 are due and 90 robots.txt to be read before, which takes about 11 min"
    assert held_words(many, NOW).endswith(end)
    assert held_words(replace(many, free_at=NOW + 9.0), NOW).endswith(end)
    one_site = replace(held, ahead=DueRound(visits=100, busiest=1_000.0))
    assert held_words(one_site, NOW).endswith("; 100 are due, which takes about 17 min")
    assert "are due" not in held_words(replace(held, ahead=DueRound(visits=1, robots=1, busiest=5.0)), NOW)


def test_how_often_and_because_of_what() -> None:
    rhythm = {"busiest_hour": 8.0, "busiest_hour_factor": 2.0, "weekend_factor": 0.2}
    said = why_sentence(FEED, told(rate_per_day=72.0, **rhythm))
    assert said == "Every 20 min, because it publishes about 3 times an hour, mostly on weekday mornings"
    east = timezone(timedelta(hours=11))
    assert why_sentence(FEED, told(rate_per_day=72.0, **rhythm), east).endswith("mostly on weekday evenings")


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"rate_per_day": 72.0}, "it publishes about 3 times an hour"),
        ({"mean_gap": 43_200.0}, "it publishes about twice a day"),
        ({"rate_per_day": 0.0}, "nothing is known yet of when it publishes"),
        ({"rate_per_day": 1e5, "shortest": 1_200.0}, "about once a second, and may not be asked more often"),
        ({"rate_per_day": 0.01, "longest": 1_200.0}, "about 4 times a year, and is asked that often at least"),
        ({"rate_per_day": 1.0, "weekend_factor": 3.0}, "about once a day, mostly on weekends"),
        ({"rate_per_day": 1.0, "busiest_hour": 1.0, "busiest_hour_factor": 9.0}, "once a day, mostly at night"),
        ({"rate_per_day": 1.0, "busiest_hour": 14.0, "busiest_hour_factor": 9.0}, "mostly in the afternoon"),
    ],
)
def test_reasons(numbers: dict[str, float], words: str) -> None:
    assert words in why_sentence(FEED, told(**numbers))


def test_a_visit_that_comes_much_sooner_than_usual_is_said_so() -> None:
    soon = replace(FEED, due=NOW + 300.0)
    assert why_sentence(soon, told(rate_per_day=72.0)).startswith("Every 20 min, now after 5 min, because")


def test_a_feed_that_its_hub_tells_of_is_polled_as_a_safety_net() -> None:
    pushed = replace(FEED, due=NOW + 21_600.0, reason=f"{TOLD_BY_A_HUB}; polled as a safety net. Without it: …")
    assert why_sentence(pushed, told(rate_per_day=72.0)) == "Every 6 h, and whenever its hub tells of news"


def test_without_a_rate_the_document_tells_it_and_else_the_rule() -> None:
    assert why_sentence(FEED, told()) == "Every 20 min: the rule's own words"
    known = replace(FEED, window=Window((b"a", b"b"), np.array([NOW - 172_800.0, NOW - 100.0])))
    assert why_sentence(known, told()) == "Every 20 min, because it publishes about once a day"
    page = replace(FEED, kind=Kind.PAGE)
    assert why_sentence(page, told(rate_per_day=1 / 7)) == "Every 20 min, because it changes about once a week"


def test_what_is_not_visited_says_why_not() -> None:
    for status in set(Status) - {Status.ACTIVE}:
        assert why_sentence(replace(FEED, status=status), told()).startswith("Not visited")
    assert "never visited" in why_sentence(replace(FEED, last_visit=None), told())
    link = replace(FEED, last_visit=None, due=NOW + 86_400.0)
    assert why_sentence(link, replace(told(), checked=NOW)) == "24 h after `afresh check` looked at it"
    assert why_sentence(replace(FEED, pinned=900.0), told()) == "Every 15 min, because somebody set this interval"
    failing = replace(FEED, last_result=Result.HTTP_ERROR, error="HTTP 503", counters=Counters(failures=3))
    assert why_sentence(failing, told()) == "Again after 1.7 h, because 3 visits in a row failed (HTTP 503)"


@pytest.mark.parametrize(
    ("ahead", "hours", "words"),
    [
        (6_000.0, 0, "next at 12:40 UTC"),
        (6_000.0, 2, "next at 14:40 (12:40 UTC)"),
        (7.0, 0, "next at 11:00:07 UTC"),
        (86_400.0, 0, "next tomorrow at 11:00 UTC"),
        (4 * 86_400.0, 0, "next on Tuesday, 3 February, at 11:00 UTC"),
        (-6_000.0, 0, "due since 09:20 UTC"),
    ],
)
def test_when_the_next_visit_is(ahead: float, hours: int, words: str) -> None:
    assert next_at(NOW + ahead, NOW, timezone(timedelta(hours=hours))) == words
    assert next_at(None, NOW, UTC) == "no visit is planned"
