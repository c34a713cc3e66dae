"""What a store promises about the daemons that share it (``base.records.daemons``)."""

import math
from dataclasses import replace

from afresh.base.records.daemons import DaemonRecord, Draw
from afresh.base.troubles import Trouble
from tests.laws.store_material import NOW, Open, feeds, laws_of, opened, report, take

HOUR = 3600.0


def daemon(name: str, *, seen: float = NOW, leads_since: float | None = None, requests: int = 0) -> DaemonRecord:
    return DaemonRecord(name=name, since=NOW - HOUR, seen=seen, requests=requests, leads_since=leads_since)


def draw(*, wanted: float = 0.0, owed: float = 0.0, name: str = "requests") -> Draw:
    return Draw(name=name, rate=1.0, size=10.0, wanted=wanted, owed=owed)


def whoever_beats_is_there_until_it_leaves(open_store: Open) -> None:
    with opened(open_store) as store:
        assert store.daemons.list_daemons() == []
        store.daemons.beat(daemon("b:1"))
        store.daemons.beat(daemon("a:2", requests=3))
        store.daemons.beat(daemon("b:1", seen=NOW + 1, requests=5))
        assert store.daemons.list_daemons() == [daemon("a:2", requests=3), daemon("b:1", seen=NOW + 1, requests=5)]
        store.daemons.leave("b:1", now=NOW + 2)
        store.daemons.leave("nobody", now=NOW + 2)
        assert [(one.name, one.status, one.seen) for one in store.daemons.list_daemons()] == [
            ("a:2", "ok", NOW),
            ("b:1", "stopped", NOW + 2),
        ]


def each_daemon_speaks_for_itself(open_store: Open) -> None:
    with opened(open_store) as store:
        ill = replace(
            daemon("a:1"), status="degraded", troubles=(Trouble("store", "caf\u00e9 \ud800 is full", NOW, 3),)
        )
        store.daemons.beat(ill)
        store.daemons.beat(daemon("b:2"))
        told, other = store.daemons.list_daemons()
        assert (told.status, told.troubles[0].what, told.troubles[0].times) == ("degraded", "store", 3)
        assert (other.status, other.troubles) == ("ok", ())
        store.daemons.beat(daemon("a:1", seen=NOW + 1))
        assert store.daemons.list_daemons()[0].troubles == ()


def one_that_has_stopped_leads_no_more(open_store: Open) -> None:
    with opened(open_store) as store:
        store.daemons.beat(daemon("a:1", leads_since=NOW))
        store.daemons.leave("a:1", now=NOW)
        assert [one.leads_since for one in store.daemons.list_daemons()] == [None]


def there_is_one_leader_and_it_comes_first(open_store: Open) -> None:
    with opened(open_store) as store:
        store.daemons.beat(daemon("a:1", leads_since=NOW))
        store.daemons.beat(daemon("b:2", leads_since=NOW + 5))
        assert [(one.name, one.leads_since) for one in store.daemons.list_daemons()] == [
            ("b:2", NOW + 5),
            ("a:1", None),
        ]


def daemons_that_are_gone_for_an_hour_are_forgotten(open_store: Open) -> None:
    with opened(open_store) as store:
        store.daemons.beat(daemon("gone:1"))
        store.daemons.beat(daemon("here:2", seen=NOW + HOUR - 1, leads_since=NOW))
        assert len(store.daemons.list_daemons()) == 2
        store.daemons.beat(daemon("here:2", seen=NOW + HOUR + 1, leads_since=NOW))
        assert [one.name for one in store.daemons.list_daemons()] == ["here:2"]


def a_bucket_fills_with_time_and_never_beyond_its_size(open_store: Open) -> None:
    with opened(open_store) as store:
        [first] = store.daemons.draw([draw(wanted=5.0)], now=NOW)
        assert (first.granted, first.left) == (0.0, 0.0), "nothing is saved up at the start"
        [second] = store.daemons.draw([draw(wanted=5.0)], now=NOW + 3.5)
        assert (second.granted, second.left) == (3.0, 0.5), "whole tokens only"
        [third] = store.daemons.draw([draw(wanted=50.0)], now=NOW + 1000.0)
        assert (third.granted, third.left) == (10.0, 0.0)


def a_clock_that_is_behind_fills_nothing_twice(open_store: Open) -> None:
    with opened(open_store) as store:
        store.daemons.draw([draw()], now=NOW)
        assert store.daemons.draw([draw(wanted=9.0)], now=NOW + 4.0)[0].granted == 4.0
        assert store.daemons.draw([draw(wanted=9.0)], now=NOW + 2.0)[0].granted == 0.0
        assert store.daemons.draw([draw(wanted=9.0)], now=NOW + 5.0)[0].granted == 1.0


def what_is_owed_is_settled_first_and_what_was_not_needed_comes_back(open_store: Open) -> None:
    with opened(open_store) as store:
        store.daemons.draw([draw()], now=NOW)
        assert store.daemons.draw([draw(wanted=4.0, owed=6.0)], now=NOW + 4.0)[0].granted == 0.0, "two are owed still"
        assert store.daemons.draw([draw(wanted=4.0)], now=NOW + 5.0)[0].left == -1.0
        assert store.daemons.draw([draw(owed=-3.0)], now=NOW + 5.0)[0].left == 2.0


def buckets_are_apart(open_store: Open) -> None:
    with opened(open_store) as store:
        store.daemons.draw([draw(name="requests"), draw(name="bytes")], now=NOW)
        both = store.daemons.draw([draw(name="requests", wanted=2.0), draw(name="bytes", wanted=1.0)], now=NOW + 3.0)
        assert [(one.granted, one.left) for one in both] == [(2.0, 1.0), (1.0, 2.0)]


def visits_since_a_time_are_told_whoever_made_them(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(3), now=NOW)
        for number, lease in enumerate(take(store, limit=2)):
            store.record([report(lease, NOW + 10.0 * number)])
        assert {one.last_visit for one in store.daemons.visited_since(NOW - 1.0, limit=9)} == {NOW, NOW + 10.0}
        assert [one.last_visit for one in store.daemons.visited_since(NOW + 5.0, limit=9)] == [NOW + 10.0]
        assert store.daemons.visited_since(math.nextafter(NOW + 10.0, math.inf), limit=9) == []


def what_was_visited_meanwhile_is_not_brought_forward(open_store: Open) -> None:
    with opened(open_store) as store:
        [feed] = (item.id for item in store.add(feeds(1), now=NOW))
        [lease] = take(store)
        store.record([report(lease, NOW, next_allowed=NOW, due=NOW + HOUR)])
        store.bring_forward([feed], now=NOW + 1, seen=NOW - 1)
        assert store.get(feed).due == NOW + HOUR
        store.bring_forward([feed], now=NOW + 1, seen=NOW)
        assert store.get(feed).due == NOW + 1


LAWS = laws_of(globals())
