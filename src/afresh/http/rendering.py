"""Pages made by scripts: a client that lets a browser run them.

The document is asked for as every other, hop by hop through the gate. Then a browser in a process of its own is given
that document; what the page wants besides is fetched here, by the same client and through the same gate, as a part of
the page: the same limits, the same guard of addresses, nothing forbidden, and no other way out. Each visit has a
browser to itself, which is ended with it.
"""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from afresh.base.child_process import command_of
from afresh.base.errors import FetchError
from afresh.base.models import Failed, Failure, Fetched, Outcome, Rejected, Request, Trip
from afresh.base.settings.sections import BrowserSettings, FetchSettings
from afresh.http.browser import browser_program, missing_browser
from afresh.http.browser_messages import Answer, Ask, Broken, Ready, Rendered, Task, receive, send
from afresh.http.hop import Client, Hop
from afresh.http.location import locate
from afresh.http.process_tree import are_gone, end_family, family, held_bytes

if TYPE_CHECKING:
    from afresh.base.protocols import Clock

_START = 90.0  # seconds a browser may take until it is there; a busy machine is no fault of the page
_GRACE = 15.0  # seconds more than the page's own time until its process is ended from outside
_LOOK = 0.1  # seconds between two looks at its memory
_BLINK = 0.01  # seconds between two looks whether it has ended
_QUEUE = 60.0  # seconds that a page waits for a browser, and then until another try
_WAIT = 3_600.0  # seconds until another try where there is no browser
_TYPES = ("text/html", "application/xhtml+xml")
_PART = 4_000_000  # bytes of one thing a page loads, at most
_DROPPED = ("etag", "last-modified", "content-type", "content-length", "content-encoding")


@dataclass(slots=True)
class _Visit:
    """What a page may still ask for, and what it has cost."""

    hop: Hop | None  # that of its parts
    asked: int = 0
    requests: int = 0  # that left for it
    bytes: int = 0
    is_late: bool = False
    turns: dict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))


class RenderingClient:
    """A client (``http.hop.Client``) that renders what is to be rendered, and hands everything else on."""

    def __init__(self, client: Client, settings: BrowserSettings, fetch: FetchSettings, *, clock: Clock) -> None:
        self._client, self._settings, self._fetch, self._clock = client, settings, fetch, clock
        self._slots = asyncio.Semaphore(settings.at_once)

    async def fetch(self, request: Request, *, hop: Hop | None = None) -> Outcome:
        """Carries out the request; a document that is no page comes as it is."""
        if not request.render:
            return await self._client.fetch(request, hop=hop)
        if missing := missing_browser():
            return self._not_asked(request, missing, _WAIT)
        try:  # before the site is asked: its turn and its lease do not last for ever
            await asyncio.wait_for(self._slots.acquire(), _QUEUE)
        except TimeoutError:
            return self._not_asked(request, "all browsers are busy; browser.at_once says how many there are", _QUEUE)
        try:
            return await self._visit(request, hop)
        finally:
            self._slots.release()

    async def close(self) -> None:
        await self._client.close()

    async def _visit(self, request: Request, hop: Hop | None) -> Outcome:
        # Of what the scripts load a server that says "not modified" knows nothing.
        outcome = await self._client.fetch(replace(request, etag="", last_modified=""), hop=hop)
        if not isinstance(outcome, Fetched) or not _is_page(outcome):
            return outcome
        visit = _Visit(None if hop is None else partial(hop, is_part=True))
        ended = await self._render(outcome, visit, screenshot=request.screenshot)
        trip = self._trip(outcome.trip, visit)
        if isinstance(ended, Rendered):
            headers = {name: value for name, value in trip.headers.items() if name not in _DROPPED}
            trip = replace(trip, headers={**headers, "content-type": "text/html; charset=utf-8"})
            return replace(outcome, trip=trip, body=ended.body, picture=ended.picture)
        wait = _WAIT if ended.cause == Failure.LATER else None
        return Failed(trip=trip, cause=Failure(ended.cause), detail=ended.detail, retry_after=wait)

    # --- one page -----------------------------------------------------------------------------------------------------

    async def _render(self, page: Fetched, visit: _Visit, *, screenshot: bool) -> Rendered | Broken:
        try:
            return await self._render_apart(self._task(page, screenshot=screenshot), visit)
        except OSError as error:  # no process, no folder: for want of our own means
            return Broken(cause=Failure.LATER, detail=f"the browser does not start: {error}")

    async def _render_apart(self, task: Task, visit: _Visit) -> Rendered | Broken:
        async with _child() as process:
            conversing = asyncio.create_task(self._converse(process, task, visit))
            watching = asyncio.create_task(self._outgrow_memory(process.pid))
            try:
                await asyncio.wait((conversing, watching), return_when=asyncio.FIRST_COMPLETED)
                if not conversing.done():
                    words = f"the page wants more than {self._settings.memory // 10**6} MB of memory"
                    return Broken(cause=Failure.TOO_LARGE, detail=words)
                return conversing.result()
            except (EOFError, TimeoutError, OSError):
                words = (
                    "the browser does not answer" if visit.is_late else "the browser ended before the page was ready"
                )
                return Broken(cause=Failure.PROTOCOL, detail=words)
            finally:
                conversing.cancel()
                watching.cancel()

    async def _converse(self, process: asyncio.subprocess.Process, task: Task, visit: _Visit) -> Rendered | Broken:
        assert process.stdin is not None
        assert process.stdout is not None
        await send(process.stdin, task)
        parts: set[asyncio.Task[None]] = set()
        try:
            async with asyncio.timeout(_START) as limit:
                while True:
                    message = await receive(process.stdout)
                    if isinstance(message, Ready):
                        limit.reschedule(asyncio.get_running_loop().time() + self._settings.time + _GRACE)
                    elif isinstance(message, Ask):
                        part = asyncio.create_task(self._bring(process.stdin, message, visit))
                        parts.add(part)
                        part.add_done_callback(parts.discard)
                    elif isinstance(message, Rendered | Broken):
                        return message
        except TimeoutError:
            visit.is_late = True
            raise
        finally:
            for part in parts:
                part.cancel()

    def _task(self, page: Fetched, *, screenshot: bool) -> Task:
        settings = self._settings
        return Task(
            url=page.trip.final_url,
            body=page.body,
            content_type=page.trip.headers.get("content-type", "text/html"),
            agent=self._fetch.user_agent,
            program=browser_program(settings.program),
            time=settings.time,
            settle=min(settings.settle, settings.time / 3),
            heap=settings.memory // 2,
            most=self._fetch.max_decoded_bytes,
            screenshot=screenshot,
        )

    async def _bring(self, writer: asyncio.StreamWriter, ask: Ask, visit: _Visit) -> None:
        answer = await self._part(ask, visit)
        with suppress(OSError):  # it has ended
            await send(writer, answer)

    async def _part(self, ask: Ask, visit: _Visit) -> Answer:
        """What the page wants, one after the other from each host, as long as it has not asked for too much."""
        nothing = Answer(number=ask.number)
        if not ask.url.startswith(("https://", "http://")):
            return nothing
        async with visit.turns[_host(ask.url)]:
            if visit.asked >= self._settings.requests or visit.bytes >= self._settings.max_bytes:
                return nothing
            visit.asked += 1
            outcome = await self._client.fetch(Request(url=ask.url), hop=visit.hop)
        visit.requests += outcome.trip.requests
        visit.bytes += outcome.trip.bytes
        if isinstance(outcome, Rejected):
            return Answer(number=ask.number, status=outcome.status)
        if not isinstance(outcome, Fetched) or len(outcome.body) > _PART:
            return nothing
        kind = outcome.trip.headers.get("content-type", "")
        return Answer(number=ask.number, status=outcome.status, content_type=kind, body=outcome.body)

    async def _outgrow_memory(self, pid: int) -> None:
        """Returns when a process and what it has started hold too much."""
        while await asyncio.to_thread(_holds, pid) <= self._settings.memory:
            await asyncio.sleep(_LOOK)

    # --- outcomes -----------------------------------------------------------------------------------------------------

    def _trip(self, trip: Trip, visit: _Visit) -> Trip:
        """With all that was asked for. What the browser took is no slowness of the server's."""
        now = self._clock.now()
        return replace(
            trip,
            started=now - (trip.finished - trip.started),
            finished=now,
            requests=trip.requests + visit.requests,
            bytes=trip.bytes + visit.bytes,
        )

    def _not_asked(self, request: Request, why: str, wait: float) -> Failed:
        now = self._clock.now()
        trip = Trip(url=request.url, final_url=request.url, started=now, finished=now, requests=0)
        return Failed(trip=trip, cause=Failure.LATER, detail=why, retry_after=wait)


@asynccontextmanager
async def _child() -> AsyncIterator[asyncio.subprocess.Process]:
    """A process with a browser, and a folder for whatever it writes; both are gone afterwards."""
    with TemporaryDirectory(prefix="afresh-browser-", ignore_cleanup_errors=True) as folder:
        process = await asyncio.create_subprocess_exec(
            *command_of("afresh.http.browser_child"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**_environment(), "TMPDIR": folder},
            start_new_session=True,  # an interrupt from the keyboard is ours to act on
        )
        try:
            yield process
        finally:
            ended = end_family(process.pid)
            await process.wait()
            with suppress(TimeoutError):
                await asyncio.wait_for(_clear_away(ended), _GRACE)


async def _clear_away(pids: list[int]) -> None:
    """Until then they may write into their folder."""
    while not are_gone(pids):
        await asyncio.sleep(_BLINK)


def _environment() -> dict[str, str]:
    """Without our own settings: some are secrets."""
    return {name: value for name, value in os.environ.items() if not name.startswith("AFRESH_")}


def _holds(pid: int) -> int:
    return held_bytes(family(pid))


def _host(url: str) -> str:
    try:
        return locate(url).host
    except FetchError:
        return ""


def _is_page(outcome: Fetched) -> bool:
    return outcome.trip.headers.get("content-type", "text/html").partition(";")[0].strip().lower() in _TYPES
