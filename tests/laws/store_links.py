"""The laws of a store that keeps links."""

import math
from dataclasses import replace
from hashlib import sha1

from afresh.base.errors import Conflict, ResourceNotFound, UsageError
from afresh.base.models import Kind, NewResource, ResourceFilter, Result, Status, Validators
from afresh.base.protocols import Store
from afresh.base.records.links import (
    Check,
    CheckRecord,
    CheckStatus,
    EntryStatus,
    LinkFilter,
    LinkState,
    NewVersion,
    NothingToAccept,
    Origin,
    Standing,
    Turned,
    Usage,
    VersionNotFound,
)
from tests.laws.store_material import NOW, Open, laws_of, opened, raises, report, take

_URL = "http://site.example/page"


def _watch(store: Store, url: str = _URL, *, due: float | None = None, title: str = "Page") -> int:
    new = NewResource(url=url, site="site.example", kind=Kind.LINK, title=title, due=due)
    return store.add([new], now=NOW)[0].id


def version(text: str, at: float = NOW, origin: Origin = Origin.CHECK) -> NewVersion:
    """A version known by its text."""
    body = text.encode()
    mark = sha1(body, usedforsecurity=False).digest()
    return NewVersion(at=at, url=_URL, mark=mark, body=body, content_type="text/html", title=text, origin=origin)


def record(
    resource: int,
    text: str | None,
    at: float = NOW,
    status: CheckStatus = CheckStatus.EQUAL,
    **changes: object,
) -> CheckRecord:
    """A check that brought this text."""
    check = Check(
        url=_URL,
        at=at,
        status=status,
        final_url=_URL,
        http=200,
        size=7,
        probability=0.75,
        detail="because",
        title="Page",
    )
    well = status in (CheckStatus.NEW, CheckStatus.EQUAL, CheckStatus.SIMILAR)
    state = LinkState(
        entry=EntryStatus.OK if well else EntryStatus.NOT_OK, standing=status.standing, status=status, checked=at
    )
    made = CheckRecord(
        resource=resource,
        check=check,
        state=state,
        version=None if text is None else version(text, at),
        becomes_reference=True,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def a_link_is_asked_with_what_its_last_check_gave(open_store: Open) -> None:
    """A page goes by what its own visits have seen; a check that brought nothing new leaves what is known."""
    with opened(open_store) as store:
        link = _watch(store)
        page = store.add([NewResource(url=_URL + "2", site="site.example", kind=Kind.PAGE)], now=NOW)[0].id
        given = Validators(etag='"1"', last_modified="Sun, 06 Nov 1994 08:49:37 GMT")
        store.links.record_checks([record(number, "text", validators=given) for number in (link, page)])
        store.links.record_checks([record(link, None)])
        assert (store.get(link).validators, store.get(page).validators) == (given, Validators())


def a_check_comes_back_as_it_was(open_store: Open) -> None:
    state = LinkState(
        entry=EntryStatus.NOT_OK,
        standing=Standing.BROKEN,
        status=CheckStatus.DIFFERENT,
        checked=NOW,
        probability=0.25,
        step=0.5,
        drifted=True,
        turned=Turned.PARKED,
        new_url="http://elsewhere.example/",
        failures=2,
        failing_days=1,
        failing_day=19_000,
        failing_since=NOW - 5,
        changed=NOW,
        detail="for sale, Ünïcode \ud800",
    )
    with opened(open_store) as store:
        number = _watch(store)
        assert store.links.link(number).state == LinkState()
        [told] = store.links.record_checks([record(number, "one", state=state, becomes_reference=False)])
    with opened(open_store) as store:
        assert store.links.link_checks(number) == [told]  # the same at once and later
        kept = store.links.link(number)
        assert (kept.url, kept.title, kept.versions, kept.is_watched) == (_URL, "Page", 1, True)
        assert replace(kept.state, detail="") == replace(state, detail="")
        assert kept.state.detail.startswith("for sale")
        [check] = store.links.link_checks(number)
        assert (check.at, check.status, check.http, check.size) == (NOW, CheckStatus.EQUAL, 200, 7)
        assert (check.probability, check.detail, check.overruled) == (0.75, "because", None)
        [kept_version] = store.links.versions(number)
        assert check.version == kept_version.id
        assert store.links.version(kept_version.id) == kept_version
        assert store.links.version_body(kept_version.id) == b"one"
        assert (kept_version.title, kept_version.size, kept_version.origin) == ("one", 3, Origin.CHECK)
        assert raises(ResourceNotFound, store.links.link, number + 1)
        assert raises(VersionNotFound, store.links.version, kept_version.id + 1)
        assert raises(VersionNotFound, store.links.version_body, kept_version.id + 1)


def a_copy_in_an_archive_is_kept_with_its_link(open_store: Open) -> None:
    copy = "http://archive.example/2019/http://town.example/Ü?a=1"
    with opened(open_store) as store:
        number, other = _watch(store), _watch(store, "http://town.example/other")
        store.links.keep_copies({number: "http://archive.example/older", other + 7: copy})
        store.links.keep_copies({number: copy})
        store.links.record_checks([record(number, "one")])
    with opened(open_store) as store:
        assert [store.links.link(one).archived for one in (number, other)] == [copy, ""]
        assert [link.archived for link in store.links.list_links()] == [copy, ""]
        store.remove([number])
        store.links.keep_copies({other: copy})
        assert [link.archived for link in store.links.list_links()] == [copy]


def a_link_keeps_the_name_its_owner_gave(open_store: Open) -> None:
    with opened(open_store) as store:
        named, nameless = _watch(store), _watch(store, "http://town.example/nameless", title="")
        called = replace(record(named, "one").check, title="What the page calls itself")
        store.links.record_checks([record(number, "one", check=called) for number in (named, nameless)])
        assert [store.links.link(number).title for number in (named, nameless)] == [
            "Page",
            "What the page calls itself",
        ]
        store.links.record_checks([record(nameless, "two", check=replace(called, title="Another day, another title"))])
        assert store.links.link(nameless).title == "What the page calls itself"


def a_link_that_was_checked_rests(open_store: Open) -> None:
    with opened(open_store) as store:
        soon, late, silent = (_watch(store, f"{_URL}/{due}", due=due) for due in (NOW + 1.0, NOW + 5_000.0, NOW + 2.0))
        new = NewResource(url=_URL + "/page", site="other.example", kind=Kind.PAGE, due=NOW)
        page = store.add([new], now=NOW)[0].id
        checks = [record(number, "one") for number in (soon, late, page)]
        checks.append(record(silent, None, status=CheckStatus.OFFLINE, becomes_reference=False))
        store.links.record_checks(checks, rest=100.0)
        assert [store.get(number).due for number in (soon, late, silent, page)] == [
            NOW + 100.0,
            NOW + 5_000.0,
            NOW + 2.0,  # nothing was learnt of it
            NOW,  # goes by its own rule
        ]
        store.remove([silent, page])
        assert store.next_ready() == NOW + 100.0


def a_link_that_was_a_page_leaves_the_pace_of_its_site(open_store: Open) -> None:
    with opened(open_store) as store:
        new = NewResource(url=_URL, site="site.example", kind=Kind.PAGE, due=NOW)
        number = store.add([new], now=NOW)[0].id
        [lease] = take(store)
        paced = report(lease, turn=NOW + 5.0, frequency=0.25)
        store.record([replace(paced, pace=replace(paced.pace, added=0.25))])
        store.update(number, kind=Kind.LINK)
        store.links.record_checks([record(number, "one", NOW + 1.0)], rest=1e6)
        kept, site = store.get(number), store.site("site.example")
        assert (kept.due, kept.turn, kept.frequency) == (NOW + 1.0 + 1e6, None, 0.0)
        assert site is not None
        assert site.state.frequency == 0.0


def the_reference_moves_on_acceptance_only(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _watch(store)
        store.links.record_checks([record(number, "one")])
        first = store.links.link(number).state.reference
        assert first == store.links.versions(number)[0].id
        store.links.record_checks([record(number, "two", NOW + 1, CheckStatus.DIFFERENT)])
        store.links.record_checks([record(number, "two", NOW + 2, CheckStatus.DIFFERENT)])
        kept = store.links.link(number).state
        assert (kept.reference, kept.standing, kept.accepted_by) == (first, Standing.BROKEN, "")
        accepted = store.links.accept_version(number, by="me", now=NOW + 3).state
        assert accepted.reference == store.links.versions(number)[0].id != first
        assert (accepted.standing, accepted.entry) == (Standing.OK, EntryStatus.OK)
        assert (accepted.accepted, accepted.accepted_by) == (NOW + 3, "me")
        store.links.record_checks([record(number, "three", NOW + 4)])
        assert store.links.link(number).state.reference == accepted.reference


def where_no_page_is_there_is_none_to_accept(open_store: Open) -> None:
    """Whatever was stored before: how the link stands, and its last check, stay."""
    nothing = (CheckStatus.MISSING, CheckStatus.NET_UNREACHABLE, CheckStatus.SERVER_ERROR, CheckStatus.UNSUPPORTED)
    with opened(open_store) as store:
        for number, status in ((_watch(store, f"{_URL}/{status}"), status) for status in nothing):
            store.links.record_checks([record(number, "one"), record(number, None, NOW + 1, status)])
            before = store.links.link(number)
            for version in (None, before.state.reference):
                assert raises(NothingToAccept, store.links.accept_version, number, version, by="me", now=NOW + 2)
            assert store.links.link(number) == before
            store.links.record_checks([record(number, "two", NOW + 3, CheckStatus.DIFFERENT)])
            assert store.links.accept_version(number, by="me", now=NOW + 4).state.standing is Standing.OK


def a_version_to_compare_with_says_nothing_of_today(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _watch(store)
        store.links.record_checks([record(number, None, status=CheckStatus.MISSING)])
        before = store.links.link(number).state
        stored = store.links.add_version(number, version("of 2003", NOW - 1e6, Origin.ARCHIVE))
        kept = store.links.compare_with(number, stored, by="archive", now=NOW - 1e6).state
        assert (kept.reference, kept.accepted_by, kept.is_candidate) == (stored, "archive", False)
        assert (kept.standing, kept.status, kept.checked) == (before.standing, before.status, before.checked)
        assert raises(UsageError, store.links.compare_with, number, stored + 1, by="archive", now=NOW)


def two_accepted_changes_say_that_a_page_changes_by_nature(open_store: Open) -> None:
    with opened(open_store) as store:
        place, content = _watch(store), _watch(store, "http://site.example/other")
        store.links.set_usage(content, Usage.ATTRIBUTIVE)
        meant = []
        for number in (place, content):
            store.links.record_checks([record(number, "one")])
            for step in range(1, 4):
                checked = record(number, f"text {step}", NOW + step, CheckStatus.DIFFERENT)
                check = replace(checked.check, probability=0.1)
                store.links.record_checks([replace(checked, check=check)])
                meant.append(store.links.accept_version(number, by="me", now=NOW + step).state.usage)
        assert meant[:3] == [Usage.REFERENTIAL, Usage.CHANGING, Usage.CHANGING]
        assert meant[3:] == [Usage.ATTRIBUTIVE] * 3, "who means this very content wants to hear of each change"
        assert store.links.set_usage(place, Usage.REFERENTIAL).state.usage is Usage.REFERENTIAL


def the_same_text_is_stored_once_in_a_row(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _watch(store)
        for place, text in enumerate(["one", "one", "two", "one"]):
            store.links.record_checks([record(number, text, NOW + place)])
        assert [v.title for v in store.links.versions(number)] == ["one", "two", "one"]
        assert [v.last_seen - v.at for v in store.links.versions(number)] == [0, 0, 1]
        assert len(store.links.link_checks(number)) == 4


def versions_and_checks_are_trimmed(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _watch(store)
        for place in range(8):
            item = record(number, f"text {place}", NOW + place, keep_versions=3, keep_checks=4)
            store.links.record_checks([item])
        texts = [v.title for v in store.links.versions(number)]
        assert texts == ["text 7", "text 6", "text 5", "text 0"]  # the reference stays besides
        assert [check.at - NOW for check in store.links.link_checks(number)] == [7, 6, 5, 4]
        store.links.reject_version(number, store.links.versions(number)[2].id, by="me", now=NOW)
        store.links.record_checks([record(number, "text 8", NOW + 8, keep_versions=1)])
        assert [v.title for v in store.links.versions(number)] == ["text 8", "text 5", "text 0"]


def a_rejected_version_makes_the_link_broken(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _watch(store)
        assert raises(UsageError, store.links.reject_version, number, by="me", now=NOW)
        store.links.record_checks([record(number, "one")])
        store.links.record_checks([record(number, "two", NOW + 1, CheckStatus.SIMILAR)])
        rejected = store.links.reject_version(number, by="me", now=NOW + 2, teach=True).state
        assert (rejected.standing, rejected.entry) == (Standing.BROKEN, EntryStatus.NOT_OK)
        newest = store.links.versions(number)[0].id
        assert rejected.rejected == newest != rejected.reference
        assert store.links.link_checks(number)[0].overruled is CheckStatus.DIFFERENT
        first = rejected.reference
        accepted = store.links.accept_version(number, by="me", now=NOW + 3).state
        assert (accepted.rejected, accepted.reference) == (None, newest)
        undone = store.links.reject_version(number, by="me", now=NOW + 4).state
        assert (undone.rejected, undone.reference) == (newest, first), "nobody compares with what is not the page"


def a_version_of_another_link_is_refused(open_store: Open) -> None:
    with opened(open_store) as store:
        one, other = _watch(store), _watch(store, "http://site.example/other")
        store.links.record_checks([record(one, "one"), record(other, "two")])
        foreign = store.links.versions(other)[0].id
        assert raises(UsageError, store.links.accept_version, one, foreign, by="me", now=NOW)
        assert raises(UsageError, store.links.reject_version, one, foreign, by="me", now=NOW)
        assert raises(ResourceNotFound, store.links.accept_version, 99, by="me", now=NOW)


def a_lesson_keeps_its_versions(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _watch(store)
        store.links.record_checks([record(number, "one")])
        store.links.record_checks([record(number, "two", NOW + 1, CheckStatus.DIFFERENT)])
        old, new = (v.id for v in reversed(store.links.versions(number)))
        store.links.accept_version(number, by="me", now=NOW + 2, teach=True)
        for place in range(3, 9):
            store.links.record_checks([record(number, f"text {place}", NOW + place, keep_versions=1)])
        assert {old, new} <= {v.id for v in store.links.versions(number)}
        store.remove([number])
        assert store.links.version(old).resource is None
        assert store.links.version_body(new) == b"two"


def a_link_takes_another_address_with_all_that_is_kept_of_it(open_store: Open) -> None:
    with opened(open_store) as store:
        number, other = _watch(store), _watch(store, "https://other.example/page")
        store.links.record_checks([record(number, "one")])
        moved = store.links.take_address(number, url="https://new.example/page", site="new.example", now=NOW)
        assert (moved.id, moved.url, moved.versions, moved.state.new_url) == (number, "https://new.example/page", 1, "")
        known = [NewResource(url=url, site="new.example", kind=Kind.LINK) for url in (_URL, moved.url)]
        assert [(one.id, one.is_new, one.has_moved) for one in store.add(known, now=NOW)] == [
            (number, False, True),
            (number, False, False),
        ]
        assert store.get("https://new.example/page").site == "new.example"
        taken = "https://other.example/page"
        assert raises(Conflict, store.links.take_address, number, url=taken, site="other.example", now=NOW)
        assert store.links.link(other).url == "https://other.example/page"


def a_link_whose_page_was_seen_at_its_new_address_is_well_there(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _watch(store)
        store.links.record_checks([record(number, "one"), record(number, "one", NOW + 1, CheckStatus.MOVED)])
        seen = CheckStatus.SIMILAR
        there = store.links.take_address(number, url=_URL + "/2", site="site.example", now=NOW + 9, seen=seen).state
        assert (there.standing, there.entry, there.status) == (Standing.OK, EntryStatus.OK, seen)
        assert (there.checked, there.new_url, there.changed) == (NOW + 1, "", NOW + 9)
        nowhere = store.links.take_address(number, url=_URL + "/3", site="site.example", now=NOW + 10).state
        assert (nowhere.standing, nowhere.status, nowhere.checked) == (Standing.UNKNOWN, None, None)


def a_link_at_another_address_is_asked_there_at_once(open_store: Open) -> None:
    """At another site, and at the same one; what is still out is about the old address."""
    for start, site in ((NOW, "new.example"), (NOW + 20_000.0, "site.example")):
        with opened(open_store) as store:
            number = _watch(store, f"http://site.example/{site}", due=NOW)
            [lease] = take(store, start)
            store.links.record_checks([record(number, None, status=CheckStatus.MOVED)])
            later = start + 5_000.0
            moved = store.links.take_address(number, url=f"http://{site}/now", site=site, now=later)
            assert (moved.state.standing, moved.state.entry) == (Standing.UNKNOWN, EntryStatus.WAITING)
            late = replace(report(lease, start, validators=Validators(etag="old")), link=record(number, "one"))
            assert store.record([late]) == [False]
            assert store.links.link(number).state.standing is Standing.UNKNOWN
            assert (store.get(number).url, store.get(number).due) == (f"http://{site}/now", later)
            assert store.get(number).validators == Validators()
            [again] = take(store, later)
            assert (again.resource.id, again.site) == (number, site)
            assert {one.name: one.resources for one in store.list_sites() if one.resources} == {site: 1}
            assert store.damage.find_damage() == []
            store.remove([number])


def removing_a_link_removes_its_versions(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _watch(store)
        store.links.record_checks([record(number, "one")])
        kept = store.links.versions(number)[0].id
        store.remove([number])
        assert raises(VersionNotFound, store.links.version, kept)
        store.links.record_checks([record(number, "late")])  # harmless
        assert not store.links.link_standings()


def a_report_carries_its_check(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _watch(store, due=NOW)
        [lease] = take(store)
        assert store.links.link(number).state.entry is EntryStatus.RUNNING
        made = replace(report(lease), link=record(number, "one", status=CheckStatus.NEW))
        assert store.record([made]) == [True]
        assert store.links.link(number).state.status is CheckStatus.NEW
        assert store.record([made]) == [False]
        assert len(store.links.link_checks(number)) == 1


def listings_go_by_number_and_standing(open_store: Open) -> None:
    with opened(open_store) as store:
        numbers = [_watch(store, f"http://site.example/{place}") for place in range(4)]
        store.add([NewResource(url="http://site.example/feed", site="site.example")], now=NOW)
        store.links.record_checks([record(numbers[1], None, status=CheckStatus.MISSING)])
        store.links.record_checks([record(numbers[2], "x")])
        assert [link.id for link in store.links.list_links(limit=3)] == numbers[:3]
        assert [link.id for link in store.links.list_links(after=numbers[2])] == numbers[3:]
        assert [link.id for link in store.links.list_links(LinkFilter(standing=Standing.BROKEN))] == [numbers[1]]
        assert [link.id for link in store.links.list_links(LinkFilter(text="EXAMPLE/3"))] == [numbers[3]]
        assert (store.links.count_links(), store.links.count_links(after=numbers[0])) == (4, 3)
        assert store.links.count_links(LinkFilter(standing=Standing.BROKEN)) == 1
        store.links.record_checks([record(numbers[2], "y", status=CheckStatus.SIMILAR)])
        for standing in (None, Standing.OK):  # changed, and well
            changed = LinkFilter(standing=standing, status=CheckStatus.SIMILAR)
            assert [link.id for link in store.links.list_links(changed)] == [numbers[2]]
        assert store.links.list_links(LinkFilter(standing=Standing.BROKEN, status=CheckStatus.SIMILAR)) == []
        assert store.links.link_standings() == {Standing.UNKNOWN: 2, Standing.BROKEN: 1, Standing.OK: 1}
        assert store.links.untold_links() == 0
        store.links.record_checks([record(numbers[3], None, status=CheckStatus.THROTTLED)])
        assert (store.links.link_standings()[Standing.UNKNOWN], store.links.untold_links()) == (2, 1)
        assert store.links.set_usage(numbers[0], Usage.ATTRIBUTIVE).state.usage is Usage.ATTRIBUTIVE
        store.links.record_checks([record(numbers[0], "y")])
        assert store.links.link(numbers[0]).state.usage is Usage.ATTRIBUTIVE


def links_are_found_by_tag_and_by_the_words_of_tags_and_folders(open_store: Open) -> None:
    with opened(open_store) as store:
        numbers = [_watch(store, f"http://site.example/{place}") for place in range(4)]
        store.update(numbers[0], tags=("toread", "Süß"), folder="recipes/bread")
        store.update(numbers[1], tags=("toreadlater",))
        store.links.record_checks([record(numbers[0], None, status=CheckStatus.MISSING)])

        def found(**where: object) -> list[int]:
            return [link.id for link in store.links.list_links(LinkFilter(**where))]  # type: ignore[arg-type]

        assert found(tag="toread") == numbers[:1]
        assert found(tag="toread", standing=Standing.BROKEN) == numbers[:1]
        assert found(tag="toreadlater", standing=Standing.BROKEN) == []
        assert found(text="ToRead") == numbers[:2]
        assert found(text="ToRead", standing=Standing.BROKEN) == numbers[:1]
        assert found(text="süß") == found(text="pes/bre") == numbers[:1]
        for text in ("toread", "recipes"):
            named = store.list_resources(ResourceFilter(text=text))
            assert [one.id for one in named] == found(text=text)
            assert store.count(ResourceFilter(text=text)) == len(named)


def one_visit_serves_all_links_to_its_page(open_store: Open) -> None:
    with opened(open_store) as store:
        page, other, pinned, paused = (_watch(store, _URL + part) for part in ("", "#b", "#c", "#d"))
        stranger = _watch(store, _URL + "s#b")
        store.update(pinned, pinned=60.0)
        store.update(paused, status=Status.PAUSED)
        assert [link.id for link in store.links.links_of_page(_URL + "#x")] == [page, other, pinned, paused]
        assert [link.id for link in store.links.links_of_page(_URL, limit=1)] == [page]
        store.bring_forward([other], now=NOW, is_asked_for=True)
        store.update(stranger, due=NOW + 9_999.0)
        [lease] = take(store)
        assert lease.resource.id == other  # somebody waits for it
        gone = _watch(store, _URL + "#e")
        parts = tuple(record(number, "text") for number in (page, pinned, paused, gone))
        store.remove([gone])
        assert store.record([replace(report(lease), link=record(other, "text"), parts=parts)]) == [True]
        due = {number: store.get(number).due for number in (page, other, pinned)}
        assert NOW + 3_600.0 == due[other] < due[page] <= due[other] + 1.0
        assert due[pinned] == NOW + 60.0  # as often as its operator said
        assert [len(store.links.link_checks(number)) for number in (page, other, pinned, paused)] == [1, 1, 1, 0]
        assert store.links.link(page).state.reference is not None
        assert (store.get(page).last_visit, store.get(page).last_result) == (NOW, "same")
        assert take(store, NOW + 30.0) == []


def a_page_that_ends_does_not_end_other_links_to_it(open_store: Open) -> None:
    with opened(open_store) as store:
        first, other = (_watch(store, _URL + part) for part in ("#a", "#b"))
        [lease] = take(store)
        ended = report(lease, due=math.inf, result=Result.GONE, status=Status.GONE)
        number = other if lease.resource.id == first else first
        store.record([replace(ended, link=record(lease.resource.id, None), parts=(record(number, None),))])
        assert [found.resource.id for found in take(store, NOW + 60.0)] == [number]


def history_may_be_imported(open_store: Open) -> None:
    with opened(open_store) as store:
        number = _watch(store)
        store.links.record_checks([record(number, "now")])
        new = store.links.add_version(number, version("then", NOW - 1_000, Origin.ARCHIVE))
        again = store.links.add_version(number, version("then", NOW - 500, Origin.ARCHIVE))
        assert new == again
        assert [(v.title, v.origin) for v in store.links.versions(number)] == [
            ("now", Origin.CHECK),
            ("then", Origin.ARCHIVE),
        ]
        loose = store.links.add_version(None, version("of an example", origin=Origin.EXAMPLE))
        assert store.links.version(loose).resource is None
        assert raises(ResourceNotFound, store.links.add_version, 99, version("x"))


LAWS = laws_of(globals())
