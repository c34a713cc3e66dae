"""The laws of reports: what a visit came to is kept once, as it was, and undoes nothing of the operator's."""

import math
from dataclasses import replace

from afresh.base.models import FeedFacts, ParsedEntry, Result, Status, Visit
from tests.laws.store_material import (
    NOW,
    Open,
    comparable,
    entry,
    feeds,
    full_resource,
    laws_of,
    opened,
    report,
    take,
)


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
            repaired=("stray tags", "ends"),
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


def a_longest_interval_holds_from_the_last_visit_on(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        [lease] = take(store)
        store.record([report(lease, due=NOW + 30_000.0)])
        visited = store.get(lease.resource.id).last_visit
        assert visited is not None
        assert store.update(lease.resource.id, longest=7_200.0).due == visited + 7_200.0
        assert store.update(lease.resource.id, longest=90_000.0).due == visited + 7_200.0  # sooner than it must be


def a_shortest_interval_holds_from_the_last_visit_on(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        [lease] = take(store)
        store.record([report(lease, due=NOW + 600.0)])
        visited = store.get(lease.resource.id).last_visit
        assert visited is not None
        assert store.update(lease.resource.id, shortest=7_200.0).due == visited + 7_200.0
        assert store.update(lease.resource.id, shortest=60.0).due == visited + 60.0  # what was planned is not known


def a_higher_weight_brings_the_next_visit_forward(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        [lease] = take(store)
        store.record([report(lease, due=NOW + 36_000.0)])
        found = store.get(lease.resource.id)
        assert found.last_visit is not None
        sooner = store.update(found.id, weight=4.0 * found.weight)
        assert sooner.due == found.last_visit + (found.due - found.last_visit) / 2.0
        assert store.next_ready() == sooner.due
        assert store.update(found.id, weight=found.weight).due == sooner.due  # what was promised is kept


def a_weight_that_is_lowered_and_restored_leaves_the_next_visit_where_it_was(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        [lease] = take(store)
        store.record([report(lease, due=NOW + 36_000.0, last_interval=36_000.0)])
        found = store.get(lease.resource.id)
        lower = store.update(found.id, weight=found.weight / 16.0)
        assert lower.due == found.due
        assert store.update(found.id, weight=found.weight) == found
        store.update(found.id, weight=found.weight / 16.0)
        sooner = store.update(found.id, weight=4.0 * found.weight)
        assert sooner.due == NOW + 18_000.0  # as if it had been raised at once


def a_moved_resource_is_found_at_its_new_url_and_site(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        [lease] = take(store)
        store.record([report(lease, due=NOW, url="http://new.example/", site="new.example", next_allowed=NOW + 20)])
        found = store.get("http://new.example/")
        assert (found.id, found.site) == (lease.resource.id, "new.example")
        assert store.get(lease.resource.url) == found  # lists that people keep have the old address for years
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
        results = [
            (Result.UNREACHABLE, None),
            (Result.THROTTLED, 429),
            (Result.THROTTLED, None),  # kept back on our side: the site was not asked
            (Result.OFFLINE, None),
            (Result.SAME, 200),
            (Result.HTTP_ERROR, 500),
        ]
        for step, (result, status) in enumerate(results):
            now = NOW + 1000 * step
            [lease] = take(store, now)
            done = report(lease, now, due=now, result=result)
            store.record([replace(done, visit=replace(done.visit, status=status))])
            site = store.site(lease.site)
            seen.append(site.failures if site else -1)
        assert seen == [1, 2, 2, 2, 0, 1]
        counted = store.activity(since=NOW, until=NOW + 6000, step=1_440)
        assert sum(step.visits for step in counted) == 5, "what was kept back is no visit yet"
        assert sum(step.errors for step in counted) == 3


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


LAWS = laws_of(globals())
