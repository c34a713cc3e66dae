"""The pictures of the pages in README, tutorials and how-tos, made again by one command: ``make pictures``.

The small webs of ``afresh demo``, real processes and a real browser; each picture has few colours, so that its file is
small. A day of the demo is a minute: it is watched for some of them before it is looked at.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Error, Page, sync_playwright

from tests.fakes.browsing import ARGUMENTS
from tests.fakes.ending import end_program
from tests.fakes.shop import Terminal, until
from tests.tools import chromium, quiet_port

FIGURES = Path(__file__).parents[1] / "docs" / "figures"
DAYS = 2.6  # of the demo, a minute each, until its feeds have a rhythm
COLOURS = 128
WIDTH = 1_280
QUERY = 'CREATE FEED bridges TITLE "Bridges" AS RETURN ALL WHERE TITLE CONTAINS "bridge" OR TITLE CONTAINS "ferry"'
NOTICE = {"topic": "broken", "target": "https://example.org/hook"}


@contextmanager
def program(*words: str, line: str) -> Iterator[list[str]]:
    """``afresh`` with these words while the block runs; the words it has said up to and with this line."""
    command = [sys.executable, "-u", "-m", "afresh", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        said: list[str] = []
        try:
            while line not in " ".join(said):
                read = process.stdout.readline()
                assert read, said
                said += read.split()
            yield said
        finally:
            end_program(process)


def take(page: Page, address: str, name: str, height: int) -> None:
    """The upper part of a page, so many pixels of it and no more than there are, as a small file."""
    page.set_viewport_size({"width": WIDTH, "height": height})
    answer = page.goto(address)
    assert answer is not None
    assert answer.ok, f"{address}: {answer.status}"
    page.wait_for_load_state("networkidle")  # plots in view have their data
    page.wait_for_timeout(500)
    foot = page.locator("footer").bounding_box()
    assert foot is not None
    shot = Image.open(BytesIO(page.screenshot())).convert("RGB").crop((0, 0, WIDTH, min(height, int(foot["y"]))))
    few = shot.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(FIGURES / f"{name}.png", optimize=True)


def feeds(page: Page) -> None:
    """A daemon on the demo's web: overview, one feed, entries, sites, a query feed, notices, the lab, Add."""
    with program("demo", "--port", "0", line="pages at http") as said:
        home = said[-1].rstrip("/")
        until(lambda: _answers(page, home))
        assert page.request.post(f"{home}/api/v1/queries", data={"query": QUERY}).ok
        time.sleep(60 * DAYS)
        sport = next(one for one in _items(page, f"{home}/api/v1/resources?q=sport") if "sport" in one["url"])
        take(page, f"{home}/", "overview", 1_100)
        take(page, f"{home}/feeds/{sport['id']}", "feed", 1_560)
        take(page, f"{home}/entries", "entries", 480)
        take(page, f"{home}/sites", "sites", 480)
        take(page, f"{home}/queries/bridges", "query-feed", 620)
        take(page, f"{home}/lab", "lab", 560)
        take(page, f"{home}/import", "add", 720)
        # At the end: nobody answers there, and every page would say so.
        assert page.request.post(f"{home}/api/v1/notices", data=NOTICE).ok
        take(page, f"{home}/notices", "notices", 420)


def links(page: Page, town: str) -> None:
    """Nine bookmarks, saved, and looked at again after some years: the list, one link, what waits for a rating."""
    with TemporaryDirectory() as folder:
        terminal, file = Terminal(Path(folder)), Path(folder) / "bookmarks.html"
        file.write_bytes(page.request.get(f"{town}/bookmarks.html").body())
        terminal.run("check", "--save", "--watch", str(file))
        page.request.get(f"{town}/years-pass")
        terminal.run("check", "--save", "--watch", "--find-moved", str(file), ends_with=1)
        with terminal.daemon() as home:
            until(lambda: _answers(page, home))
            bread = next(one for one in _items(page, f"{home}/api/v1/links") if "bread" in one["url"])
            take(page, f"{home}/links", "links", 820)
            take(page, f"{home}/links/{bread['id']}", "link", 640)
            take(page, f"{home}/learning", "learning", 760)


def frontier(page: Page, seed: str) -> None:
    """A frontier with two fetchers at work."""
    with TemporaryDirectory() as folder:
        port = quiet_port()
        place = ("--port", str(port), "--store", f"{folder}/frontier.db", "--seed", seed)
        home = f"http://127.0.0.1:{port}"
        with program("--set", "frontier.allow_private=true", "serve", *place, line="seeds:"):
            page.request.put(f"{home}/api/v1/settings", data={"default_crawl_delay": 1, "url_amount": 10})
            terminal = Terminal(Path(folder))
            for name in ("one", "two"):
                state = ("--state", f"{folder}/{name}.json", "--for", "12s")
                terminal.run("fetch", "--from", home, "--name", name, "--email", "you@example.org", *state)
            take(page, f"{home}/fetchers", "frontier", 1_330)


def _answers(page: Page, home: str) -> bool:
    with suppress(Error):  # not yet
        return page.request.get(f"{home}/api/v1/health").ok
    return False


def _items(page: Page, address: str) -> Any:
    return json.loads(page.request.get(address).text())["items"]


def make(browser: Browser) -> None:
    page = browser.new_page(viewport={"width": WIDTH, "height": 900}, reduced_motion="reduce")
    with program("demo", "--web-only", "--port", str(quiet_port()), line="begin") as said:
        town = next(word for word in said if word.endswith("/bookmarks.html")).removesuffix("/bookmarks.html")
        links(page, town)
        frontier(page, town.replace("127.0.0.1", "herald.localhost").replace(_port(town), str(int(_port(town)) - 1)))
    feeds(page)


def _port(address: str) -> str:
    return address.rpartition(":")[2]


if __name__ == "__main__":
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        make(launched)
        launched.close()
    sys.stdout.write(f"written to {FIGURES}\n")
