"""The laws of a store's queue: who is leased what, when, and what a crash leaves behind."""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from afresh.base.models import Result, Status
from afresh.base.records.explained import DueRound
from tests.laws.store_material import (
    NOW,
    Open,
    comparable,
    entry,
    feeds,
    laws_of,
    opened,
    report,
    take,
)

HOUR = 3600.0


def a_site_is_leased_at_most_once_at_a_time(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(3, each=4), now=NOW)
        leases = take(store)
        assert sorted(lease.site for lease in leases) == ["site0.example", "site1.example", "site2.example"]
        assert take(store, NOW + 59) == []
        site = store.site("site0.example")
        assert site is not None
        assert (site.leased_by, site.leased_until, site.resources) == ("law", NOW + 60, 4)


def threads_leasing_at_once_share_no_site(open_store: Open) -> None:
    with opened(open_store) as store, ThreadPoolExecutor(4) as pool:
        store.add(feeds(60, each=2), now=NOW)
        rounds = pool.map(lambda _: take(store, limit=7), range(16))
        leases = [lease for leased in rounds for lease in leased]
        assert len({lease.site for lease in leases}) == len({lease.id for lease in leases}) == len(leases) == 60


def a_round_of_what_is_due_has_its_robots_txt_and_its_busiest_site(open_store: Open) -> None:
    with opened(open_store) as store:
        assert store.due_round(now=NOW, delay=5.0) == DueRound()
        store.add([*feeds(3, each=4), *feeds(5)[3:]], now=NOW)  # two sites have one feed: nobody asks for their rules
        assert store.due_round(now=NOW, delay=5.0) == DueRound(visits=14, robots=3, busiest=20.0)
        store.set_site_delay("site2.example", 30.0)
        store.record([report(lease) for lease in take(store) if lease.site != "site1.example"])
        assert store.due_round(now=NOW, delay=5.0) == DueRound(visits=10, robots=1, busiest=90.0)


def a_lease_expires_and_is_handed_out_again(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        [old] = take(store)
        assert store.next_ready() == NOW + 60
        [new] = take(store, NOW + 60)
        assert new.id > old.id
        assert comparable(new.resource) == comparable(old.resource)
        assert store.record([report(old), report(new)]) == [False, True]
        assert len(store.visits()) == 1


def a_late_report_counts_if_nobody_took_over(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        [lease] = take(store)
        assert store.record([report(lease, NOW + 500)]) == [True]


def a_crash_between_lease_and_report_loses_nothing(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(5), now=NOW)
        first = take(store)
        store.record([report(first[0], entries=(entry("kept"),))])
    with opened(open_store) as store:
        assert take(store, NOW + 59) == []
        assert len(take(store, NOW + 60)) == 4
        assert [stored.entry.parsed.title for stored in store.entries()] == ["kept"]


def no_request_before_next_allowed(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1, each=2), now=NOW)
        [lease] = take(store)
        store.record([replace(report(lease, next_allowed=NOW + 30), retry_after=NOW + 30)])
        assert take(store, NOW + 29.9) == []
        assert store.next_ready() == NOW + 30
        site = store.site(lease.site)
        assert site is not None
        assert (site.next_allowed, site.retry_after, site.requests) == (NOW + 30, NOW + 30, 1)
    with opened(open_store) as store:
        assert take(store, NOW + 29.9) == []
        [other] = take(store, NOW + 30)
        assert other.resource.id != lease.resource.id


def removing_everything_does_not_forget_the_delay(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        [lease] = take(store)
        store.record([report(lease, next_allowed=NOW + 30)])
        store.remove([lease.resource.id])
        assert store.next_ready() is None
        store.add(feeds(1), now=NOW)
        assert take(store, NOW + 29) == []


def nothing_is_leased_before_it_is_due(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(2, due=NOW + 5), now=NOW)
        assert (take(store, NOW + 4.9), store.next_ready()) == ([], NOW + 5)
        assert len(take(store, NOW + 5)) == 2


def what_is_brought_forward_is_due_at_once_and_nothing_else(open_store: Open) -> None:
    with opened(open_store) as store:
        first, second = (item.id for item in store.add(feeds(2, due=NOW + HOUR), now=NOW))
        store.bring_forward([first], now=NOW)
        assert store.next_ready() == NOW
        assert [lease.resource.id for lease in take(store)] == [first]
        assert store.get(second).due == NOW + HOUR


def who_is_chosen_is_leased_alone_due_or_not_and_in_the_pace_of_its_site(open_store: Open) -> None:
    with opened(open_store) as store:
        ids = [item.id for item in store.add(feeds(2, each=2, due=NOW + HOUR), now=NOW)]
        store.update(ids[1], due=NOW - HOUR)  # overdue, and not wanted
        span = {"holder": "law", "until": NOW + 60, "limit": 9}
        leases = store.lease(now=NOW, only=[ids[0], ids[2], 10**9], **span)
        assert sorted(lease.resource.id for lease in leases) == [ids[0], ids[2]]
        assert store.lease(now=NOW, only=[ids[0], ids[1]], **span) == [], "the site is out"
        store.record([replace(report(lease), next_allowed=NOW + 30) for lease in leases])
        assert store.lease(now=NOW + 29, only=ids, **span) == [], "the site wants its pause"
        store.update(ids[3], status=Status.PAUSED)
        assert [one.resource.id for one in store.lease(now=NOW + 30, only=[ids[1], ids[3]], **span)] == [ids[1]]
        assert store.lease(now=NOW + 30, only=[], **span) == []


def what_somebody_asks_for_goes_before_the_most_overdue(open_store: Open) -> None:
    with opened(open_store) as store:
        ids = [item.id for item in store.add(feeds(4, due=NOW - HOUR), now=NOW)]
        store.update(ids[2], due=NOW - 1.0)
        store.bring_forward([ids[2]], now=NOW, is_asked_for=True)
        assert store.get(ids[2]).due == NOW - 1.0, "nothing is put off"
        [first] = take(store, limit=1)
        assert first.resource.id == ids[2]
        store.record([report(first, due=NOW - 1.0)])
        assert [one.resource.id for one in take(store, limit=1)] != [ids[2]], "it was asked for once"
        assert len(take(store, limit=9)) == 2, "and keeps nobody else"


def what_somebody_asks_for_waits_for_its_site_and_keeps_nobody(open_store: Open) -> None:
    with opened(open_store) as store:
        ids = [item.id for item in store.add(feeds(2, each=2, due=NOW - HOUR), now=NOW)]
        leases = take(store)
        store.record([report(lease, next_allowed=NOW + 30 * (lease.site == "site0.example")) for lease in leases])
        mine = next(store.get(one) for one in reversed(ids) if store.get(one).site == "site0.example")
        store.bring_forward([mine.id], now=NOW, is_asked_for=True)
        assert [lease.site for lease in take(store, NOW + 29.9)] == ["site1.example"]
        assert [lease.resource.id for lease in take(store, NOW + 30, limit=1)] == [mine.id]


def what_is_asked_for_and_paused_is_not_handed_out(open_store: Open) -> None:
    with opened(open_store) as store:
        [one, other] = (item.id for item in store.add(feeds(2), now=NOW))
        store.bring_forward([one], now=NOW, is_asked_for=True)
        store.update(one, status=Status.PAUSED)
        assert [lease.resource.id for lease in take(store)] == [other]


def bringing_forward_puts_nothing_off(open_store: Open) -> None:
    with opened(open_store) as store:
        [late] = (item.id for item in store.add(feeds(1, due=NOW - HOUR), now=NOW))
        store.bring_forward([late, 10**9], now=NOW)
        assert store.get(late).due == NOW - HOUR


def bringing_forward_takes_no_site_that_somebody_has(open_store: Open) -> None:
    with opened(open_store) as store:
        ids = [item.id for item in store.add(feeds(2, each=3, due=NOW + HOUR), now=NOW)]
        taken = store.take_site("site1.example", holder="law", now=NOW, until=NOW + 60)
        assert taken is not None
        store.bring_forward(ids, now=NOW)
        assert [lease.site for lease in take(store)] == ["site0.example"]
        store.bring_forward(ids, now=NOW)
        assert take(store, NOW) == take(store, NOW + 59.9) == []
        assert {lease.site for lease in take(store, NOW + 60)} == {"site0.example", "site1.example"}


def bringing_forward_shortens_no_pause(open_store: Open) -> None:
    with opened(open_store) as store:
        ids = [item.id for item in store.add(feeds(1, each=2), now=NOW)]
        [lease] = take(store)
        store.record([report(lease, next_allowed=NOW + 30)])
        store.bring_forward(ids, now=NOW)
        assert take(store, NOW) == take(store, NOW + 29.9) == []
        assert len(take(store, NOW + 30)) == 1


def the_most_overdue_goes_first(open_store: Open) -> None:
    with opened(open_store) as store:
        dues = [5.0, 3.0, 9.0, 1.0]
        store.add([replace(new, due=due) for new, due in zip(feeds(2, each=2), dues, strict=True)], now=NOW)
        assert [lease.resource.due for lease in take(store, limit=1)] == [1.0]
        assert [lease.resource.due for lease in take(store, limit=1)] == [3.0]
        assert take(store, limit=1) == []


def renewed_leases_last_longer_and_take_nothing_from_others(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(2), now=NOW)
        first, second = take(store)
        store.renew([first.id, 999], until=first.until + 100.0)
        assert store.next_ready() == second.until
        [again] = take(store, now=second.until)
        assert again.site == second.site, "only the other one has run out"
        store.renew([second.id], until=NOW + 1e6)
        assert store.record([report(first), report(second), report(again)]) == [True, False, True]
        expired, _ = take(store, now=first.until + 9000.0)
        store.renew([expired.id], until=expired.until + 1e6)
        assert take(store, now=expired.until + 5e5) != [expired]


def released_leases_are_ready_at_once(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(2), now=NOW)
        leases = take(store)
        store.release([lease.id for lease in leases] + [999], now=NOW)
        assert store.record([report(leases[0])]) == [False]
        assert len(again := take(store)) == 2
        store.release([leases[0].id], now=NOW)  # an old one: the new holder keeps the site
        assert take(store) == []
        assert store.record([report(lease) for lease in again]) == [True, True]


def what_is_not_active_is_not_leased(open_store: Open) -> None:
    with opened(open_store) as store:
        [added] = store.add(feeds(1), now=NOW)
        store.update(added.id, status=Status.PAUSED)
        assert (take(store), store.next_ready()) == ([], None)
        store.update(added.id, status=Status.ACTIVE, due=NOW + 9)
        assert store.next_ready() == NOW + 9
        [lease] = take(store, NOW + 9)
        store.record([report(lease, NOW + 9, result=Result.GONE, status=Status.GONE)])
        assert (take(store, NOW + 99_999), store.next_ready()) == ([], None)


def pinning_counts_from_the_last_visit(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        [lease] = take(store)
        store.record([report(lease, due=NOW + 86_400)])
        assert store.update(lease.resource.id, pinned=300.0).due == NOW + 300
        assert store.next_ready() == NOW + 300
        assert store.update(lease.resource.id, pinned=None).due == NOW, "what its rule had planned is not known"
        [again] = take(store, NOW + 60)
        store.record([report(again, NOW + 60, due=NOW + 660, last_interval=600.0)])
        assert store.update(lease.resource.id, pinned=43_200.0).due == NOW + 60 + 43_200
        assert store.update(lease.resource.id, pinned=None).due == NOW + 660


def what_is_wished_while_a_visit_is_under_way_holds(open_store: Open) -> None:
    wishes = (
        {"pinned": 300.0},
        {"longest": 600.0},
        {"shortest": 90_000.0},
        {"weight": 4.0},
        {"rule": "mavsync"},
        {"title": "t"},
    )
    with opened(open_store) as store:
        store.add(feeds(len(wishes)), now=NOW)
        leases = sorted(take(store), key=lambda lease: lease.resource.id)
        for lease, wish in zip(leases, wishes, strict=True):
            store.update(lease.resource.id, **wish)
        store.record([report(lease, due=NOW + 86_400) for lease in leases])
        dues = [store.get(lease.resource.id).due - NOW for lease in leases]
        assert dues == [300.0, 600.0, 90_000.0, 43_200.0, 0.0, 86_400.0]


def who_asks_while_a_visit_is_under_way_waits_for_the_next(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        [lease] = take(store)
        store.bring_forward([lease.resource.id], now=NOW + 1, is_asked_for=True)
        store.record([report(lease, due=NOW + 86_400)])
        [again] = take(store, NOW + 100)
        assert again.resource.id == lease.resource.id
        store.record([report(again, NOW + 100, due=NOW + 86_400)])
        assert take(store, NOW + 200) == []


def a_due_time_of_never_is_never(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1, due=math.inf), now=NOW)
        assert (store.next_ready(), take(store, NOW * 1000)) == (None, [])


LAWS = laws_of(globals())
