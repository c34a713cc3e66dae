"""Pages made by scripts, rendered by a real browser: what it brings, and what it may not do."""

import asyncio
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import uvloop
from aiohttp import web

from afresh.base.models import Failed, Failure, Fetched, Outcome, Rejected, Request
from afresh.base.settings import Settings
from afresh.base.settings.sections import BrowserSettings, FetchSettings, PolitenessSettings
from afresh.engine.fetching import make_gate
from afresh.http import rendering
from afresh.parse.pictures import read_png, write_png
from tests.tools import chromium

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

MADE = "<title>shop</title><p id=x>nothing</p><script src=/made.js></script>"
SCRIPT = "fetch('/data').then(a => a.text()).then(text => { x.textContent = 'made of ' + text })"
FENCED = """<p id=x></p><script>
  window.open('/popup');
  new WebSocket('ws://' + location.host + '/socket');
  navigator.sendBeacon('/beacon', 'x');
  fetch('/written', {method: 'POST', body: 'x'}).catch(() => {});
  navigator.serviceWorker?.register('/worker.js').catch(() => {});
  const link = document.createElement('a'); link.href = '/file.zip'; link.download = 'file.zip'; link.click();
  const frame = document.createElement('iframe'); frame.src = '/frame'; document.body.append(frame);
  const picture = new Image(); picture.src = '/picture.png';
  Promise.allSettled(['http://PRIVATE/', 'http://10.1.2.3/', 'file:///etc/passwd'].map(url => fetch(url)))
    .then(all => { x.textContent = all.map(one => one.status).join(' ') });
</script>"""
RESTLESS = """<p id=x>0</p><script>
  let n = 0; setInterval(() => fetch('/data?' + ++n).then(() => { x.textContent = 'asked' }), 50)
</script>"""
#: Never comes to rest: a page that asks for nothing any more is taken as it is, however much it will want later.
#: No more than 800 MB, however late somebody looks at it.
GREEDY = """<script>
  const kept = [];
  for (;;) if (kept.length < 80) kept.push(new Uint8Array(1e7).fill(1))
</script>"""
PICTURED = """<title>shop</title><body style="margin:0"><img src=/red.png width=100 height=100 style="display:block">
<p style="margin-top:7000px">far below</p>"""
ENDLESS = "<script>for (;;);</script>"

RED = np.array((200, 20, 30), dtype=np.uint8)

Loop = Callable[[], asyncio.AbstractEventLoop] | None  # the daemon has another than most tests


class _Web:
    """A small server on loopback; ``asked`` holds what it was asked for."""

    def __init__(self, page: str, *, content_type: str = "text/html", status: int = 200) -> None:
        self.page, self.content_type, self.status = page, content_type, status
        self.asked: list[str] = []

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.asked.append(request.path)
        if request.path == "/robots.txt":
            return web.Response(text="User-agent: *\nDisallow: /private\n")
        if request.path == "/made.js":
            return web.Response(text=SCRIPT, content_type="text/javascript")
        if request.path == "/data":
            return web.Response(text="data")
        if request.path == "/red.png":
            return web.Response(body=write_png(np.full((1, 1, 3), RED, dtype=np.uint8)), content_type="image/png")
        if request.headers.get("If-None-Match"):
            return web.Response(status=304)
        here = f"127.0.0.2:{request.url.port}"
        return web.Response(text=self.page.replace("PRIVATE", here), content_type=self.content_type, status=self.status)


def visited(served: _Web, *, path: str = "/", loop: Loop = None, screenshot: bool = False, **limits: float) -> Outcome:
    """What a visit with a browser brings."""
    chromium()

    async def go() -> Outcome:
        runner = web.ServerRunner(web.Server(served.answer))
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        settings = Settings(
            fetch=FetchSettings(allowed_networks=("127.0.0.1/32",)),
            politeness=PolitenessSettings(delay=0.0, load_factor=0.0),
            browser=BrowserSettings(**{"time": 120.0, "settle": 40.0, **limits}),  # type: ignore[arg-type]
        )
        gate = make_gate(settings)
        try:
            url = f"http://127.0.0.1:{runner.addresses[0][1]}{path}"
            request = Request(url=url, etag='"known"', is_crawl=True, render=True, screenshot=screenshot)
            return await gate.fetch(request)
        finally:
            await gate.close()
            await runner.cleanup()

    if loop is None:
        return asyncio.run(go())
    with asyncio.Runner(loop_factory=loop) as runner:
        return runner.run(go())


def test_a_page_gets_nothing_that_robots_forbids() -> None:
    served = _Web("""<p id=x></p><script>
      fetch('/private/data').catch(() => fetch('/data')).then(a => a.text()).then(text => { x.textContent = text })
    </script>""")
    outcome = visited(served)
    assert isinstance(outcome, Fetched)
    assert served.asked == ["/robots.txt", "/", "/data"]
    assert b">data</p>" in outcome.body
    assert outcome.trip.requests == 2, "what was not asked for is not counted"


@pytest.mark.parametrize("loop", [None, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def test_the_document_is_what_its_scripts_have_made_and_counts_what_they_asked_for(loop: Loop) -> None:
    served = _Web(MADE)
    outcome = visited(served, loop=loop)
    assert isinstance(outcome, Fetched), outcome
    assert b"made of data" in outcome.body
    assert outcome.trip.headers["content-type"] == "text/html; charset=utf-8"
    assert (outcome.trip.requests, outcome.picture) == (3, b"")
    assert served.asked == ["/robots.txt", "/", "/made.js", "/data"]


def test_a_page_reaches_only_what_it_is_made_of() -> None:
    """No private address, popup, download, frame, picture, socket, worker, beacon; nothing is written anywhere."""
    served = _Web(FENCED)
    outcome = visited(served)
    assert isinstance(outcome, Fetched), outcome
    assert b"rejected rejected rejected" in outcome.body
    assert served.asked == ["/robots.txt", "/"]


def test_a_page_that_never_comes_to_rest_is_taken_as_it_is_within_its_requests() -> None:
    served = _Web(RESTLESS)
    outcome = visited(served, settle=8.0, requests=5)
    assert isinstance(outcome, Fetched), outcome
    assert b"asked" in outcome.body
    assert served.asked.count("/data") == 5


def test_a_picture_shows_what_the_page_shows_down_to_where_pictures_end() -> None:
    served = _Web(PICTURED)
    outcome = visited(served, screenshot=True)
    assert isinstance(outcome, Fetched), outcome
    pixels = read_png(outcome.picture)
    assert pixels.shape == (6_000, 1_200, 3)
    assert (pixels[:100, :100] == RED).all()
    assert (pixels[100:, :] == 255).all()
    assert served.asked == ["/robots.txt", "/", "/red.png"]
    assert outcome.trip.requests == 2


def test_a_picture_of_a_short_page_is_as_high_as_a_window() -> None:
    outcome = visited(_Web(MADE), screenshot=True)
    assert isinstance(outcome, Fetched), outcome
    assert b"made of data" in outcome.body
    assert read_png(outcome.picture).shape == (800, 1_200, 3)


def _commands() -> Iterator[bytes]:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            yield path.read_bytes()


@pytest.mark.parametrize(
    ("page", "limits", "cause", "words"),
    [
        pytest.param(GREEDY, {"memory": 500_000_000, "time": 120.0}, Failure.TOO_LARGE, "memory", id="greedy"),
        pytest.param(ENDLESS, {"time": 6.0}, Failure.PROTOCOL, "longer than 6 s", id="endless"),
    ],
)
def test_a_page_that_takes_too_much_ends_with_its_browser(
    page: str, limits: dict[str, float], cause: Failure, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory(prefix="r") as folder:  # a short name: the browser's sockets are in it
        monkeypatch.setattr(tempfile, "tempdir", folder)
        outcome = visited(_Web(page), **limits)
        assert not list(Path(folder).iterdir())
    assert isinstance(outcome, Failed), outcome
    assert outcome.cause is cause
    assert words in outcome.detail
    assert not [command for command in _commands() if folder.encode() in command]


@pytest.mark.parametrize(
    ("served", "kind"),
    [(_Web("%PDF-", content_type="application/pdf"), Fetched), (_Web("gone", status=404), Rejected)],
)
def test_what_is_no_page_needs_no_browser(served: _Web, kind: type[Outcome], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "_child", None)  # nothing could be started
    assert isinstance(visited(served), kind)


def test_what_robots_txt_forbids_is_not_rendered() -> None:
    outcome = visited(_Web(MADE), path="/private")
    assert isinstance(outcome, Failed)
    assert outcome.cause is Failure.ROBOTS


def test_without_the_extra_it_is_said_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "missing_browser", lambda: "pip install 'afresh[browser]'")
    served = _Web(MADE)
    outcome = visited(served)
    assert isinstance(outcome, Failed)
    assert outcome.cause is Failure.LATER
    assert "afresh[browser]" in outcome.detail
    assert served.asked == []
