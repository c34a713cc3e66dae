"""Changes of pages are told with what changed in the message, by webhook and to people."""

import json
from pathlib import Path

import pytest

from afresh.base.protocols import Store
from afresh.base.records.notices import Delivery, NewNotice, Topic
from afresh.base.settings.sections import NoticeSettings
from afresh.feeds.queries.creating import create
from afresh.feeds.queries.matching import Matcher
from afresh.notices.messages import subject_of, text_of
from afresh.notices.outbox import Collector, add_notice
from afresh.notices.webhook import body_of
from afresh.store import open_store
from tests.fakes.watched import START, WatchedPages

_TEXT = ("The harbour was rebuilt in stone.", "Every ship came home.", "The market opens at noon.")


@pytest.fixture
def pages(tmp_path: Path) -> WatchedPages:
    return WatchedPages(open_store(str(tmp_path / "pages.db")))


def tell(store: Store, subject: str = "", *, topic: Topic = Topic.PAGES) -> None:
    notice = NewNotice(target="https://hook.example/", topic=topic, subject=subject)
    add_notice(store, notice, check_target=lambda _: None, now=START)


def next_delivery(pages: WatchedPages) -> Delivery | None:
    Collector(pages.store, NoticeSettings()).collect(pages.now)
    now = pages.now
    return pages.store.notices.next_delivery(1, mark="one", now=now, until=now + 60.0, gathered_before=now, limit=50)


def test_the_difference_is_in_the_message(pages: WatchedPages) -> None:
    tell(pages.store)
    number = pages.add()
    pages.see(number, *_TEXT, "Price: 10 €")
    assert next_delivery(pages) is None  # a first visit is no news
    pages.see(number, *_TEXT, "Price: 12 €")
    delivery = next_delivery(pages)
    assert delivery is not None
    assert subject_of(delivery) == "afresh: 1 changed page"
    assert text_of(delivery).splitlines()[:4] == [
        "The page: Price: 10 → 12 €",
        "http://page.example/",
        "- Price: 10 €",
        "+ Price: 12 €",
    ]
    [event] = json.loads(body_of(delivery))["events"]
    assert event["title"] == "The page: Price: 10 → 12 €"
    when = "changed between 2025-10-09 14:53:20 and 20:53:20 UTC"
    assert event["detail"] == f"- Price: 10 €\n+ Price: 12 €\n{when}\n"
    assert event["at"] == "2025-10-09T20:53:20.000Z", "when it was found: it may have changed at any time before"


def test_of_tagged_pages_alone(pages: WatchedPages) -> None:
    tell(pages.store, subject="shop")
    shop, other = pages.add(tags=("shop",)), pages.add("http://other.example/")
    for price in ("10 €", "12 €"):
        pages.see(shop, *_TEXT, price)
        pages.see(other, *_TEXT, price)
    delivery = next_delivery(pages)
    assert delivery is not None
    assert [event.link for event in delivery.events] == ["http://page.example/"]


def test_a_page_that_fails_and_works_again_is_told(pages: WatchedPages) -> None:
    tell(pages.store)
    number = pages.add()
    for _ in range(3):
        pages.refused(number)
    pages.see(number, *_TEXT)
    delivery = next_delivery(pages)
    assert delivery is not None
    assert [event.title for event in delivery.events] == [
        "http://page.example/: failed 3 times in a row: HTTP 404",
        "http://page.example/: works again",
    ]


def test_who_is_told_what_fails_is_not_told_twice_of_a_page(pages: WatchedPages) -> None:
    tell(pages.store)
    tell(pages.store, topic=Topic.FAILING)
    number = pages.add()
    for _ in range(3):
        pages.refused(number)
    assert next_delivery(pages) is None
    assert pages.store.notices.notice(2).waiting == 1


def test_query_feeds_take_changes_of_pages(pages: WatchedPages) -> None:
    create(pages.store, 'CREATE FEED prices FROM PAGES WHERE CONTENT CONTAINS "Price"', now=START)
    create(pages.store, 'CREATE FEED gold FROM PAGES WHERE CONTENT CONTAINS "gold"', now=START)
    number = pages.add()
    for price in ("10 €", "12 €"):
        pages.see(number, *_TEXT, f"Price: {price}")
    Matcher(pages.store.queries, now=lambda: pages.now).catch_up()
    assert [pages.store.queries.query(name).places for name in ("prices", "gold")] == [1, 0]
