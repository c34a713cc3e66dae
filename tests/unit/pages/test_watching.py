"""Pages watched over time: what is told, what is kept, what is only remarked."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from afresh.base.models import ResourceFilter, Result, Status
from afresh.base.protocols import Store
from afresh.base.records.watches import USUAL, Only, Watch
from afresh.base.settings.sections import PageSettings
from afresh.doors.cli.main import run
from afresh.pages import watching
from afresh.pages.comparing import compare_pages
from afresh.pages.watching import Watches
from afresh.parse.watched_lines import Shown
from afresh.store import open_store
from tests.fakes.watched import DAY, WatchedPages, told

_WALL = "<title>Just a moment</title><h1>Checking your browser</h1><p>Please complete the captcha to go on.</p>"
_MENU = (
    "Home", "News", "Shop", "Lamps", "Boats", "Bicycles", "Repairs", "Prices", "Opening hours", "Staff", "History",
    "Jobs", "Press", "Contact", "Imprint", "Privacy", "Newsletter", "Map", "Archive", "Links",
)  # fmt: skip
_LOGIN = "<form action=/login><input name=user><input type=password name=word><button>Log in</button></form>"
_INSTEAD = {
    "login_wall": ("Log in – Quay", "Log in", f"<p>Please log in to continue</p>{_LOGIN}"),
    "soft_404": ("Page not found – Quay", "Page not found", "<p>The page you requested could not be found.</p>"),
    "maintenance": ("Quay", "Back soon", "<p>Our website is down for maintenance. Please try again later.</p>"),
}
_SHORT = "<p>The workshop on the quay repairs lanterns and small boats.</p><p>It is open from Tuesday to Saturday.</p>"
_LONG = _SHORT + "".join(f"<p>On pier {pier} a boat of {pier + 4} metres is being painted.</p>" for pier in range(6))
_TEXT = ("The harbour was rebuilt in stone.", "Every ship came home.", "The market opens at noon.")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(str(tmp_path / "pages.db"))
    yield opened
    opened.close()


@pytest.fixture
def pages(store: Store) -> WatchedPages:
    return WatchedPages(store)


def test_the_first_visit_keeps_a_version_and_tells_nothing(pages: WatchedPages) -> None:
    number = pages.add()
    assert pages.see(number, *_TEXT) == []
    [version] = pages.store.links.versions(number)
    assert version.title == "The page"
    assert b"rebuilt in stone" in pages.store.links.version_body(version.id)


def test_a_change_is_told_and_kept(pages: WatchedPages) -> None:
    number = pages.add()
    pages.see(number, *_TEXT, "Price: 10 €")
    assert pages.see(number, *_TEXT, "Price: 10 €") == []
    assert pages.see(number, *_TEXT, "Price: 12 €") == ["Price: 10 → 12 €"]
    [entry] = pages.store.entries(resource=number)
    assert entry.entry.parsed.categories == ("change",)
    when = "changed between 2025-10-09 20:53:20 and 2025-10-10 02:53:20 UTC"
    assert entry.entry.parsed.summary == f"- Price: 10 €\n+ Price: 12 €\n{when}\n"
    assert entry.entry.parsed.content.endswith(f"<p>{when}</p>")
    assert "<del>10</del>" in entry.entry.parsed.content
    assert entry.entry.published == pages.now, "when it was found: nobody knows when it happened"
    assert entry.entry.delay is None
    made = compare_pages(pages.store, number)
    assert [row.new for row in made.difference.news] == ["Price: 12 €"]
    assert len(pages.store.links.versions(number)) == 2


def test_what_does_not_count_is_no_change_for_the_plan_either(pages: WatchedPages) -> None:
    number = pages.add()
    pages.watch(number, replace(USUAL, only=Only.NUMBERS))
    pages.see(number, *_TEXT, "Price: 10 €")
    report = pages.visit(number, "".join(f"<p>{text}</p>" for text in (*_TEXT, "Price: 10 €", "News!")))
    assert (report.visit.result, report.entries) == (Result.SAME, ())
    assert len(pages.store.links.versions(number)) == 1


def test_changes_too_small_add_up(pages: WatchedPages) -> None:
    number = pages.add()
    pages.watch(number, replace(USUAL, at_least=4))
    pages.see(number, *_TEXT)
    assert pages.see(number, *_TEXT, "Two words") == []
    assert pages.see(number, *_TEXT, "Two words", "Two more") == ["2 lines added"]


@pytest.mark.parametrize(
    ("body", "words"),
    [(_WALL, "captcha"), ("", "it is empty"), ("<html></html>", "it is empty")],
    ids=["wall", "nothing", "no text"],
)
def test_a_remark_is_told_once_and_again_when_it_is_over(pages: WatchedPages, body: str, words: str) -> None:
    number = pages.add()
    pages.see(number, *_TEXT)
    [remark] = told(pages.visit(number, body))
    assert words in remark
    assert told(pages.visit(number, body)) == []
    assert told(pages.visit(number, body.replace("Please", "Do"))) == []
    assert pages.see(number, *_TEXT) == ["is itself again"]
    assert [len(entry.entry.parsed.categories) for entry in pages.store.entries(resource=number)] == [1, 1]
    assert len(pages.store.links.versions(number)) == 1


def _framed(title: str, heading: str, text: str, *, menu: tuple[str, ...] = _MENU, beside: str = "") -> str:
    """A page within the frame of its site."""
    links = "".join(f"<li><a href=/{at}>{name}</a>" for at, name in enumerate(menu))
    head = f"<html lang=en><title>{title}</title><body><ul>{links}</ul>{beside}"
    return f"{head}<h1>{heading}</h1>{text}<footer>© 2026 Quay, all rights reserved</footer></body></html>"


@pytest.mark.parametrize("kind", _INSTEAD)
@pytest.mark.parametrize("text", [_LONG, _SHORT], ids=["long", "short"])
@pytest.mark.parametrize("menu", [_MENU, _MENU[:1], ()], ids=["large menu", "one link", "no menu"])
def test_something_else_within_the_frame_of_the_site_is_a_remark(
    pages: WatchedPages, kind: str, text: str, menu: tuple[str, ...]
) -> None:
    number, title, heading, instead = pages.add(), *_INSTEAD[kind]
    itself = _framed("Workshop – Quay", "Workshop", text, menu=menu)
    pages.visit(number, itself)
    assert told(pages.visit(number, _framed(title, heading, instead, menu=menu))) == [kind]
    assert told(pages.visit(number, _framed(title, heading, f"{instead} ", menu=(*menu, "Sale")))) == []
    assert told(pages.visit(number, itself)) == ["is itself again"]
    assert len(pages.store.links.versions(number)) == 1


@pytest.mark.parametrize("menu", [_MENU, ()], ids=["large menu", "no menu"])
@pytest.mark.parametrize("beside", ["", f"<p>Please log in to see your orders.</p>{_LOGIN}"], ids=["no box", "box"])
def test_a_paragraph_that_changes_beside_a_box_to_log_in_is_a_change(
    pages: WatchedPages, menu: tuple[str, ...], beside: str
) -> None:
    number = pages.add()

    def seen(text: str) -> list[str]:
        return told(pages.visit(number, _framed("Club – Quay", "Club", text, menu=menu, beside=beside)))

    first, second = "<p>Members meet on Monday at eight.</p>", "<p>This week there is a dance instead.</p>"
    assert seen(first) == []
    assert seen(second) == ["1 line added, 1 line removed"]
    assert len(seen(f"{second}{_LOGIN}<p>Or log in here.</p>")) == 1
    assert len(seen(second)) == 1
    assert [entry.entry.parsed.categories for entry in pages.store.entries(resource=number)] == [("change",)] * 3


@pytest.mark.parametrize("menu", [_MENU, ()], ids=["large menu", "no menu"])
def test_a_list_that_calls_one_product_no_longer_available_goes_on_changing(
    pages: WatchedPages, menu: tuple[str, ...]
) -> None:
    def offers(*prices: int) -> str:
        rows = "".join(f"<li><a href=/lamp{at}>Lamp {at}</a> <p>{price} €</p>" for at, price in enumerate(prices))
        gone = "<p>This product is no longer available.</p>"
        return _framed("Lamps – Quay", "Lamps", f"<ol>{rows}<li><a href=/lamp9>Lamp 9</a> {gone}</ol>", menu=menu)

    number = pages.add()
    pages.visit(number, offers(*range(11, 20)))
    assert told(pages.visit(number, offers(10, *range(12, 20)))) == ["11 → 10 €"]
    assert len(told(pages.visit(number, offers(*range(31, 40))))) == 1  # all prices: nothing but links is as it was
    assert not pages.store.get(number).error


def test_without_versions_a_box_to_log_in_is_no_wall_either(store: Store) -> None:
    pages = WatchedPages(store, pages=PageSettings(versions=0))
    number = pages.add()
    pages.visit(number, _framed("Club – Quay", "Club", "<p>Meets on Monday.</p>", menu=(), beside=_LOGIN))
    [change] = told(pages.visit(number, _framed("Club – Quay", "Club", "<p>Closed.</p>", menu=(), beside=_LOGIN)))
    assert change == "1 line added, 1 line removed"


def test_a_wall_within_a_frame_that_was_chosen_is_no_part_of_what_is_watched(pages: WatchedPages) -> None:
    number, (title, heading, instead) = pages.add(), _INSTEAD["login_wall"]
    pages.watch(number, replace(USUAL, css=("ul",)))
    pages.visit(number, _framed("Workshop – Quay", "Workshop", _LONG))
    menu = ("Sale", *_MENU[1:])
    assert told(pages.visit(number, _framed(title, heading, instead, menu=menu))) == ["1 line added, 1 line removed"]


def test_a_page_that_fails_is_remarked_once_and_again_when_it_works(pages: WatchedPages) -> None:
    number = pages.add()
    pages.see(number, *_TEXT)
    assert [pages.refused(number) for _ in range(4)] == [[], [], ["failed 3 times in a row: HTTP 404"], []]
    assert pages.see(number, *_TEXT) == ["works again"]
    assert pages.see(number, *_TEXT) == []
    assert [pages.refused(number) for _ in range(2)] == [[], []]
    assert pages.see(number, *_TEXT) == [], "too seldom to be told"
    assert [entry.entry.parsed.categories for entry in pages.store.entries(resource=number)] == [
        ("failing",),
        ("working",),
    ]


def test_a_page_that_never_came_and_one_that_is_gone_are_remarked(pages: WatchedPages) -> None:
    number = pages.add()
    assert [pages.refused(number) for _ in range(3)][-1] == ["failed 3 times in a row: HTTP 404"]
    assert pages.refused(number, 410) == ["gone: HTTP 410; not visited any more"]
    pages.store.update(number, status=Status.ACTIVE)
    assert pages.see(number, *_TEXT) == ["works again"]


def test_a_page_that_is_gone_at_once_and_comes_back_with_news_tells_all(pages: WatchedPages) -> None:
    number = pages.add()
    pages.see(number, *_TEXT)
    assert pages.refused(number, 410) == ["gone: HTTP 410; not visited any more"]
    pages.store.update(number, status=Status.ACTIVE)
    assert pages.refused(number, 429) == []
    assert pages.see(number, *_TEXT, "And news") == ["works again", "new: And news"]


def test_a_page_that_changed_behind_a_wall_tells_both(pages: WatchedPages) -> None:
    number = pages.add()
    pages.see(number, *_TEXT)
    pages.visit(number, _WALL)
    assert pages.see(number, *_TEXT, "And news") == ["is itself again", "new: And news"]


def test_a_first_visit_that_shows_nothing_is_no_baseline(pages: WatchedPages) -> None:
    number = pages.add()
    pages.watch(number, replace(USUAL, css=("#price",)))
    assert pages.see(number, *_TEXT) == ["cannot be watched: nothing on it matches #price"]
    assert pages.store.links.versions(number) == []
    assert told(pages.visit(number, "<p id=price>10 €</p>")) == ["is itself again"]
    assert told(pages.visit(number, "<p id=price>12 €</p>")) == ["10 → 12 €"]


def test_a_selector_that_no_longer_matches_is_said_so(pages: WatchedPages) -> None:
    number = pages.add()
    pages.watch(number, replace(USUAL, css=("#price",)))
    pages.visit(number, "<p id=price>10 €</p>")
    assert told(pages.visit(number, "<p id=cost>10 €</p>")) == ["nothing on it matches #price"]
    assert len(pages.store.links.versions(number)) == 1


def test_another_watch_is_compared_with_what_the_stored_version_shows_of_it(pages: WatchedPages) -> None:
    number = pages.add()
    body = "<p id=price>{}</p><p id=stock>{}</p>"
    pages.watch(number, replace(USUAL, css=("#price",)))
    pages.visit(number, body.format("10 €", "many"))
    pages.watch(number, replace(USUAL, css=("#stock",)))
    assert told(pages.visit(number, body.format("12 €", "many"))) == []  # the price is watched no more
    assert told(pages.visit(number, body.format("12 €", "few"))) == ["1 line added, 1 line removed"]
    pages.watch(number, USUAL)
    assert told(pages.visit(number, body.format("15 €", "few"))) == ["12 → 15 €"]


def test_without_versions_changes_are_told_all_the_same(store: Store) -> None:
    pages = WatchedPages(store, pages=PageSettings(versions=0))
    number = pages.add()
    pages.see(number, *_TEXT)
    assert pages.see(number, *_TEXT, "News") == ["new: News"]
    assert store.links.versions(number) == []
    pages.watch(number, replace(USUAL, css=("p",)))
    assert pages.see(number, *_TEXT, "Other news") == []  # nothing to compare with: the watch begins anew
    assert pages.see(number, *_TEXT, "Other news", "More") == ["new: More"]


def test_a_word_that_is_waited_for_is_told_whenever_it_comes(pages: WatchedPages) -> None:
    number = pages.add()
    pages.watch(number, replace(USUAL, appears=("available",)))
    pages.see(number, *_TEXT, "Sold out")
    for _ in range(2):
        assert len(pages.see(number, *_TEXT, "Available now")) == 1
        assert pages.see(number, *_TEXT, "Sold out") == []


def test_what_changes_at_every_visit_is_looked_at_in_a_moment_and_left_out(pages: WatchedPages) -> None:
    number, looks, news = pages.add(), 0, 0
    after = DAY / 4
    for visit in range(30):
        told_now = pages.see(number, *_TEXT, f"Lucky number {(visit * 7_919) % 1_000}", "The end", after=after)
        due = pages.store.get(number).due
        assert due is not None
        after = due - pages.now
        looks += after < 300.0
        news += bool(told_now) and visit >= 10
    assert looks >= 1
    assert news == 0
    assert pages.see(number, *_TEXT, "Lucky number 5", "Real news", "The end") == ["new: Real news"]


def test_no_look_sooner_than_its_owner_allows(pages: WatchedPages) -> None:
    number = pages.add()
    pages.store.update(number, shortest=7_200.0)
    for visit in range(12):
        pages.see(number, *_TEXT, f"Lucky number {(visit * 7_919) % 1_000}", "The end")
        due = pages.store.get(number).due
        assert due is not None
        assert due - pages.now >= 7_200.0
        assert "at every visit" not in pages.store.get(number).reason


def test_watches_of_a_page_come_before_those_of_its_tags_and_its_site(pages: WatchedPages) -> None:
    number = pages.add(tags=("shop",))
    for scope, watch in {
        "site:page.example": Watch(css=("main",), at_least=2, main_text=True),
        "tag:shop": Watch(css=(".price",), only=Only.NUMBERS),
        f"page:{number}": Watch(at_least=5),
        "tag:other": Watch(everything=True),
    }.items():
        pages.store.watches.put_watch(scope, watch)
    resource = pages.store.get(number)
    expected = Watch(css=(".price",), only=Only.NUMBERS, at_least=5, main_text=True)
    assert Watches(pages.store).of(resource) == expected


def test_a_page_whose_title_alone_changes_has_not_changed(pages: WatchedPages) -> None:
    number = pages.add()
    pages.visit(number, "<title>(1) News</title><p>Text of the page</p>")
    report = pages.visit(number, "<title>(2) News</title><p>Text of the page</p>")
    assert (report.visit.result, report.entries) == (Result.SAME, ())


def test_the_same_bytes_are_not_read_again_unless_they_are_looked_at_otherwise(
    pages: WatchedPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, body = pages.add(), "<p id=price>10 €</p><p>Text</p>"
    read: list[bytes] = []
    show = watching.show

    def noted(body: bytes, watch: Watch, *, url: str, content_type: str) -> Shown:
        read.append(body)
        return show(body, watch, url=url, content_type=content_type)

    monkeypatch.setattr(watching, "show", noted)
    for _ in range(3):
        pages.visit(number, body)
    assert len(read) == 1
    pages.watch(number, replace(USUAL, css=("#price",)))
    assert told(pages.visit(number, body)) == []
    assert len(read) == 3  # this visit's, and the stored version's


def test_a_page_without_what_is_watched_of_it_needs_attention(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "attention.db"
    store = open_store(str(path))
    pages = WatchedPages(store)
    number = pages.add()
    pages.watch(number, Watch(css=(".gone",)))
    plain = "<html><body><p class=here>Some words that are here, enough of them for a page.</p></body></html>"
    said = "nothing on it matches .gone"
    for _ in range(2):
        assert pages.visit(number, plain).visit.error == said
        assert store.get(number).error == said
        assert [item.id for item in store.list_resources(ResourceFilter(failing=True))] == [number]
        assert store.count(ResourceFilter(failing=False)) == 0
        assert store.stats(now=pages.now)["failing"] == 1
    store.close()
    assert run(["--store", str(path), "list"]) == run(["--store", str(path), "status"]) == 0
    assert capsys.readouterr().out.count(said) == 2
    store = open_store(str(path))
    pages = WatchedPages(store)
    pages.now += 10 * 86_400.0
    pages.watch(number, Watch(css=(".here",)))
    assert pages.visit(number, plain).visit.error == ""
    assert store.count(ResourceFilter(failing=True)) == 0
    store.close()
