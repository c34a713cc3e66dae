"""Pages made by scripts, in time: what is said while nobody runs them, and when a browser begins to."""

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from afresh.base.extras import installing
from afresh.base.models import Kind, Resource
from afresh.base.records.watches import USUAL
from afresh.engine.kinds import make_kinds
from afresh.engine.watch_pages import checked
from afresh.pages.watching import RENDERING
from afresh.store import open_store
from tests.fakes.watched import WatchedPages, picture, told

_SHELL = "<title>Shop</title><div id=app></div><script src=/app.js></script>"
_LOADING = "<title>Shop</title><div id=app>Loading the shop …</div><script src=/app.js></script>"
_MADE = "<title>Shop</title><div id=app><p>Price: 10 €</p><p>In stock</p></div><script src=/app.js></script>"


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[WatchedPages]:
    opened = open_store(str(tmp_path / "pages.db"))
    yield WatchedPages(opened)
    opened.close()


def request_of(pages: WatchedPages, resource: Resource) -> bool:
    """Whether the next visit is made with a browser."""
    kinds = make_kinds(pages.settings, store=pages.store)
    return kinds[Kind.PAGE].request(resource, no_cache=False).render


def why(pages: WatchedPages, resource: Resource) -> str:
    kinds = make_kinds(pages.settings, store=pages.store)
    return kinds[Kind.PAGE].explain(resource, now=pages.now, site=None, signals={}).summary


@pytest.mark.parametrize(
    ("body", "words"),
    [(_SHELL, f"cannot be watched: it is empty; {RENDERING}"), (_LOADING, f"shows 4 words; {RENDERING}")],
)
def test_a_page_without_text_of_its_own_is_told_of_once_and_why_says_it(
    pages: WatchedPages, body: str, words: str
) -> None:
    number = pages.add()
    assert told(pages.visit(number, body)) == [words]
    assert told(pages.visit(number, body)) == []
    assert RENDERING in why(pages, pages.store.get(number))


def test_a_page_with_text_or_without_scripts_is_not_told_of(pages: WatchedPages) -> None:
    few, much = pages.add("http://a.example/"), pages.add("http://b.example/")
    assert told(pages.visit(few, "<p>open today</p>")) == []
    assert told(pages.visit(much, f"<p>{'some words of text ' * 5}</p><script></script>")) == []
    assert RENDERING not in why(pages, pages.store.get(few)) + why(pages, pages.store.get(much))


def test_what_a_browser_makes_of_a_page_is_no_change_of_what_the_server_sent(pages: WatchedPages) -> None:
    number = pages.add()
    pages.visit(number, _LOADING)
    assert not request_of(pages, pages.store.get(number))
    pages.watch(number, replace(USUAL, render=True))
    assert request_of(pages, pages.store.get(number))
    assert told(pages.visit(number, _MADE)) == []
    assert told(pages.visit(number, _MADE.replace("10", "12"))) == ["Price: 10 → 12 €"]
    assert RENDERING not in why(pages, pages.store.get(number))


def test_an_empty_page_is_itself_again_with_a_browser(pages: WatchedPages) -> None:
    number = pages.add()
    pages.visit(number, _SHELL)
    pages.watch(number, replace(USUAL, render=True))
    assert told(pages.visit(number, _MADE)) == ["is itself again"]


def test_without_the_extra_nobody_can_ask_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    checked(replace(USUAL, render=True))
    monkeypatch.setitem(sys.modules, "playwright", None)
    with pytest.raises(ValueError, match=re.escape(installing("browser"))):
        checked(replace(USUAL, render=True))


def test_a_page_that_reads_alike_with_a_browser_goes_on_being_told(pages: WatchedPages) -> None:
    """Also where a picture is all that is wanted of the browser; and without one again."""
    number, plain = pages.add(), _MADE.partition("<script")[0]
    pages.visit(number, plain)
    assert told(pages.visit(number, plain.replace("10", "12"))) == ["Price: 10 → 12 €"]
    pages.watch(number, replace(USUAL, screenshot=True))
    assert told(pages.visit(number, plain.replace("10", "12"), picture=picture())) == []
    assert told(pages.visit(number, plain.replace("10", "14"), picture=picture(1))) == ["Price: 12 → 14 €"]
    pages.watch(number, USUAL)
    assert told(pages.visit(number, plain.replace("10", "14"))) == []
    assert told(pages.visit(number, plain.replace("10", "16"))) == ["Price: 14 → 16 €"]
    assert [one.picture is None for one in pages.store.links.versions(number)] == [True, False, False, True]
