"""Trainings beside a daemon: their lines are read while they go on, and the model is used at once."""

import json
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from afresh.base.records.labels import NewLabel, Rating
from afresh.doors.rest import create_app
from afresh.store import open_store
from tests.fakes.saved_links import page_body, watched
from tests.fakes.served import served
from tests.fakes.service_context import NOW, FakeContext

Ask = Callable[..., Any]
TRAININGS = "/api/v1/models/trainings"


@pytest.fixture
def context(tmp_path: Path) -> Iterator[FakeContext]:
    """Four links whose page became another one of the same site, and somebody who says so."""
    url = str(tmp_path / "afresh.db")
    store = open_store(url)
    for number in range(4):
        watched(store, number, page_body(number, site=number), page_body(100 + number, site=number, path="/b"))
    for pair in store.learning.pairs_to_rate():
        store.learning.add_label(
            NewLabel(old=pair.old, new=pair.new, verdict=Rating.DIFFERENT, check=pair.check), now=NOW
        )
    yield FakeContext(store, store_url=url)
    store.close()


@pytest.fixture
def ask(context: FakeContext) -> Iterator[Ask]:
    with served(create_app(context)) as base:

        def send(method: str, path: str, content: Any = None) -> Any:
            body = None if content is None else json.dumps(content).encode()
            headers = {"Content-Type": "application/json"} if body else {}
            request = urllib.request.Request(base + path, body, headers, method=method)
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)

        yield send


def watch(ask: Ask, number: int) -> tuple[dict[str, Any], list[int]]:
    """The training when it is over, and how many lines each look at it before that showed."""
    seen: list[int] = []
    end = time.monotonic() + 120
    while time.monotonic() < end:
        view: dict[str, Any] = ask("GET", f"{TRAININGS}/{number}")
        if view["state"] not in ("waiting", "running"):
            return view, seen
        seen.append(len(view["progress"]))
        time.sleep(0.02)  # a process of its own is at work: there is nothing else to wait for
    raise AssertionError(view)


def test_a_training_is_watched_and_its_model_used(ask: Ask, context: FakeContext) -> None:
    note = "-- a 'note' with $words and ü"
    asked = ask("POST", TRAININGS, {"kernel": "linear", "time_limit": 1, "owner": "--her", "note": note})
    assert (asked["number"], asked["model"], asked["owner"], asked["kernel"]) == (1, None, "--her", "linear")
    second = ask("POST", TRAININGS, {"time_limit": 600})
    assert second["state"] == "waiting"
    view, seen = watch(ask, 1)
    assert view["state"] == "done", view
    assert view["in_use"] is False, "four ratings of one kind are too few to be judged by"
    assert len(set(seen)) > 1, "its lines came one after the other, not all at the end"
    assert any("held out" in line for line in view["progress"])
    assert context.store.learning.active_model("--her") is None
    ask("POST", f"/api/v1/models/{view['model']}/use")
    kept = context.store.learning.active_model("--her")
    assert kept is not None
    assert (kept.id, kept.kernel, kept.examples, kept.note) == (view["model"], "linear", 4, note)
    ended = ask("DELETE", f"{TRAININGS}/2")
    assert ended["state"] == "ended"
    assert [item["number"] for item in ask("GET", TRAININGS)["items"]] == [2, 1]
    assert ask("GET", "/learning.json")["trainings"][1]["model"] == kept.id
    assert ask("GET", "/learning/trainings/1.json") == view


def test_a_link_is_trained_for_by_its_own_ratings(ask: Ask, context: FakeContext) -> None:
    [link, *_] = context.store.links.list_links()
    asked = ask("POST", TRAININGS, {"link": link.id, "rater": "", "kernel": "linear", "time_limit": 1})
    assert (asked["link"], asked["rater"]) == (link.id, "")
    view, _ = watch(ask, 1)
    assert (view["state"], view["in_use"]) == ("done", False), view  # of one rating: a person has to say so
    ask("PATCH", f"/api/v1/links/{link.id}", {"model": str(view["model"])})
    assert context.store.links.link(link.id).model.number == view["model"]
    assert context.store.learning.active_model() is None


def test_what_went_wrong_is_said_and_nothing_changes(ask: Ask, context: FakeContext) -> None:
    ask("POST", TRAININGS, {"measures": ["nonsense"]})
    view, _ = watch(ask, 1)
    assert (view["state"], view["model"], view["in_use"]) == ("failed", None, None)
    assert "unknown measure 'nonsense'" in view["progress"][-1]
    assert not context.store.learning.models()
