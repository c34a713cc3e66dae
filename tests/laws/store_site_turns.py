"""The laws of a site's turn outside any plan: it is a lease like the others, and it keeps the site's pause."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from afresh.base.errors import ModelError
from afresh.base.protocols import Store
from tests.laws.store_material import NOW, Open, feeds, laws_of, opened, raises, report, take

SITE = "site0.example"


def turn(store: Store, now: float = NOW, *, site: str = SITE) -> int | None:
    taken = store.take_site(site, holder="law", now=now, until=now + 60)
    return None if taken is None else taken.lease


def who_takes_a_site_is_told_the_pause_it_wants(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        store.record([replace(report(take(store)[0], next_allowed=NOW), robots_read=True, crawl_delay=9.0)])
        pauses = []
        for delay in (None, 7.0, 11.0):
            store.set_site_delay(SITE, delay)
            taken = store.take_site(SITE, holder="law", now=NOW + 1.0, until=NOW + 2.0)
            assert taken is not None
            pauses.append(taken.pause)
            store.leave_site(taken.lease, next_allowed=NOW)
        assert pauses == [9.0, 9.0, 11.0]
        new = store.take_site("new.example", holder="law", now=NOW, until=NOW + 1.0)
        assert new is not None
        assert new.pause == 0.0


def a_taken_site_is_nobody_elses(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(2), now=NOW)
        lease = turn(store)
        assert lease is not None
        assert [found.site for found in take(store)] == ["site1.example"]
        assert turn(store, NOW + 59) is None
        assert store.leave_site(lease, next_allowed=NOW + 5)
        assert turn(store, NOW + 4) is None
        assert take(store, NOW + 4) == []
        assert [found.site for found in take(store, NOW + 5)] == [SITE]


def a_leased_site_cannot_be_taken(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        [lease] = take(store)
        assert turn(store) is None
        assert store.record([report(lease, next_allowed=NOW + 9)]) == [True]
        assert turn(store, NOW + 8) is None
        assert turn(store, NOW + 9) is not None


def a_turn_never_shortens_the_pause_of_a_site(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        first = turn(store)
        assert first is not None
        store.leave_site(first, next_allowed=NOW + 100)
        second = turn(store, NOW + 100)
        assert second is not None
        store.leave_site(second, next_allowed=NOW)
        site = store.site(SITE)
        assert site is not None
        assert (site.next_allowed, site.requests, site.leased_by) == (NOW + 100, 2, "")


def a_turn_that_was_not_ended_expires(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        old = turn(store)
        assert old is not None
        [lease] = take(store, NOW + 60)
        assert lease.id > old
        assert not store.leave_site(old, next_allowed=NOW + 1e6)
        assert store.record([report(lease)]) == [True]


def a_site_nobody_watches_keeps_its_pause_and_is_never_due(open_store: Open) -> None:
    with opened(open_store) as store:
        lease = turn(store, site="new.example")
        assert lease is not None
        assert store.next_ready() is None
        store.leave_site(lease, next_allowed=NOW + 5)
        assert store.next_ready() is None
        assert turn(store, NOW + 4, site="new.example") is None
        assert turn(store, NOW + 5, site="new.example") is not None
        assert raises(ModelError, store.take_site, SITE, holder="law", now=NOW, until=NOW)
        assert raises(ModelError, store.leave_site, lease, next_allowed=float("inf"))


def of_many_who_want_a_site_one_gets_it(open_store: Open) -> None:
    with opened(open_store) as store, ThreadPoolExecutor(4) as pool:
        taken = list(pool.map(lambda _: turn(store), range(12)))
        assert len([lease for lease in taken if lease is not None]) == 1


LAWS = laws_of(globals())
