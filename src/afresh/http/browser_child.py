"""The process that holds a browser: renders one document and ends. The browser reaches nothing by itself.

Whatever the page wants is asked of the program that started this one; only what a page is made of is asked for at all.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
from contextlib import suppress

from playwright.async_api import Browser, BrowserContext, Page, Playwright, Request, Route, async_playwright
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from afresh.base.errors import ParseError
from afresh.base.models import Failure
from afresh.base.records.watches import TALLEST
from afresh.http.browser_messages import Answer, Ask, Broken, Message, Ready, Rendered, Task, receive, send
from afresh.parse.pictures import flatten

#: What a document's text can depend on. Pictures, fonts, frames, pings and streams bring no text of its own.
_WANTED = frozenset(("script", "stylesheet", "xhr", "fetch"))
#: What a picture of it shows besides.
_SHOWN = frozenset(("image", "font"))
_WIDE, _HIGH = 1_200, 800  # of the window
_NOWHERE = "http://127.0.0.1:9"  # port of the discard service: a way out that leads nowhere
_ARGUMENTS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-sync",
    "--disable-web-security",  # nothing here is anybody's secret; who may be asked is decided outside
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--mute-audio",
    "--no-default-browser-check",
    "--no-first-run",
    "--proxy-bypass-list=<-loopback>",
)


class Rendering:
    """One page on its way."""

    def __init__(self, task: Task, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._task, self._reader, self._writer = task, reader, writer
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Answer]] = {}
        self._is_given = False  # the document itself
        self._crashed = asyncio.Event()

    async def run(self) -> None:
        """Tells the rendered document, or why there is none; ends when nobody listens, or is ended with its browser.

        It does not close the browser: what that leaves behind could be found no more by whoever ends us both.
        """
        hearing = asyncio.create_task(self._hear())
        try:
            async with async_playwright() as playwright:
                browser = await self._launch(playwright)
                await send(self._writer, Ready())
                await send(self._writer, await self._within(browser))
                await hearing
        except PlaywrightError as error:
            words = " ".join(str(error).split())[:300]
            await send(self._writer, Broken(cause=Failure.LATER, detail=f"the browser does not start: {words}"))

    async def _launch(self, playwright: Playwright) -> Browser:
        heap = max(64, self._task.heap // 2**20)
        return await playwright.chromium.launch(
            executable_path=self._task.program or None,
            args=[*_ARGUMENTS, f"--js-flags=--max-old-space-size={heap}"],
            proxy={"server": _NOWHERE},
            chromium_sandbox=os.geteuid() != 0,  # Chromium refuses to have one as root
        )

    async def _within(self, browser: Browser) -> Message:
        working = asyncio.ensure_future(self._render(browser))
        crashing = asyncio.ensure_future(self._crashed.wait())
        done, _ = await asyncio.wait((working, crashing), timeout=self._task.time, return_when=asyncio.FIRST_COMPLETED)
        if working in done and working.exception() is None:
            return working.result()
        working.cancel()
        if done:
            return Broken(cause=Failure.TOO_LARGE, detail="the page broke the browser: it wants too much memory")
        return Broken(cause=Failure.PROTOCOL, detail=f"its scripts take longer than {self._task.time:g} s; given up")

    async def _render(self, browser: Browser) -> Message:
        context = await browser.new_context(
            user_agent=self._task.agent,
            service_workers="block",
            accept_downloads=False,
            bypass_csp=True,
            viewport={"width": _WIDE, "height": _HIGH},
        )
        await self._fence(context)
        page = await context.new_page()
        context.on("page", _close)
        page.on("crash", lambda _: self._crashed.set())
        page.on("dialog", lambda dialog: asyncio.ensure_future(dialog.dismiss()))
        at_rest = await self._load(page)
        body = (await page.content()).encode("utf-8", "replace")
        if len(body) > self._task.most:
            return Broken(cause=Failure.TOO_LARGE, detail=f"its scripts made more than {self._task.most} bytes")
        picture = await self._picture(page) if self._task.screenshot else b""
        return Rendered(body=body, at_rest=at_rest, picture=picture)

    async def _picture(self, page: Page) -> bytes:
        """What it shows, from its top down to where a picture ends; empty: that cannot be had."""
        try:
            taken = await page.screenshot(
                full_page=True,
                clip={"x": 0, "y": 0, "width": _WIDE, "height": TALLEST},
                animations="disabled",
                timeout=self._task.settle * 1_000.0,
            )
            return await asyncio.to_thread(flatten, taken)
        except (PlaywrightError, ParseError):  # a page worth watching without a picture, too
            return b""

    async def _fence(self, context: BrowserContext) -> None:
        await context.route("**/*", self._route)
        await context.route_web_socket("**/*", lambda socket: socket.close())

    async def _load(self, page: Page) -> bool:
        """Whether it has come to rest."""
        settle = self._task.settle * 1_000.0
        try:
            await page.goto(self._task.url, wait_until="load", timeout=settle)
            await page.wait_for_load_state("networkidle", timeout=settle)
        except PlaywrightTimeout:
            return False
        return True

    async def _route(self, route: Route) -> None:
        with suppress(PlaywrightError):  # the page has gone on meanwhile
            if route.request.is_navigation_request():
                await self._give_document(route)
            elif self._is_wanted(route.request):
                await self._give(route, await self._ask(route.request.url))
            else:
                await route.abort("blockedbyclient")

    def _is_wanted(self, request: Request) -> bool:
        kind = request.resource_type
        return request.method == "GET" and (kind in _WANTED or (self._task.screenshot and kind in _SHOWN))

    async def _give_document(self, route: Route) -> None:
        """The document, once: a page that leads elsewhere, opens others or a download stays where it is."""
        if self._is_given:
            await route.abort("blockedbyclient")
            return
        self._is_given = True
        await route.fulfill(status=200, body=self._task.body, content_type=self._task.content_type)

    async def _give(self, route: Route, answer: Answer) -> None:
        if not answer.status:
            await route.abort("failed")
            return
        await route.fulfill(
            status=answer.status,
            body=answer.body,
            headers={"Content-Type": answer.content_type, "Access-Control-Allow-Origin": "*"},
        )

    async def _ask(self, url: str) -> Answer:
        number = next(self._numbers)
        waiting: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[number] = waiting
        await send(self._writer, Ask(number=number, url=url))
        return await waiting

    async def _hear(self) -> None:
        with suppress(EOFError):
            while True:
                answer = await receive(self._reader)
                if isinstance(answer, Answer) and (waiting := self._waiting.pop(answer.number, None)) is not None:
                    waiting.set_result(answer)
        os._exit(1)  # nobody waits for the page any more


async def _close(page: Page) -> None:
    with suppress(PlaywrightError):
        await page.close()


async def _main() -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, sys.stdout.buffer)
    writer = asyncio.StreamWriter(transport, protocol, None, loop)
    task = await receive(reader)
    assert isinstance(task, Task)
    await Rendering(task, reader, writer).run()


if __name__ == "__main__":
    asyncio.run(_main())
