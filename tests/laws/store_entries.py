"""The laws of reading: entries in one sequence, documents, and what is forgotten."""

from dataclasses import replace

from afresh.base.models import Enclosure, ParsedEntry, Revised
from afresh.base.records.history import Document
from tests.laws.store_material import (
    NOW,
    Open,
    entry,
    feeds,
    laws_of,
    opened,
    report,
    take,
)


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
            language="pt-BR",
            enclosures=(Enclosure(url="http://e.example/ä.mp3", type="audio/mpeg", length=7), Enclosure(url="x")),
        )
        made = replace(
            entry("x"), published=NOW - 3, published_raw=NOW - 5, initial=True, after_gap=True, parsed=parsed
        )
        store.record([report(lease, entries=(made,))])
        [found] = store.entries()
        assert (found.entry, found.url, found.resource) == (made, lease.resource.url, lease.resource.id)


def an_entry_that_was_revised_keeps_its_number_and_times(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(2, due=0.0), now=NOW)
        named = [ParsedEntry(title=name, link="L", native_id=name, content="C", published=NOW) for name in ("a", "b")]
        for lease in take(store):
            store.record(
                [report(lease, due=0.0, entries=tuple(replace(entry(one.title), parsed=one) for one in named))]
            )
        before = store.entries()
        [lease, _] = take(store, NOW + 100)
        said = replace(named[0], title="A, corrected", link="L2", updated=NOW + 50, content="C2", categories=("x",))
        store.record([replace(report(lease, NOW + 100), revised=(Revised(NOW, said),))])
        after = store.entries()
        assert [found.seq for found in after] == [found.seq for found in before]
        for old, new in zip(before, after, strict=True):
            is_it = old.resource == lease.resource.id and old.entry.parsed.native_id == "a"
            assert new.entry == (replace(old.entry, parsed=said) if is_it else old.entry)


def of_entries_without_ids_only_the_one_with_that_link_and_date_is_revised(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1, due=0.0), now=NOW)
        [lease] = take(store)
        told = [("a", "L", NOW - 9), ("b", "L", NOW - 5), ("c", "L", None), ("d", "M", NOW - 9)]
        said = [ParsedEntry(title=title, link=link, published=date) for title, link, date in told]
        found = tuple(
            replace(entry(one.title), published=NOW, published_raw=one.published, parsed=one) for one in said
        )  # at once, so that all have one time
        store.record([report(lease, due=0.0, entries=found)])
        [lease] = take(store, NOW + 100)
        corrected = replace(said[0], title="A, corrected", content="C2")
        store.record([replace(report(lease, NOW + 100), revised=(Revised(NOW, corrected),))])
        assert [one.entry.parsed for one in store.entries()] == [corrected, *said[1:]]


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


LAWS = laws_of(globals())
