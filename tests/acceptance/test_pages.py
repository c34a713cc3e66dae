"""What people do on the pages, in a real browser: import, pin, compose a feed, run an experiment, look at plots."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from afresh.base.models import Result, Status
from afresh.doors.rest import create_app
from afresh.links.comparing import compare_versions
from afresh.links.models import ActiveModel
from afresh.store import open_store
from tests.fakes.browsing import FAULTS, LEAST_CONTRAST, open_page
from tests.fakes.saved_links import page_body, watched
from tests.fakes.served import served
from tests.fakes.service_context import NOW, FakeContext, visit, watch

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ARTEFACTS = Path(__file__).parents[2] / "artefacts" / "screenshots"
PAGES = (
    "/",
    "/entries",
    "/entries/1",
    "/search?q=solar",
    "/resources",
    "/feeds/1",
    "/sites",
    "/queries",
    "/import",
    "/lab",
    "/settings",
    "/links",
    "/notices",
    "/fetchers",
    "/learning",
)
OPML = """<?xml version="1.0"?><opml version="2.0"><body>
<outline type="rss" text="Gamma" xmlUrl="https://gamma.example/feed"/></body></opml>"""
DROP = """([name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  const options = {dataTransfer: data, bubbles: true, cancelable: true};
  for (const kind of ["dragenter", "dragover", "drop"]) {
    document.getElementById("drop").dispatchEvent(new DragEvent(kind, options));
  }
}"""


@pytest.fixture
def context(tmp_path: Path) -> Iterator[FakeContext]:
    url = str(tmp_path / "afresh.db")
    store = open_store(url)
    watch(store, "https://alpha.example/feed.xml", title="Alpha news", tags=("daily",))
    visit(store, titles=["Solar power at night", "Other"], links=["https://alpha.example/1", "https://alpha.example/2"])
    watch(store, "https://beta.example/feed.xml", title="Beta")
    visit(store, result=Result.HTTP_ERROR, error="500 from the server", due=NOW + 7200)
    yield FakeContext(store, store_url=url)
    store.close()


@pytest.fixture
def base(context: FakeContext) -> Iterator[str]:
    with served(create_app(context)) as url:
        yield url


def drawn(page: Page, count: int) -> None:
    """Waits until so many plots are on the page."""
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    expect(page.locator("figure[data-drawn]")).to_have_count(count, timeout=20_000)


def test_a_dropped_opml_file_is_imported(browser: Browser, context: FakeContext, base: str) -> None:
    with browser.new_context() as tab:
        page, complaints = open_page(tab, base + "/import")
        page.evaluate(DROP, ["feeds.opml", OPML])
        expect(page.get_by_text("feeds.opml: 1 added, 0 known already, 0 refused.")).to_be_visible()
        page.get_by_role("link", name="Show resources").click()
        expect(page.get_by_role("link", name="Gamma")).to_be_visible()
        page.goto(base + "/import")
        page.evaluate(DROP, ["cut.opml", OPML[:70]])
        expect(page.get_by_text("cut.opml was not imported")).to_be_visible()
        assert [text for text in complaints if "422" not in text] == []
    assert context.store.get("https://gamma.example/feed").title == "Gamma"


def test_an_interval_is_pinned_and_let_go(browser: Browser, context: FakeContext, base: str) -> None:
    with browser.new_context() as tab:
        page, complaints = open_page(tab, base + "/feeds/1")
        page.get_by_label("Pin to every").fill("quarter of an hour")
        page.get_by_role("button", name="Pin", exact=True).click()
        expect(page.locator("output.warn")).to_contain_text("Pin to every: not a duration: 'quarter of an hour'")
        page.get_by_label("Pin to every").fill("15m")
        page.get_by_role("button", name="Pin", exact=True).click()
        expect(page.get_by_text("pinned to 15m")).to_be_visible()
        expect(page.get_by_label("Pin to every")).to_have_value("15m")
        assert context.store.get(1).pinned == 900.0
        page.get_by_role("button", name="Unpin").click()
        expect(page.get_by_role("button", name="Unpin")).to_have_count(0)
        assert context.store.get(1).pinned is None
        page.get_by_role("button", name="Visit now").click()
        expect(page.get_by_text("it is due now")).to_be_visible()
        assert context.polled == [1]
        drawn(page, 1)
        assert [text for text in complaints if "422" not in text] == []


def test_addresses_have_a_fate_each(browser: Browser, base: str) -> None:
    with browser.new_context() as tab:
        page, complaints = open_page(tab, base + "/import")
        page.get_by_label("Addresses, one a line").fill(
            "https://gamma.example/feed\nhttps://alpha.example/feed.xml\nx:y"
        )
        page.get_by_role("button", name="Watch").click()
        expect(page.get_by_text("1 added, 1 known already, 1 refused.")).to_be_visible()
        expect(page.get_by_text("x:y: ")).to_be_visible()
        assert complaints == []


def test_the_secret_of_a_webhook_is_shown_once(browser: Browser, context: FakeContext, base: str) -> None:
    with browser.new_context() as tab:
        page, complaints = open_page(tab, base + "/notices")
        subject = page.get_by_label("Name of the query feed, tag or folder")
        expect(subject).to_be_hidden()  # all new entries have no name
        page.get_by_label("About").select_option("query")
        expect(subject).to_be_visible()
        page.get_by_label("About").select_option("failing")
        expect(subject).to_be_hidden()
        page.get_by_label("Target").fill("https://example.org/hook")
        page.get_by_label("Gather for").fill("1h30m")
        page.get_by_role("button", name="Make notice").click()
        expect(page.get_by_text("never again: whsec_")).to_be_visible()
        [notice] = context.store.notices.list_notices(after=0, limit=5)
        assert notice.digest == 5400.0
        page.reload()
        expect(page.get_by_role("cell", name="https://example.org/hook")).to_be_visible()
        assert "whsec_" not in page.content()
        assert complaints == []


def test_many_are_paused_at_once(browser: Browser, context: FakeContext, base: str) -> None:
    with browser.new_context() as tab:
        page, complaints = open_page(tab, base + "/resources")
        expect(page.get_by_role("button", name="Pause")).to_be_disabled()
        page.get_by_label("Choose all on this page").check()
        expect(page.get_by_text("2 chosen:")).to_be_visible()
        page.get_by_role("button", name="Pause").click()
        expect(page.get_by_role("cell", name="paused")).to_have_count(2)
        expect(page.get_by_text("2 paused", exact=True)).to_be_visible()
        assert {item.status for item in context.store.list_resources()} == {Status.PAUSED}
        page.get_by_role("link", name="daily").click()
        expect(page.locator("tbody tr")).to_have_count(1)
        assert complaints == []


def test_a_query_feed_is_made_and_opened(browser: Browser, base: str) -> None:
    statement = 'CREATE FEED solar AS RETURN ALL AS $e WHERE $e[TITLE CONTAINS "solar power"]'
    with browser.new_context() as tab:
        page, complaints = open_page(tab, base + "/queries")
        page.get_by_role("textbox", name="Statement").fill("CREATE FEED solar AS RETURN EVERYTHING")
        page.get_by_role("button", name="Make feed").click()
        expect(page.locator("output.warn")).to_contain_text("column")
        page.get_by_role("textbox", name="Statement").fill(statement)
        page.get_by_role("button", name="Make feed").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("solar")
        page.get_by_role("link", name="Query feeds").click()
        row = page.get_by_role("row").filter(has_text="solar")
        expect(row.get_by_role("link", name="Atom")).to_be_visible()
        target = row.get_by_role("link", name="JSON").get_attribute("href")
        answer = tab.request.get(base + str(target))
        assert [item["title"] for item in answer.json()["items"]] == ["Solar power at night"]
        page.evaluate("window.confirm = () => true")  # a person would read the question and agree
        row.get_by_role("button", name="Drop solar").click()
        expect(page.get_by_text("None yet.")).to_be_visible()
        assert [text for text in complaints if "422" not in text] == []


def test_an_experiment_is_run_and_its_plot_seen(browser: Browser, base: str) -> None:
    with browser.new_context() as tab:
        page, complaints = open_page(tab, base + "/lab")
        page.get_by_label("Scale").fill("0.1")
        page.get_by_role("button", name="Run merge-worst", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("merge-worst")
        expect(page.get_by_role("heading", name="Published against measured")).to_be_visible(timeout=120_000)
        expect(page.get_by_text("done", exact=True)).to_be_visible()
        assert page.locator("table.plain tbody tr").count() > 0
        assert page.get_by_text("--scale 0.1").count() == 1, "the fields above the table count for its buttons, too"
        if page.locator("figure").count():
            drawn(page, page.locator("figure").count())
        assert complaints == []


def test_a_person_disagrees_and_the_verdict_changes(browser: Browser, context: FakeContext, base: str) -> None:
    """Six pages became others of the same site. Five are rated, a model is trained, the sixth is seen differently."""
    links = [watched(context.store, n, page_body(n, site=n), page_body(100 + n, site=n, path="/b")) for n in range(6)]
    before = compare_versions(
        context.store.links, links[5], model=ActiveModel(context.store.learning)
    ).verdict.probability
    answer = "Same page" if before < 0.5 else "Different"
    with browser.new_context() as tab:
        page, complaints = open_page(tab, base + f"/links/{links[0]}")
        expect(page.get_by_role("heading", name="What changed")).to_be_visible()
        expect(page.frame_locator("iframe").first.locator("body")).not_to_be_empty()
        with page.expect_event("load"):  # the page comes anew with the verdict, and would undo a click made before that
            if answer == "Same page":
                page.get_by_label("and such pages are the same").check()
                page.get_by_role("button", name="The page is now this").click()
            else:
                page.get_by_role("button", name="It is not the page").click()
        page.get_by_text("More", exact=True).click()
        page.get_by_role("link", name="Learning").click()
        for _ in range(4):
            waiting = page.locator(".totals div", has_text="Waiting").inner_text()
            with page.expect_event("load"):
                page.get_by_role("button", name=answer, exact=True).click()
            expect(page.locator(".totals div", has_text="Waiting")).not_to_have_text(waiting)
        page.get_by_role("button", name="Save them").click()
        expect(page.get_by_text("not saved")).to_have_count(0)
        page.get_by_role("button", name="Train a model").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Training 1")
        expect(page.get_by_role("log")).to_contain_text("measuring the rated pairs", timeout=60_000)
        expect(page.get_by_text("Model 1 is kept, not in use")).to_be_visible(timeout=120_000)
        expect(page.get_by_role("button", name="End this training")).to_have_count(0)
        assert page.evaluate(FAULTS) == []
        page.get_by_role("button", name="Use it all the same").click()  # five ratings of one kind are few
        expect(page.get_by_text("in use", exact=True)).to_be_visible()
        after = compare_versions(
            context.store.links, links[5], model=ActiveModel(context.store.learning)
        ).verdict.probability
        assert (after > before) == (answer == "Same page")
        page.get_by_role("button", name="Back to the model before").click()
        expect(page.get_by_text("The model that ships with afresh is in use.")).to_be_visible()
        assert complaints == []


def test_two_pages_are_named_as_an_example(browser: Browser, context: FakeContext, base: str) -> None:
    context.pages = {"https://a.example/": page_body(1), "https://b.example/": page_body(2, site=2)}
    with browser.new_context() as tab:
        page, complaints = open_page(tab, base + "/learning")
        page.get_by_label("Older page").fill("https://a.example/")
        page.get_by_label("Newer page").fill("https://nowhere.example/")
        page.get_by_role("button", name="They are different").click()
        expect(page.get_by_text("brought no page: HTTP 404")).to_be_visible()
        page.get_by_label("Newer page").fill("https://b.example/")
        page.get_by_role("button", name="They are different").click()
        expect(page.get_by_role("heading", name="Rating 1")).to_be_visible()
        expect(page.frame_locator("iframe").first.locator("body")).not_to_be_empty()
        page.get_by_role("button", name="Same page", exact=True).click()
        expect(page.get_by_text("rated equal")).to_be_visible()
        page.get_by_role("link", name="Back to what waits").click()
        page.get_by_role("link", name="Look at rating 1 again").click()
        expect(page.get_by_role("heading", name="Rating 1")).to_be_visible()
        assert [text for text in complaints if "422" not in text] == []
    [label] = context.store.learning.labels()
    assert (label.verdict.value, label.origin.value) == ("equal", "manual")


def test_a_link_gets_a_model_of_its_own(browser: Browser, context: FakeContext, base: str) -> None:
    link = watched(context.store, 1, page_body(1), page_body(2))
    with browser.new_context() as tab:
        page, complaints = open_page(tab, base + f"/links/{link}")
        page.get_by_label("Judged by").select_option("the model that ships with afresh")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("saved", exact=True)).to_be_visible()
        page.reload()
        expect(page.get_by_label("Judged by")).to_have_value("shipped")
        assert complaints == []
    assert str(context.store.links.link(link).model) == "shipped"


def test_plots_are_drawn_under_our_own_security_policy(browser: Browser, base: str) -> None:
    with browser.new_context() as tab:
        page, complaints = open_page(tab, base + "/")
        drawn(page, 3)
        painted = "node => node.getContext('2d').getImageData(0, 0, node.width, node.height).data.some(value => value)"
        assert page.locator("figure canvas").first.evaluate(painted)
        page.get_by_role("link", name="CSV").first.evaluate("node => node.href")
        assert complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_every_page_can_be_read_by_everybody(browser: Browser, base: str, scheme: str, width: int) -> None:
    """Contrast, names, headings and no sideways scrolling; a picture of each is kept to be looked at."""
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    with browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800}) as tab:  # type: ignore[arg-type]
        for path in PAGES:
            page, complaints = open_page(tab, base + path)
            page.evaluate(
                "for (const part of document.querySelectorAll('details')) part.open = true"
            )  # a phone folds them
            for figure in page.locator("figure").all():  # drawn when seen, so that the picture shows them
                figure.scroll_into_view_if_needed()
            expect(page.get_by_text("Drawing …")).to_have_count(0, timeout=20_000)
            assert page.evaluate(FAULTS) == [], path
            assert page.evaluate(LEAST_CONTRAST) >= 4.5, path
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
            name = path.strip("/").replace("/", "-").partition("?")[0] or "overview"
            page.screenshot(path=ARTEFACTS / f"{name}-{scheme}-{width}.png", full_page=True)
            assert complaints == [], path
            page.close()


def test_everything_is_reached_by_keyboard(browser: Browser, base: str) -> None:
    with browser.new_context() as tab:
        page, _ = open_page(tab, base + "/resources")
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
        seen = set()
        for _ in range(40):
            page.keyboard.press("Tab")
            seen.add(page.evaluate("document.activeElement.tagName + ' ' + (document.activeElement.name ?? '')"))
            shown = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert shown != "none" or page.evaluate("document.activeElement === document.body")
        assert {"INPUT q", "SELECT kind", "INPUT tag"} <= seen
        page.get_by_label("Choose all on this page").focus()
        page.keyboard.press("Space")
        page.keyboard.press("Shift+Tab")  # back to what can be done to the chosen
        assert page.evaluate("document.activeElement.value") == "remove"
