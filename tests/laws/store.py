"""The laws of a store: each a short function whose name is the law.

A law takes a function that opens the store; calling it again opens the same data once more, as another process
would. The store is empty when a law begins. Here stand those of what is watched and of the store as a whole; those of
the queue, of reports and of reading have modules of their own.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import product

from afresh.base.errors import AfreshError, ResourceNotFound, UsageError
from afresh.base.models import Counters, FeedFacts, Kind, NewResource, Resource, ResourceFilter, Result, Status
from afresh.base.records.history import Document
from tests.laws import store_entries, store_queue, store_reports
from tests.laws.store_material import (
    NOW,
    Open,
    comparable,
    entry,
    feeds,
    laws_of,
    opened,
    raises,
    report,
    take,
)

# --- resources -------------------------------------------------------------------------------------------------------


def adding_never_overwrites(open_store: Open) -> None:
    with opened(open_store) as store:
        first = NewResource(url="http://a.example/", site="a.example", title="mine", tags=("x",), weight=2.0)
        again = replace(first, title="other", site="b.example", kind=Kind.PAGE, due=5.0)
        [added] = store.add([first], now=NOW)
        before = comparable(store.get(added.id))
        results = store.add([again, NewResource(url="http://c.example/", site="c.example")], now=NOW + 1)
        assert [result.is_new for result in results] == [False, True]
        assert results[0].id == added.id
        assert comparable(store.get(added.id)) == before
        assert store.count() == 2


def a_url_added_twice_at_once_is_one_resource(open_store: Open) -> None:
    with opened(open_store) as store:
        one, two = store.add(feeds(1) + feeds(1), now=NOW)
        assert (one.is_new, two.is_new, two.id) == (True, False, one.id)


def what_is_added_can_be_found(open_store: Open) -> None:
    with opened(open_store) as store:
        new = NewResource(
            url="http://a.example/ä",
            site="a.example",
            kind=Kind.LINK,
            title="T",
            folder="F",
            tags=("x", "y z"),
            weight=0.5,
            rule="fix",
            pinned=60.0,
            note="said of it,\nin two lines",
            saved=NOW - 1e8,
            home="http://a.example/",
            due=NOW + 9,
        )
        [added] = store.add([new], now=NOW)
        found = store.get(new.url)
        assert comparable(found) == comparable(store.get(added.id))
        for name in (
            "url",
            "site",
            "kind",
            "title",
            "folder",
            "tags",
            "weight",
            "rule",
            "pinned",
            "note",
            "saved",
            "due",
        ):
            assert getattr(found, name) == getattr(new, name), name
        assert found.facts == FeedFacts(site_url=new.home)
        assert found.added == NOW
        assert found.status is Status.ACTIVE


def what_is_added_paused_is_kept_and_not_leased(open_store: Open) -> None:
    with opened(open_store) as store:
        [new] = feeds(1)
        [added] = store.add([replace(new, status=Status.PAUSED)], now=NOW)
        assert store.get(added.id).status is Status.PAUSED
        assert store.count(ResourceFilter(status=Status.PAUSED)) == store.count() == 1
        assert (take(store), store.next_ready()) == ([], None)
        store.update(added.id, status=Status.ACTIVE)
        assert [lease.resource.id for lease in take(store)] == [added.id]


def an_unknown_resource_is_not_found(open_store: Open) -> None:
    with opened(open_store) as store:
        for key in (1, "http://nowhere.example/"):
            assert raises(ResourceNotFound, store.get, key)
        assert raises(ResourceNotFound, store.update, 7, title="x")


def removed_numbers_are_not_given_again(open_store: Open) -> None:
    with opened(open_store) as store:
        last = store.add(feeds(3), now=NOW)[-1]
        assert store.remove([last.id, 999]) == 1
        assert store.add(feeds(3), now=NOW)[-1].id > last.id


def removing_takes_entries_visits_and_documents_along(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(2), now=NOW)
        kept, lost = take(store)
        document = Document(resource=lost.resource.id, at=NOW, why="news", headers="", body=b"x")
        store.record([report(kept, entries=(entry("a"),)), report(lost, entries=(entry("b"),), document=document)])
        assert store.remove([lost.resource.id]) == 1
        assert [stored.resource for stored in store.entries()] == [kept.resource.id]
        assert [visit.resource for _, visit in store.visits()] == [kept.resource.id]
        assert store.documents() == []


def a_listing_pages_through_everything_once_in_any_order(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add([replace(new, due=float(-i % 7), title=f"t{i % 3}") for i, new in enumerate(feeds(20))], now=NOW)
        leases = take(store, limit=9)
        store.record([report(one, NOW + one.id % 4, counters=Counters(failures=one.id % 2)) for one in leases])
        keys: dict[str, Callable[[Resource], object]] = {
            "id": lambda r: r.id,
            "due": lambda r: (r.due, r.id),
            "url": lambda r: r.url,
            "title": lambda r: (r.title, r.id),
            "last_visit": lambda r: (-(r.last_visit or 0.0), -r.id),
        }
        for (order, key), failing in product(keys.items(), (None, True)):
            where, seen = ResourceFilter(failing=failing), list[Resource]()
            while page := store.list_resources(where, after=seen[-1].id if seen else 0, limit=2, order=order):
                seen += page
            assert [r.id for r in seen] == [r.id for r in sorted(store.iterate(where), key=key)], order  # type: ignore[arg-type]
        assert raises(UsageError, store.list_resources, order="url; DROP TABLE resource")


def the_latest_visited_come_first_page_after_page(open_store: Open) -> None:
    """Visited at different times, some more than once, some at the same moment, some never; also when few fail."""
    with opened(open_store) as store:
        store.add(feeds(14, each=2), now=NOW)
        for turn, limit in enumerate((14, 9, 5, 3)):
            now = NOW + 100.0 * turn
            leases = take(store, now, limit=limit)
            store.record(
                [
                    report(lease, now + lease.id % 3, due=now, counters=Counters(failures=lease.id % 2))
                    for lease in leases
                ]
            )
        for where in (ResourceFilter(), ResourceFilter(kind=Kind.FEED, failing=True), ResourceFilter(text="site1")):
            wanted = sorted(store.iterate(where), key=lambda r: (-(r.last_visit or 0.0), -r.id))
            assert len({resource.last_visit for resource in wanted}) > 2
            for size in (1, 2, 5):
                seen: list[Resource] = []
                while page := store.list_resources(
                    where, after=seen[-1].id if seen else 0, limit=size, order="last_visit"
                ):
                    seen += page
                assert [r.id for r in seen] == [r.id for r in wanted], (where, size)


def a_filter_shows_what_it_says_and_counts_the_same(open_store: Open) -> None:
    with opened(open_store) as store:
        news = feeds(4, each=2)
        news[0] = replace(news[0], kind=Kind.PAGE, folder="f", tags=("one", "two"), title="100% Äpfel_x")
        store.add(news, now=NOW)
        first = store.get(news[0].url)
        store.update(store.get(news[1].url).id, status=Status.PAUSED)
        leases = take(store)
        store.record([report(leases[0], counters=Counters(failures=2)), report(leases[1], repaired=("ends",))])
        expected = {
            ResourceFilter(): 8,
            ResourceFilter(kind=Kind.PAGE): 1,
            ResourceFilter(kind=Kind.FEED, status=Status.ACTIVE): 6,
            ResourceFilter(status=Status.PAUSED): 1,
            ResourceFilter(folder="f"): 1,
            ResourceFilter(tag="two"): 1,
            ResourceFilter(tag="tw"): 0,
            ResourceFilter(site="site3.example"): 2,
            ResourceFilter(failing=True): 1,
            ResourceFilter(failing=False): 7,
            ResourceFilter(repaired=True): 1,
            ResourceFilter(repaired=False, failing=True): 1,
            ResourceFilter(repaired=True, text="example", kind=Kind.FEED): 1,
            ResourceFilter(text="SITE2"): 2,
            ResourceFilter(text="0% Äpfel_"): 1,
            ResourceFilter(text="%"): 1,
            ResourceFilter(text="_"): 1,
            ResourceFilter(site="nowhere"): 0,
        }
        for where, count in expected.items():
            assert store.count(where) == count == len(list(store.iterate(where))), where
        assert [r.id for r in store.iterate(ResourceFilter(tag="one"))] == [first.id]


def only_the_operators_columns_can_be_updated(open_store: Open) -> None:
    with opened(open_store) as store:
        number = store.add(feeds(1), now=NOW)[0].id
        changes = {
            "title": "T",
            "folder": "F",
            "note": "N",
            "tags": ("a",),
            "weight": 3.0,
            "rule": "fix",
            "shortest": 1.0,
        }
        changed = store.update(number, **changes, longest=math.inf, standard=None, status="paused", due=NOW + 5)
        for name, value in changes.items():
            assert getattr(changed, name) == value, name
        assert (changed.longest, changed.standard, changed.status, changed.due) == (
            math.inf,
            None,
            Status.PAUSED,
            NOW + 5,
        )
        wrong: list[dict[str, object]] = [{"url": "x"}, {"id": 5}, {"status": "dead"}, {"weight": "much"}]
        wrong += [{"due": math.nan}, {"weight": -1.0}, {"tags": "abc"}, {"title": None}, {"pinned": math.inf}]
        for bad in wrong:
            assert raises(UsageError, store.update, number, **bad), bad
        assert comparable(store.get(number)) == comparable(changed)


# --- sites, totals, settings -----------------------------------------------------------------------------------------


def sites_are_listed_by_name_with_their_delay(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(5, each=2), now=NOW)
        store.set_site_delay("site3.example", 7.5)
        store.set_site_delay("unknown.example", 1.0)
        names: list[str] = []
        while page := store.list_sites(after=names[-1] if names else "", limit=2):
            names += [site.name for site in page]
        assert names == [f"site{i}.example" for i in range(5)] + ["unknown.example"]
        site = store.site("site3.example")
        assert site is not None
        assert (site.delay, site.resources, site.ready) == (7.5, 2, NOW)
        assert [site.name for site in store.list_sites(text="SITE", after="site2.example")] == names[3:5]
        assert [site.name for site in store.list_sites(text="te_")] == []
        store.set_site_delay("site3.example", None)
        assert all(site.delay is None for site in store.list_sites(limit=5))
        assert store.site("nowhere") is None
        assert raises(UsageError, store.set_site_delay, "x", -1.0)


def failing_sites_can_be_listed(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(4), now=NOW)
        assert store.list_sites(failing=True) == []
        first, second, third, _ = sorted(take(store, NOW + 8), key=lambda lease: lease.resource.site)
        store.record([report(first, NOW + 9, result=Result.NEW)])
        store.record([report(lease, NOW + 9, result=Result.UNREACHABLE) for lease in (second, third)])
        failing = store.list_sites(failing=True)
        assert [site.name for site in failing] == [second.resource.site, third.resource.site]
        assert all(site.failures for site in failing)
        assert store.list_sites(failing=True, after=second.resource.site) == failing[1:]
        assert store.list_sites(failing=True, text="site", limit=1) == failing[:1]
        assert store.list_sites(failing=True, text=second.resource.site) == failing[:1]


def activity_counts_each_visit_in_its_step(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(3), now=NOW)
        leases = take(store, NOW + 8)
        start = NOW // 600 * 600 + 600  # of a ten-minute step
        fresh = (entry("a", published=start - 50, found=start + 10),)
        store.record([report(leases[0], start + 10, result=Result.NEW, entries=fresh)])
        store.record([report(leases[1], start + 590, result=Result.HTTP_ERROR)])
        store.record([report(leases[2], start + 610)])
        first, second = store.activity(since=start - 3600, until=start + 3600, step=10)
        assert (first.start, first.visits, first.errors, first.entries, first.mean_delay) == (start, 2, 1, 1, 60.0)
        assert (second.start, second.visits, second.mean_delay) == (start + 600, 1, None)
        assert store.activity(since=start + 3600, until=start + 7200, step=10) == []


def totals_agree_with_what_happened(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add([*feeds(4), NewResource(url="http://p.example/", site="p.example", kind=Kind.PAGE)], now=NOW)
        leases = take(store, NOW + 8)
        fresh = (entry("a", published=NOW, found=NOW + 10), entry("b", published=NOW, found=NOW + 10, initial=True))
        store.record([replace(report(leases[0], NOW + 10, result=Result.NEW, entries=fresh), lost=4.4)])
        store.record([report(leases[1], NOW - 7200, due=NOW + 99, result=Result.NOT_MODIFIED)])
        store.record([report(leases[2], NOW + 10, result=Result.HTTP_ERROR, counters=Counters(failures=1))])
        totals = store.stats(now=NOW + 10)
        expected = {
            "resources": 5,
            "resources_feed": 4,
            "resources_page_active": 1,
            "resources_paused": 0,
            "sites": 5,
            "due_now": 2,
            "overdue_seconds": 10,
            "leased": 2,
            "failing": 1,
            "visits_total": 3,
            "visits_last_hour": 2,
            "visits_new_last_hour": 1,
            "visits_not_modified_total": 1,
            "visits_not_modified_last_hour": 0,
            "entries_total": 2,
            "entries_last_hour": 2,
            "mean_delay_seconds_last_day": 10,
            "bytes_total": 300,
            "not_modified_share_last_day": 1 / 3,
            "missed_total": 4,
            "delayed_last_day": 1,
        }
        assert {name: totals[name] for name in expected} == expected
        assert totals["database_bytes"] > 0


def totals_follow_whatever_becomes_of_resources_and_sites(open_store: Open) -> None:
    with opened(open_store) as store:

        def assert_counted() -> None:
            there = list(store.iterate())
            totals = store.stats(now=NOW)
            for kind, status in product(Kind, Status):
                count = sum((one.kind, one.status) == (kind, status) for one in there)
                assert (
                    totals.get(f"resources_{kind}_{status}", 0)
                    == count
                    == store.count(ResourceFilter(kind=kind, status=status))
                )
            sites = store.list_sites(limit=1000)
            assert totals["sites"] == len(sites)
            assert {site.name: site.resources for site in sites} == {
                site.name: sum(one.site == site.name for one in there) for site in sites
            }

        store.add(feeds(4, each=3), now=NOW)
        store.add([*feeds(5), NewResource(url="http://p.example/", site="p.example", kind=Kind.PAGE)], now=NOW)
        assert_counted()
        first = [one.id for one in store.list_resources()]
        store.update(first[0], status="paused")
        store.update(first[1], title="the status is as it was")
        assert_counted()
        gone, page, moved, same, paused, *_ = take(store, NOW + 8)
        store.update(paused.resource.id, status="paused")
        store.record(
            [
                report(gone, NOW + 9, status=Status.GONE, result=Result.GONE),
                report(page, NOW + 9, kind=Kind.PAGE),
                report(moved, NOW + 9, url="http://elsewhere.example/", site="elsewhere.example"),
                report(same, NOW + 9),
                report(paused, NOW + 9, status=Status.GONE, result=Result.GONE),
            ]
        )
        assert store.get(paused.resource.id).status is Status.PAUSED
        assert_counted()
        store.set_site_delay("quiet.example", 5.0)
        store.set_site_delay("p.example", 5.0)
        assert_counted()
        assert store.remove([*first[:4], 10**6]) == 4
        assert_counted()
        store.remove(first)
        store.prune(NOW + 1e6, NOW + 1e6)
        assert_counted()


def totals_of_an_empty_store_are_zero(open_store: Open) -> None:
    with opened(open_store) as store:
        totals = dict(store.stats(now=NOW))
        del totals["database_bytes"]
        assert set(totals.values()) == {0.0}


def pages_and_sitemaps_are_in_use_while_one_is_watched(open_store: Open) -> None:
    for kind in (Kind.PAGE, Kind.SITEMAP):
        with opened(open_store) as store:
            store.add(feeds(1), now=NOW)
            assert store.in_use() == set()
            [added] = store.add([NewResource(url="https://p.example/", site="p.example", kind=kind)], now=NOW)
            assert store.in_use() == {"pages"}
            store.remove([added.id])
            assert store.in_use() == set()


def settings_are_remembered(open_store: Open) -> None:
    with opened(open_store) as store:
        assert store.get_setting("price") is None
        store.put_setting("price", "1")
        store.put_setting("price", "2")
    with opened(open_store) as store:
        assert store.get_setting("price") == "2"


def a_closed_store_says_so(open_store: Open) -> None:
    store = open_store()
    store.close()
    store.close()
    assert raises(AfreshError, store.get, 1)
    assert raises(AfreshError, store.add, feeds(1), now=NOW)


LAWS = (*laws_of(globals()), *store_queue.LAWS, *store_reports.LAWS, *store_entries.LAWS)
