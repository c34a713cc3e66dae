"""``afresh why`` says what a visit costs and where the price comes from."""

import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from afresh.base.models import Counters, Explanation, Kind, Moving, NewResource, Resource, Result, Status, Window
from afresh.base.plain_numbers import must_save
from afresh.base.settings.sections import BudgetSettings
from afresh.doors.cli.main import run
from afresh.doors.presenting.explained_numbers import told_numbers
from afresh.engine.budget import Budget
from afresh.engine.explaining import as_it_is
from afresh.store import open_store
from tests.fakes.watched import WatchedPages
from tests.laws.store_material import NOW, report, take

URL = "https://a.example/feed"


def watched(path: Path, budget: BudgetSettings | None = None, *, rule: str = "", weight: float = 1.0) -> None:
    """A store with one feed, and what a daemon with such a budget left in it."""
    store = open_store(str(path))
    store.add([NewResource(url=URL, site="a.example", kind=Kind.FEED, rule=rule, weight=weight)], now=0.0)
    if budget is not None:
        held = Budget.resumed(budget, store)
        held.begin(86_400.0)
        held.keep(store)
    store.close()


def why(path: Path, capsys: pytest.CaptureFixture[str], *words: str, before: tuple[str, ...] = ()) -> str:
    assert run(["--store", str(path), *before, "why", URL, *words]) == 0
    return capsys.readouterr().out


def test_under_a_ceiling_that_is_not_reached_the_setting_has_the_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    needed = BudgetSettings(requests_per_hour=600.0, spend="needed")
    watched(tmp_path / "s.db", needed)
    given = ("--set", "budget.requests_per_hour=600", "--set", "budget.spend=needed")
    assert "says the setting budget.price" in why(tmp_path / "s.db", capsys, before=given)
    store = open_store(str(tmp_path / "s.db"))
    held = Budget(needed, price=5000.0)
    held.begin(86_400.0)
    held.keep(store)
    store.close()
    said = why(tmp_path / "s.db", capsys, before=given)
    assert "says the controller of the budget of at most 600 requests an hour, since" in said


def test_a_visit_that_was_planned_at_a_higher_price_may_come_sooner(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    watched(tmp_path / "s.db", BudgetSettings(requests_per_hour=600.0, spend="needed"))
    given = ("--set", "budget.requests_per_hour=600", "--set", "budget.spend=needed")
    words = "which may therefore come sooner"
    for price, at, is_told in ((1_000.0, NOW, False), (72_000.0, NOW + 7_200.0, True)):
        store = open_store(str(tmp_path / "s.db"))
        [lease] = take(store, at)
        store.record([report(lease, at, reason=f"worth it after 2h ({must_save(price)})")])
        store.close()
        assert (words in why(tmp_path / "s.db", capsys, before=given)) is is_told


def test_a_visit_that_was_moved_since_it_was_planned_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    watched(tmp_path / "s.db")
    store = open_store(str(tmp_path / "s.db"))
    [lease] = take(store)
    store.record([report(lease, last_ok=NOW, last_interval=3_600.0, reason="worth a visit after 1h")])
    store.close()
    assert "because     worth a visit after 1h" in why(tmp_path / "s.db", capsys)
    for weight in ("0.25", "1"):
        assert run(["--store", str(tmp_path / "s.db"), "set", URL, "--weight", weight]) == 0
        assert "because     worth a visit after 1h" in why(tmp_path / "s.db", capsys)
    assert run(["--store", str(tmp_path / "s.db"), "set", URL, "--weight", "4"]) == 0
    assert "because     moved since it was planned (" in why(tmp_path / "s.db", capsys)


def test_the_setting(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    watched(tmp_path / "s.db", weight=3.0)
    said = why(tmp_path / "s.db", capsys, before=("--set", "budget.price=700"))
    assert (
        "a visit must save 12 min of waiting, where waiting for it counts 3 times, says the setting budget.price"
        in said
    )


def test_a_rule_with_a_price_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    watched(tmp_path / "s.db", rule="priced:price=40s")
    told = json.loads(why(tmp_path / "s.db", capsys, "--json"))["price"]
    assert (told["price"], told["source"], told["name"]) == (40.0, "rule", "priced:price=40s")


def test_the_controller_of_a_budget_goes_before_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    watched(tmp_path / "s.db", BudgetSettings(requests_per_hour=600.0, price=250.0), rule="priced:price=40s")
    said = why(tmp_path / "s.db", capsys)
    assert "a visit must save 4.2 min of waiting, says the controller of the budget of 600 requests an hour" in said
    assert "since 1970-01-02 00:00:00 UTC" in said


def test_a_budget_that_keeps_a_due_visit_waiting_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    watched(tmp_path / "s.db")
    now = time.time()
    store = open_store(str(tmp_path / "s.db"))
    budget = Budget(BudgetSettings(requests_per_hour=10.0))
    assert budget.steering is not None
    budget.steering.resume(now)
    budget.keep(store)
    store.close()
    said = why(tmp_path / "s.db", capsys)
    assert "but         waits for the budget of 10 requests an hour; the next request is free " in said
    told = json.loads(why(tmp_path / "s.db", capsys, "--json"))["held"]
    assert told.startswith("waits for the budget of 10 requests an hour; the next request is free ")


@pytest.mark.parametrize(
    ("result", "error", "said"),
    [
        (Result.THROTTLED, "HTTP 429", "because its server asked for that at #2 https://a.example/2 (HTTP 429)"),
        (Result.HTTP_ERROR, "HTTP 500", "because a request failed at #2 https://a.example/2 (HTTP 500)"),
    ],
)
def test_why_a_site_is_left_alone_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], result: Result, error: str, said: str
) -> None:
    path, now = tmp_path / "s.db", time.time()
    watched(path)
    store = open_store(str(path))
    store.add([NewResource(url="https://a.example/2", site="a.example", kind=Kind.FEED, due=-1.0)], now=0.0)
    [lease] = take(store, now)
    failed = report(lease, now, result=result, next_allowed=now + 300.0, error=error)
    asked = now + 300.0 if result is Result.THROTTLED else None
    store.record([replace(failed, visit=replace(failed.visit, status=int(error[-3:]), error=error), retry_after=asked)])
    store.close()
    assert said in " ".join(why(path, capsys).split())


def test_a_permanent_redirect_is_told_and_who_is_there_already(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = open_store(str(tmp_path / "s.db"))
    store.add([NewResource(url=URL, site="a.example", due=0.0)], now=NOW)
    [lease] = take(store, NOW)
    moved = report(lease, NOW, due=NOW + 60.0)
    moving = Moving(target="https://b.example/feed", days=1, last_day=20_774)
    assert store.record([replace(moved, resource=replace(moved.resource, moving=moving))]) == [True]
    words = "answers from https://b.example/feed, a permanent redirect seen on 1 day, last on 2026-11-17; "
    assert words + "after 3 days of this it is followed" in why(tmp_path / "s.db", capsys)
    store.add([NewResource(url="https://b.example/feed", site="b.example", due=0.0)], now=NOW)
    store.close()
    for command in ("why", "show"):
        assert run(["--store", str(tmp_path / "s.db"), command, "1"]) == 0
        said = capsys.readouterr().out
        assert words + "which is watched as #2: one of the two can be removed" in said
        assert "last_day" not in said


def test_a_budget_that_is_gone_leaves_the_configured_price(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    watched(tmp_path / "s.db", BudgetSettings(requests_per_hour=600.0, price=250.0))
    watched(tmp_path / "s.db", BudgetSettings(price=80.0))
    assert "a visit must save 80 s of waiting, says the setting budget.price" in why(tmp_path / "s.db", capsys)


def explained(path: Path, capsys: pytest.CaptureFixture[str], resource: Resource) -> str:
    """Of a feed or page that a visit has left so."""
    store = open_store(str(path))
    store.add([NewResource(url=URL, site="a.example", kind=resource.kind, pinned=resource.pinned)], now=NOW)
    [lease] = take(store)
    after = replace(resource, id=lease.resource.id, url=URL, site="a.example")
    store.record([replace(report(lease, result=after.last_result or Result.SAME), resource=after)])
    store.close()
    return why(path, capsys)


FEED = Resource(id=1, url=URL, site="a.example", kind=Kind.FEED, added=NOW, due=NOW + 600.0, last_visit=NOW)


def test_of_a_feed_that_is_gone_no_price_and_no_worth_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, (result, status) in enumerate([(Result.HTTP_ERROR, Status.ACTIVE), (Result.GONE, Status.GONE)]):
        gone = replace(FEED, last_result=result, status=status, error="404", counters=Counters(failures=3))
        said = explained(tmp_path / f"{number}.db", capsys, gone)
        assert "  price " not in said
        assert "because  " not in said
        assert len([line for line in said.splitlines() if line.startswith("    ")]) == 0, said


def test_gaps_are_told_as_the_document_shows_them() -> None:
    """An entry every 100 s comes evenly, whatever is believed of its gaps so far."""
    believed = Explanation(rule="priced", summary="", numbers={"regularity": 0.52})
    times, uids = NOW - 100.0 * np.arange(30.0, 0.0, -1.0), tuple(bytes([place]) * 20 for place in range(30))
    few = as_it_is(replace(FEED, window=Window(uids[:3], times[:3])), believed)
    assert list(told_numbers(few.numbers)) == [], "what feeds do in general was not seen of this one"
    [(_, said)] = told_numbers(as_it_is(replace(FEED, window=Window(uids, times)), believed).numbers)
    assert said.startswith("even")


def test_a_pinned_page_that_was_not_visited_shows_its_pin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store(str(tmp_path / "s.db"))
    store.add([NewResource(url=URL, site="a.example", kind=Kind.PAGE, pinned=1800.0)], now=NOW)
    store.close()
    said = why(tmp_path / "s.db", capsys)
    assert "because it was never visited; then every 30 min, because somebody said so" in said
    assert "interval                        30m" in said
    assert "  price " not in said


def test_what_is_believed_of_a_page_is_not_told_as_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pages = WatchedPages(open_store(str(tmp_path / "s.db")))
    number = pages.add(URL)
    pages.see(number, "One line that is here.", "Price: 10", after=0.0)
    pages.see(number, "One line that is here.", "Price: 12", after=240.0)
    pages.store.close()
    said = why(tmp_path / "s.db", capsys)
    assert "changes seen                    1\n" in said
    assert "watched for                     4m" in said
    assert "it is believed to change" in said
