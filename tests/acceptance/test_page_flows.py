"""What people do on the pages, in a real browser: search, change a feed, try a query, act on many links; and axe."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from afresh.base.models import Kind, NewResource, Result
from afresh.base.records.links import Check, CheckRecord, CheckStatus, LinkState, Standing
from afresh.base.records.notices import NewNotice, Topic
from afresh.doors.pages.rendering import MORE_PLACES, PLACES
from afresh.doors.rest import create_app
from afresh.store import open_store
from tests.fakes.browsing import open_page
from tests.fakes.served import served
from tests.fakes.service_context import NOW, FakeContext, visit, watch

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]
LINKS = 12


@pytest.fixture
def context(tmp_path: Path) -> Iterator[FakeContext]:
    """Two feeds, one of them failing, a page, and links, half of which have moved."""
    path = tmp_path / "afresh.db"
    store = open_store(str(path))
    watch(store, "https://alpha.example/feed.xml", title="Alpha news", folder="news", tags=("daily",))
    visit(store, titles=["Solar power", "Wind power"], links=["https://alpha.example/1", "https://alpha.example/2"])
    watch(store, "https://beta.example/feed.xml", title="Beta")
    visit(store, result=Result.HTTP_ERROR, error="500 from the server", due=NOW + 7200)
    new = [
        NewResource(
            url="https://shop.example/prices", site="shop.example", title="Prices", kind=Kind.PAGE, due=NOW + 60
        )
    ]
    new += [
        NewResource(
            url=f"https://links{n}.example/a/rather/long/address/of/an/article/that/must/wrap-{n}.html",
            site=f"links{n}.example",
            title=f"Bookmark {n}",
            kind=Kind.LINK,
            folder="recipes/bread" if n % 2 else "recipes",
            due=NOW + 600,
        )
        for n in range(LINKS)
    ]
    numbers = [added.id for added in store.add(new, now=NOW)][1:]
    for number in numbers[: LINKS // 2]:
        moved = LinkState(
            standing=Standing.MOVED, status=CheckStatus.EQUAL, new_url=f"https://moved.example/{number}", checked=NOW
        )
        check = Check(url="", at=NOW, status=CheckStatus.EQUAL)
        store.links.record_checks([CheckRecord(resource=number, check=check, state=moved)])
    yield FakeContext(store, store_url=str(path))
    store.close()


@pytest.fixture
def base(context: FakeContext) -> Iterator[str]:
    with served(create_app(context)) as url:
        yield url


def test_a_word_is_found_from_any_page(browser: Browser, base: str) -> None:
    with browser.new_context() as tab:
        page, complaints = open_page(tab, base + "/settings")
        page.keyboard.press("/")
        page.keyboard.type("power")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_contain_text("power")
        entries = page.get_by_role("region", name="Entries")
        expect(entries.get_by_role("listitem")).to_have_count(2)
        entries.get_by_role("link", name="Details of Solar power").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Solar power")
        page.get_by_role("button", name="Relevant: Solar power", exact=True).click()
        expect(page.get_by_text("Noted")).to_be_visible()
        expect(page.get_by_role("button", name="Relevant: Solar power", exact=True)).to_be_disabled()
        assert complaints == []


def test_buttons_stand_below_a_cell_that_is_empty(browser: Browser, context: FakeContext, base: str) -> None:
    """On a phone each cell of a row has a line of its own, with its name before it."""
    new = NewNotice(topic=Topic.ENTRIES, target="https://example.org/hook")
    context.store.notices.add_notice(new, cursor=0.0, now=NOW)
    with browser.new_context(viewport={"width": 400, "height": 800}) as tab:
        page, complaints = open_page(tab, base + "/notices")
        trouble = page.locator("td[data-label=Trouble]").bounding_box()
        button = page.get_by_role("button", name="Test notice 1").bounding_box()
        assert trouble is not None
        assert button is not None
        assert trouble["height"] >= 20
        assert button["y"] >= trouble["y"] + trouble["height"]
        assert complaints == []


def test_feeds_are_looked_for_where_something_is_added_as_a_feed(browser: Browser, base: str) -> None:
    with browser.new_context() as tab:
        page, complaints = open_page(tab, base + "/import")
        looking = page.get_by_label("look for the feeds of these pages")
        expect(looking).to_be_checked()
        form = page.locator("#address-form")
        form.get_by_label("Watch as").select_option("page")
        expect(looking).to_be_hidden()
        form.get_by_label("Addresses").fill("https://gamma.example/")
        with page.expect_request("**/api/v1/resources") as asked:
            form.get_by_role("button", name="Watch").click()
        assert asked.value.post_data_json["discover"] is False, "a page is watched as it is"
        assert complaints == []


def test_a_feed_is_changed_and_only_what_was_changed_is_sent(browser: Browser, context: FakeContext, base: str) -> None:
    with browser.new_context() as tab:
        page, complaints = open_page(tab, base + "/feeds/1")
        due = context.store.get(1).due
        page.get_by_text("Change address, title, folder").click()
        page.get_by_label("Folder").fill("news/local")
        page.get_by_label("Not more often than every").fill("5m")
        with page.expect_navigation():
            page.get_by_role("button", name="Save").click()
        changed = context.store.get(1)
        assert (changed.folder, changed.shortest, changed.tags, changed.rule) == ("news/local", 300.0, ("daily",), None)
        assert changed.due == due  # the rule was not sent: nothing to visit it for
        page.get_by_text("Change address, title, folder").click()
        page.get_by_label("Rule").select_option("mavsync")
        with page.expect_navigation():
            page.get_by_role("button", name="Save").click()
        assert context.store.get(1).rule == "mavsync"
        assert complaints == []


def test_a_query_is_tried_while_it_is_typed(browser: Browser, context: FakeContext, base: str) -> None:
    with browser.new_context() as tab:
        page, _ = open_page(tab, base + "/queries")
        field, told = (
            page.get_by_role("textbox", name="Statement"),
            page.get_by_role("status", name="What it would take"),
        )
        field.fill("CREATE FEED")
        expect(told).to_contain_text("expected")
        field.fill('CREATE FEED solar AS RETURN ALL AS $a | TAG "daily" WHERE $a[TITLE CONTAINS "solar"]')
        expect(told).to_contain_text("start with 2 of the entries")
        expect(told).to_contain_text('TAG "daily" has no filter')
        field.fill('CREATE FEED solar AS RETURN ALL WHERE TITLE CONTAINS "solar"')
        expect(told).to_contain_text("start with 1 of the entries")
        expect(told.get_by_role("link", name="Solar power")).to_be_visible()
        assert context.store.queries.list_queries() == []
        page.get_by_role("button", name="Make feed").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("solar")
        expect(page.get_by_role("region", name="Latest entries")).to_contain_text("Solar power")


def test_many_links_take_their_new_address(browser: Browser, context: FakeContext, base: str) -> None:
    with browser.new_context() as tab:
        page, complaints = open_page(tab, base + "/links?standing=moved")
        expect(page.get_by_role("button", name="Take the new address")).to_be_disabled()
        page.get_by_label("Choose all on this page").check()
        with page.expect_navigation():
            page.get_by_role("button", name="Take the new address").click()
        # Also after the page was loaded again, in a line of its own.
        expect(page.get_by_text(f"{LINKS // 2} now at the new address", exact=True)).to_be_visible()
        expect(page.get_by_text("None.", exact=True)).to_be_visible()
        assert all("moved.example" in link.url for link in context.store.links.list_links()[: LINKS // 2])
        expect(page.locator("tbody tr")).to_have_count(0)  # how they stand there is not known yet
        page.get_by_role("link", name="Show all").click()
        page.get_by_role("link", name="bread").click()
        expect(page.locator("tbody tr")).to_have_count(LINKS // 2)
        with page.expect_download() as download:
            page.get_by_role("link", name="CSV").click()
        assert download.value.suggested_filename == "links.csv"
        assert complaints == []


def test_times_are_the_readers_own(browser: Browser, base: str) -> None:
    with browser.new_context(timezone_id="Asia/Tokyo") as tab:
        page, _ = open_page(tab, base)
        expect(page.get_by_text("Times are in your zone (Asia/Tokyo).")).to_be_visible()
        expect(page.locator(".headline time")).to_have_text("17:00:00")  # 08:00 UTC
    with browser.new_context(timezone_id="Asia/Tokyo", java_script_enabled=False) as tab:
        page = tab.new_page()
        page.goto(base)
        expect(page.locator(".headline time")).to_have_text("08:00:00")
        expect(page.get_by_text("Times are in UTC.")).to_be_visible()


def test_a_phone_shows_sections_folded(browser: Browser, base: str) -> None:
    with browser.new_context(viewport={"width": 400, "height": 800}) as tab:
        page, _ = open_page(tab, base)
        expect(page.get_by_role("heading", name="Latest entries")).to_be_visible()
        expect(page.get_by_text("Solar power")).to_be_hidden()
        page.get_by_role("heading", name="Latest entries").click()
        expect(page.get_by_text("Solar power")).to_be_visible()


def test_a_phone_shows_what_a_search_has_found(browser: Browser, base: str) -> None:
    with browser.new_context(viewport={"width": 400, "height": 800}) as tab:
        page, _ = open_page(tab, base + "/search?q=power")
        expect(page.get_by_text("Solar power")).to_be_visible()


@pytest.mark.parametrize("width", [400, 1280])
def test_pages_that_few_need_come_behind_more_by_keyboard(browser: Browser, base: str, width: int) -> None:
    with browser.new_context(viewport={"width": width, "height": 800}) as tab:
        page, _ = open_page(tab, base)
        places = page.get_by_role("navigation", name="Pages")
        expect(places.get_by_text("Sites")).to_be_hidden()
        places.get_by_role("link", name="Settings").focus()
        for key in ("Tab", "Enter", "Tab"):
            page.keyboard.press(key)
        expect(places.get_by_role("link", name="Sites")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Sites", level=1)).to_be_visible()
        expect(places.get_by_role("link", name="Sites")).to_be_visible()


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page(
    browser: Browser, context: FakeContext, base: str, scheme: str, width: int
) -> None:
    more = ("/search?q=power", "/entries/1", "/feeds/1", "/feeds/3", "/links/4", "/queries/solar", "/feeds/999")
    barriers: list[str] = []
    size = {"width": width, "height": 800}
    with browser.new_context(color_scheme=scheme, viewport=size, reduced_motion="reduce") as tab:  # type: ignore[arg-type]
        tab.request.post(
            base + "/api/v1/queries", data={"query": 'CREATE FEED solar AS RETURN ALL WHERE TITLE CONTAINS "solar"'}
        )
        for path in (*(path for path, _ in (*PLACES, *MORE_PLACES)), *more):
            page = tab.new_page()
            page.goto(base + path)
            page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
            found = Axe().run(page)
            barriers += [f"{path}\n{found.generate_report()}"] if found.violations_count else []
            if not page.evaluate("document.documentElement.scrollWidth <= innerWidth"):
                barriers.append(f"{path} is wider than its window")
            page.close()
    assert not barriers, "\n".join(barriers)
