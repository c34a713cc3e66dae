"""``afresh feed`` with bad input: a word that helps, and nothing half-created."""

import json
import math
import time
from pathlib import Path

import pytest

from afresh.base.models import NewResource
from afresh.doors.cli.main import run
from afresh.store import open_store
from tests.laws.store_material import NOW, entry, report, take


class Desk:
    """Commands on a store with one feed and forty entries, with what they printed."""

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.path, self._capsys = path, capsys
        store = open_store(str(path))
        store.add([NewResource(url="http://a.example/feed", site="a.example", due=0.0)], now=NOW)
        [lease] = take(store, NOW)
        titles = [f"{'solar' if n % 4 == 0 else 'wind'} {n} {'a' * 60}" for n in range(40)]
        store.record([report(lease, NOW, entries=tuple(entry(title, published=NOW) for title in titles))])
        store.close()

    def feed(self, *words: str, code: int = 0) -> str:
        got = run(["--store", str(self.path), "feed", *words])
        printed = self._capsys.readouterr()
        assert got == code, printed
        return printed.out if code == 0 else printed.err

    def names(self) -> list[str]:
        return [made["name"] for made in json.loads(self.feed("list", "--json"))]


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path / "desk.db", capsys)


def test_selectivity_is_measured_by_query_and_source(desk: Desk) -> None:
    text = 'CREATE FEED solar AS RETURN "http://a.example/feed" AS $a WHERE $a[TITLE CONTAINS "solar"]'
    made = json.loads(desk.feed("create", text, "--json"))
    assert (made["entries"], made["seen"], made["selectivity"]) == (10, 40, 0.25)
    [source] = made["sources"]
    assert (source["seen"], source["matched"], source["selectivity"]) == (40, 10, 0.25)


def test_all_is_one_row_a_source(desk: Desk) -> None:
    store = open_store(str(desk.path))
    store.add([NewResource(url="http://b.example/feed", site="b.example", due=math.inf)], now=NOW)
    store.close()
    desk.feed("create", 'CREATE FEED solar AS RETURN ALL WHERE TITLE CONTAINS "solar"')
    desk.feed("create", "CREATE FEED more AS RETURN FEED solar")
    for name in ("solar", "more"):
        rows = json.loads(desk.feed("show", name, "--json"))["by_source"]
        assert [(row["label"], row["seen"], row["matched"], row["selectivity"]) for row in rows] == [
            ("http://a.example/feed", 40, 10, 0.25),
            ("http://b.example/feed", 0, 0, None),
        ]
    said = desk.feed("show", "solar")
    assert "http://b.example/feed" in said
    assert len(json.loads(desk.feed("show", "solar", "--json", "--sources", "1"))["by_source"]) == 1


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('CREATE FEED x AS\nRETURN ALL\nWHERE TITLE CONTANS "a"', "line 3, column 13"),
        ("CREATE FEED x AS", "line 1"),
        ('CREATE FEED x AS RETURN "http://b.example/feed"', "unknown source"),
        ("CREATE FEED x AS RETURN FEED y", "unknown source"),
        ('CREATE FEED x AS RETURN TAG "none"', "unknown source"),
        ("CREATE FEED x AS RETURN FEED x", "circle"),
        ('CREATE FEED x AS RETURN ALL WHERE TITLE MATCHES "(a)\\1"', "backreferences"),
        ("", "give either a query or --file"),
    ],
)
def test_a_bad_query_is_refused_where_it_is_wrong(desk: Desk, text: str, word: str) -> None:
    said = desk.feed("create", *([text] if text else []), code=2)
    assert word in said
    assert desk.names() == []


def test_a_circle_through_others_is_named(desk: Desk) -> None:
    desk.feed("create", "CREATE FEED a AS RETURN ALL")
    desk.feed("create", "CREATE FEED b AS RETURN FEED a")
    desk.feed("create", "CREATE FEED c AS RETURN FEED b")
    said = desk.feed("create", "CREATE OR REPLACE FEED a AS RETURN FEED c", code=2)
    assert "a → c → b → a" in said or "circle" in said
    assert "RETURN ALL" in json.loads(desk.feed("show", "a", "--json"))["query"], "the old one stays"


def test_a_regular_expression_that_would_run_for_ever_elsewhere_takes_no_time(desk: Desk) -> None:
    begin = time.process_time()
    desk.feed("create", 'CREATE FEED x AS RETURN ALL WHERE TITLE MATCHES "(a+)+$" OR TITLE MATCHES "(a|aa)+b"')
    assert time.process_time() - begin < 5.0
    assert desk.names() == ["x"]


def test_an_unfiltered_source_beside_a_filtered_one_is_told(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    text = 'CREATE FEED half AS RETURN ALL AS $a | ALL WHERE $a[TITLE CONTAINS "solar"]'
    assert run(["--store", str(desk.path), "feed", "create", text]) == 0
    assert "warning: ALL has no filter, so all of its entries pass." in capsys.readouterr().err


def test_who_drops_a_query_feed_hears_of_the_notices_that_go_with_it(desk: Desk) -> None:
    for name in ("one", "two"):
        desk.feed("create", f"CREATE FEED {name} AS RETURN ALL")
    assert run(["--store", str(desk.path), "notice", "add", "https://example.org/hook", "--query", "one"]) == 0
    assert "dropped query feed one with 1 notice that told of it\n" in desk.feed("drop", "one")
    assert desk.feed("drop", "two") == "dropped query feed two\n"


@pytest.mark.parametrize(("answer", "words"), [("n", ()), ("y", ()), ("", ("--yes",))])
def test_on_a_terminal_it_asks_before_an_archive_is_dropped(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, answer: str, words: tuple[str, ...]
) -> None:
    desk.feed("create", 'CREATE FEED solar AS RETURN ALL WHERE TITLE CONTAINS "solar"')
    asked: list[str] = []
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("click.confirm", lambda text, **_: asked.append(text) or answer == "y")
    desk.feed("drop", "solar", *words, code=1 if answer == "n" else 0)
    assert asked == ([] if words else ["Drop query feed solar and its archive of 10 entries?"])
    assert desk.names() == (["solar"] if answer == "n" else [])
