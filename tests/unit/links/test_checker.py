"""The checker: one way to ask, a site's "not found" page asked for once, links that nobody keeps."""

import asyncio
import threading
from contextlib import closing
from pathlib import Path

import pytest

from afresh.base.errors import ResourceNotFound
from afresh.base.models import Failure, Fetched, Kind, NewResource, Validators
from afresh.base.records.link_store import LinkReader
from afresh.base.records.links import CheckStatus, Standing, Turned, VersionNotFound
from afresh.base.settings.sections import LinkSettings
from afresh.links.answers import Checked
from afresh.links.checker import PROBE_PATH, Checker
from afresh.links.find_moved import MoveFinder
from afresh.links.judge import LinkJudge
from afresh.links.measures.profile import Profile
from afresh.links.status_checker import request_for
from afresh.links.unsaved import UnsavedLinks
from afresh.links.verdicts.model import default_model
from afresh.links.versions import read_outcome
from afresh.parse.page import parse_page
from afresh.store import open_store
from tests.fakes.fake_web import FakeWeb, HandClock

SITE = "https://town.example"
PROSE = "The harbour was rebuilt in stone after the storm, and the council printed the plans for everybody to see. " * 6
GOOD = f"<title>Harbour plans</title><h1>Harbour plans</h1><p>{PROSE}</p>".encode()
SHOP = b"<title>Page not found</title><h1>Our shop</h1><p>We could not find that. Have a look at these offers.</p>"


class Desk:
    """A checker over some links, with a web that answers as told."""

    def __init__(self, links: LinkReader) -> None:
        self.links, self.clock = links, HandClock()
        self.web = FakeWeb(self.clock)
        judge = LinkJudge(links, LinkSettings(), model=lambda _: default_model())
        self.checker = Checker(self.web.fetch, judge, now=self.clock.now)

    def page(self, path: str, body: bytes) -> str:
        self.web.document(SITE + path, body, content_type="text/html")
        return SITE + path

    def check(self, numbers: dict[str, int | None]) -> dict[str, Checked]:
        found: dict[str, Checked] = {}

        async def done(checked: Checked) -> None:
            found[checked.check.url] = checked

        asyncio.run(self.checker.check_all(numbers, done, site_of=lambda url: url))
        return found

    def asked(self, path: str) -> int:
        return sum(request.url == SITE + path for _, request in self.web.requests)


def test_a_page_that_could_take_long_is_read_beside_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four thousand options in a list of 32 kB took the reader 58 ms on a busy machine."""
    readers: list[bool] = []

    def noting(outcome: Fetched) -> Profile:
        readers.append(threading.current_thread() is threading.main_thread())
        return read_outcome(outcome)

    monkeypatch.setattr("afresh.links.checker.read_outcome", noting)
    desk = Desk(UnsavedLinks())
    for size in (4_000, 30_000):
        asyncio.run(desk.checker.page(desk.page("/list", (b"<select>" + b"<option>" * size)[:size])))
    assert readers == [True, False]


def test_a_link_is_asked_for_in_one_way() -> None:
    known = request_for("https://a.example/", Validators(etag='"1"', last_modified="today"), no_cache=True)
    assert (known.etag, known.last_modified, known.no_cache, known.is_crawl) == ('"1"', "today", True, True)
    assert known.accept == request_for("https://b.example/").accept


def test_many_that_look_like_not_found_share_one_probe() -> None:
    links = UnsavedLinks()
    desk = Desk(links)
    urls = [desk.page(f"/{number}", SHOP) for number in range(5)]
    desk.page(PROBE_PATH, SHOP)
    found = desk.check({url: links.add(url) for url in urls})
    assert {checked.check.status for checked in found.values()} == {CheckStatus.DIFFERENT}
    assert desk.asked(PROBE_PATH) == 1


def test_a_probe_that_failed_is_asked_again() -> None:
    links = UnsavedLinks()
    desk = Desk(links)
    urls = [desk.page(f"/{number}", SHOP) for number in range(2)]
    desk.web.failure(SITE + PROBE_PATH, Failure.TIMEOUT)
    desk.check({urls[0]: links.add(urls[0])})
    desk.page(PROBE_PATH, SHOP)
    found = desk.check({urls[1]: links.add(urls[1])})
    assert desk.asked(PROBE_PATH) == 2
    assert found[urls[1]].check.status is CheckStatus.DIFFERENT


def test_looking_for_lost_pages_asks_for_a_front_page_that_a_check_has_seen_no_more() -> None:
    links = UnsavedLinks()
    desk = Desk(links)
    desk.page("/", GOOD)
    url, lost = desk.page("/plans/old-pier", SHOP), Profile(parse_page(GOOD, url=SITE))
    checker = desk.checker
    finder = MoveFinder(checker.page, front_page=checker.front_page, model=default_model())

    async def go() -> None:
        await checker.check(url, links.add(url))
        assert desk.asked("/") == 1
        await asyncio.gather(*(finder.find(f"{SITE}/plans/{number}", lost) for number in range(3)))

    asyncio.run(go())
    assert desk.asked("/") == 1


def test_a_check_that_is_broken_off_leaves_the_probe_to_the_others() -> None:
    links = UnsavedLinks()
    desk = Desk(links)
    urls = [desk.page(f"/{number}", SHOP) for number in range(2)]
    desk.page(PROBE_PATH, SHOP)

    async def go() -> Checked:
        first = asyncio.create_task(desk.checker.check(urls[0], links.add(urls[0])))
        while not desk.asked(PROBE_PATH):
            await asyncio.sleep(0)
        first.cancel()
        return await desk.checker.check(urls[1], links.add(urls[1]))

    assert asyncio.run(go()).check.status is CheckStatus.DIFFERENT
    assert desk.asked(PROBE_PATH) == 1


def test_a_link_in_memory_is_judged_as_one_in_a_store(tmp_path: Path) -> None:
    bodies = {"/good": GOOD, "/shop": SHOP, "/empty": b"", "/picture": b"\x89PNG\r\n\x1a\n" + bytes(300)}
    store = open_store(str(tmp_path / "links.db"))
    memory = UnsavedLinks()
    told = []
    for links in (memory, store.links):
        desk = Desk(links)
        urls = [desk.page(path, body) for path, body in bodies.items()] + [SITE + "/gone", SITE + "/dead"]
        desk.web.failure(SITE + "/dead", Failure.DNS)
        desk.web.status(SITE + "/gone", 410)
        if links is memory:
            numbers: dict[str, int | None] = {url: memory.add(url) for url in urls}
        else:
            new = [NewResource(url=url, site="town.example", kind=Kind.LINK) for url in urls]
            numbers = {added.url: added.id for added in store.add(new, now=0.0)}
        found = desk.check(numbers)
        told.append([found[url].check for url in urls])
        assert {found[url].record is None for url in urls} == {links is memory}  # nobody reads what follows from it
    assert told[0] == told[1]
    store.close()


def test_links_of_a_store_are_read_there_and_nothing_is_written(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "links.db"))
    url = SITE + "/harbour"
    number = store.add([NewResource(url=url, site="town.example", kind=Kind.LINK)], now=0.0)[0].id
    for links, expected in ((store.links, CheckStatus.NEW), (UnsavedLinks(store.links), CheckStatus.EQUAL)):
        desk = Desk(links)
        desk.page("/harbour", GOOD)
        checked = desk.check({url: number})[url]
        assert checked.check.status is expected
        assert checked.record is not None
        if links is store.links:
            [kept] = store.links.record_checks([checked.record])
            assert kept.id is not None
    assert len(store.links.link_checks(number)) == 1
    store.close()


def test_what_is_not_there_is_not_found() -> None:
    links = UnsavedLinks()
    assert links.link(links.add(SITE, title="Town")).title == "Town"
    with pytest.raises(ResourceNotFound):
        links.link(1)
    for ask in (links.version, links.version_body):
        with pytest.raises(VersionNotFound):
            ask(1)


@pytest.mark.parametrize(
    ("url", "status"),
    [("mailto:a@b.example", CheckStatus.PROTOCOL_UNSUPPORTED), ("http://[bad", CheckStatus.SYNTAX_URL)],
)
def test_an_address_nobody_can_be_asked_for_is_told(url: str, status: CheckStatus) -> None:
    desk = Desk(UnsavedLinks())
    checked = desk.check({url: None})[url]
    assert (checked.check.status, checked.record) == (status, None)
    assert checked.check.detail
    assert checked.check.standing in (Standing.UNKNOWN, Standing.BROKEN)
    assert not desk.web.requests


NAV = "".join(f"<a href='/{name}'>{name} and more of it</a> " for name in ("harbour", "mill", "choir", "bakery"))
#: In no language at all, as one nobody here reads.
STRANGE = "<title>Qua</title><h1>Wib</h1><p>Nerr taq oli wos pim, ursa delo vin.</p>"


def test_the_same_answer_for_a_page_that_cannot_exist_needs_no_word_of_any_language() -> None:
    links = UnsavedLinks()
    desk = Desk(links)
    lost = desk.page("/mill/7", f"{NAV}{STRANGE}<p>/mill/7</p>".encode())
    own = desk.page("/pier", f"{NAV}<title>Qua</title><h1>Tib</h1><p>Olo wex tarim u sefo nolaq.</p>".encode())
    desk.page(PROBE_PATH, f"{NAV}{STRANGE}<p>{PROBE_PATH}</p>".encode())
    found = desk.check({url: links.add(url) for url in (lost, own)})
    assert (found[lost].check.status, found[lost].check.turned) == (CheckStatus.DIFFERENT, Turned.SOFT_404)
    assert found[own].check.status is CheckStatus.NEW  # in the same frame, but with words of its own
    assert desk.asked(PROBE_PATH) == 1


def test_a_page_that_talks_of_missing_pages_is_acquitted_where_the_site_says_404() -> None:
    talk = (
        "<title>404: page not found</title><h1>Error 404</h1><p>The page you requested could not be found: this is "
        "what visitors of a museum of errors read at our door. On three floors we show how browsers of thirty years "
        "told people that a page was missing, from plain words on grey to whales carried by birds.</p>"
        "<p>Open every day but Monday. Groups please book a guide in advance, and bring your own broken links.</p>"
    )
    for answer, expected in ((404, CheckStatus.NEW), (503, CheckStatus.DIFFERENT)):
        links = UnsavedLinks()
        desk = Desk(links)
        url = desk.page("/museum", talk.encode())
        desk.web.status(SITE + PROBE_PATH, answer)
        assert desk.check({url: links.add(url)})[url].check.status is expected
        assert desk.asked(PROBE_PATH) == 1


def test_a_page_that_is_no_more_than_not_found_is_not_acquitted() -> None:
    links = UnsavedLinks()
    desk = Desk(links)
    url = desk.page("/mill", b"<title>Page not found</title><h1>Not found</h1><p>The page could not be found.</p>")
    desk.web.status(SITE + PROBE_PATH, 404)
    assert desk.check({url: links.add(url)})[url].check.turned is Turned.SOFT_404


def test_who_is_sent_where_lost_requests_go_is_lost() -> None:
    links = UnsavedLinks()
    desk = Desk(links)
    body = f"<title>Wib</title><p>{PROSE}</p>".encode()
    for path in ("/mill", PROBE_PATH):
        desk.web.moved(SITE + path, SITE + "/sorry.html", body, status=302)
    found = desk.check({SITE + "/mill": links.add(SITE + "/mill")})
    assert found[SITE + "/mill"].check.turned is Turned.SOFT_404


@pytest.mark.parametrize(
    ("words", "turned"),
    [
        (b"<title>Account Suspended</title><h1>Account Suspended</h1><p>This account has been suspended.", "suspended"),
        (b"<title>Site maintenance</title><h1>We'll be back soon!</h1><p>We are down for maintenance.", "maintenance"),
        (b"<title>Town</title><h1>Log in</h1><p>Please log in to go on.<input type=password>", "soft_404"),
    ],
)
def test_where_a_whole_site_is_sent_is_called_what_it_says(words: bytes, turned: str) -> None:
    links = UnsavedLinks()
    desk = Desk(links)
    for path in ("/mill", PROBE_PATH):
        desk.web.moved(SITE + path, SITE + "/cgi-sys/page.cgi", words, status=302)
    [found] = desk.check({SITE + "/mill": links.add(SITE + "/mill")}).values()
    assert (found.check.status, found.check.turned) == (CheckStatus.DIFFERENT, Turned(turned))


def test_a_page_made_by_scripts_is_no_not_found() -> None:
    links = UnsavedLinks()
    desk = Desk(links)
    shell = b"<title>Town</title><noscript>Switch it on</noscript><div id='root'></div><script src=a.js></script>"
    url = desk.page("/plans/7", shell)
    desk.page(PROBE_PATH, shell)
    assert desk.check({url: links.add(url)})[url].check.status is CheckStatus.NEW


@pytest.mark.parametrize(
    ("there", "status", "new_url"),
    [
        (GOOD, CheckStatus.MOVED, SITE + "/new"),
        (
            b"<title>Offers</title><p>" + b"Buy shoes and hats and coats for less today. " * 20,
            CheckStatus.DIFFERENT,
            "",
        ),
        (None, CheckStatus.DIFFERENT, ""),
    ],
)
def test_a_page_has_moved_only_if_it_is_found_there(
    tmp_path: Path, there: bytes | None, status: CheckStatus, new_url: str
) -> None:
    """The notice stands on error pages, landers and bot checks, too."""
    notice = b"<title>Moved</title><p>This page has moved. <a href='/new'>Here it is.</a></p>"
    with closing(open_store(str(tmp_path / "links.db"))) as store:
        url = SITE + "/harbour"
        number = store.add([NewResource(url=url, site="town.example", kind=Kind.LINK)], now=0.0)[0].id
        desk = Desk(store.links)
        desk.web.status(SITE + PROBE_PATH, 404)
        for body in (GOOD, notice):
            desk.page("/harbour", body)
            if there is not None:
                desk.page("/new", there)
            checked = desk.check({url: number})[url]
            assert checked.record is not None
            store.links.record_checks([checked.record])
        assert (checked.check.status, checked.check.new_url) == (status, new_url)
        assert f"{SITE}/new" in checked.check.detail or status is CheckStatus.MOVED


def test_without_a_saved_version_a_notice_is_a_remark_and_a_refresh_a_redirect_to_a_page() -> None:
    links = UnsavedLinks()
    desk = Desk(links)
    desk.web.status(SITE + PROBE_PATH, 404)
    said = desk.page("/a", b"<p>We have moved to a <a href='/new'>new address</a>.</p>")
    sent = desk.page("/b", b"<meta http-equiv=refresh content='0; url=/new'>Please wait.")
    lander = desk.page("/c", b"<meta http-equiv=refresh content='0; url=/park'>Please wait.")
    desk.page("/new", GOOD)
    desk.page("/park", b"<title>town.example</title><p>This domain is for sale. Buy this domain.</p>")
    found = {url: item.check for url, item in desk.check({url: links.add(url) for url in (said, sent, lander)}).items()}
    assert (found[said].status, found[said].new_url) == (CheckStatus.NEW, "")
    assert f"moved to {SITE}/new" in found[said].detail
    assert (found[sent].status, found[sent].new_url) == (CheckStatus.MOVED, SITE + "/new")
    assert found[lander].status is not CheckStatus.MOVED


TEASERS = [
    ("Πώς χτίστηκε ξανά το λιμάνι", "Το συμβούλιο τύπωσε τα σχέδια για όλους όσους μένουν κοντά στο νερό."),
    ("Νέο δρομολόγιο του πλοίου", "Από την άνοιξη το πλοίο φεύγει κάθε μισή ώρα από την παλιά προβλήτα."),
    ("Η αγορά ανοίγει την Κυριακή", "Ψωμί, ελιές και βιβλία από δεύτερο χέρι κάτω από τα δέντρα της πλατείας."),
    ("Δύο γέφυρες κλείνουν", "Οι εργασίες κρατούν ως το φθινόπωρο και τα λεωφορεία περνούν από τον λόφο."),
]
MENU = "<ul><li><a href='/'>Αρχική</a><li><a href='/contact'>Επικοινωνία</a></ul>"


def front(first: int = 0) -> bytes:
    """A front page in a language nobody looks for; its teasers change places."""
    shown = TEASERS[first:] + TEASERS[:first]
    body = "".join(f"<h2><a href='/2024/{n}'>{head}</a></h2><p>{text}</p>" for n, (head, text) in enumerate(shown))
    return f"<title>Νέα της πόλης</title>{MENU}{body}".encode()


def article(number: int) -> bytes:
    head, text = TEASERS[number]
    return f"<title>{head}</title>{MENU}<h1>{head}</h1><p>{text}</p><p>{PROSE}</p>".encode()


def town_with_a_front() -> tuple[Desk, UnsavedLinks]:
    links = UnsavedLinks()
    desk = Desk(links)
    desk.web.status(SITE + PROBE_PATH, 404)  # the site tells missing pages apart, as long as they are in no folder
    desk.page("/", front())
    return desk, links


def test_a_dead_address_that_shows_the_front_page_is_caught_without_a_word() -> None:
    desk, links = town_with_a_front()
    dead = [
        desk.page(path, front(first)) for first, path in enumerate(("/2019/the-old-harbour-wall", "/news/item?id=7"))
    ]
    well = [desk.page(f"/2024/{number}", article(number)) for number in range(3)]
    found = {url: item.check for url, item in desk.check({url: links.add(url) for url in (*dead, *well)}).items()}
    assert [(found[url].status, found[url].turned) for url in dead] == [(CheckStatus.DIFFERENT, Turned.FRONT_PAGE)] * 2
    assert "front page" in found[dead[0]].detail
    assert [found[url].status for url in well] == [CheckStatus.NEW] * 3
    assert desk.asked("/") == 1
    assert desk.asked(PROBE_PATH) == 1


def test_a_long_front_page_is_recognised_where_an_address_speaks_of_something_else() -> None:
    desk, links = town_with_a_front()
    desk.page("/", GOOD)
    dead, well = (desk.page(path, GOOD) for path in ("/2019/fishing-quarter-burns", "/2019/harbour-plans-printed"))
    found = {url: item.check for url, item in desk.check({url: links.add(url) for url in (dead, well)}).items()}
    assert found[dead].turned is Turned.FRONT_PAGE
    assert found[well].status is CheckStatus.NEW, "it says what its address says: nobody is asked"


def test_other_names_of_the_front_page_and_thin_pages_of_its_site_are_well() -> None:
    desk, links = town_with_a_front()
    own = f"<title>Νέα της πόλης</title>{MENU}<p>Τηλέφωνο</p>".encode()
    urls = [desk.page(path, front(1)) for path in ("/news", "/index.php", "/?from=letter-12")]
    urls += [desk.page(path, own) for path in ("/town/contact", "/contact-us")]
    found = desk.check({url: links.add(url) for url in urls})
    assert {url: item.check.status for url, item in found.items()} == dict.fromkeys(urls, CheckStatus.NEW)


def test_a_saved_page_whose_address_shows_the_front_page_now_is_told_so(tmp_path: Path) -> None:
    with closing(open_store(str(tmp_path / "links.db"))) as store:
        url = SITE + "/2024/2"
        number = store.add([NewResource(url=url, site="town.example", kind=Kind.LINK)], now=0.0)[0].id
        desk = Desk(store.links)
        desk.web.status(SITE + PROBE_PATH, 404)
        desk.page("/", front())
        for body in (article(2), front(1)):
            desk.page("/2024/2", body)
            checked = desk.check({url: number})[url]
            assert checked.record is not None
            store.links.record_checks([checked.record])
        assert (checked.check.status, checked.check.turned) == (CheckStatus.DIFFERENT, Turned.FRONT_PAGE)


LOGIN = b"<title>Sign in</title><h1>Sign in</h1><form><input type=password></form><p>Forgot your password?</p>"
LISTED = "<title>Index of /pub/</title><h1>Index of /pub/</h1>" + "".join(
    f"<a href='{link}'>{link}</a> " for link in ("?C=N;O=D", "?C=M;O=A", "?C=S;O=A", "a.tif", "b.tif")
)


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/accounts/login/", LOGIN, CheckStatus.NEW),
        ("/plans", LOGIN, CheckStatus.DIFFERENT),
        ("/docs/login-forms", LOGIN, CheckStatus.DIFFERENT),
        ("/pub/", LISTED.encode(), CheckStatus.NEW),
        ("/pub/index.html", LISTED.encode(), CheckStatus.DIFFERENT),
    ],
)
def test_a_login_or_a_folder_that_was_asked_for_is_well(path: str, body: bytes, status: CheckStatus) -> None:
    links = UnsavedLinks()
    desk = Desk(links)
    url = desk.page(path, body)
    desk.web.status(SITE + PROBE_PATH, 404)
    assert desk.check({url: links.add(url)})[url].check.status is status


def test_a_front_page_that_speaks_of_maintenance_is_well_where_other_addresses_are_not_found() -> None:
    trade = "We change tyres, belts and oil, sell used bicycles, and lend you a car while yours is with us. " * 2
    told = f"<h1>Maintenance</h1><p>Scheduled maintenance of all cars, vans too.</p><p>{trade}</p>"
    garage = f"<title>Garage: maintenance</title>{told}".encode()
    for answer, expected in ((404, CheckStatus.NEW), (200, CheckStatus.DIFFERENT)):
        links = UnsavedLinks()
        desk = Desk(links)
        url = desk.page("/", garage)
        if answer == 404:
            desk.web.status(SITE + PROBE_PATH, 404)
        else:
            desk.page(PROBE_PATH, garage)
        assert desk.check({url: links.add(url)})[url].check.status is expected


def test_a_few_unknown_words_at_every_address_may_pass() -> None:
    """They may be a notice for an hour in a language nobody here knows; at lost addresses alone they are a 404."""
    words = b"<title>Kvu</title><h1>Kvu blaf</h1><p>Nomu pelta sor.</p>"
    for home, turned in ((words, Turned.STAND_IN), (GOOD, Turned.SOFT_404)):
        links = UnsavedLinks()
        desk = Desk(links)
        url = desk.page("/reports/2019.html", words)
        desk.page(PROBE_PATH, words)
        desk.page("/", home)
        assert desk.check({url: links.add(url)})[url].check.turned is turned


def test_links_of_a_site_in_trouble_that_nobody_got_to_are_as_broken_as_those_before_them() -> None:
    links = UnsavedLinks()
    desk = Desk(links)
    told = ["/0", "/1", "/2", "/3", "/4", "/5"]
    numbers: dict[str, int | None] = {SITE + path: links.add(SITE + path) for path in told}

    def standings() -> list[Standing]:
        found = desk.check(numbers)
        return [found[SITE + path].check.standing for path in told]

    for path in told[:3]:
        desk.web.status(SITE + path, 500)
    for path in told[3:]:
        desk.web.failure(SITE + path, Failure.LATER)
    assert standings() == [Standing.BROKEN] * 6
    desk.page("/2", GOOD)  # not all is lost
    assert standings() == [Standing.BROKEN, Standing.BROKEN, Standing.OK, *[Standing.UNKNOWN] * 3]
