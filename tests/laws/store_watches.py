"""The laws of what is watched of pages: watches, memories, and versions that are packed on each other."""

import random
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha1

import numpy as np

from afresh.base.errors import UsageError
from afresh.base.models import Kind, NewResource, ResourceFilter, Validators
from afresh.base.protocols import Store
from afresh.base.records.labels import NewLabel, Rating
from afresh.base.records.links import (
    Check,
    CheckRecord,
    CheckStatus,
    LinkState,
    NewVersion,
    NothingToAccept,
    VersionNotFound,
)
from afresh.base.records.watches import USUAL, Only, PageMemory, PageRecord, Watch
from afresh.parse.pictures import write_png
from tests.laws.store_material import NOW, Open, laws_of, opened, raises, report, take

_WATCH = Watch(css=(".price", "#ü"), ignore=(r"\d+",), only=Only.NUMBERS, at_least=3, everything=True, case=False)


def add_page(store: Store, name: str = "page") -> int:
    new = NewResource(url=f"http://{name}.example/", site=f"{name}.example", kind=Kind.PAGE, due=NOW)
    return store.add([new], now=NOW)[0].id


def body_of(seed: int, change: int = 0) -> bytes:
    """Some kilobytes that do not pack well, of which one line is another after each change."""
    draw = random.Random(seed)
    lines = [" ".join(f"{draw.getrandbits(40):x}" for _ in range(8)) for _ in range(80)]
    for step in range(1, change + 1):
        lines[step % 80] = f"changed for the {step}th time"
    return "\n".join(lines).encode()


def version(body: bytes, at: float = NOW) -> NewVersion:
    return NewVersion(at=at, url="http://page.example/", mark=sha1(body, usedforsecurity=False).digest(), body=body)


def see(store: Store, number: int, bodies: Sequence[bytes], *, at: float = NOW, **changes: object) -> None:
    """Visits of a page that showed these."""
    for place, body in enumerate(bodies):
        now = at + 1_000.0 * place
        [lease] = [lease for lease in take(store, now) if lease.resource.id == number]
        record = PageRecord(resource=number, memory=PageMemory(), version=version(body, now), **changes)  # type: ignore[arg-type]
        assert store.record([replace(report(lease, now, due=now + 1.0), page=record)]) == [True]


def readable(store: Store, number: int) -> list[bytes]:
    """Every stored version of a page, oldest first."""
    return [store.links.version_body(one.id) for one in reversed(store.links.versions(number))]


def a_watch_comes_back_as_it_was_and_the_usual_one_is_none(open_store: Open) -> None:
    with opened(open_store) as store:
        scope = f"page:{add_page(store)}"
        store.watches.put_watch(scope, _WATCH)
        store.watches.put_watch("site:page.example", replace(USUAL, main_text=True))
        store.watches.put_watch("tag:prices", replace(USUAL, appears=("sold out",)))
    with opened(open_store) as store:
        found = store.watches.watches()
        assert found[scope] == _WATCH
        assert set(found) == {scope, "site:page.example", "tag:prices"}
        store.watches.put_watch(scope, replace(_WATCH, at_least=9))
        assert store.watches.watches()[scope].at_least == 9
        store.watches.put_watch(scope, USUAL)
        store.watches.put_watch("tag:never", USUAL)
        assert set(store.watches.watches()) == {"site:page.example", "tag:prices"}


def a_memory_comes_back_as_it_was(open_store: Open) -> None:
    memory = PageMemory(
        watch=_WATCH.to_text(), lines=("one", "zwei ü €", " three "), told=("one",), restless='{"a":1}', remark="a wall"
    )
    with opened(open_store) as store:
        number = add_page(store)
        assert store.watches.page_memory(number) is None
        for kept in (memory, replace(memory, told=memory.lines, remark=""), PageMemory(), memory):
            [lease] = take(store)
            page = PageRecord(resource=number, memory=kept)
            assert store.record([replace(report(lease, due=NOW, next_allowed=NOW), page=page)]) == [True]
            assert store.watches.page_memory(number) == kept
        assert store.links.versions(number) == []
    with opened(open_store) as store:
        assert store.watches.page_memory(number) == memory


def what_a_lost_lease_saw_is_not_kept(open_store: Open) -> None:
    with opened(open_store) as store:
        number = add_page(store)
        [lease] = take(store)
        page = PageRecord(resource=number, memory=PageMemory(lines=("x",)), version=version(b"x"))
        late = replace(report(replace(lease, id=lease.id + 1)), page=page)
        assert store.record([late]) == [False]
        assert store.watches.page_memory(number) is None
        assert store.links.versions(number) == []


def versions_are_packed_on_each_other_and_come_back(open_store: Open) -> None:
    bodies = [body_of(1, change) for change in range(5)]
    with opened(open_store) as store:
        number = add_page(store)
        see(store, number, bodies)
    with opened(open_store) as store:
        assert readable(store, number) == bodies
        first, *others = reversed(store.links.versions(number))
        assert all(10 * one.stored < first.stored for one in others)
        assert all(one.size == len(body) for one, body in zip([first, *others], bodies, strict=True))


def a_page_that_became_another_is_packed_by_itself(open_store: Open) -> None:
    bodies = [body_of(1), body_of(2), body_of(2, 1)]
    with opened(open_store) as store:
        number = add_page(store)
        see(store, number, bodies)
        assert readable(store, number) == bodies
        stored = [one.stored for one in store.links.versions(number)]
        assert 10 * stored[0] < stored[1]
        assert 2 * stored[1] > stored[2]


def trimming_leaves_what_is_kept_readable(open_store: Open) -> None:
    bodies = [body_of(1, change) for change in range(12)]
    with opened(open_store) as store:
        number = add_page(store)
        see(store, number, bodies, keep_versions=3)
        assert readable(store, number) == [bodies[0], *bodies[-3:]]  # the first is what the others are packed on
        others = [body_of(2, change) for change in range(6)]
        see(store, number, others, at=NOW + 1e5, keep_versions=3)
        assert readable(store, number) == [others[0], *others[-3:]]


def old_versions_go_but_the_newest_stays(open_store: Open) -> None:
    with opened(open_store) as store:
        number = add_page(store)
        see(store, number, [body_of(seed) for seed in range(4)], keep_for=1_500.0)
        assert readable(store, number) == [body_of(2), body_of(3)]
        see(store, number, [body_of(9)], at=NOW + 1e9, keep_for=1.0)
        assert readable(store, number) == [body_of(9)]


def removing_a_page_removes_all_of_it(open_store: Open) -> None:
    with opened(open_store) as store:
        number, other = add_page(store), add_page(store, "other")
        see(store, number, [body_of(1, change) for change in range(3)])
        kept = [one.id for one in store.links.versions(number)]
        for page in (number, other):
            store.watches.put_watch(f"page:{page}", _WATCH)
        store.remove([number])
        assert set(store.watches.watches()) == {f"page:{other}"}
        assert store.watches.page_memory(number) is None
        assert all(raises(VersionNotFound, store.links.version, one) for one in kept)


def a_label_keeps_what_its_versions_are_packed_on(open_store: Open) -> None:
    bodies = [body_of(1, change) for change in range(4)]
    with opened(open_store) as store:
        number = add_page(store)
        see(store, number, bodies)
        first, second, third, fourth = (one.id for one in reversed(store.links.versions(number)))
        label = store.learning.add_label(NewLabel(old=second, new=third, verdict=Rating.EQUAL), now=NOW)
        store.remove([number])
        assert [store.links.version_body(one) for one in (second, third)] == bodies[1:3]
        assert raises(VersionNotFound, store.links.version, fourth)
        store.learning.remove_label(label.id)
        assert all(raises(VersionNotFound, store.links.version, one) for one in (first, second, third))


def links_and_pages_share_their_versions(open_store: Open) -> None:
    bodies = [body_of(1, change) for change in range(3)]
    with opened(open_store) as store:
        number = add_page(store)
        see(store, number, bodies[:2])
        check = Check(url="", at=NOW + 5e4, status=CheckStatus.EQUAL)
        checked = CheckRecord(resource=number, check=check, state=LinkState(), version=version(bodies[2], NOW + 5e4))
        store.links.record_checks([checked])
        assert readable(store, number) == bodies
        assert store.links.link(number).versions == 3


def a_page_becomes_a_link_and_back_with_its_history(open_store: Open) -> None:
    bodies = [body_of(1, change) for change in range(3)]
    with opened(open_store) as store:
        number = add_page(store)
        store.watches.put_watch(f"page:{number}", _WATCH)
        see(store, number, bodies)
        versions, memory = store.links.versions(number), store.watches.page_memory(number)
        link = store.update(number, kind=Kind.LINK, due=NOW)
        assert (link.kind, link.validators.etag, link.due, link.turn) == (Kind.LINK, "", NOW, None)
        assert store.count(ResourceFilter(kind=Kind.LINK)) == 1
        assert store.count(ResourceFilter(kind=Kind.PAGE)) == 0
        state = store.links.link(number).state
        assert (state.reference, state.accepted) == (versions[0].id, versions[0].at)
        assert store.update(number, kind=Kind.PAGE).kind is Kind.PAGE
        assert store.links.versions(number) == versions
        assert store.watches.page_memory(number) == memory
        assert store.watches.watches()[f"page:{number}"] == _WATCH
        assert store.update(number, kind=Kind.LINK).kind is Kind.LINK
        assert raises(NothingToAccept, store.links.accept_version, number, versions[2].id, by="ada", now=NOW)
        check = Check(url="http://page.example/", at=NOW, status=CheckStatus.SIMILAR)
        seen = replace(store.links.link(number).state, status=check.status, checked=NOW)
        store.links.record_checks([CheckRecord(resource=number, check=check, state=seen)])
        store.links.accept_version(number, versions[2].id, by="ada", now=NOW)
        assert store.links.link(number).state.reference == versions[2].id  # moves on acceptance only
        assert len(readable(store, number)) == 3


def only_pages_and_links_become_each_other(open_store: Open) -> None:
    with opened(open_store) as store:
        page = add_page(store)
        [feed] = store.add([NewResource(url="http://f.example/", site="f.example")], now=NOW)
        assert raises(UsageError, store.update, feed.id, kind=Kind.PAGE)
        assert raises(UsageError, store.update, page, kind=Kind.FEED)
        assert (store.get(feed.id).kind, store.get(page).kind) == (Kind.FEED, Kind.PAGE)


def a_visit_that_was_under_way_leaves_the_kind_its_operator_chose(open_store: Open) -> None:
    with opened(open_store) as store:
        number = add_page(store)
        [lease] = take(store)
        store.update(number, kind=Kind.LINK, due=NOW + 1.0)
        late = report(lease, due=NOW + 9e9, turn=3.0, frequency=1.0, validators=Validators(etag='"old"'))
        assert store.record([late]) == [True]
        link = store.get(number)
        assert (link.kind, link.due, link.turn, link.validators.etag) == (Kind.LINK, NOW + 1.0, None, "")
        assert link.last_visit == NOW
        assert store.count(ResourceFilter(kind=Kind.LINK)) == 1


def pixels_of(seed: int, change: int = 0) -> bytes:
    """A picture that does not pack well by itself, of which some rows are others after a change."""
    pixels = np.random.default_rng(seed).integers(0, 255, (300, 60, 3), dtype=np.uint8)
    pixels[: 2 * change] = change
    return write_png(pixels, level=0)


def pictured(body: bytes, picture: bytes, at: float) -> PageRecord:
    return PageRecord(resource=0, memory=PageMemory(), version=replace(version(body, at), picture=picture))


def show(store: Store, number: int, shown: Sequence[tuple[bytes, bytes]], *, at: float = NOW, keep: int = 10) -> None:
    """Visits of a page that showed these, each with a picture."""
    for place, (body, picture) in enumerate(shown):
        now = at + 1_000.0 * place
        [lease] = [lease for lease in take(store, now) if lease.resource.id == number]
        record = replace(pictured(body, picture, now), resource=number, keep_versions=keep)
        assert store.record([replace(report(lease, now, due=now + 1.0), page=record)]) == [True]


def pictures(store: Store, number: int) -> list[bytes | None]:
    """Those of all versions, oldest first."""
    return [store.watches.picture(one.id) for one in reversed(store.links.versions(number))]


def pictures_come_back_and_the_same_one_is_kept_once(open_store: Open) -> None:
    shown = [(body_of(1, change), pixels_of(1, change % 2)) for change in range(4)]
    with opened(open_store) as store:
        number = add_page(store)
        show(store, number, shown)
    with opened(open_store) as store:
        assert pictures(store, number) == [picture for _, picture in shown]
        first, second, third, fourth = (one.picture for one in reversed(store.links.versions(number)))
        assert (first, second) == (third, fourth) != (second, first)
        assert store.watches.picture(10**6) is None


def pictures_go_with_their_versions_and_what_is_left_can_be_seen(open_store: Open) -> None:
    shown = [(body_of(1, change), pixels_of(1, change)) for change in range(8)]
    with opened(open_store) as store:
        number = add_page(store)
        show(store, number, shown, keep=3)
        assert pictures(store, number) == [shown[0][1], *(picture for _, picture in shown[-3:])]
        others = [(body_of(2, change), pixels_of(2, change)) for change in range(5)]
        show(store, number, others, at=NOW + 1e5, keep=3)
        assert pictures(store, number) == [others[0][1], *(picture for _, picture in others[-3:])]
        kept = [one.id for one in store.links.versions(number)]
        store.remove([number])
        assert [store.watches.picture(one) for one in kept] == [None] * 4


def a_version_without_a_picture_gets_the_first_that_is_taken(open_store: Open) -> None:
    with opened(open_store) as store:
        number = add_page(store)
        see(store, number, [body_of(1), body_of(1, 1)])
        for place, picture in enumerate((pixels_of(1), pixels_of(2))):
            now = NOW + 1e5 + 1_000.0 * place
            [lease] = take(store, now)
            record = PageRecord(resource=number, memory=PageMemory(), picture=picture)
            assert store.record([replace(report(lease, now, due=now + 1.0), page=record)]) == [True]
        assert pictures(store, number) == [None, pixels_of(1)]
        show(store, number, [(body_of(1, 1), pixels_of(3))], at=NOW + 2e5)  # seen again
        assert pictures(store, number) == [None, pixels_of(1)]


LAWS = laws_of(globals())
