"""Notices as a use case: what is told, to whom, when; nothing twice, nothing lost, whatever fails."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from afresh.base.errors import UsageError
from afresh.base.executor import Executor, InPlace
from afresh.base.models import Counters, Kind, NewResource, Result, Status
from afresh.base.records.history import StoredEntry
from afresh.base.records.links import Check, CheckRecord, CheckStatus, LinkState, Standing
from afresh.base.records.notices import Delivery, EventKind, NewNotice, Notice, Topic
from afresh.base.records.queries import Offered, QueryNotFound
from afresh.base.settings.sections import NoticeSettings
from afresh.base.troubles import Troubles
from afresh.feeds.queries.creating import create, drop
from afresh.feeds.queries.matching import Matcher
from afresh.notices.delivery import Courier, try_target
from afresh.notices.outbox import Collector, add_notice, entry_event, new_secret, remark_on, trial_delivery
from afresh.notices.quiet_hours import parse_quiet
from afresh.notices.webhook import body_of
from afresh.store import open_store
from tests.fakes.clocks import StillClock
from tests.laws.store_material import NOW, entry, report, take

HOUR = 3600.0


class Ear:
    """A target that keeps what it is told, or refuses."""

    def __init__(self) -> None:
        self.heard: list[Delivery] = []
        self.error = ""

    def check(self, target: str) -> None:
        if "bad" in target:
            raise UsageError("no such target")

    async def send(self, delivery: Delivery, *, now: float) -> str:
        self.heard.append(delivery)
        return self.error

    async def close(self) -> None:
        return None

    @property
    def titles(self) -> list[list[str]]:
        return [[event.title for event in delivery.events] for delivery in self.heard]


class World:
    """A store with two feeds and a link; time by hand."""

    def __init__(self, path: Path, settings: NoticeSettings) -> None:
        self.path, self.settings = path, settings
        self.clock = StillClock(NOW)
        self.ear = Ear()
        self.troubles = Troubles(self.clock.now)
        self.store = open_store(str(path))
        new = [
            NewResource(url="http://a.example/feed", site="a.example", tags=("x",), due=0.0, title="A"),
            NewResource(url="http://b.example/feed", site="b.example", due=0.0),
            NewResource(url="http://c.example/page", site="c.example", kind=Kind.LINK, due=1e12),
            NewResource(url="http://d.example/page", site="d.example", kind=Kind.PAGE, due=0.0),
        ]
        self.store.add(new, now=NOW)

    def visit(
        self, resource: int, *titles: str, initial: bool = False, failures: int = 0, is_gone: bool = False
    ) -> None:
        self.clock.advance(100.0)
        now = self.clock.now()
        leases = take(self.store, now)
        [lease] = [lease for lease in leases if lease.resource.id == resource]
        self.store.release([other.id for other in leases if other is not lease], now=now)
        made = tuple(entry(title, published=now, found=now, initial=initial) for title in titles)
        done = report(lease, now, due=0.0, entries=made, result=Result.HTTP_ERROR if failures else Result.NEW)
        if failures:
            counters = Counters(unreachable=failures, failures=failures)
            status, error = (Status.GONE, "HTTP 410") if is_gone else (Status.ACTIVE, "HTTP 500")
            known = replace(done.resource, counters=counters, status=status)
            done = replace(done, visit=replace(done.visit, error=error), resource=known)
        else:
            done = replace(done, resource=replace(done.resource, last_ok=now, counters=Counters(ok=1)))
        assert self.store.record([done]) == [True]
        Matcher(self.store.queries, now=self.clock.now).catch_up()

    def notice(self, topic: Topic, subject: str = "", **more: object) -> Notice:
        new = NewNotice(topic=topic, subject=subject, target=f"ear://{topic}", **more)  # type: ignore[arg-type]
        return add_notice(self.store, new, check_target=self.ear.check, now=self.clock.now())

    def turn(self) -> int:
        async def go() -> int:
            executor = Executor()
            try:
                courier = Courier(
                    self.store,
                    self.ear,
                    self.settings,
                    clock=self.clock,
                    executor=executor,
                    u=lambda: 0.5,
                    troubles=self.troubles,
                )
                return await courier.turn()
            finally:
                executor.close()

        return asyncio.run(go())

    def restart(self) -> None:
        self.store.close()
        self.store = open_store(str(self.path))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "notices.db", NoticeSettings(batch=3))


def test_new_entries_of_a_query_feed_are_told_once(world: World) -> None:
    world.visit(1, "old solar")
    create(world.store, 'CREATE FEED solar AS RETURN ALL WHERE TITLE CONTAINS "solar"', now=world.clock.now())
    world.notice(Topic.QUERY, "solar")
    world.visit(2, "solar one", "wind", "solar two")
    assert world.turn() == 1
    assert world.ear.titles == [["solar one", "solar two"]], "not what was there before"
    world.restart()
    assert world.turn() == 0
    world.visit(1, "solar three")
    world.turn()
    assert world.ear.titles[1:] == [["solar three"]]
    told = world.ear.heard[-1].events[0]
    assert (told.source, told.resource, told.feed_url) == ("A", 1, "http://a.example/feed")


def test_what_a_query_feed_takes_of_a_first_window_is_in_it_and_not_told(world: World) -> None:
    create(world.store, 'CREATE FEED solar AS RETURN ALL WHERE TITLE CONTAINS "solar"', now=world.clock.now())
    world.notice(Topic.QUERY, "solar")
    world.visit(1, "solar years ago", initial=True)
    world.visit(1, "solar today")
    world.turn()
    assert world.ear.titles == [["solar today"]]
    assert world.store.queries.query("solar").places == 2


def test_entries_are_told_by_the_tag_of_their_feed_but_not_first_windows(world: World) -> None:
    world.notice(Topic.TAG, "x")
    world.visit(1, "first window", initial=True)
    world.visit(1, "a1")
    world.visit(2, "b1")
    world.turn()
    assert world.ear.titles == [["a1"]]


def test_a_summary_is_short_plain_text(world: World) -> None:
    made = entry("t", published=NOW, found=NOW)
    long = replace(made, parsed=replace(made.parsed, summary="", content="<p>One &amp; <b>two</b></p>" + "x " * 4_000))
    stored = StoredEntry(seq=1, resource=7, url="http://a.example/feed", entry=long)
    event = entry_event(Offered(stored=stored, folder="", tags=(), weight=1.0, source_title="A"))
    assert event.summary.startswith("One & two x x")
    assert len(event.summary) == 300
    trial = trial_delivery(world.notice(Topic.ENTRIES), now=NOW)
    body = json.loads(body_of(replace(trial, events=(event,))))["events"][0]
    assert (body["resource"], body["feed_url"], body["summary"]) == (7, "http://a.example/feed", event.summary)


def test_all_entries_are_told_those_of_feeds_added_later_included(world: World) -> None:
    world.notice(Topic.ENTRIES)
    world.store.add([NewResource(url="http://e.example/feed", site="e.example", due=0.0)], now=NOW)
    world.visit(5, "first window", initial=True)
    world.visit(1, "a1")
    world.visit(5, "d1")
    world.turn()
    assert world.ear.titles == [["a1", "d1"]]


def test_entries_are_told_by_the_folder_of_their_feed_and_those_below(world: World) -> None:
    for number, folder in ((1, "news/local"), (2, "newsletters")):
        world.store.update(number, folder=folder)
    made = world.notice(Topic.FOLDER, "news")
    world.visit(1, "a1")
    world.visit(2, "b1")
    world.turn()
    assert world.ear.titles == [["a1"]]
    assert remark_on(world.store, made) == ""
    assert remark_on(world.store, replace(made, subject="new")) == "nothing is in new yet"


@pytest.mark.parametrize("topic", [Topic.TAG, Topic.PAGES])
def test_a_tag_that_nothing_has_is_remarked_on(world: World, topic: Topic) -> None:
    assert remark_on(world.store, world.notice(topic, "hto")) == "nothing is tagged hto yet"
    world.store.update(2, tags=("hto",))
    assert remark_on(world.store, world.store.notices.notice(1)) == ""


def test_many_entries_come_in_several_messages_in_order(world: World) -> None:
    world.notice(Topic.TAG, "x")
    world.visit(1, *(f"e{n}" for n in range(7)))
    assert world.turn() == 3
    assert world.ear.titles == [["e0", "e1", "e2"], ["e3", "e4", "e5"], ["e6"]]
    assert len({delivery.mark for delivery in world.ear.heard}) == 3


@pytest.mark.parametrize(
    ("number", "title", "kind"),
    [(1, "A", EventKind.FAILING_FEED), (4, "http://d.example/page", EventKind.FAILING_PAGE)],
)
def test_feeds_and_pages_are_told_of_once_a_row_of_failures_and_once_when_it_is_over(
    world: World, number: int, title: str, kind: EventKind
) -> None:
    world.visit(number, "fine")
    world.notice(Topic.FAILING)
    for failures in (1, 2, 3, 4):
        world.visit(number, failures=failures)
        world.turn()
    assert world.ear.titles == [[title]]
    assert world.ear.heard[0].events[0].kind is kind
    assert "3 times in a row: HTTP 500" in world.ear.heard[0].events[0].detail
    for _ in range(2):
        world.visit(number)
        world.restart()
        world.turn()
    [again] = world.ear.heard[1].events
    assert (again.kind, again.title, again.resource) == (EventKind.WORKS_AGAIN, title, number)
    for failures in (1, 2, 3):
        world.visit(number, failures=failures)
    world.turn()
    assert [event.kind for event in world.ear.heard[-1].events] == [kind], "a new row of failures is news"
    assert len(world.ear.heard) == 3


def test_what_failed_too_seldom_to_be_told_is_not_told_to_work_again(world: World) -> None:
    world.notice(Topic.FAILING)
    world.visit(1, failures=2)
    world.turn()
    world.visit(1)
    world.turn()
    assert world.ear.heard == []


@pytest.mark.parametrize("number", [1, 4])
def test_one_answer_that_it_is_gone_is_told_at_once_and_that_it_is_back(world: World, number: int) -> None:
    world.notice(Topic.FAILING)
    world.visit(number, failures=1, is_gone=True)
    world.turn()
    [gone] = world.ear.heard[0].events
    assert gone.kind is EventKind.GONE
    assert "HTTP 410" in gone.detail
    assert f"afresh set {number} --resume" in gone.detail
    world.store.update(number, status=Status.ACTIVE)
    world.turn()
    assert len(world.ear.heard) == 1, "to be asked again is not yet to be back"
    world.visit(number)
    world.turn()
    assert [event.kind for event in world.ear.heard[1].events] == [EventKind.WORKS_AGAIN]


def test_what_failed_and_then_is_gone_works_again_once(world: World) -> None:
    world.notice(Topic.FAILING)
    world.visit(1, failures=3)
    world.turn()
    world.visit(1, failures=4, is_gone=True)
    world.turn()
    world.store.update(1, status=Status.ACTIVE)
    world.visit(1)
    world.turn()
    assert [event.kind for delivery in world.ear.heard for event in delivery.events] == [
        EventKind.FAILING_FEED,
        EventKind.GONE,
        EventKind.WORKS_AGAIN,
    ]


def test_a_link_is_told_of_when_it_breaks_when_it_works_again_and_when_it_breaks_again(world: World) -> None:
    world.notice(Topic.BROKEN)

    def check(standing: Standing) -> None:
        world.clock.advance(60.0)
        state = LinkState(standing=standing, changed=world.clock.now(), detail="404")
        made = Check(url="", at=world.clock.now(), status=CheckStatus.MISSING)
        world.store.links.record_checks([CheckRecord(resource=3, check=made, state=state)])
        world.turn()

    for standing in (Standing.OK, Standing.BROKEN):
        check(standing)
    world.turn()
    assert [delivery.events[0].link for delivery in world.ear.heard] == ["http://c.example/page"]
    for standing in (Standing.OK, Standing.OK, Standing.BROKEN):
        check(standing)
    told = [(event.kind, event.link) for delivery in world.ear.heard for event in delivery.events]
    kinds = (EventKind.BROKEN_LINK, EventKind.WORKS_AGAIN, EventKind.BROKEN_LINK)
    assert told == [(kind, "http://c.example/page") for kind in kinds]


def test_a_digest_gathers(world: World) -> None:
    world.notice(Topic.TAG, "x", digest=HOUR)
    world.visit(1, "one")
    world.turn()
    world.visit(1, "two")
    world.turn()
    assert world.ear.heard == []
    world.clock.advance(HOUR)
    world.turn()
    assert world.ear.titles == [["one", "two"]]


def test_quiet_hours_hold_everything_back_and_lose_nothing(world: World) -> None:
    world.clock.time = 1_700_000_000.0 // 86_400 * 86_400 + 86_400 + 21 * HOUR
    world.notice(Topic.TAG, "x", quiet="22:00-07:00")
    world.clock.advance(2 * HOUR)
    world.visit(1, "at night")
    world.turn()
    assert world.ear.heard == []
    world.clock.advance(8 * HOUR)
    world.turn()
    assert world.ear.titles == [["at night"]]


def test_what_is_not_taken_is_tried_again_later_and_later_under_the_same_mark(world: World) -> None:
    world.notice(Topic.TAG, "x")
    world.visit(1, "one")
    world.ear.error = "no"
    waits: list[float] = []
    for _ in range(4):
        world.turn()
        before = world.clock.now()
        world.turn()
        while not world.turn() and len(world.ear.heard) == len(waits) + 1:
            world.clock.advance(1.0)
        waits.append(world.clock.now() - before)
    assert waits == pytest.approx([30.0, 60.0, 120.0, 240.0], abs=2.0)
    world.restart()
    world.ear.error = ""
    world.visit(1, "two")
    world.clock.advance(HOUR)
    assert world.turn() == 2
    assert world.ear.titles[-2:] == [["one"], ["two"]]
    assert len({delivery.mark for delivery in world.ear.heard[:-1]}) == 1
    assert world.store.notices.list_notices()[0].error == ""


def test_a_target_that_takes_nothing_is_a_trouble_until_it_does(world: World) -> None:
    number = world.notice(Topic.TAG, "x").id
    world.visit(1, "one")
    world.ear.error = "the webhook answered 500"
    world.turn()
    [trouble] = world.troubles.current()
    assert (trouble.what, trouble.why) == (f"notice {number}", "the webhook answered 500; what it is to be told waits")
    world.ear.error = ""
    world.clock.advance(HOUR)
    world.turn()
    assert world.troubles.current() == ()


@pytest.mark.parametrize("error", ["", "still no"])
def test_a_test_that_is_taken_sends_what_waits(world: World, error: str) -> None:
    number = world.notice(Topic.TAG, "x").id
    world.visit(1, "one")
    world.ear.error = "no"
    world.turn()
    world.ear.error = error
    told = asyncio.run(try_target(world.store, world.ear, number, clock=world.clock, executor=InPlace()))
    assert told == error
    assert world.turn() == (0 if error else 1), "before its next try was due"


def test_a_target_that_never_answers_is_given_up_with_a_word(world: World) -> None:
    world.settings = replace(world.settings, give_up=100.0)
    notice = world.notice(Topic.TAG, "x")
    world.visit(1, "one")
    world.ear.error = "gone for good"
    for _ in range(4):
        world.turn()
        world.clock.advance(300.0)
    kept = world.store.notices.notice(notice.id)
    assert (kept.open, kept.sent, kept.error) == (0, 0, "gone for good")
    assert len(world.ear.heard) == 2


def test_one_deaf_target_does_not_hold_up_the_others(world: World) -> None:
    world.notice(Topic.TAG, "x")
    create(world.store, "CREATE FEED all-of-it AS RETURN ALL", now=world.clock.now())
    world.notice(Topic.QUERY, "all-of-it")
    world.visit(1, "one")

    class Half(Ear):
        async def send(self, delivery: Delivery, *, now: float) -> str:
            await super().send(delivery, now=now)
            return "deaf" if delivery.notice.topic is Topic.TAG else ""

    world.ear = Half()
    assert world.turn() == 1


def test_collecting_is_interrupted_at_any_point_without_loss(world: World) -> None:
    """The outbox and the cursor move together: collecting twice, or over again, changes nothing."""
    notice = world.notice(Topic.TAG, "x")
    world.visit(1, "one", "two")
    collector = Collector(world.store, world.settings)
    assert collector.collect(world.clock.now()) == 2
    world.store.notices.put_events(notice.id, [], cursor=0.0, now=world.clock.now())  # as if the cursor had been lost
    assert collector.collect(world.clock.now()) == 0
    world.turn()
    assert world.ear.titles == [["one", "two"]]


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"subject": ""}, "needs a name"),
        ({"topic": Topic.FAILING}, "no subject"),
        ({"digest": -1.0}, "digest"),
        ({"digest": 1e9}, "digest"),
        ({"quiet": "night"}, "22:00-07:00"),
        ({"quiet": "25:00-07:00"}, "no such time"),
        ({"quiet": "07:00-07:00"}, "never end"),
        ({"quiet": "22:00-07:00 Mars/Crater"}, "unknown time zone"),
        ({"target": "bad://"}, "no such target"),
    ],
)
def test_bad_notices_are_refused_and_nothing_is_kept(world: World, changes: dict[str, object], word: str) -> None:
    new = replace(NewNotice(topic=Topic.TAG, subject="x", target="ear://"), **changes)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=word):
        add_notice(world.store, new, check_target=world.ear.check, now=NOW)
    assert world.store.notices.list_notices() == []


def test_a_notice_needs_its_query_feed(world: World) -> None:
    with pytest.raises(QueryNotFound):
        world.notice(Topic.QUERY, "nowhere")
    create(world.store, "CREATE FEED here AS RETURN ALL", now=NOW)
    world.notice(Topic.QUERY, "here")
    drop(world.store, "here")
    assert world.store.notices.list_notices() == []
    assert world.turn() == 0


def test_quiet_hours_heed_summer_time() -> None:
    # 2026-03-29: at 2:00 in Paris clocks go to 3:00
    quiet = parse_quiet("22:00-07:00 Europe/Paris")
    evening = 1_774_735_200.0  # 2026-03-28 23:00 in Paris (UTC+1)
    assert quiet.until(evening) == evening + 7 * HOUR
    assert parse_quiet("09:00-17:00").until(12 * HOUR) == 17 * HOUR
    assert parse_quiet("09:00-17:00").until(18 * HOUR) == 18 * HOUR


def test_secrets_differ() -> None:
    assert len({new_secret() for _ in range(10)}) == 10
