"""The pages in a real browser: what a person sees, by mouse, keyboard and phone."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from afresh.base.models import Result
from afresh.doors.rest import AuthSettings, create_app
from afresh.store import open_store
from tests.fakes.browsing import LEAST_CONTRAST, open_page
from tests.fakes.served import served
from tests.fakes.service_context import NOW, FakeContext, visit, watch

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>"
pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.fixture
def context(tmp_path: Path) -> Iterator[FakeContext]:
    store = open_store(str(tmp_path / "afresh.db"))
    watch(store, "https://alpha.example/feed.xml", title="Alpha news")
    visit(store, titles=["First words", EVIL], links=["https://alpha.example/1", "javascript:alert(3)"], due=NOW + 95)
    watch(store, "https://beta.example/feed.xml", title="Beta " + EVIL)
    visit(store, result=Result.HTTP_ERROR, error="500 from the server", due=NOW + 7200)
    for place in range(60):
        watch(store, f"https://s{place}.example/a/rather/long/address/of/a/feed/that/must/wrap.xml")
    yield FakeContext(store)
    store.close()


@pytest.fixture
def base(context: FakeContext) -> Iterator[str]:
    with served(create_app(context)) as url:
        yield url


def test_shows_feeds_next_visit_and_why(browser: Browser, base: str) -> None:
    with browser.new_context() as tab:
        page, complaints = open_page(tab, base + "/?q=alpha")
        row = page.get_by_role("row").filter(has_text="Alpha news")
        expect(row).to_contain_text("08:01:35")
        expect(row).to_contain_text("polled every 10m on average")
        row.get_by_role("link", name="Alpha news").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Alpha news")
        expect(page.get_by_text("12.5 entries a day: the mean gap is 1h55m")).to_be_visible()
        expect(page.get_by_text(EVIL)).to_be_visible()
        assert page.get_by_text(EVIL).evaluate("node => node.closest('a')") is None
        link = page.get_by_role("link", name="First words", exact=True)
        assert link.get_attribute("rel") == "noopener noreferrer nofollow"
        page.get_by_role("link", name="Overview").click()
        expect(page.get_by_role("link", name="Due next")).to_have_attribute("aria-current", "page")
        expect(page.get_by_role("heading", name="Failing")).to_be_visible()
        expect(page.get_by_text("500 from the server").first).to_be_visible()
        assert complaints == []


def test_updates_itself_and_can_be_paused(browser: Browser, context: FakeContext, base: str) -> None:
    with browser.new_context() as tab:
        page = tab.new_page()
        page.clock.install()
        page.goto(base)
        entries = page.get_by_role("region", name="Latest entries")
        expect(entries).not_to_contain_text("Brand new")
        page.get_by_role("button", name="Pause updates").click()
        context.time += 10
        visit(context.store, titles=["Brand new"], links=["https://alpha.example/2"])
        page.clock.run_for(9000)
        expect(entries).not_to_contain_text("Brand new")
        page.get_by_role("button", name="Resume updates").click()
        page.clock.run_for(9000)
        expect(entries).to_contain_text("Brand new")


def test_relative_times_tick_by_the_servers_clock(browser: Browser, base: str) -> None:
    with browser.new_context() as tab:
        page = tab.new_page()
        page.clock.install(time=0)  # a browser whose clock is decades behind
        page.goto(base + "/?q=alpha")
        due = page.get_by_role("row").filter(has_text="Alpha news").get_by_role("cell").nth(3)
        expect(due).to_contain_text("in 1m35s")
        page.clock.run_for(3000)
        expect(due).to_contain_text("in 1m3")
        expect(due).not_to_contain_text("in 1m35s")


def test_keyboard_alone_finds_a_feed(browser: Browser, base: str) -> None:
    with browser.new_context() as tab:
        page, complaints = open_page(tab, base)
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
        page.keyboard.press("/")
        expect(page.get_by_role("searchbox", name="Search entries, feeds")).to_be_focused()
        page.keyboard.type("beta")
        page.keyboard.press("Enter")
        found = page.get_by_role("list").filter(has_text="Beta " + EVIL)
        expect(found.get_by_role("listitem")).to_have_count(1)
        assert complaints == []


def test_pages_through_all_feeds(browser: Browser, base: str) -> None:
    with browser.new_context() as tab:
        page, _ = open_page(tab, base + "/?view=all")
        expect(page.locator("tbody tr")).to_have_count(50)
        page.get_by_role("link", name="Next page").click()
        expect(page.locator("tbody tr")).to_have_count(12)
        page.get_by_role("link", name="First page").click()
        expect(page.locator("tbody tr")).to_have_count(50)


def test_works_without_script(browser: Browser, base: str) -> None:
    with browser.new_context(java_script_enabled=False) as tab:
        page = tab.new_page()
        page.goto(base + "/?q=alpha")
        expect(page.get_by_text("in 1m35s")).to_be_visible()
        expect(page.get_by_role("button", name="Pause updates")).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_readable_in_light_and_dark_on_wide_and_narrow(browser: Browser, base: str, scheme: str, width: int) -> None:
    with browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800}) as tab:  # type: ignore[arg-type]
        for path in ("/", "/feeds/1", "/?view=failing", "/feeds/999"):
            page = tab.new_page()
            page.goto(base + path)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
            assert page.evaluate(LEAST_CONTRAST) >= 4.5, path
            background = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (background == "rgb(255, 255, 255)") == (scheme == "light")


def test_a_person_logs_in_with_the_token_as_password(browser: Browser, context: FakeContext) -> None:
    token = "a-token-of-some-length"
    with served(create_app(context, auth=AuthSettings(tokens=(token,)))) as base:
        with browser.new_context(http_credentials={"username": "me", "password": token}) as tab:
            page = tab.new_page()
            page.goto(base + "/?q=alpha")
            expect(page.get_by_role("row").filter(has_text="Alpha news")).to_be_visible()
            expect(page.get_by_role("button", name="Pause updates")).to_be_visible()
        with browser.new_context(http_credentials={"username": token, "password": "wrong"}) as tab:
            answer = tab.new_page().goto(base)
            assert answer is not None
            assert answer.status == 401


def test_a_foreign_page_cannot_change_anything(browser: Browser, context: FakeContext, base: str) -> None:
    """A page of another origin posts a form and a fetch at us; a frame of ours stays empty."""
    foreign = base.replace("127.0.0.1", "localhost")  # another origin, answered by the same server
    script = """async target => {
      const body = JSON.stringify({urls: ["https://evil.example/feed"]});
      for (const type of ["text/plain", "application/json"]) {
        await fetch(target, {method: "POST", mode: "no-cors", body, headers: {"Content-Type": type}}).catch(() => 0);
      }
      await fetch(target.replace("resources", "resources/1/poll"), {method: "POST", mode: "no-cors"}).catch(() => 0);
    }"""
    with browser.new_context(bypass_csp=True) as tab:
        page = tab.new_page()
        page.goto(foreign + "/static/live.js")
        page.evaluate(script, base + "/api/v1/resources")
    assert context.polled == []
    assert context.store.count() == 62
