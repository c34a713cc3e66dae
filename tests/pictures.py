"""The pictures of the how-to of watched pages, made again by one command: ``make pictures``.

A shop on loopback, the real daemon, a real browser: a person adds a page, it changes, and what each place shows of it
is written to ``docs/figures``.
"""

import json
import re
import sys
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright
from rich.console import Console
from rich.text import Text

from tests.fakes.browsing import ARGUMENTS
from tests.fakes.shop import Shop, Terminal, until
from tests.tools import chromium

FIGURES = Path(__file__).parents[1] / "docs" / "figures"
SHOWN = "http://shop.example"  # in place of an address that nobody can visit
#: What a reader of feeds makes of an entry: its title, when it was found, its content.
READER = """<style>body { font: 16px sans-serif; margin: 24px; width: 640px } nav { color: #666 } h1 { font-size: 20px }
ins { background: #d8f0e4; text-decoration: none } del { background: #fbe0dc } del + ins { margin-left: 4px }
time { color: #666; font-size: 14px }</style>"""


def make(browser: Browser) -> None:
    with TemporaryDirectory() as folder:
        shop, terminal = Shop(), Terminal(Path(folder))
        with shop.served() as site:
            terminal.run("add", "--kind", "page", f"{site}/lamp", "--tag", "prices", "--screenshot")
            terminal.run("notice", "add", f"{site}/hook", "--pages")
            with terminal.daemon() as home:
                page = browser.new_page(viewport={"width": 1_000, "height": 800}, device_scale_factor=1.5)
                page.goto(f"{home}/feeds/1")
                until(lambda: page.request.get(f"{home}/api/v1/resources/1/versions").json()["items"])
                shop.price, shop.more = "39.50 €", "<p>A free bulb comes with it.</p>"
                page.get_by_role("button", name="Visit now").click()
                until(lambda: shop.told)
                _browser(page, home)
                _feed_reader(browser, page.request.get(f"{home}/feeds/r/1.json").json())
                _terminal(terminal, site)
                _webhook(shop, site)


def _browser(page: Page, home: str) -> None:
    page.goto(f"{home}/feeds/1")
    page.get_by_text("Side by side").click()
    picture = page.get_by_alt_text("The parts of the page that look different")
    picture.scroll_into_view_if_needed()
    until(lambda: picture.evaluate("picture => picture.complete && picture.naturalWidth > 0"))
    page.get_by_role("region", name="What changed").screenshot(path=FIGURES / "page-changes.png")


def _feed_reader(browser: Browser, feed: Any) -> None:
    [entry] = feed["items"]
    at = entry["date_published"].replace("T", " ")[:16]
    page = browser.new_page(viewport={"width": 700, "height": 250}, device_scale_factor=1.5)
    page.set_content(
        f"{READER}<nav>Feeds › The lamp shop</nav><h1>{entry['title']}</h1><time>{at}</time>{entry['content_html']}"
    )
    page.screenshot(path=FIGURES / "page-changes-reader.png")


def _terminal(terminal: Terminal, site: str) -> None:
    words = ("page", "diff", f"{site}/lamp")
    shown = terminal.run(*words, FORCE_COLOR="1", COLUMNS="100").replace(site, SHOWN)
    draw(f"$ afresh {' '.join(words).replace(site, SHOWN)}\n{shown}", "page-changes-terminal.svg")


def _webhook(shop: Shop, site: str) -> None:
    told = json.dumps(shop.told[0], indent=2, ensure_ascii=False).replace(site, SHOWN)
    draw(f"POST /hook\n{told}", "page-changes-webhook.svg")


def draw(text: str, name: str) -> None:
    """What a terminal shows, as a picture."""
    console = Console(record=True, width=100, file=StringIO(), force_terminal=True)
    console.print(Text.from_ansi(text))
    drawn = re.sub(r"@font-face \{.*?\}", "", console.export_svg(title="", unique_id="afresh"), flags=re.DOTALL)
    (FIGURES / name).write_text(drawn, encoding="utf-8")  # whoever reads it has a font


if __name__ == "__main__":
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        make(launched)
        launched.close()
    sys.stdout.write(f"written to {FIGURES}\n")
