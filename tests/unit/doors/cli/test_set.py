"""``afresh set``: tags and folders, and a visit that is wished for in vain."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from afresh.base.models import Counters, Kind, NewResource
from afresh.base.protocols import Store
from afresh.base.settings.sections import BudgetSettings
from afresh.doors.cli.main import EXIT_USAGE, run
from afresh.engine.budget import Budget
from afresh.engine.budget_report import KeptPrice, keep_budget
from afresh.engine.edit_resource import Action, change_one_of_many
from afresh.store import open_store
from tests.laws.store_material import report

URL = "https://a.example/feed"


@contextmanager
def opened(path: Path) -> Iterator[Store]:
    store = open_store(str(path))
    yield store
    store.close()


def change(path: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(["--store", str(path), "set", URL, *words]) == 0
    return capsys.readouterr().out


def added(path: Path, capsys: pytest.CaptureFixture[str], *words: str) -> None:
    assert run(["--store", str(path), "add", URL, *words]) == 0
    capsys.readouterr()


def test_tags_and_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.db"
    added(path, capsys, "--tag", "old")
    told: dict[str, Any] = json.loads(change(path, capsys, "--tag", "new", "--tag", "b", "--folder", "x/y", "--json"))
    assert (told["tags"], told["folder"]) == (["old", "new", "b"], "x/y")
    assert json.loads(change(path, capsys, "--untag", "old", "--tag", "b", "--json"))["tags"] == ["new", "b"]
    assert run(["--store", str(path), "set", URL]) == EXIT_USAGE


def test_who_wants_a_paused_one_visited_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.db"
    added(path, capsys)
    assert "but it is" not in change(path, capsys, "--now")
    change(path, capsys, "--pause")
    assert "but it is paused, so it is not visited: `afresh set 1 --resume`" in change(path, capsys, "--now")
    assert "but it is" not in change(path, capsys, "--now", "--resume")


def test_a_visit_now_goes_before_the_most_overdue_and_is_never_put_off(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, now = tmp_path / "s.db", time.time()
    added(path, capsys)
    with opened(path) as store:
        others = [NewResource(url=f"https://{n}.example/", site=f"{n}.example", kind=Kind.FEED) for n in range(3)]
        for item in store.add(others, now=now):
            store.update(item.id, due=now - 3600.0)
        store.update(1, due=now - 112.0)
        held = Budget(BudgetSettings(requests_per_hour=60.0)).report(now)
        keep_budget(
            store,
            price=KeptPrice(price=1.0, held="60 requests an hour", since=now, by_byte=0.0),
            report=replace(held, free_at=now - 30.0),
        )
    said = change(path, capsys, "--now")
    assert run(["--store", str(path), "--set", "budget.requests_per_hour=60", "set", URL, "--now"]) == 0
    assert "before whatever else is due: the budget of 60 requests an hour allows it at " in capsys.readouterr().out
    assert "the budget" not in said, "no daemon has one, and these settings have none"
    with opened(path) as store:
        assert store.get(1).due == pytest.approx(now - 112.0)
        [lease] = store.lease(holder="test", now=time.time(), until=now + 900.0, limit=1)
        assert lease.resource.id == 1


def test_many_that_are_visited_now_say_how_long_that_takes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, urls = tmp_path / "s.db", [f"https://{n}.example/feed" for n in range(4)]
    assert run(["--store", str(path), "add", *urls, "--folder", "news"]) == 0
    assert run(["--store", str(path), "set", urls[3], "--pause"]) == 0
    capsys.readouterr()
    budget = ("--set", "budget.requests_per_hour=10")
    for which in (urls, ["--in-folder", "news"]):
        assert run(["--store", str(path), *budget, "set", *which, "--now"]) == 0
        assert capsys.readouterr().out == (
            "changed the next visit of 4 of 4\n"
            "3 will be visited as soon as their sites allow, before whatever else is due: within the budget of 10 "
            "requests an hour that takes at least 18 min; 1 not: `--resume` begins again\n"
        )
    assert run(["--store", str(path), "set", *urls[:3], "--now"]) == 0
    assert "takes" not in capsys.readouterr().out, "nothing limits them"


@pytest.mark.parametrize("action", list(Action))
def test_many_are_visited_now_as_one_is(tmp_path: Path, action: Action) -> None:
    now = time.time()
    with opened(tmp_path / "s.db") as store:
        new = [NewResource(url=f"https://{n}.example/", site=f"{n}.example", kind=Kind.FEED) for n in range(2)]
        first, last = (item.id for item in store.add(new, now=now))
        store.update(first, due=now - 3600.0)
        store.update(last, due=now - 60.0)
        done = change_one_of_many(store, store.get(last), action, tag="t", now=now)
        assert store.get(last).due == now - 60.0
        [lease] = store.lease(holder="test", now=now, until=now + 900.0, limit=1)
        assert (lease.resource.id == last) is (action is Action.VISIT)
        assert done is (action in (Action.VISIT, Action.PAUSE, Action.TAG))


def test_who_resumes_what_was_not_paused_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.db"
    added(path, capsys)
    said = change(path, capsys, "--resume", "--now")
    assert said == f"changed the next visit of {URL}\nit was not paused\nit is visited as soon as its site allows\n"
    assert change(path, capsys, "--resume") == f"changed nothing of {URL}\nit was not paused\n"
    assert change(path, capsys, "--pause") == f"paused {URL}\n"
    assert change(path, capsys, "--resume") == f"resumed {URL}\n"


def test_a_title_names_a_resource_if_no_other_has_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.db"
    added(path, capsys)
    change(path, capsys, "--title", "My blog 6")
    assert run(["--store", str(path), "show", "my  BLOG 6"]) == 0
    assert URL in capsys.readouterr().out
    assert run(["--store", str(path), "show", "My blog"]) == EXIT_USAGE, "a part of a title is none"
    assert run(["--store", str(path), "add", "https://b.example/feed"]) == 0
    assert run(["--store", str(path), "set", "2", "--title", "My blog 6"]) == 0
    capsys.readouterr()
    assert run(["--store", str(path), "show", "My blog 6"]) == EXIT_USAGE
    assert "several are called 'My blog 6': #1, #2; name one by its number" in capsys.readouterr().err


def test_a_pin_that_no_rule_would_choose_is_told_as_such(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.db"
    added(path, capsys)
    said = change(path, capsys, "--pin", "10")
    assert said == f"changed pinned to 10s of {URL}: asked every 10s, shorter than predict.shortest (1m)\n"
    assert "shorter" not in change(path, capsys, "--pin", "1m") + change(path, capsys, "--pin", "none")


@pytest.fixture
def three(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """A store with two feeds in folders and a page."""
    path = str(tmp_path / "s.db")
    for kind, url, folder in (("feed", URL, "news"), ("feed", "https://b.example/feed", "news/local")):
        assert run(["--store", path, "add", url, "--kind", kind, "--folder", folder]) == 0
    assert run(["--store", path, "add", "https://c.example/", "--kind", "page", "--tag", "old"]) == 0
    capsys.readouterr()
    return path


def listed(path: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert run(["--store", path, "list", "--json"]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


def test_many_are_changed_alike(three: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--store", three, "set", "--in-folder", "news", "--pin", "10m", "--tag", "fast"]) == 0
    assert capsys.readouterr().out == "changed pinned to 10m, tags by +fast of 2 of 2\n"
    assert [(one["pinned"], one["tags"]) for one in listed(three, capsys)] == [
        (600.0, ["fast"]),
        (600.0, ["fast"]),
        (None, ["old"]),
    ]
    assert run(["--store", three, "set", "1", "3", "1", "--pause", "--json"]) == 0
    assert [one["id"] for one in json.loads(capsys.readouterr().out)] == [1, 3], "each once"
    assert run(["--store", three, "set", "--with-tag", "fast", "--in-folder", "news/local", "--untag", "fast"]) == 0
    assert [one["tags"] for one in listed(three, capsys)] == [["fast"], [], ["old"]]


def test_one_of_many_that_cannot_be_changed_so_is_told(three: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--store", three, "set", "1", "3", "--css", ".price"]) == 1
    said = capsys.readouterr()
    assert said.out == "changed css of 1 of 2\n"
    assert said.err == f"not changed: #1 {URL}: parts are watched of pages; this is none\n"


@pytest.mark.parametrize("words", [("--pause",), ("1", "--in-folder", "news", "--pause")])
def test_which_are_meant_is_said_in_one_way(
    three: str, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    assert run(["--store", three, "set", *words]) == EXIT_USAGE
    assert "say which" in capsys.readouterr().err
    assert run(["--store", three, "set", "--in-folder", "nwes", "--pause"]) == EXIT_USAGE
    assert "nwes" in capsys.readouterr().err


def test_a_folder_is_removed_at_once(three: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--store", three, "remove"]) == EXIT_USAGE
    assert run(["--store", three, "remove", "--in-folder", "news"]) == 0
    assert [one["id"] for one in listed(three, capsys)] == [3]


def test_what_is_removed_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.db"
    added(path, capsys)
    change(path, capsys, "--title", "My blog")
    assert run(["--store", str(path), "remove", "1"]) == 0
    assert capsys.readouterr().out == f"removed #1 {URL}  My blog\n"


@pytest.mark.parametrize(("answer", "words", "left"), [("n", (), 1), ("y", (), 0), ("n", ("--yes",), 0)])
def test_on_a_terminal_it_is_asked_before_entries_are_forgotten(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    words: tuple[str, ...],
    left: int,
) -> None:
    path, asked = tmp_path / "s.db", []
    added(path, capsys)
    with opened(path) as store:
        [lease] = store.lease(holder="test", now=time.time(), until=time.time() + 60.0, limit=1)
        store.record([report(lease, counters=Counters(ok=1, entries=7))])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("click.confirm", lambda text, **_: asked.append(text) or answer == "y")
    assert run(["--store", str(path), "remove", "1", *words]) == left
    assert asked == ([] if words else [f"Remove #1 {URL} and forget 7 entries?"])
    with opened(path) as store:
        assert store.count() == left


def test_a_feed_gets_another_address_and_keeps_what_is_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.db"
    added(path, capsys, "--tag", "daily")
    assert "#1 is watched at https://b.example/rss now" in change(path, capsys, "--url", "https://b.example/rss")
    with opened(path) as store:
        assert (store.get(1).url, store.get(1).site, store.get(1).tags) == (
            "https://b.example/rss",
            "b.example",
            ("daily",),
        )
    assert run(["--store", str(path), "set", "1", "--url", "http://10.0.0.1/rss"]) == EXIT_USAGE
    assert "fetch.allowed_networks" in capsys.readouterr().err
    assert run(["--store", str(path), "add", "https://c.example/"]) == 0
    assert run(["--store", str(path), "set", "1", "2", "--url", "https://d.example/"]) == EXIT_USAGE
    assert "for one resource" in capsys.readouterr().err
    assert run(["--store", str(path), "set", "1", "--url", "https://c.example/"]) != 0
    assert "is watched already" in capsys.readouterr().err
