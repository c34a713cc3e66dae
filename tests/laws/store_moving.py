"""What moves with a resource that goes to another site: all of it, under the numbers it had."""

from dataclasses import replace

import pytest

from afresh.base.errors import Conflict, ResourceNotFound
from afresh.base.hashing import bucket_of
from afresh.base.models import Kind, Lease, NewResource, Report
from afresh.base.protocols import Store
from afresh.base.records.history import Document
from afresh.base.records.links import EntryStatus, Standing
from afresh.store.buckets import BUCKETS
from tests.fakes.watched import DAY, WatchedPages, picture
from tests.laws.store_links import record
from tests.laws.store_material import NOW, Open, entry, laws_of, opened, report
from tests.laws.store_push import subscription_of

_OLD = "old.example"


def elsewhere(site: str) -> str:
    """The name of a site in another bucket."""
    names = (f"new{n}.example" for n in range(1000))
    return next(name for name in names if bucket_of(name, BUCKETS) != bucket_of(site, BUCKETS))


def nearby(site: str) -> str:
    """The name of another site in the same bucket."""
    names = (f"near{n}.example" for n in range(10_000))
    return next(name for name in names if bucket_of(name, BUCKETS) == bucket_of(site, BUCKETS))


def moved(lease: Lease, site: str, at: float = NOW + 1.0) -> Report:
    """A visit that found the resource at another site."""
    told = report(lease, at, entries=(entry("after"),))
    return replace(told, resource=replace(told.resource, url=f"http://{site}/feed", site=site))


def _one(store: Store, kind: Kind = Kind.FEED) -> int:
    [added] = store.add([NewResource(url=f"http://{_OLD}/feed", site=_OLD, kind=kind)], now=NOW)
    return added.id


def _take(store: Store, now: float = NOW) -> Lease:
    [lease] = store.lease(holder="test", now=now, until=now + 60.0, limit=1)
    return lease


def what_was_found_follows_a_resource_to_another_bucket(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _one(store)
        lease = _take(store)
        document = Document(resource=number, at=NOW, why="news", headers="a: b", body=b"body")
        assert store.record([report(lease, entries=(entry("before"),), document=document)]) == [True]
        token = subscription_of(number)
        assert store.push.put_subscription(token)
        before = (store.entries(), store.visits(), store.documents())
        site = elsewhere(_OLD)
        assert store.record([moved(_take(store, NOW + 5_000.0), site, NOW + 5_001.0)]) == [True]
        resource = store.get(number)
        assert (resource.url, resource.site) == (f"http://{site}/feed", site)
        assert store.get(f"http://{site}/feed").id == number
        assert [(one.seq, one.entry) for one in store.entries()[:1]] == [(one.seq, one.entry) for one in before[0]]
        assert [one.entry.parsed.title for one in store.entries(resource=number)] == ["before", "after"]
        assert store.visits(resource=number)[1:] == before[1]
        assert store.documents(resource=number) == before[2]
        assert store.push.subscription(number) == token
        assert {one.name: one.resources for one in store.list_sites()} == {_OLD: 0, site: 1}
        assert store.damage.find_damage() == []
        assert _take(store, NOW + 10_000.0).site == site  # it goes on from there
        assert store.remove([number]) == 1
        assert (store.entries(), store.visits(), store.documents()) == ([], [], [])
        assert store.push.subscription(number) is None


def a_feed_that_is_given_another_address_keeps_its_entries_and_a_visit_that_is_out_is_left_out(
    open_store: Open,
) -> None:
    with opened(open_store) as store:
        number, site = _one(store), elsewhere(_OLD)
        assert store.record([report(_take(store), entries=(entry("before"),))]) == [True]
        under_way = _take(store, NOW + 5_000.0)
        resource = store.take_address(number, url=f"http://{site}/rss", site=site, now=NOW + 5_001.0)
        assert (resource.url, resource.site, resource.due) == (f"http://{site}/rss", site, NOW + 5_001.0)
        assert store.record([report(under_way, NOW + 5_002.0, entries=(entry("of the old address"),))]) == [False]
        assert [one.entry.parsed.title for one in store.entries(resource=number)] == ["before"]
        assert {one.name: one.resources for one in store.list_sites()} == {_OLD: 0, site: 1}
        assert store.get(f"http://{_OLD}/feed").id == number, "by the address it had, too"
        assert store.damage.find_damage() == []
        store.add([NewResource(url="http://other.example/feed", site="other.example")], now=NOW)
        with pytest.raises(Conflict):
            store.take_address(number, url="http://other.example/feed", site="other.example", now=NOW)


def a_move_within_a_bucket_leaves_everything_where_it_is(open_store: Open) -> None:
    with opened(open_store) as store:
        number, site = _one(store), nearby(_OLD)
        assert store.record([moved(_take(store), site)]) == [True]
        assert store.get(number).site == site
        assert [one.entry.parsed.title for one in store.entries(resource=number)] == ["after"]
        assert {one.name: one.resources for one in store.list_sites()} == {_OLD: 0, site: 1}


def versions_and_checks_follow_a_link_to_another_bucket(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _one(store, Kind.LINK)
        for day, text in enumerate(["one", "two", "three"]):
            store.links.record_checks([record(number, text, NOW + day * DAY)])
        before = store.links.link(number)
        versions, checks = store.links.versions(number), store.links.link_checks(number)
        bodies = {one.id: store.links.version_body(one.id) for one in versions}
        site = elsewhere(_OLD)
        later = NOW + 8 * DAY
        after = store.links.take_address(number, url=f"http://{site}/page", site=site, now=later)
        nowhere = replace(before.state, standing=Standing.UNKNOWN, entry=EntryStatus.WAITING, changed=later)
        unseen = {"status": None, "checked": None, "probability": None, "step": None}
        assert after.state == replace(nowhere, new_url="", detail="", **unseen)  # type: ignore[arg-type]
        assert store.links.versions(number) == versions != []
        assert [replace(one, url="") for one in store.links.link_checks(number)] == [
            replace(one, url="") for one in checks
        ]
        assert {one: store.links.version_body(one) for one in bodies} == bodies
        store.links.record_checks([record(number, "four", NOW + 9 * DAY)])
        assert len(store.links.versions(number)) == len(versions) + 1


def what_a_page_showed_follows_it_to_another_bucket(open_store: Open) -> None:
    with opened(open_store) as store:
        pages = WatchedPages(store)
        number = pages.add(f"http://{_OLD}/")
        for visit in range(3):
            pages.visit(number, f"<p>{'words ' * 300} {visit}</p>", picture=picture(60 * visit))
        memory, versions = store.watches.page_memory(number), store.links.versions(number)
        shown = [store.watches.picture(one.id) for one in versions]
        site = elsewhere(_OLD)
        store.links.take_address(number, url=f"http://{site}/", site=site, now=pages.now)
        assert store.watches.page_memory(number) == memory is not None
        assert store.links.versions(number) == versions
        assert [store.watches.picture(one.id) for one in versions] == shown
        assert None not in shown


def a_resource_is_known_by_the_addresses_it_had(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _one(store, Kind.LINK)
        old, site = f"http://{_OLD}/feed", elsewhere(_OLD)
        first, second = f"http://{site}/page", f"http://{nearby(site)}/page"
        store.links.take_address(number, url=first, site=site, now=NOW)
        store.links.take_address(number, url=second, site=nearby(site), now=NOW)
        assert [store.get(url).id for url in (old, first, second)] == [number] * 3
        wanted = [NewResource(url=url, site=_OLD, kind=Kind.LINK) for url in (old, first, second, f"http://{_OLD}/x")]
        assert [added.is_new for added in store.add(wanted, now=NOW)] == [False, False, False, True]
        assert store.count() == 2
        store.links.take_address(number, url=old, site=_OLD, now=NOW)  # back again: the address is its own
        other = store.get(f"http://{_OLD}/x").id
        store.links.take_address(other, url=first, site=site, now=NOW)  # and where it was, another is now
        assert (store.get(old).id, store.get(first).id, store.get(second).id) == (number, other, number)
        store.remove([number])
        with pytest.raises(ResourceNotFound):
            store.get(second)
        assert store.add([NewResource(url=second, site=_OLD)], now=NOW)[0].is_new


LAWS = laws_of(globals())
