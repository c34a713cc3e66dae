"""Results as they leave: what the server answered where it answered, and reports kept by an earlier version."""

import zlib

import msgspec

from afresh.base.records.frontier import KeptResult, PageReport, PageResult
from afresh.doors.presenting.results import result_fields
from afresh.store.frontier.results import unpacked

_TOLD = ("http", "content_type", "error", "redirect")


def told(**page: object) -> dict[str, object]:
    kept = KeptResult(1, 2.0, "f", "a.example", PageReport("https://a.example/", **page))  # type: ignore[arg-type]
    return {name: value for name, value in result_fields(kept).items() if name in _TOLD}


def test_a_line_says_what_was_answered_and_nothing_where_nobody_did() -> None:
    assert told() == {}
    assert told(http=200, content_type="text/html") == {"http": 200, "content_type": "text/html"}
    assert told(result=PageResult.ERROR, http=500, why="HTTP 500") == {"http": 500, "error": "HTTP 500"}
    assert told(http=301, redirect="https://b.example/") == {"http": 301, "redirect": "https://b.example/"}


def test_what_an_earlier_version_kept_is_read() -> None:
    old = ["https://a.example/", "error", 1.0, None, "", "", "", False, 0, None, [], 7, None, "HTTP 500"]
    packed = zlib.compress(msgspec.json.encode([("f", "a.example", [old])]))
    [found] = unpacked(1, 2.0, packed)
    assert (found.page.number, found.page.why, found.page.http, found.page.redirect) == (7, "HTTP 500", 0, "")
