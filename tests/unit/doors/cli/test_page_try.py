"""``afresh page try``: what would be watched of a page, before anything is saved."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from afresh.doors.cli.main import run
from tests.fakes.served import served

PAGE = """<title>The lamp shop</title><h1>Reading lamp</h1><p class=price>Price: 49.00 €</p><p class=ad>Buy shoes</p>
<p>Delivery takes three days, and we are open from nine to five.</p>"""
SHELL = "<title>Shop</title><div id=app></div><script src=/app.js></script>"
LOOPBACK = ("--set", "fetch.allowed_networks=127.0.0.0/8;::1/128", "--set", "politeness.delay=0")


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    async def page(_: Request) -> Response:
        return HTMLResponse(PAGE)

    async def shell(_: Request) -> Response:
        return HTMLResponse(SHELL)

    async def data(_: Request) -> Response:
        return JSONResponse({"offers": [{"price": 10}, {"price": 12}]})

    with served(Starlette(routes=[Route("/", page), Route("/shell", shell), Route("/data", data)])) as base:
        yield base


class _Tried:
    """The command over a store of its own: exit code, what it showed, what it said besides."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.store, self._capsys = folder / "tried.db", capsys

    def run(self, *words: str) -> tuple[int, list[str], str]:
        code = run(["--store", str(self.store), *LOOPBACK, *words])
        printed = self._capsys.readouterr()
        return code, printed.out.splitlines(), printed.err


@pytest.fixture
def tried(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> _Tried:
    return _Tried(tmp_path, capsys)


def test_it_shows_what_would_be_watched_and_saves_nothing(tried: _Tried, site: str) -> None:
    code, shown, said = tried.run("page", "try", f"{site}/", "--css", "p", "--without-css", ".ad", "--ignore", r"\d+")
    assert (code, shown) == (
        0,
        ["Price: . €", "Delivery takes three days, and we are open from nine to five."],
    )
    assert "The lamp shop: 2 lines of html" in said
    assert not tried.store.exists()


def test_a_selector_that_finds_nothing_is_named_and_is_a_failure(tried: _Tried, site: str) -> None:
    code, shown, said = tried.run("page", "try", f"{site}/", "--css", ".cost", "--css", ".price")
    assert (code, shown) == (1, ["Price: 49.00 €"])
    assert "nothing matches .cost" in said
    assert ": 1 line of html" in said
    code, shown, _ = tried.run("page", "try", f"{site}/", "--css", ".cost", "--json")
    assert (code, json.loads("\n".join(shown))["missing"]) == (1, [".cost"])


def test_what_is_watched_of_the_page_already_counts(tried: _Tried, site: str) -> None:
    tried.run("add", "--kind", "page", f"{site}/", "--css", ".price")
    assert tried.run("page", "try", f"{site}/")[1] == ["Price: 49.00 €"]
    assert tried.run("page", "try", f"{site}/", "--css", "h1")[1] == ["Reading lamp"]
    assert tried.run("page", "try", "1")[1] == ["Price: 49.00 €"], "by its number"
    assert tried.run("page", "watch", f"{site}/")[1] == ["page:1: css: .price"]


def test_other_documents_and_pages_made_by_scripts(tried: _Tried, site: str) -> None:
    assert tried.run("page", "try", f"{site}/data", "--json-path", "$.offers[*].price")[1] == ["10", "12"]
    code, shown, said = tried.run("page", "try", f"{site}/shell")
    assert (code, shown) == (1, [])
    assert "--render lets a browser run them" in said


def test_a_number_needs_a_store(tried: _Tried) -> None:
    assert tried.run("page", "try", "1")[0] == 2


def test_where_no_page_comes_it_is_said_why(tried: _Tried, site: str) -> None:
    assert tried.run("page", "try", f"{site}/gone")[0] == 2
    assert "HTTP 404" in tried.run("page", "try", f"{site}/gone")[2]
    assert "CSS selector" in tried.run("page", "try", f"{site}/", "--css", "p[")[2]
