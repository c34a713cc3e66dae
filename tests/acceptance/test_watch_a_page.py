"""A person adds a page, it changes, and the difference is seen: in the browser, the terminal, a webhook and a feed."""

import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, expect

from afresh.parse.pictures import read_png
from tests.fakes.browsing import FAULTS, LEAST_CONTRAST, open_page
from tests.fakes.shop import PATIENCE, Shop, Terminal, until

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ARTEFACTS = Path(__file__).parents[2] / "artefacts" / "screenshots"


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
            expect(page.get_by_text("One version is stored; it has not changed since.")).to_be_visible()
            shop.price, shop.more = "39.50 €", "<p>A free bulb comes with it.</p>"
            _look(page, complaints)  # without loading it again
            told = terminal.run("page", "diff", f"{site}/lamp")
            assert "- Price: 49.00 € with tax\n+ Price: 39.50 € with tax\n" in told
            assert "- Only a few are left.\n+ A free bulb comes with it.\n" in told
            until(lambda: shop.told)
            [event] = shop.told[0]["events"]
            assert "- Price: 49.00 € with tax\n+ Price: 39.50 € with tax" in event["detail"]
            feed = page.request.get(f"{home}/feeds/r/1.atom")
            [entry] = ElementTree.fromstring(feed.body()).findall("{*}entry")
            assert (entry.findtext("{*}title") or "").startswith("The lamp shop: Price: 49.00 → 39.50 € with tax")
            assert "<ins>39.50</ins>" in (entry.findtext("{*}content") or "")


def test_pictures_of_a_change_are_seen_beside_its_words(browser: Browser, tmp_path: Path) -> None:
    shop, terminal, file = Shop(), Terminal(tmp_path), tmp_path / "both.png"
    with shop.served() as site:
        terminal.run("add", "--kind", "page", f"{site}/lamp")
        with terminal.daemon() as home, browser.new_context(viewport={"width": 400, "height": 800}) as tab:
            until(lambda: shop.visits)
            page, complaints = open_page(tab, f"{home}/feeds/1")
            page.get_by_text("What of it is watched").click()
            page.get_by_label("and keep pictures of it").check()
            with page.expect_navigation():
                page.get_by_role("form", name="What is watched").get_by_role("button", name="Save").click()
            here = f"{home}/api/v1/resources/1"
            until(lambda: "screenshot" in page.request.get(f"{here}/why").json()["watched"][0])  # the daemon knows
            for price in ("49.00 €", "39.50 €"):
                shop.price = price
                _visit(page, shop)
                until(lambda: page.request.get(f"{here}/versions").json()["items"][0]["picture"])
            expect(page.locator("ins").get_by_text("39.50").first).to_be_visible(timeout=PATIENCE * 1_000)
            picture = page.get_by_alt_text("The parts of the page that look different")
            until(lambda: picture.evaluate("picture => picture.complete && picture.naturalWidth") == 2_416)
            assert page.evaluate("document.documentElement.scrollWidth") == 400
            assert page.evaluate(FAULTS) == []
            assert complaints == []
            _keep(page, "page-pictures-narrow.png")
            terminal.run("page", "diff", f"{site}/lamp", "--picture", str(file))
            assert read_png(file.read_bytes()).shape[1] == 2_416


def _visit(page: Page, shop: Shop) -> None:
    """One more, at once; a press while a visit is under way comes to nothing, and a person presses again."""
    before = shop.visits

    def is_made() -> bool:
        page.get_by_role("button", name="Visit now").click()
        return _within(5.0, lambda: shop.visits > before)

    until(is_made)


def _within(seconds: float, what: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.05)
    return what()


def _keep(page: Page, name: str) -> None:
    """For people to look at."""
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=ARTEFACTS / name, full_page=True)


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
    _keep(page, "page-changes.png")
