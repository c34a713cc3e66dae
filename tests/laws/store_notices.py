"""The laws of a store that keeps notices and their outbox."""

from dataclasses import replace

from afresh.base.errors import UsageError
from afresh.base.models import Counters, Result
from afresh.base.protocols import Store
from afresh.base.records.links import Check, CheckRecord, CheckStatus, LinkState, Standing
from afresh.base.records.notices import Delivery, Event, EventKind, NewNotice, NoticeNotFound, Topic
from afresh.base.records.queries import Matched, NewQuery, NewSource, QueryNotFound
from tests.laws.store_material import NOW, Open, feeds, laws_of, opened, raises, report, take


def _event(key: str) -> Event:
    return Event(
        key=key,
        kind=EventKind.ENTRY,
        at=NOW,
        title=f"title of {key}",
        link="http://l",
        source="s",
        resource=7,
        feed_url="http://f",
        summary="short",
    )


def _tag(store: Store, subject: str = "t", target: str = "json://x") -> int:
    new = NewNotice(topic=Topic.TAG, subject=subject, target=target, secret="s", digest=60.0, quiet="22:00-07:00")
    return store.notices.add_notice(new, cursor=5.0, now=NOW).id


def _next(store: Store, notice: int, *, mark: str = "m", now: float = NOW, limit: int = 10) -> Delivery | None:
    return store.notices.next_delivery(notice, mark=mark, now=now, until=now + 60.0, gathered_before=now, limit=limit)


def a_notice_comes_back_as_it_was(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _tag(store)
        assert raises(UsageError, _tag, store)
        assert store.in_use() == {"notices"}
    with opened(open_store) as store:
        kept = store.notices.notice(number)
        assert (kept.topic, kept.subject, kept.target, kept.secret) == (Topic.TAG, "t", "json://x", "s")
        assert (kept.digest, kept.quiet, kept.cursor, kept.created) == (60.0, "22:00-07:00", 5.0, NOW)
        assert (kept.waiting, kept.open, kept.sent, kept.last_sent, kept.error) == (0, 0, 0, None, "")
        other = _tag(store, "u")
        assert [item.id for item in store.notices.list_notices()] == [number, other]
        assert [item.id for item in store.notices.list_notices(after=number)] == [other]
        store.notices.drop_notice(number)
        assert raises(NoticeNotFound, store.notices.notice, number)
        assert raises(NoticeNotFound, store.notices.drop_notice, number)
        assert _tag(store) > other


def an_event_is_put_in_once_a_notice_together_with_the_cursor(open_store: Open) -> None:
    with opened(open_store) as store:
        a, b = _tag(store, "a"), _tag(store, "b")
        assert store.notices.put_events(a, [_event("1"), _event("2")], cursor=7.0, now=NOW) == 2
        assert store.notices.put_events(a, [_event("2"), _event("3")], cursor=8.0, now=NOW) == 1
        assert store.notices.put_events(b, [_event("2")], cursor=9.0, now=NOW) == 1
        assert (store.notices.notice(a).cursor, store.notices.notice(a).waiting, store.notices.notice(b).waiting) == (
            8.0,
            3,
            1,
        )
        store.notices.drop_notice(b)
        assert store.notices.put_events(b, [_event("4")], cursor=10.0, now=NOW) == 0


def an_event_told_is_not_told_again(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _tag(store)
        store.notices.put_events(number, [_event("1")], cursor=0.0, now=NOW)
        delivery = _next(store, number)
        assert delivery is not None
        store.notices.settle_delivery(delivery.id, now=NOW + 1)
    with opened(open_store) as store:
        assert store.notices.put_events(number, [_event("1")], cursor=0.0, now=NOW) == 0
        assert _next(store, number, now=NOW + 100) is None
        kept = store.notices.notice(number)
        assert (kept.waiting, kept.open, kept.sent, kept.last_sent) == (0, 0, 1, NOW + 1)


def a_delivery_survives_a_crash_with_its_mark_and_events(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _tag(store)
        store.notices.put_events(number, [_event("1"), _event("2"), _event("3")], cursor=0.0, now=NOW)
        first = _next(store, number, mark="first", limit=2)
        assert first is not None
        assert [event.key for event in first.events] == ["1", "2"]
        assert first.events[0] == _event("1")
    with opened(open_store) as store:
        store.notices.put_events(number, [_event("4")], cursor=0.0, now=NOW)
        again = _next(store, number, mark="second", now=NOW + 60)
        assert again is not None
        assert (again.id, again.mark, again.events) == (first.id, "first", first.events)


def a_delivery_is_one_senders_until_its_time_is_over(open_store: Open) -> None:
    with opened(open_store) as store, opened(open_store) as other:
        number = _tag(store)
        store.notices.put_events(number, [_event("1")], cursor=0.0, now=NOW)
        store.notices.put_events(number, [_event("2")], cursor=0.0, now=NOW)
        assert _next(store, number, limit=1) is not None
        assert _next(other, number, now=NOW + 59, limit=1) is None
        assert _next(other, number, now=NOW + 60, limit=1) is not None


def one_delivery_at_a_time_in_order(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _tag(store)
        store.notices.put_events(number, [_event(str(n)) for n in range(5)], cursor=0.0, now=NOW)
        told = []
        while (delivery := _next(store, number, limit=2)) is not None:
            told += [event.key for event in delivery.events]
            store.notices.settle_delivery(delivery.id, now=NOW)
        assert told == ["0", "1", "2", "3", "4"]


def a_failed_delivery_waits_for_its_next_try(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _tag(store)
        store.notices.put_events(number, [_event("1")], cursor=0.0, now=NOW)
        delivery = _next(store, number)
        assert delivery is not None
        store.notices.settle_delivery(delivery.id, now=NOW, error="no", retry_at=NOW + 60)
        assert _next(store, number, now=NOW + 59) is None
        assert (store.notices.notice(number).open, store.notices.notice(number).error) == (1, "no")
        again = _next(store, number, now=NOW + 60)
        assert again is not None
        assert (again.id, again.attempts) == (delivery.id, 1)
        store.notices.settle_delivery(delivery.id, now=NOW + 60)
        store.notices.settle_delivery(delivery.id, now=NOW + 61, error="late", retry_at=NOW + 99)
        kept = store.notices.notice(number)
        assert (kept.open, kept.sent, kept.error) == (0, 1, ""), "what was taken stays taken"


def a_delivery_given_up_makes_room_for_the_next(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _tag(store)
        store.notices.put_events(number, [_event("1")], cursor=0.0, now=NOW)
        delivery = _next(store, number)
        assert delivery is not None
        store.notices.settle_delivery(delivery.id, now=NOW, error="never")
        store.notices.put_events(number, [_event("2")], cursor=0.0, now=NOW)
        following = _next(store, number)
        assert following is not None
        assert [event.key for event in following.events] == ["2"]
        assert store.notices.notice(number).error == "never"


def events_are_gathered_until_the_oldest_has_waited(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _tag(store)
        store.notices.put_events(number, [_event("1")], cursor=0.0, now=NOW)
        store.notices.put_events(number, [_event("2")], cursor=0.0, now=NOW + 50)
        early = store.notices.next_delivery(
            number, mark="m", now=NOW + 59, until=NOW + 99, gathered_before=NOW - 1, limit=9
        )
        assert early is None
        delivery = store.notices.next_delivery(
            number, mark="m", now=NOW + 60, until=NOW + 99, gathered_before=NOW, limit=9
        )
        assert delivery is not None
        assert len(delivery.events) == 2


def settled_deliveries_are_forgotten_open_ones_are_not(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _tag(store)
        for key in ("1", "2"):
            store.notices.put_events(number, [_event(key)], cursor=0.0, now=NOW)
            delivery = _next(store, number)
            assert delivery is not None
            if key == "1":
                store.notices.settle_delivery(delivery.id, now=NOW)
        assert store.notices.prune_outbox(before=NOW - 1) == 0
        assert store.notices.prune_outbox(before=NOW + 1) == 1
        assert (store.notices.notice(number).open, store.notices.notice(number).sent) == (1, 0)


def a_notice_goes_with_its_query_feed(open_store: Open) -> None:
    with opened(open_store) as store:
        new = NewQuery(name="q", title="", text="", sources=(NewSource("all", "ALL"),))
        store.queries.put_query(
            new, Matched(seen={}, passed={}), expected=store.queries.query_state(), cursor=0, now=NOW
        )
        wanted = NewNotice(topic=Topic.QUERY, subject="q", target="json://x")
        number = store.notices.add_notice(wanted, cursor=0.0, now=NOW).id
        unknown = NewNotice(topic=Topic.QUERY, subject="z", target="json://x")
        assert raises(QueryNotFound, lambda: store.notices.add_notice(unknown, cursor=0.0, now=NOW))
        assert [item.id for item in store.notices.list_notices()] == [number]
        store.queries.drop_query("q")
        assert store.notices.list_notices() == []


def failing_resources_are_seen_by_the_visits_that_failed(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(2, due=0.0), now=NOW)
        before = store.notices.last_visit_number()
        for lease in take(store, NOW):
            counters = Counters(unreachable=3, failures=3 if lease.resource.id == 1 else 1)
            made = report(lease, NOW, due=0.0, result=Result.HTTP_ERROR, counters=counters, error="HTTP 500")
            store.record([replace(made, visit=replace(made.visit, error="HTTP 500"))])
        [found] = store.notices.failing(after=before, failures=3)
        assert (found.resource, found.failures, found.error, found.last_ok) == (1, 3, "HTTP 500", None)
        assert store.notices.failing(after=found.visit, failures=3) == []
        assert store.notices.failing(after=store.notices.last_visit_number(), failures=3) == []


def what_was_told_to_fail_works_again_until_that_is_told(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(2, due=0.0), now=NOW)
        new = NewNotice(topic=Topic.FAILING, target="json://x")
        number = store.notices.add_notice(new, cursor=0.0, now=NOW).id
        told = replace(_event("failing:1:None"), kind=EventKind.FAILING_FEED, resource=1)
        store.notices.put_events(number, [told, replace(_event("entry:1"), resource=2)], cursor=0.0, now=NOW)
        assert store.notices.working_again(number) == []
        leases = take(store, NOW + 60)
        store.record([report(lease, NOW + 60, due=0.0, last_ok=NOW + 60) for lease in leases])
        [found] = store.notices.working_again(number)
        assert (found.key, found.resource, found.at) == ("failing:1:None", 1, NOW + 60)
        assert store.notices.working_again(number + 1) == []
        over = replace(told, key="working:1:None", kind=EventKind.WORKS_AGAIN)
        store.notices.put_events(number, [over], cursor=0.0, now=NOW)
        assert store.notices.working_again(number) == []


def a_link_that_was_told_to_be_broken_works_again_until_that_is_told(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(2), now=NOW)
        number = store.notices.add_notice(NewNotice(topic=Topic.BROKEN, target="json://x"), cursor=0.0, now=NOW).id

        def stands(standing: Standing, at: float) -> None:
            check = Check(url="", at=at, status=CheckStatus.EQUAL)
            for resource in (1, 2):
                state = LinkState(standing=standing, changed=at)
                store.links.record_checks([CheckRecord(resource=resource, check=check, state=state)])

        def tell(key: str, kind: EventKind) -> None:
            told = replace(_event(key), kind=kind, resource=1)
            store.notices.put_events(number, [told], cursor=0.0, now=NOW)

        for row in (1, 2):
            stands(Standing.BROKEN, NOW + row)
            tell(f"broken:1:{row}", EventKind.BROKEN_LINK)
            assert store.notices.links_working_again(number) == []
        stands(Standing.SUSPECT, NOW + 3)
        assert store.notices.links_working_again(number) == []
        stands(Standing.MOVED, NOW + 4)
        [found] = store.notices.links_working_again(number)
        assert (found.key, found.resource, found.at) == ("broken:1:2", 1, NOW + 4), "of the last time only"
        assert store.notices.links_working_again(number + 1) == []
        tell("working:1:2", EventKind.WORKS_AGAIN)
        assert store.notices.links_working_again(number) == []


def links_are_told_by_the_time_they_broke(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(3), now=NOW)
        for number, standing in ((1, Standing.BROKEN), (2, Standing.OK), (3, Standing.BROKEN)):
            state = LinkState(standing=standing, changed=NOW + number, detail="gone")
            check = Check(url="", at=NOW + number, status=CheckStatus.EQUAL)
            store.links.record_checks([CheckRecord(resource=number, check=check, state=state)])
        assert [(link.resource, link.changed, link.detail) for link in store.notices.broken_links(since=NOW)] == [
            (1, NOW + 1, "gone"),
            (3, NOW + 3, "gone"),
        ]
        assert [link.resource for link in store.notices.broken_links(since=NOW + 2)] == [3]


LAWS = laws_of(globals())
