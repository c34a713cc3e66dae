"""Discovery against the demo web: announced feeds, duplicates, dead ones, and a search engine of two kinds."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from aiohttp import web

from afresh.base.settings import load_settings
from afresh.base.settings.sections import LOOPBACK
from afresh.engine.fetching import make_gate
from afresh.feeds.discovery import Discoverer
from afresh.lab.web import DemoWeb


def on_the_demo_web(scenario: Callable[[DemoWeb, Discoverer], Coroutine[Any, Any, None]]) -> None:
    async def go() -> None:
        settings = {"fetch.allowed_networks": ";".join(LOOPBACK), "politeness.delay": "0.02s"}
        gate = make_gate(load_settings(overrides=settings).settings)
        async with DemoWeb(seed=1, polite_delay=0.01) as demo:
            await scenario(demo, Discoverer(gate))
        await gate.close()

    asyncio.run(go())


def test_a_sites_feeds_are_found_checked_and_told_apart() -> None:
    async def scenario(demo: DemoWeb, discoverer: Discoverer) -> None:
        herald = f"http://herald.localhost:{demo.port}/"
        found = await discoverer.discover([herald])
        urls = [feed.url for feed in found.feeds]
        assert herald + "feed/atom.xml" in urls
        assert all(feed.entries > 0 or feed.format for feed in found.feeds)
        dropped = {item.url: item.reason for item in found.duplicates}
        assert dropped[herald + "feed/rss.xml"] == "format"
        assert "session" in dropped.values()
        assert found.dead
        assert found.dead[0].error == "HTTP 404"

    on_the_demo_web(scenario)


def test_a_feed_may_be_named_itself_and_a_silent_site_is_told() -> None:
    async def scenario(demo: DemoWeb, discoverer: Discoverer) -> None:
        feed = f"http://attic.localhost:{demo.port}/blog.xml"
        found = await discoverer.discover([feed, f"http://nosuch.localhost:{demo.port}/nothing"])
        assert [item.url for item in found.feeds] == [feed]
        assert len(found.unreachable) == 1

    on_the_demo_web(scenario)


def test_a_site_without_a_scheme_that_speaks_no_tls_is_asked_without_it() -> None:
    async def scenario(demo: DemoWeb, discoverer: Discoverer) -> None:
        found = await discoverer.discover([f"attic.localhost:{demo.port}/blog.xml"])
        assert [item.url for item in found.feeds] == [f"http://attic.localhost:{demo.port}/blog.xml"]
        found = await discoverer.discover([f"https://attic.localhost:{demo.port}/blog.xml"])
        assert [item.error for item in found.unreachable] == [
            "tls: no TLS is spoken at this port (wrong version number)"
        ], "TLS was asked for"

    on_the_demo_web(scenario)


def test_a_page_without_feeds_is_told() -> None:
    async def scenario(demo: DemoWeb, discoverer: Discoverer) -> None:
        page = f"http://herald.localhost:{demo.port}/robots.txt"
        found = await discoverer.discover([page])
        assert [(item.url, item.error) for item in found.barren] == [(page, "announces no feed")]
        assert not found.feeds
        assert not found.unreachable

    on_the_demo_web(scenario)


def test_a_search_engine_may_answer_with_links_or_with_a_feed() -> None:
    async def scenario(demo: DemoWeb, discoverer: Discoverer) -> None:
        site = f"http://diary.localhost:{demo.port}/"
        asked: list[str] = []

        async def page(request: web.Request) -> web.Response:
            asked.append(request.query["q"])
            return web.Response(
                text=f"<html><body><a href='{site}'>A Quiet ActivityLog</a></body></html>", content_type="text/html"
            )

        async def feed(_: web.Request) -> web.Response:
            item = f"<item><title>A Quiet ActivityLog</title><link>{site}</link></item>"
            return web.Response(
                text=f"<rss version='2.0'><channel>{item}</channel></rss>", content_type="application/rss+xml"
            )

        app = web.Application()
        app.add_routes([web.get("/html", page), web.get("/rss", feed)])
        runner = web.AppRunner(app)
        await runner.setup()
        listener = web.TCPSite(runner, "127.0.0.1", 0)
        await listener.start()
        port = runner.addresses[0][1]
        for kind in ("html", "rss"):
            links = await discoverer.search("night trains", f"http://engine.localhost:{port}/{kind}?q={{query}}")
            assert any(link.startswith(site.rstrip("/")) for link in links), (kind, links)
        assert asked == ["night trains"]
        await runner.cleanup()

    on_the_demo_web(scenario)
