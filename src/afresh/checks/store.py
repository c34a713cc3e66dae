"""The laws of a store: each a short function whose name is the law.

A law takes a function that opens the store; calling it again opens the same data once more, as another process
would. The store is empty when a law begins.
"""

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from afresh.checks.store_material import (
    NOW,
    Open,
    comparable,
    entry,
    feeds,
    full_resource,
    opened,
    raises,
    report,
    take,
)
from afresh.core.models import (
    Counters,
    Document,
    FeedFacts,
    Kind,
    NewResource,
    ParsedEntry,
    Resource,
    Result,
    Status,
    Visit,
)
from afresh.core.protocols import ResourceFilter
from afresh.errors import AfreshError, ResourceNotFound, UsageError

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
            predictor="fix",
            pinned=60.0,
            due=NOW + 9,
        )
        [added] = store.add([new], now=NOW)
        found = store.get(new.url)
        assert comparable(found) == comparable(store.get(added.id))
        for name in ("url", "site", "kind", "title", "folder", "tags", "weight", "predictor", "pinned", "due"):
            assert getattr(found, name) == getattr(new, name), name
        assert found.added == NOW
        assert found.status is Status.ACTIVE


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
        store.record([report(lease, NOW + lease.id % 4) for lease in take(store, limit=9)])
        keys: dict[str, Callable[[Resource], object]] = {
            "id": lambda r: r.id,
            "due": lambda r: (r.due, r.id),
            "url": lambda r: r.url,
            "title": lambda r: (r.title, r.id),
            "last_visit": lambda r: (-(r.last_visit or 0.0), -r.id),
        }
        for order, key in keys.items():
            seen: list[Resource] = []
            while page := store.list_resources(after=seen[-1].id if seen else 0, limit=6, order=order):
                seen += page
            assert [r.id for r in seen] == [r.id for r in sorted(store.iterate(), key=key)], order  # type: ignore[arg-type]
        assert raises(UsageError, store.list_resources, order="url; DROP TABLE resource")


def a_filter_shows_what_it_says_and_counts_the_same(open_store: Open) -> None:
    with opened(open_store) as store:
        news = feeds(4, each=2)
        news[0] = replace(news[0], kind=Kind.PAGE, folder="f", tags=("one", "two"), title="100% Äpfel_x")
        store.add(news, now=NOW)
        first = store.get(news[0].url)
        store.update(store.get(news[1].url).id, status=Status.PAUSED)
        leases = take(store)
        store.record([report(leases[0], counters=Counters(failures=2))])
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
        changes = {"title": "T", "folder": "F", "tags": ("a",), "weight": 3.0, "predictor": "fix", "alpha": 1.0}
        changed = store.update(number, **changes, beta=math.inf, eta=None, status="paused", due=NOW + 5)
        for name, value in changes.items():
            assert getattr(changed, name) == value, name
        assert (changed.beta, changed.eta, changed.status, changed.due) == (math.inf, None, Status.PAUSED, NOW + 5)
        wrong: list[dict[str, object]] = [{"url": "x"}, {"id": 5}, {"status": "dead"}, {"weight": "much"}]
        wrong += [{"due": math.nan}, {"weight": -1.0}, {"tags": "abc"}, {"title": None}, {"pinned": math.inf}]
        for bad in wrong:
            assert raises(UsageError, store.update, number, **bad), bad
        assert comparable(store.get(number)) == comparable(changed)


# --- the queue -------------------------------------------------------------------------------------------------------


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


def the_most_overdue_goes_first(open_store: Open) -> None:
    with opened(open_store) as store:
        dues = [5.0, 3.0, 9.0, 1.0]
        store.add([replace(new, due=due) for new, due in zip(feeds(2, each=2), dues, strict=True)], now=NOW)
        assert [lease.resource.due for lease in take(store, limit=1)] == [1.0]
        assert [lease.resource.due for lease in take(store, limit=1)] == [3.0]
        assert take(store, limit=1) == []


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


def a_due_time_of_never_is_never(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1, due=math.inf), now=NOW)
        assert (store.next_ready(), take(store, NOW * 1000)) == (None, [])


# --- reports ---------------------------------------------------------------------------------------------------------


def recording_twice_is_harmless(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        [lease] = take(store)
        done = report(lease, entries=(entry("a"), entry("b")))
        assert store.record([done, done]) == [True, False]
        before = (comparable(store.get(lease.resource.id)), store.site(lease.site), store.stats(now=NOW))
        assert store.record([done]) == [False]
        assert (comparable(store.get(lease.resource.id)), store.site(lease.site), store.stats(now=NOW)) == before
        assert (len(store.entries()), len(store.visits())) == (2, 1)


def a_recorded_resource_comes_back_as_it_was(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        [lease] = take(store)
        resource = full_resource(lease.resource)
        store.record([replace(report(lease), resource=resource)])
    with opened(open_store) as store:
        found = store.get(resource.id)
        assert comparable(found) == comparable(resource)
        assert found.state.flags.writeable


def a_recorded_visit_comes_back_as_it_was(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        [lease] = take(store)
        visit = Visit(
            resource=lease.resource.id,
            started=NOW,
            finished=NOW + 0.5,
            result=Result.THROTTLED,
            status=429,
            bytes=512,
            etag='"e"',
            last_modified="m",
            date=NOW - 1,
            expires=NOW + 1,
            max_age=60.0,
            window_size=3,
            new=2,
            missed=True,
            next_due=NOW + 60,
            reason="r",
            error="slow down",
        )
        store.record([replace(report(lease), visit=visit)])
        [(number, found)] = store.visits(resource=lease.resource.id)
        assert found == visit
        assert store.visits(before=number) == []


def the_operators_changes_outlive_a_report(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(2), now=NOW)
        paused, changed = take(store)
        store.update(paused.resource.id, status=Status.PAUSED)
        store.update(changed.resource.id, title="mine", weight=9.0, tags=("t",), pinned=60.0)
        store.record([report(paused), report(changed, title="the feed's", status=Status.GONE)])
        assert store.get(paused.resource.id).status is Status.PAUSED
        found = store.get(changed.resource.id)
        assert (found.title, found.weight, found.tags, found.pinned) == ("mine", 9.0, ("t",), 60.0)
        assert found.status is Status.GONE


def a_report_titles_what_has_no_title(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        [lease] = take(store)
        store.record([report(lease, title="the feed's")])
        assert store.get(lease.resource.id).title == "the feed's"


def a_moved_resource_is_found_at_its_new_url_and_site(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        [lease] = take(store)
        store.record([report(lease, due=NOW, url="http://new.example/", site="new.example", next_allowed=NOW + 20)])
        found = store.get("http://new.example/")
        assert (found.id, found.site) == (lease.resource.id, "new.example")
        assert raises(ResourceNotFound, store.get, lease.resource.url)
        old, new = store.site(lease.site), store.site("new.example")
        assert old is not None
        assert new is not None
        assert (old.resources, new.resources, new.ready) == (0, 1, NOW + 20)
        assert [again.site for again in take(store, NOW + 20)] == ["new.example"]


def a_move_to_a_watched_url_is_not_made(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(3), now=NOW)
        first, second, third = take(store)
        target = {"url": "http://new.example/", "site": "new.example"}
        done = [report(first, **target), report(second, **target)]  # type: ignore[arg-type]
        done.append(report(third, url=second.resource.url, site=second.resource.site))
        assert store.record(done) == [True, True, True]
        assert store.get(first.resource.id).url == "http://new.example/"
        assert store.get(second.resource.id).url == second.resource.url
        assert store.get(third.resource.id).site == third.resource.site


def a_report_for_a_removed_resource_only_keeps_the_sites_delay(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1, each=2), now=NOW)
        [lease] = take(store)
        store.remove([lease.resource.id])
        assert take(store) == []
        assert store.record([report(lease, next_allowed=NOW + 30, entries=(entry("lost"),))]) == [False]
        assert (store.entries(), store.visits(), store.next_ready()) == ([], [], NOW + 30)


def failures_of_a_site_are_counted_in_a_row(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1, due=0.0), now=NOW)
        seen = []
        results = [Result.UNREACHABLE, Result.THROTTLED, Result.OFFLINE, Result.SAME, Result.HTTP_ERROR]
        for step, result in enumerate(results):
            now = NOW + 1000 * step
            [lease] = take(store, now)
            store.record([report(lease, now, due=now, result=result)])
            site = store.site(lease.site)
            seen.append(site.failures if site else -1)
        assert seen == [1, 2, 2, 0, 1]


def any_text_can_be_recorded(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        [lease] = take(store)
        nasty = "a\0b\ud800c'\"; DROP TABLE entry; -- 💥"
        odd = replace(entry("x"), published=math.nan, published_raw=math.inf)
        parsed = ParsedEntry(title=nasty, link=nasty, author=nasty, content=nasty, categories=(nasty,))
        facts = FeedFacts(title=nasty, ttl=math.nan)
        done = report(lease, entries=(replace(odd, parsed=parsed),), error=nasty, facts=facts, reason=nasty)
        assert store.record([done]) == [True]
        [found] = store.entries()
        assert found.entry.parsed.title.endswith("c'\"; DROP TABLE entry; -- 💥")
        assert (found.entry.published, found.entry.published_raw) == (NOW, None)
        assert store.get(lease.resource.id).facts.ttl is None


# --- readers ---------------------------------------------------------------------------------------------------------


def entries_are_read_in_sequence_without_gap_or_repetition(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(3, due=0.0), now=NOW)
        written: list[str] = []
        read: list[str] = []
        last = 0
        for step in range(6):
            now = NOW + 100 * step
            done = [
                report(lease, now, due=now, entries=tuple(entry(f"{step}/{lease.id}/{i}") for i in range(step % 3 + 1)))
                for lease in take(store, now)
            ]
            store.record(done)
            written += [new.parsed.title for made in done for new in made.entries]
            while page := store.entries(after=last, limit=2):
                assert [stored.seq for stored in page] == sorted({stored.seq for stored in page})
                read += [stored.entry.parsed.title for stored in page]
                last = page[-1].seq
        assert read == written
        newest = store.entries(newest_first=True, limit=4)
        assert [stored.entry.parsed.title for stored in newest] == written[:-5:-1]
        mine = store.entries(resource=newest[0].resource, limit=1000)
        assert mine == [stored for stored in store.entries(limit=1000) if stored.resource == newest[0].resource]


def numbers_of_removed_entries_are_not_given_again(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1, due=0.0), now=NOW)
        [lease] = take(store)
        store.record([report(lease, due=0.0, entries=(entry("old"),))])
        last = store.entries()[-1].seq
        store.prune(NOW + 1, NOW + 1)
        assert store.entries() == []
        [lease] = take(store, NOW + 100)
        store.record([report(lease, NOW + 100, entries=(entry("new"),))])
        assert store.entries()[0].seq > last


def an_entry_that_comes_back_is_new_again(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1, due=0.0), now=NOW)
        for now in (NOW, NOW + 100):
            [lease] = take(store, now)
            store.record([report(lease, now, due=now, entries=(entry("same", found=now), entry("same", found=now)))])
        assert [stored.entry.found for stored in store.entries()] == [NOW, NOW + 100]


def an_entry_comes_back_as_it_was(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        [lease] = take(store)
        parsed = ParsedEntry(
            title="T",
            link="L",
            native_id="N",
            published=NOW - 5,
            date_source="dc:date",
            updated=NOW - 4,
            author="A",
            summary="S",
            content="C" * 100_000,
            categories=("one", "two"),
        )
        made = replace(
            entry("x"), published=NOW - 3, published_raw=NOW - 5, initial=True, after_gap=True, parsed=parsed
        )
        store.record([report(lease, entries=(made,))])
        [found] = store.entries()
        assert (found.entry, found.url, found.resource) == (made, lease.resource.url, lease.resource.id)


def entries_are_counted_by_publication(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        [lease] = take(store)
        store.record([report(lease, entries=tuple(entry(str(age), published=NOW - age) for age in (1, 5, 9)))])
        number = lease.resource.id
        assert store.entry_counts(number, NOW - 5) == (2, NOW - 5)
        assert store.entry_counts(number, NOW) == (0, None)


def documents_are_kept_newest_first(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(2), now=NOW)
        leases = take(store)
        made = [
            Document(resource=lease.resource.id, at=NOW + i, why="unparsable", headers="a: b", body=b"<\0" * 500)
            for i, lease in enumerate(leases)
        ]
        store.record([report(lease, document=document) for lease, document in zip(leases, made, strict=True)])
        assert store.documents() == made[::-1]
        assert store.documents(resource=leases[0].resource.id) == made[:1]
        assert store.documents(limit=1) == made[1:]


def pruning_forgets_the_old_and_keeps_the_rest(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1, due=0.0), now=NOW)
        for step in range(4):
            [lease] = take(store, NOW + 100 * step)
            now = NOW + 100 * step
            store.record([report(lease, now, due=0.0, entries=(entry(str(step), found=now),))])
        totals = store.stats(now=NOW + 300)
        assert store.prune(NOW + 150) == 2
        assert (len(store.visits()), len(store.entries())) == (2, 4)
        assert store.prune(NOW, NOW + 250) == 3
        assert (len(store.visits()), len(store.entries())) == (2, 1)
        after = store.stats(now=NOW + 300)
        assert after["visits_total"] == totals["visits_total"] == 4
        assert store.count() == 1


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
        store.set_site_delay("site3.example", None)
        assert all(site.delay is None for site in store.list_sites(limit=5))
        assert store.site("nowhere") is None
        assert raises(UsageError, store.set_site_delay, "x", -1.0)


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
        store.record([report(leases[0], NOW + 10, result=Result.NEW, entries=fresh)])
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
            "missed_total": 0,
        }
        assert {name: totals[name] for name in expected} == expected
        assert totals["database_bytes"] > 0


def totals_of_an_empty_store_are_zero(open_store: Open) -> None:
    with opened(open_store) as store:
        totals = dict(store.stats(now=NOW))
        del totals["database_bytes"]
        assert set(totals.values()) == {0.0}


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


LAWS: tuple[Callable[[Open], None], ...] = tuple(
    law
    for name, law in list(globals().items())
    if getattr(law, "__annotations__", {}) == {"open_store": Open, "return": None} and not name.startswith("_")
)
