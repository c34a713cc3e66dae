"""The checker: one way to ask, a site's "not found" page asked for once, links that nobody keeps."""

import asyncio
from pathlib import Path

import pytest

from afresh.base.errors import ResourceNotFound
from afresh.base.models import Failure, Kind, NewResource, Validators
from afresh.base.records.link_status import CheckStatus, Standing
from afresh.base.records.link_store import CheckedLinks
from afresh.base.records.links import VersionNotFound
from afresh.base.settings.watching import LinkSettings
from afresh.links.checker import PROBE_PATH, Checker, request_for
from afresh.links.judge import Checked, LinkJudge
from afresh.links.unsaved import UnsavedLinks
from afresh.links.verdicts.model import default_model
from afresh.store import open_store
from tests.fakes.fake_web import FakeWeb, HandClock

SITE = "https://town.example"
PROSE = "The harbour was rebuilt in stone after the storm, and the council printed the plans for everybody to see. " * 6
GOOD = f"<title>Harbour plans</title><h1>Harbour plans</h1><p>{PROSE}</p>".encode()
SHOP = b"<title>Page not found</title><h1>Our shop</h1><p>We could not find that. Have a look at these offers.</p>"


class Desk:
    """A checker over some links, with a web that answers as told."""

    def __init__(self, links: CheckedLinks) -> None:
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
        told.append([(found[url].check, found[url].record and found[url].record.state) for url in urls])
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
        [kept] = links.record_checks([checked.record])
        assert (kept.id is None) == (links is not store.links)
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
