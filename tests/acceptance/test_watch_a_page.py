"""A person adds a page, it changes, and the difference is seen: in the browser, the terminal, a webhook and a feed."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.fakes.browsing import FAULTS, LEAST_CONTRAST, open_page
from tests.fakes.ending import end_program

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ARTEFACTS = Path(__file__).parents[2] / "artefacts" / "screenshots"
PATIENCE = 120.0  # seconds
SETTINGS = {
    "fetch.allowed_networks": "127.0.0.0/8;::1/128",
    "politeness.delay": "200ms",
    "notices.every": "500ms",
    "log.level": "error",
}
SHOP = """<title>The lamp shop</title><h1>Reading lamp</h1><p>A lamp of brass, with a shade of linen.</p>
<p>Price: <b>{price}</b> with tax</p>{more}<p>Delivery takes three days.</p><p>Open from nine to five.</p>"""


class Shop:
    """A page on loopback that changes on command, beside an address for webhooks."""

    def __init__(self) -> None:
        self.price, self.more = "49.00 €", "<p>Only a few are left.</p>"
        self.visits = 0
        self.told: list[dict[str, Any]] = []

    @contextmanager
    def served(self) -> Iterator[str]:
        shop = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                is_page = self.path == "/lamp"
                body = SHOP.format(price=shop.price, more=shop.more).encode() if is_page else b""
                shop.visits += is_page
                self._answer(200 if is_page else 404, body)

            def do_POST(self) -> None:
                shop.told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self._answer(204, b"")

            def _answer(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None: ...

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            server.server_close()
            thread.join(PATIENCE)


class Terminal:
    """``afresh`` as a person types it, over one store."""

    def __init__(self, folder: Path) -> None:
        self._words = [sys.executable, "-m", "afresh", "--store", str(folder / "watched.db")]
        self._words += [f"--set={name}={value}" for name, value in SETTINGS.items()]

    def run(self, *words: str) -> str:
        done = subprocess.run([*self._words, *words], capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextmanager
    def daemon(self) -> Iterator[str]:
        """The address of its pages."""
        pipe = subprocess.PIPE
        with subprocess.Popen([*self._words, "run", "--port", "0"], stderr=pipe, stdout=pipe, text=True) as process:
            try:
                assert process.stderr is not None
                line = process.stderr.readline()
                assert "watches" in line, line
                yield next(word for word in line.split() if word.startswith("http://")).rstrip("/")
            finally:
                end_program(process)


def until(what: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_change_is_seen_in_browser_terminal_webhook_and_feed(browser: Browser, tmp_path: Path) -> None:
    shop, terminal = Shop(), Terminal(tmp_path)
    with shop.served() as site:
        terminal.run("notice", "add", f"{site}/hook", "--pages")
        with terminal.daemon() as home, browser.new_context() as tab:
            page, complaints = open_page(tab, f"{home}/import")
            _add(page, f"{site}/lamp")
            until(lambda: shop.visits)
            page.goto(f"{home}/feeds/1")
            page.get_by_label("Pin to every").fill("1s")
            page.get_by_role("button", name="Pin").click()
            until(lambda: shop.visits > 2)
            shop.price, shop.more = "39.50 €", "<p>A free bulb comes with it.</p>"
            until(lambda: page.request.get(f"{home}/api/v1/resources/1/difference").ok)
            page.goto(f"{home}/feeds/1")
            _look(page, complaints)
            told = terminal.run("page", "diff", f"{site}/lamp")
            assert "- Price: 49.00 € with tax\n+ Price: 39.50 € with tax\n" in told
            assert "+ A free bulb comes with it.\n" in told
            until(lambda: shop.told)
            [event] = shop.told[0]["events"]
            assert "- Price: 49.00 € with tax\n+ Price: 39.50 € with tax" in event["detail"]
            feed = page.request.get(f"{home}/feeds/r/1.atom")
            [entry] = ElementTree.fromstring(feed.body()).findall("{*}entry")
            assert "The lamp shop: " in (entry.findtext("{*}title") or "")
            assert "<ins>39.50</ins>" in (entry.findtext("{*}content") or "")


def _add(page: Page, url: str) -> None:
    form = page.get_by_role("form", name="By address")
    form.get_by_label("Addresses, one a line").fill(url)
    form.get_by_label("Watch as").select_option("page")
    form.get_by_role("button", name="Watch").click()
    expect(form.get_by_text("added")).to_be_visible(timeout=PATIENCE * 1_000)


def _look(page: Page, complaints: list[str]) -> None:
    """What a person sees of the change, and that it can be read."""
    difference = page.get_by_role("region", name="Difference", exact=True)
    expect(difference.get_by_text("39.50")).to_be_visible(timeout=PATIENCE * 1_000)
    expect(difference.locator("del").get_by_text("49.00")).to_be_visible()
    expect(difference).to_contain_text("A free bulb comes with it.")
    page.get_by_text("Side by side").click()
    expect(page.get_by_role("region", name="Side by side")).to_be_visible()
    assert page.evaluate(FAULTS) == []
    assert page.evaluate(LEAST_CONTRAST) >= 4.5
    assert complaints == []
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    page.get_by_role("region", name="What changed").screenshot(path=ARTEFACTS / "page-changes.png")
