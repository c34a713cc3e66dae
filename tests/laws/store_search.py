"""The laws of looking for entries and folders."""

from dataclasses import replace

from afresh.base.models import Kind, NewResource, ParsedEntry, ResourceFilter
from afresh.base.protocols import Store
from afresh.base.records.links import LinkFilter
from afresh.base.records.queries import Match, Matched, NewQuery, NewSource
from afresh.base.records.searching import EntryFilter, EntryNotFound, FoundEntries
from tests.laws.store_material import NOW, Open, entry, laws_of, opened, raises, report, take


def _fill(store: Store) -> None:
    """Two feeds with three entries each, found one after the other: a1 b1 a2 b2 a3 b3."""
    new = [
        NewResource(url="http://a.example/", site="a.example", folder="news/local", tags=("daily",), due=0.0),
        NewResource(url="http://b.example/", site="b.example", folder="newspapers", tags=('da"ily',), due=0.0),
    ]
    store.add(new, now=NOW)
    for step in (1, 2, 3):
        now = NOW + 100 * step
        leases = sorted(take(store, now), key=lambda lease: lease.resource.url)
        made = [entry(f"{lease.resource.site[0]}{step}", found=now) for lease in leases]
        store.record([report(lease, now, due=now, entries=(one,)) for lease, one in zip(leases, made, strict=True)])


def _titles(found: FoundEntries) -> list[str]:
    return [one.stored.entry.parsed.title for one in found.items]


def _found(store: Store, **where: object) -> list[str]:
    return _titles(store.search.entries(EntryFilter(**where)))  # type: ignore[arg-type]


def entries_are_found_newest_first_page_by_page(open_store: Open) -> None:
    with opened(open_store) as store:
        assert store.search.entries() == FoundEntries()
        _fill(store)
        page = store.search.entries(limit=4)
        assert _titles(page) == ["b3", "a3", "b2", "a2"]
        rest = store.search.entries(limit=4, before=page.next)
        assert (_titles(rest), rest.next, rest.is_cut) == (["b1", "a1"], None, False)


def by_publication_the_newest_comes_first_whenever_it_was_found(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add([NewResource(url="http://a.example/", site="a.example", tags=("x",), due=0.0)], now=NOW)
        day = 86_400.0
        for step, ages in enumerate(((3 * day, 100.0), (50.0, 2 * day))):
            now = NOW + 1_000.0 * step
            [lease] = take(store, now)
            made = tuple(entry(f"{age:.0f}", published=NOW - age, found=now) for age in ages)
            store.record([report(lease, now, due=0.0, entries=made)])
        assert _found(store, published=NOW - day) == ["50", "100"]
        assert _found(store, published=NOW - 4 * day) == ["50", "100", f"{2 * day:.0f}", f"{3 * day:.0f}"]
        assert _found(store, published=NOW - day, tag="x", text="100") == ["100"]
        assert _found(store, published=NOW - day, tag="y") == []
        newest = store.search.entries(EntryFilter(published=NOW - day), limit=1)
        assert (_titles(newest), newest.next) == (["50"], None)


def a_search_that_looked_at_enough_says_where_to_look_on(open_store: Open) -> None:
    with opened(open_store) as store:
        _fill(store)
        where = EntryFilter(text="A1")
        first = store.search.entries(where, look_at=4)
        assert (first.items, first.is_cut) == ((), True)
        assert _titles(store.search.entries(where, look_at=4, before=first.next)) == ["a1"]


def each_filter_narrows(open_store: Open) -> None:
    with opened(open_store) as store:
        _fill(store)
        [first, *_] = [one.id for one in store.list_resources()]
        assert _found(store, text="A2") == ["a2"]
        assert _found(store, text="EXAMPLE.org/b") == ["b3", "b2", "b1"]
        assert _found(store, text="%") == []
        assert _found(store, resource=first) == ["a3", "a2", "a1"]
        assert _found(store, folder="news") == ["a3", "a2", "a1"]
        assert _found(store, folder="news/local/") == ["a3", "a2", "a1"]
        assert _found(store, folder="news/loc") == []
        assert _found(store, tag="daily") == ["a3", "a2", "a1"]
        assert _found(store, tag='da"ily') == ["b3", "b2", "b1"]
        assert _found(store, since=NOW + 200) == ["b3", "a3", "b2", "a2"]
        assert _found(store, until=NOW + 200) == ["b1", "a1"]
        assert _found(store, since=NOW + 150, until=NOW + 250, tag="daily") == ["a2"]
        assert _found(store, since=NOW + 999) == _found(store, until=NOW) == []


def _fill_with(store: Store, *texts: ParsedEntry) -> None:
    store.add([NewResource(url="http://a.example/", site="a.example", due=0.0)], now=NOW)
    [lease] = take(store, NOW)
    made = [replace(entry(str(place)), parsed=text) for place, text in enumerate(texts)]
    store.record([report(lease, NOW, due=NOW, entries=tuple(made))])


def all_words_are_looked_for_in_any_order_where_a_reader_sees_them(open_store: Open) -> None:
    with opened(open_store) as store:
        _fill_with(
            store,
            ParsedEntry(title="item 39 bridge opened", summary="about <b>trains</b>", author="Ann", link="http://x/1"),
            ParsedEntry(title="Café am Мост", content='<p class="river">Die &Uuml;berf&uuml;hrung</p><p>opened</p>'),
            ParsedEntry(title="東京の橋", categories=("Straße", 'a, "b"')),
        )
        first, second, third = "item 39 bridge opened", "Café am Мост", "東京の橋"
        wanted = {
            "bridge item": [first],
            "opened BRIDGE": [first],
            "about trains": [first],
            '"about trains"': [first],
            '"bridge item"': [],
            '"item 39" bridge': [first],
            "ann trains x/1": [first],
            "ann river": [],
            "<b>": [],
            "class river": [],
            "opened": [second, first],
            "überführung opened": [second],
            "ÜBERFÜHRUNG": [second],
            "CAFE\u0301": [second],
            "мост": [second],
            "МОСТ am": [second],
            "京の": [third],
            "straße": [third],
            "STRAßE": [third],
            "[": [],
            ' "" ': [third, second, first],
        }
        assert {text: _found(store, text=text) for text in wanted} == wanted


def a_search_among_much_mark_up_skips_nothing_and_repeats_nothing(open_store: Open) -> None:
    with opened(open_store) as store:
        texts = [f"<p class=solar>{'solar' if place % 7 == 0 else 'wind'}</p>" for place in range(300)]
        _fill_with(store, *(ParsedEntry(title=f"{place}", summary=text) for place, text in enumerate(texts)))
        where, titles, before = EntryFilter(text="solar"), [], None
        for _ in range(100):
            page = store.search.entries(where, before=before, limit=4, look_at=50)
            titles += _titles(page)
            if (before := page.next) is None:
                break
        assert titles == [str(place) for place in reversed(range(0, 300, 7))]


def resources_links_and_sites_are_found_by_all_words_in_any_order(open_store: Open) -> None:
    with opened(open_store) as store:
        new = [
            NewResource(url="http://a.example/rail", site="a.example", title="Über Brücken", folder="News/Local"),
            NewResource(url="http://b.example/rail", site="b.example", title="Trains", tags=("Дорога", "daily")),
        ]
        new += [replace(one, url=f"{one.url}/link", kind=Kind.LINK) for one in new]
        numbers = [added.id for added in store.add(new, now=NOW)]
        wanted = {
            "rail a.example": [0],
            "BRÜCKEN über": [0],
            "über local": [0],
            "daily trains": [1],
            "дорога": [1],
            "ДОРОГА rail": [1],
            "trains local": [],
            '"über brücken"': [0],
            '"brücken über"': [],
            ",": [],
            "[": [],
        }
        feeds = {
            text: [numbers.index(one.id) for one in store.list_resources(ResourceFilter(text=text, kind=Kind.FEED))]
            for text in wanted
        }
        assert feeds == wanted
        for text, places in wanted.items():
            found = store.links.list_links(LinkFilter(text=text))
            assert [numbers.index(one.id) - 2 for one in found] == places, text
            assert store.count(ResourceFilter(text=text)) == 2 * len(places), text
        assert [one.id for one in store.links.list_links(LinkFilter(text="rail example"), limit=1)] == [numbers[2]]
        assert [site.name for site in store.list_sites(text="EXAMPLE b.")] == ["b.example"]
        assert [site.name for site in store.list_sites(text="le exa", limit=1)] == ["a.example"]


def entries_of_a_query_feed_are_those_it_took(open_store: Open) -> None:
    with opened(open_store) as store:
        _fill(store)
        state = store.queries.query_state()
        taken = [one.seq for one in store.entries()][1:3]
        matches = tuple(Match(0, seq, bytes([place] * 16), 1.0) for place, seq in enumerate(taken))
        new = NewQuery(name="some", title="", text="CREATE FEED some AS RETURN ALL", sources=(NewSource("all", "ALL"),))
        found = Matched(matches=matches, seen={}, passed={})
        number = store.queries.put_query(new, found, expected=state, cursor=0, now=NOW)
        assert _found(store, query=number) == ["a2", "b1"]
        assert _found(store, query=number, text="b1") == ["b1"]
        assert _found(store, query=(number or 0) + 1) == []
        assert store.search.takers(taken[0]) == ["some"]
        assert store.search.takers(taken[0] - 1) == []


def one_entry_is_found_by_its_number(open_store: Open) -> None:
    with opened(open_store) as store:
        _fill(store)
        seq = store.entries()[2].seq
        offered = store.search.entry(seq)
        assert (offered.stored, offered.folder, offered.tags) == (store.entries()[2], "news/local", ("daily",))
        assert raises(EntryNotFound, store.search.entry, seq + 1000)


def a_folder_holds_what_those_below_it_hold(open_store: Open) -> None:
    with opened(open_store) as store:
        folders = ("News", "News/Local", "News/Local/Town", "Newspapers", "", "New%", "Éa/b")
        feeds = [NewResource(url=f"http://{n}.example/", site="s", folder=folder) for n, folder in enumerate(folders)]
        links = [replace(one, url=f"{one.url}link", kind=Kind.LINK) for one in feeds]
        numbers = [added.id for added in store.add([*feeds, *links], now=NOW)]
        wanted = {
            "News": [0, 1, 2],
            "/News/Local/": [1, 2],
            "News/Lo": [],
            "New%": [5],
            "Éa": [6],
            "news": [],
            "": [4],
        }
        for folder, places in wanted.items():
            for order in ("id", "due", "title", "last_visit"):
                where = ResourceFilter(folder=folder, kind=Kind.FEED)
                found = [numbers.index(one.id) for one in store.list_resources(where, order=order)]
                assert sorted(found) == places, (folder, order)
            assert store.count(ResourceFilter(folder=folder)) == 2 * len(places), folder
            kept = store.links.list_links(LinkFilter(folder=folder))
            assert [numbers.index(one.id) - len(folders) for one in kept] == places, folder


def entries_behind_a_number_come_oldest_first_and_none_is_skipped(open_store: Open) -> None:
    with opened(open_store) as store:
        empty = store.search.entries_after(7, EntryFilter(folder="news"))
        assert (empty.items, empty.next, empty.is_cut) == ((), 7, False)
        _fill(store)
        where, titles, after = EntryFilter(folder="news"), [], 0
        for _ in range(10):
            page = store.search.entries_after(after, where, limit=2, look_at=3)
            titles += _titles(page)
            assert page.next is not None
            if page.next == after:
                break
            after = page.next
        assert titles == ["a1", "a2", "a3"]
        assert after == store.entries()[-1].seq  # what was looked at need not be looked at again
        assert _titles(store.search.entries_after(0, EntryFilter(text="b example.org"))) == ["b1", "b2", "b3"]
        assert _titles(store.search.entries_after(0, EntryFilter(tag='da"ily'), limit=1)) == ["b1"]


def tags_are_counted_by_kind(open_store: Open) -> None:
    with opened(open_store) as store:
        assert store.search.tags() == {}
        _fill(store)
        link = NewResource(url="http://c.example/", site="c.example", kind=Kind.LINK, tags=("daily", "x"))
        store.add([link, replace(link, url="http://c.example/2", tags=())], now=NOW)
        assert store.search.tags() == {'da"ily': 1, "daily": 2, "x": 1}
        assert store.search.tags(Kind.LINK) == {"daily": 1, "x": 1}


def folders_are_counted_by_kind(open_store: Open) -> None:
    with opened(open_store) as store:
        _fill(store)
        link = NewResource(url="http://c.example/", site="c.example", kind=Kind.LINK, folder="news/local")
        store.add([link, replace(link, url="http://c.example/2", folder="")], now=NOW)
        assert store.search.folders() == {"": 1, "news/local": 2, "newspapers": 1}
        assert store.search.folders(Kind.LINK) == {"": 1, "news/local": 1}


LAWS = laws_of(globals())
