"""Examples somebody names: asked for politely, stored together or not at all."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from afresh.base.errors import UsageError
from afresh.base.executor import InPlace
from afresh.base.models import Failure, NewResource
from afresh.base.protocols import Store
from afresh.base.records.labels import Label, LabelOrigin, Rating
from afresh.base.records.links import Origin, VersionNotFound
from afresh.base.settings.sections import LinkSettings, PolitenessSettings
from afresh.engine.link_examples import ExamplePages, keep_example, read_sides
from afresh.links.checker import Checker
from afresh.links.judge import LinkJudge
from afresh.links.verdicts.model import default_model
from afresh.store import open_store
from tests.fakes.fake_web import FakeWeb, HandClock
from tests.fakes.gates import gate_to

OLD, NEW, ELSEWHERE = "https://a.example/old", "https://a.example/new", "https://b.example/"
PAGE = b"<title>Harbour</title><p>The harbour was rebuilt in stone after the storm.</p>"
POLITE = PolitenessSettings(delay=5.0)


class Desk:
    """A store, a web that answers as told, and a person who names pages."""

    def __init__(self, store: Store) -> None:
        self.store, self.clock = store, HandClock()
        self.web = FakeWeb(self.clock)
        for url in (OLD, NEW, ELSEWHERE):
            self.web.document(url, PAGE + url.encode(), content_type="text/html")
        executor = InPlace()
        gate = gate_to(self.web, self.clock, POLITE, store=store, executor=executor, heeds_robots=False, patience=60.0)
        judge = LinkJudge(store.links, LinkSettings(), model=lambda _: default_model())
        self.pages = ExamplePages(Checker(gate.fetch, judge, now=self.clock.now))
        self.known = lambda number: executor.read(store.links.version, number)

    def example(self, old: str | int, new: str | int, verdict: Rating = Rating.DIFFERENT) -> Label:
        async def make() -> Label:
            sides = await read_sides((old, new), known=self.known, fetch=self.pages.fetch)
            return keep_example(self.store, sides, verdict, now=self.clock.now(), note="by hand")

        return asyncio.run(make())

    @property
    def asked(self) -> list[tuple[float, str]]:
        return [(at - 1_000_000.0, request.url) for at, request in self.web.requests]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    store = open_store(str(tmp_path / "afresh.db"))
    yield Desk(store)
    store.close()


def test_two_addresses_are_asked_and_kept_as_an_example(desk: Desk) -> None:
    label = desk.example(OLD, ELSEWHERE)
    assert (label.verdict, label.origin, label.note) == (Rating.DIFFERENT, LabelOrigin.MANUAL, "by hand")
    for number, url in ((label.old, OLD), (label.new, ELSEWHERE)):
        version = desk.store.links.version(number)
        assert (version.url, version.title, version.origin, version.resource) == (url, "Harbour", Origin.EXAMPLE, None)
        assert desk.store.links.version_body(number) == PAGE + url.encode()
    assert all(request.is_crawl for _, request in desk.web.requests)  # robots.txt counts


def test_a_site_is_asked_once_in_its_pause(desk: Desk) -> None:
    desk.example(OLD, NEW)
    assert desk.asked == [(0.0, OLD), (5.0, NEW)]
    site = desk.store.site("a.example")
    assert site is not None
    assert (site.next_allowed, site.requests, site.leased_by) == (1_000_010.0, 2, "")


def test_a_site_somebody_else_asks_is_waited_for(desk: Desk) -> None:
    desk.store.add([NewResource(url=OLD, site="a.example")], now=desk.clock.now())
    now = desk.clock.now()
    desk.store.lease(holder="loop", now=now, until=now + 20.0, limit=1)
    desk.example(OLD, ELSEWHERE)
    assert desk.asked[0] == (20.0, OLD)


def test_a_site_in_trouble_is_not_waited_for_for_ever(desk: Desk) -> None:
    desk.web.status(OLD, 503, retry_after=3_600.0)
    with pytest.raises(UsageError, match="brought no page: HTTP 503"):
        desk.example(OLD, ELSEWHERE)
    with pytest.raises(UsageError, match=r"a\.example may not be asked for another 1h"):
        desk.example(NEW, ELSEWHERE)
    assert [url for _, url in desk.asked] == [OLD]


def test_a_stored_version_can_be_either_side(desk: Desk) -> None:
    first = desk.example(OLD, NEW)
    label = desk.example(first.old, ELSEWHERE)
    assert label.old == first.old
    assert desk.example(str(first.new), f" {first.old} ").new == first.old
    assert len(desk.asked) == 3


@pytest.mark.parametrize(
    ("old", "new", "error", "words"),
    [
        (OLD, 99, VersionNotFound, "no version 99"),
        (99, OLD, VersionNotFound, "no version 99"),
        (OLD, "ftp://a.example/", UsageError, "only http and https"),
        (OLD, "https://me:secret@a.example/", UsageError, "user name or password"),
        (OLD, "9" * 5_000, UsageError, "no version 999"),
        (OLD, "", UsageError, "an empty URL"),
    ],
)
def test_nobody_is_asked_for_half_an_example(
    desk: Desk, old: str | int, new: str | int, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        desk.example(old, new)
    assert desk.asked == []


def test_what_brings_no_page_leaves_nothing_behind(desk: Desk) -> None:
    desk.web.failure(NEW, Failure.ADDRESS)
    with pytest.raises(UsageError, match="brought no page: address"):
        desk.example(OLD, NEW)
    desk.web.document(NEW, b"\x89PNG\r\n\x1a\n" + bytes(300), content_type="image/png")
    with pytest.raises(UsageError, match="no text that could be compared"):
        desk.example(OLD, NEW)
    with pytest.raises(VersionNotFound):
        desk.store.links.version(1)
    assert desk.store.learning.labels() == []
