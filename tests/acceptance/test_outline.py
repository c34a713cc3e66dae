"""A part of a page is chosen in its outline, in a real browser, with the mouse and with the keyboard."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from afresh.base.records.watches import USUAL
from afresh.doors.rest import create_app
from afresh.engine.watch_pages import page_scope, watch_of
from afresh.store import open_store
from tests.fakes.browsing import FAULTS, LEAST_CONTRAST, open_page
from tests.fakes.served import served
from tests.fakes.service_context import FakeContext
from tests.fakes.watched import WatchedPages

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

PAGE = """<title>Shop</title><main><h1>Chairs</h1><div id=price><p>10 euros</p></div>
<section class=news><p>One &lt;b&gt; more</p><p>Another</p></section></main>"""


@pytest.fixture
def context(tmp_path: Path) -> Iterator[FakeContext]:
    url = str(tmp_path / "afresh.db")
    store = open_store(url)
    pages = WatchedPages(store)
    pages.visit(pages.add("http://shop.example/"), PAGE)
    yield FakeContext(store, store_url=url)
    store.close()


def test_a_part_is_chosen_in_the_outline(browser: Browser, context: FakeContext) -> None:
    with served(create_app(context)) as base, browser.new_context() as tab:
        page, complaints = open_page(tab, base + "/feeds/1")
        page.get_by_text("What of it is watched").click()
        page.get_by_text("Choose parts in the outline").click()
        price = page.get_by_role("button", name="2 words 10 euros")
        price.click()
        expect(page.get_by_label("Only these parts")).to_have_value("#price")
        expect(price).to_have_attribute("aria-pressed", "true")
        news = page.get_by_role("button", name="section, 4 words One <b> more")
        news.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_label("Only these parts")).to_have_value("#price, .news")
        page.keyboard.press("Space")
        expect(page.get_by_label("Only these parts")).to_have_value("#price")
        assert page.evaluate(FAULTS) == []
        assert page.evaluate(LEAST_CONTRAST) >= 4.5
        assert watch_of(context.store, page_scope(1)) == USUAL  # nothing is saved yet
        with page.expect_navigation():
            page.get_by_role("form", name="What is watched").get_by_role("button", name="Save").click()
        assert watch_of(context.store, page_scope(1)).css == ("#price",)
        expect(page.get_by_text("What of it is watched: css: #price")).to_be_visible()
        assert complaints == []


def test_a_part_that_changes_always_is_counted_and_left_out_again(browser: Browser, context: FakeContext) -> None:
    pages = WatchedPages(context.store)
    number = pages.add("http://club.example/")
    for visit in range(9):
        pages.see(number, "Members", f"{1_000 + visit} visitors", "Imprint")
    restless = "the line between “Members” and “Imprint” changes at every visit"
    with served(create_app(context)) as base, browser.new_context() as tab:
        page, complaints = open_page(tab, f"{base}/feeds/{number}")
        expect(page.get_by_text(f"{restless} and is left out.")).to_be_visible()
        with page.expect_navigation():
            page.get_by_role("button", name="Count it, too").click()
        expect(page.get_by_text(f"{restless}.", exact=True)).to_be_visible()
        assert watch_of(context.store, page_scope(number)).everything
        with page.expect_navigation():
            page.get_by_role("button", name="Leave it out").click()
        expect(page.get_by_role("button", name="Count it, too")).to_be_visible()
        assert watch_of(context.store, page_scope(number)) == USUAL
        assert page.evaluate(FAULTS) == []
        assert page.evaluate(LEAST_CONTRAST) >= 4.5
        assert complaints == []
    # what is watched counts from the next visit on
    assert pages.see(number, "Members", "1,009 visitors", "Imprint") == []
