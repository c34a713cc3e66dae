"""The laws of times that a wrong clock wrote: pulled back to where they would be, and nothing else is touched."""

from afresh.base.models import Status
from afresh.base.protocols import Store
from afresh.base.timekeeping import SKEW, SeenTimes, TimeBounds
from tests.laws.store_material import NOW, Open, feeds, laws_of, opened, report
from tests.laws.store_push import subscription_of

DAY = 86_400.0
AHEAD = NOW + 30 * DAY
BOUNDS = TimeBounds(
    intervals={"feed": DAY, "page": 30 * DAY, "link": 30 * DAY},
    trouble=DAY,
    pause=DAY,
    delay=5.0,
    lease=300.0,
    delivery=3600.0,
)


def _visit(store: Store, now: float, *, interval: float = 3600.0, pause: float = 60.0) -> int:
    """Visits what is ready at that time, as a daemon whose clock says so; how many."""
    leases = store.lease(holder="a", now=now, until=now + 300.0, limit=100)
    times = {"due": now + interval, "next_allowed": now + pause, "last_ok": now}
    return sum(store.record([report(lease, now, **times) for lease in leases]))


def the_latest_times_are_known(open_store: Open) -> None:
    with opened(open_store) as store:
        assert store.times.seen_times() == SeenTimes(None, None, None, None)
        store.add(feeds(2), now=NOW)
        assert _visit(store, NOW) == 2
        seen = store.times.seen_times()
        assert seen == SeenTimes(NOW, NOW, NOW + 3600.0, NOW + 3600.0, NOW)
        assert not seen.are_ahead(NOW, BOUNDS)
        assert seen.are_ahead(NOW - 2 * SKEW, BOUNDS)


def when_a_store_was_last_worked_with_is_known_after_a_clock_was_ahead(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        assert _visit(store, AHEAD) == 1
        store.times.pull_back(now=NOW, bounds=BOUNDS)
        assert _visit(store, NOW + 3_700.0) == 1
        seen = store.times.seen_times()
        assert (seen.visited, seen.worked) == (AHEAD, NOW + 3_700.0)


def pauses_that_were_not_over_are_known(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(3), now=NOW)
        assert store.times.unfinished_pauses(since=NOW) == []
        assert _visit(store, NOW, pause=60.0) == 3
        names = [site.name for site in store.list_sites()]
        assert sorted(store.times.unfinished_pauses(since=NOW)) == sorted((name, NOW + 60.0) for name in names)
        assert store.times.unfinished_pauses(since=NOW + 60.0) == []
        store.update(1, due=NOW + 61.0)
        [lease] = store.lease(holder="a", now=NOW + 61.0, until=NOW + 361.0, limit=1)
        assert store.times.unfinished_pauses(since=NOW + 62.0) == [(lease.site, NOW + 361.0)]


def what_was_visited_ahead_keeps_interval_and_pause(open_store: Open) -> None:
    with opened(open_store) as store:
        added = store.add(feeds(2), now=NOW)
        assert _visit(store, AHEAD, interval=7200.0, pause=1800.0) == 2
        assert store.times.seen_times().are_ahead(NOW + 12.0, BOUNDS)
        assert store.times.pull_back(now=NOW + 12.0, bounds=BOUNDS) == 4
        for one in added:
            known = store.get(one.id)
            assert (known.due, known.last_visit, known.last_ok) == (NOW + 7212.0, NOW + 12.0, NOW + 12.0)
        assert [site.next_allowed for site in store.list_sites()] == [NOW + 1812.0] * 2
        assert store.next_ready() == NOW + 7212.0
        assert store.times.pull_back(now=NOW + 12.0, bounds=BOUNDS) == 0


def what_is_in_order_stays(open_store: Open) -> None:
    with opened(open_store) as store:
        first, second = (one.id for one in store.add(feeds(2), now=NOW))
        assert _visit(store, NOW, interval=DAY, pause=DAY) == 2
        store.update(second, status=Status.PAUSED)
        before = [str(one) for one in (store.get(first), store.get(second), *store.list_sites())]
        assert store.times.pull_back(now=NOW, bounds=BOUNDS) == 0
        assert [str(one) for one in (store.get(first), store.get(second), *store.list_sites())] == before


def what_is_planned_past_its_bound_is_cut(open_store: Open) -> None:
    """As by an operator's command, or in a store whose log was lost."""
    with opened(open_store) as store:
        first, second, third = (one.id for one in store.add(feeds(3), now=NOW))
        assert _visit(store, NOW) == 3
        store.update(first, due=NOW + 300 * DAY)
        store.update(second, due=NOW + 20 * DAY)
        store.update(third, due=NOW + 20 * DAY, pinned=25 * DAY)
        assert store.times.pull_back(now=NOW + 60.0, bounds=BOUNDS) == 2
        assert 0.0 <= store.get(first).due - NOW <= 60.0 + DAY
        assert store.get(second).due <= NOW + 60.0 + DAY
        assert store.get(third).due == NOW + 20 * DAY


def what_was_added_ahead_is_due(open_store: Open) -> None:
    with opened(open_store) as store:
        [added] = store.add(feeds(1), now=AHEAD)
        assert store.times.seen_times().are_ahead(NOW, BOUNDS)
        assert store.times.pull_back(now=NOW, bounds=BOUNDS) > 0
        assert store.get(added.id).due == NOW
        assert _visit(store, NOW) == 1


def a_lease_of_then_ends_in_time(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        assert store.lease(holder="a", now=AHEAD, until=AHEAD + 300.0, limit=1)
        store.times.pull_back(now=NOW, bounds=BOUNDS)
        assert not store.lease(holder="b", now=NOW + 299.0, until=NOW + 600.0, limit=1)
        assert store.lease(holder="b", now=NOW + 301.0, until=NOW + 601.0, limit=1)


def hubs_asked_then_are_asked_again(open_store: Open) -> None:
    with opened(open_store) as store:
        first, second = (one.id for one in store.add(feeds(2), now=NOW))
        store.push.put_subscription(subscription_of(first, asked=AHEAD, next_try=AHEAD + 60.0))
        store.push.put_subscription(subscription_of(second))
        store.times.pull_back(now=NOW, bounds=BOUNDS)
        assert [one.resource for one in store.push.subscriptions_due(now=NOW)] == [first]


def the_log_stays(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        assert _visit(store, AHEAD) == 1
        before = store.visits()
        store.times.pull_back(now=NOW, bounds=BOUNDS)
        assert store.visits() == before


LAWS = laws_of(globals())
