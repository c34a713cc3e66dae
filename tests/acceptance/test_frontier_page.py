"""The page of a frontier in a real browser: what a crawl operator sees and does there."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from afresh.store.frontier import open_frontier
from tests.fakes.browsing import FAULTS, LEAST_CONTRAST, open_page
from tests.fakes.frontier_door import NOW, FrontierDoor, totals
from tests.fakes.served import served

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.fixture
def door(tmp_path: Path) -> Iterator[FrontierDoor]:
    with ThreadPoolExecutor(1) as apart:  # the browser has an event loop in this thread
        made = apart.submit(crawled, tmp_path / "frontier.db").result(timeout=60)
    yield made
    made.store.close()


def crawled(path: Path) -> FrontierDoor:
    """Three pages are gone, three are out, the others wait."""
    made = FrontierDoor(store=open_frontier(str(path)))
    account = made.register("harbour")
    made.add(*[f"https://s{site}.example.org/a/rather/long/path/{page}" for site in range(30) for page in range(3)])
    given = made.lists(account["uuid"], amount=1)
    assert made.report(account["uuid"], given, result="not_found").status == 200
    made.lists(account["uuid"], amount=1)
    for step in range(20):
        made.frontier.lately.sample(totals(step, 90), NOW - 300 + 10 * step)
    return made


@pytest.fixture
def base(door: FrontierDoor) -> Iterator[str]:
    with served(door.app) as url:
        yield url


def test_an_operator_looks_adds_and_blocks(browser: Browser, base: str, door: FrontierDoor) -> None:
    with browser.new_context() as tab:
        page, complaints = open_page(tab, base + "/")
        expect(page.get_by_role("heading", level=1)).to_have_text("Frontier")
        expect(page.locator("figure[data-drawn]")).to_have_count(1)
        expect(
            page.get_by_text("its server says that it is not there: it is asked for once more").first
        ).to_be_visible()
        page.get_by_label("One a line").fill("# mine\nhttps://new.example.org/\nhttp://a..com/")
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.locator("#seeds output")).to_contain_text("1 new, 0 known before, 1 refused")
        expect(page.locator("#seeds output")).to_contain_text("'a..com' is no name of a host")
        page.get_by_label("One site").fill("new.example.org")
        page.get_by_role("button", name="Show").click()
        page.get_by_label("Block new.example.org for how long").select_option("for good")
        page.get_by_role("button", name="Block new.example.org").click()
        sites = page.get_by_role("table", name="Sites", exact=True)
        expect(sites.get_by_role("row").filter(has_text="new.example.org")).to_contain_text("blocked for good")
        site = door.store.site("new.example.org")
        assert site is not None
        assert site.blocked > NOW
        page.get_by_role("button", name="Unblock new.example.org").click()
        expect(page.get_by_role("button", name="Block new.example.org", exact=True)).to_be_visible()
        page.get_by_label("URL", exact=True).fill("https://new.example.org/")
        page.get_by_role("button", name="Look up").click()
        expect(page.get_by_text("it waits for its turn")).to_be_visible()
        page.get_by_role("button", name="Pause handing out").click()
        expect(page.get_by_text("paused: lists are empty")).to_be_visible()
        page.get_by_role("button", name="Hand out again").click()
        expect(page.get_by_text("handing out lists")).to_be_visible()
        assert complaints == []


def test_what_failed_is_chosen_by_reason(browser: Browser, base: str) -> None:
    with browser.new_context() as tab:
        page, complaints = open_page(tab, base + "/fetchers")
        reasons = page.get_by_role("navigation", name="For which reason")
        reasons.get_by_role("link", name="its server says that it is not there: 3").click()
        expect(reasons.locator("[aria-current]")).to_have_text("its server says that it is not there: 3")
        expect(page.locator("#live-failed tbody tr")).to_have_count(3)
        page.goto(base + "/fetchers?reason=refused")
        expect(page.locator("#live-failed")).to_contain_text("Nothing has failed for this reason")
        assert complaints == []


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (400, "light"), (400, "dark")])
def test_it_fits_and_can_be_read(browser: Browser, base: str, width: int, scheme: str) -> None:
    with browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme) as tab:  # type: ignore[arg-type]
        page, complaints = open_page(tab, base + "/fetchers?view=queue")
        page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
        expect(page.locator("figure[data-drawn]")).to_have_count(1)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(LEAST_CONTRAST) >= 4.5
        assert page.evaluate(FAULTS) == []
        assert "ago" not in page.locator("#live-sites").inner_text(), "what comes next does not lie behind"
        assert complaints == []


def test_a_phone_shows_it_folded(browser: Browser, base: str) -> None:
    """What was chosen, or has to be done first, is open."""
    with browser.new_context(viewport={"width": 400, "height": 900}) as tab:
        page, complaints = open_page(tab, base + "/fetchers")
        expect(page.locator("#fold-sites")).not_to_have_attribute("open", "")
        assert page.evaluate("document.documentElement.scrollHeight") < 1_200
        page.locator("#fold-sites > summary").click()
        page.get_by_role("link", name="Failing").click()
        expect(page.locator("#fold-sites")).to_have_attribute("open", "")
        expect(page.locator("#fold-failed")).not_to_have_attribute("open", "")
        page.goto(base + "/fetchers?url=https://s0.example.org/")
        expect(page.get_by_text("Not known here")).to_be_visible()
        assert complaints == []
