"""Feeds whose address leads to another server, and pages named for their feed, as ``afresh poll`` asks them."""

import json
from contextlib import ExitStack
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tests.fakes.served import served
from tests.fakes.shop import Terminal

FEED = "<rss version='2.0'><channel><title>T</title><item><guid>1</guid><title>One</title></item></channel></rss>"


class Server:
    """A feed with an ETag, an address that leads to another server, and a page that announces the feed."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []  # path and If-None-Match
        self.target = ""
        routes = [Route("/feed", self.feed), Route("/old", self.old), Route("/page", self.page)]
        self.app = Starlette(routes=routes)

    def _note(self, request: Request) -> str:
        tag = request.headers.get("if-none-match", "")
        self.heard.append((request.url.path, tag))
        return tag

    async def feed(self, request: Request) -> Response:
        if self._note(request) == '"v1"':
            return Response(status_code=304)
        return Response(FEED, media_type="application/rss+xml", headers={"ETag": '"v1"'})

    async def old(self, request: Request) -> Response:
        self._note(request)
        return RedirectResponse(self.target, status_code=302)

    async def page(self, request: Request) -> Response:
        self._note(request)
        announced = "<link rel='alternate' type='application/rss+xml' href='/feed'>"
        return Response(f"<html><head><title>Home</title>{announced}</head></html>", media_type="text/html")


def test_a_validator_goes_to_the_server_that_gave_it(tmp_path: Path) -> None:
    here, there, third = Server(), Server(), Server()
    with ExitStack() as stack:
        old, new, other = (stack.enter_context(served(one.app)) for one in (here, there, third))
        here.target = f"{new}/feed"
        terminal = Terminal(tmp_path)
        terminal.run("add", f"{old}/old")
        for _ in range(2):
            terminal.run("poll", "--all")
        here.target = f"{other}/feed"
        terminal.run("poll", "--all")
    assert here.heard == [("/old", "")] * 3
    assert there.heard == [("/feed", ""), ("/feed", '"v1"')]
    assert third.heard == [("/feed", "")], "nobody else is told"


def test_a_page_that_was_named_for_its_feed_is_asked_and_then_the_feed(tmp_path: Path) -> None:
    server = Server()
    with served(server.app) as home:
        terminal = Terminal(tmp_path)
        terminal.run("add", f"{home}/page")
        [polled] = json.loads(terminal.run("poll", "--all", "--json"))
    assert [path for path, _ in server.heard] == ["/page", "/feed"]
    assert (polled["url"], polled["visit"]["result"], polled["visit"]["new"]) == (f"{home}/feed", "new", 1)


def test_a_page_whose_feed_is_watched_already_says_so_and_is_not_asked_again(tmp_path: Path) -> None:
    server = Server()
    with served(server.app) as home:
        terminal = Terminal(tmp_path)
        terminal.run("add", f"{home}/feed", f"{home}/page")
        for _ in range(2):
            terminal.run("poll", "--all", ends_with=1)
        told = terminal.run("why", f"{home}/page")
        failing = json.loads(terminal.run("list", "--failing", "--json"))
        paused = json.loads(terminal.run("list", "--status", "paused", "--json"))
    assert [path for path, _ in server.heard if path == "/page"] == ["/page", "/page"]
    assert f"Not visited, because it is a page whose feed is watched already: {home}/feed" in told
    assert (failing, [one["url"] for one in paused]) == ([], [f"{home}/page"])
