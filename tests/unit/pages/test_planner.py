"""Pages in the loop: changes of their text, belief about the rate, one price with feeds."""

from dataclasses import replace
from pathlib import Path

import pytest

from afresh.base.models import Kind, Result
from afresh.base.settings import Settings
from afresh.engine.add import Wanted, add
from tests.unit.engine.test_loop import SETTINGS, Running
from tests.unit.engine.test_visit import DAY, URL, Bench


def html(text: str, *, token: str = "") -> bytes:
    head = f"<html><head><title>Plans</title><meta name=csrf content={token}></head>"
    return f"{head}<body><p>{text}</p></body></html>".encode()


@pytest.fixture
def bench() -> Bench:
    made = Bench()
    made.resource = replace(made.resource, kind=Kind.PAGE)
    return made


def test_only_a_changed_text_is_a_change(bench: Bench) -> None:
    bench.web.document(URL, html("the harbour", token="1"), content_type="text/html")
    assert bench.visit().visit.result is Result.NEW
    assert bench.resource.title == "Plans"
    bench.web.document(URL, html("the harbour", token="2"), content_type="text/html")
    assert bench.visit(DAY).visit.result is Result.SAME, "a token in the head is no change"
    bench.web.document(URL, html("the new harbour"), content_type="text/html")
    assert bench.visit(DAY).visit.result is Result.NEW
    bench.web.not_modified(URL)
    assert bench.visit(DAY).visit.result is Result.NOT_MODIFIED


def test_a_page_that_changes_is_visited_sooner_than_one_that_does_not() -> None:
    intervals = {}
    for kind in ("busy", "quiet"):
        bench = Bench()
        bench.resource = replace(bench.resource, kind=Kind.PAGE, longest=30 * DAY)
        for turn in range(12):
            bench.web.document(URL, html(f"text {turn if kind == 'busy' else 0}"), content_type="text/html")
            bench.visit(DAY)
        intervals[kind] = bench.resource.due - bench.clock.now()
        assert bench.resource.state_of == "site-clocked"
        told = bench.kinds[Kind.PAGE].explain(bench.resource, now=bench.clock.now(), site=None, signals={})
        assert set(told.numbers) >= {"rate_per_day", "price", "expected_freshness"}
    assert intervals["busy"] < intervals["quiet"] / 2


def test_feeds_and_pages_share_the_loop(tmp_path: Path) -> None:
    running = Running(tmp_path)
    add(
        running.store,
        [Wanted(url="https://page.example/", kind=Kind.PAGE)],
        Settings(politeness=SETTINGS.politeness),
        now=running.clock.now(),
    )
    running.web.document("https://page.example/", html("hello"), content_type="text/html")
    running.run(until=30)
    page = running.store.get("https://page.example/")
    assert (page.last_result, page.counters.unparsable, page.state_of) == (Result.NEW, 0, "site-clocked")
    assert page.due > running.clock.now()
    running.store.close()
