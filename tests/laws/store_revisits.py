"""The laws of a store about pages that are revisited in turn: places, paces, announcements, plans of sites."""

import math
from dataclasses import replace

import numpy as np

from afresh.base.errors import ModelError
from afresh.base.models import Kind, Lease, NewResource, Pace, Report, Resource, Result, Status
from afresh.base.protocols import Store
from afresh.base.records.pages import Announcement, Hastened, Heard, SitePlan
from tests.laws.store_material import NOW, Open, comparable, feeds, laws_of, opened, raises, report, take

SITE = "s.example"


def pages(count: int, *, site: str = SITE) -> list[NewResource]:
    return [NewResource(url=f"http://{site}/{number}", site=site, kind=Kind.PAGE) for number in range(count)]


def visited(
    lease: Lease,
    now: float,
    *,
    turn: float | None,
    frequency: float = 0.1,
    next_turn: float | None = None,
    result: Result = Result.SAME,
    heard: Heard | None = None,
) -> Report:
    """A visit that leaves its page at a place, its site free at once."""
    made = report(
        lease,
        now,
        next_allowed=now,
        result=result,
        due=now + 1 / frequency,
        last_ok=now,
        turn=turn,
        frequency=frequency,
    )
    pace = Pace(added=frequency - lease.resource.frequency, next_turn=next_turn)
    return replace(made, pace=pace, heard=heard)


def seated(store: Store, turns: list[float], *, next_turn: float = NOW + 10.0) -> list[Resource]:
    """Pages of one site at these places, its next turn at that time."""
    store.add(pages(len(turns)), now=NOW)
    for _ in turns:  # in any order: all are due alike
        [lease] = take(store)
        number = int(lease.resource.url.rpartition("/")[2])
        store.record([visited(lease, NOW, turn=turns[number], next_turn=next_turn)])
    return [store.get(f"http://{SITE}/{number}") for number in range(len(turns))]


def pages_are_served_in_the_order_of_their_places(open_store: Open) -> None:
    with opened(open_store) as store:
        seated(store, [3.0, 1.0, 2.0])
        order = []
        for step in range(3):
            now = NOW + 20.0 + step
            [lease] = take(store, now)
            order.append(lease.resource.url[-1])
            store.record([visited(lease, now, turn=10.0 + step, next_turn=now)])
        assert order == ["1", "2", "0"]


def no_page_before_the_next_turn_of_its_site(open_store: Open) -> None:
    with opened(open_store) as store:
        seated(store, [1.0, 2.0], next_turn=NOW + 10.0)
        assert store.next_ready() == NOW + 10.0
        assert not take(store, NOW + 9.0)
        assert len(take(store, NOW + 10.0)) == 1, "one a site"


def a_place_survives_closing(open_store: Open) -> None:
    with opened(open_store) as store:
        [before] = seated(store, [4.5])
    with opened(open_store) as store:
        assert comparable(store.get(before.url)) == comparable(before)
        assert (before.turn, before.frequency) == (4.5, 0.1)
        site = store.site(SITE)
        assert site is not None
        assert (site.state.next_turn, site.state.frequency) == (NOW + 10.0, 0.1)


def feeds_and_pages_of_a_site_take_turns(open_store: Open) -> None:
    with opened(open_store) as store:
        seated(store, [1.0, 2.0])
        store.add([NewResource(url=f"http://{SITE}/feed{n}", site=SITE, due=NOW) for n in range(6)], now=NOW)
        kinds = []
        for step in range(6):
            now = NOW + 20.0 + step
            [lease] = take(store, now)
            kinds.append(lease.resource.kind)
            if lease.resource.kind is Kind.PAGE:
                store.record([visited(lease, now, turn=lease.resource.turn or 0.0, next_turn=now)])
            else:
                store.record([report(lease, now, next_allowed=now)])
        assert kinds.count(Kind.PAGE) == kinds.count(Kind.FEED) == 3, kinds


def an_operators_time_goes_before_the_order(open_store: Open) -> None:
    with opened(open_store) as store:
        _, last = seated(store, [1.0, 99.0], next_turn=NOW + 1e6)
        changed = store.update(last.id, due=NOW)
        assert (changed.turn, changed.frequency) == (None, 0.0)
        assert math.isclose(store.site(SITE).state.frequency, 0.1), "the other page's"  # type: ignore[union-attr]
        [lease] = take(store, NOW + 1.0)
        assert lease.resource.id == last.id


def a_page_that_is_brought_forward_is_served_next_and_at_once(open_store: Open) -> None:
    with opened(open_store) as store:
        first, last = seated(store, [1.0, 99.0], next_turn=NOW + 1e6)
        store.bring_forward([last.id], now=NOW)
        [lease] = take(store)
        assert (lease.resource.id, lease.resource.due) == (last.id, last.due)
        assert store.get(first.id).turn == 1.0


def paused_pages_have_no_turn(open_store: Open) -> None:
    with opened(open_store) as store:
        [only] = seated(store, [1.0])
        store.update(only.id, status=Status.PAUSED)
        assert store.next_ready() is None
        store.update(only.id, status=Status.ACTIVE)
        assert store.next_ready() == NOW + 10.0


def planning_writes_to_sites_alone(open_store: Open) -> None:
    with opened(open_store) as store:
        before = seated(store, [1.0, 2.0, 3.0], next_turn=NOW + 10.0)
        [site] = store.pages.site_pages()
        assert (len(site.pages.weight), site.state.frequency) == (3, sum([0.1] * 3))
        store.pages.plan_sites([SitePlan(site=site.site, price=7.0, frequency=0.6)], now=NOW)
        after = [store.get(page.id) for page in before]
        assert [comparable(page) for page in after] == [comparable(page) for page in before]
        state = store.site(SITE).state  # type: ignore[union-attr]
        assert (state.price, state.frequency) == (7.0, 0.6)
        assert math.isclose(store.next_ready() or 0.0, NOW + 1.0 / 0.6), "never more than one turn away"


def a_pending_turn_is_stretched_with_the_pace(open_store: Open) -> None:
    with opened(open_store) as store:
        seated(store, [1.0], next_turn=NOW + 4.0)
        [site] = store.pages.site_pages()
        store.pages.plan_sites([SitePlan(site=site.site, price=0.0, frequency=0.05)], now=NOW)
        assert math.isclose(store.next_ready() or 0.0, NOW + 8.0)


def sites_are_read_whole_and_in_order(open_store: Open) -> None:
    with opened(open_store) as store:
        for name in ("a.example", "b.example", "c.example"):
            store.add(pages(3, site=name), now=NOW)
            for turn in range(3):
                [lease] = take(store)
                store.record([visited(lease, NOW, turn=float(turn), next_turn=NOW + 10.0)])
        found, after = [], 0
        while some := store.pages.site_pages(after=after, limit=4):
            found += some
            after = some[-1].site
        assert [len(site.pages.weight) for site in found] == [3, 3, 3]
        assert len({site.site for site in found}) == 3


def what_is_visited_by_due_time_is_counted_apart(open_store: Open) -> None:
    with opened(open_store) as store:
        seated(store, [1.0])
        store.add([NewResource(url=f"http://{SITE}/feed", site=SITE)], now=NOW)
        [lease] = take(store)
        store.record([report(lease, NOW, last_interval=50.0)])
        [site] = store.pages.site_pages()
        assert math.isclose(site.other, 1 / 50.0)


def an_announcement_is_news_once(open_store: Open) -> None:
    with opened(open_store) as store:
        page, _ = seated(store, [1.0, 2.0])
        said = [Announcement(url=page.url, at=NOW + 5.0), Announcement(url="http://unknown.example/", at=NOW + 5.0)]
        assert [heard.id for heard in store.pages.announce(said, signal="sitemap")] == [page.id]
        assert not store.pages.announce(said, signal="sitemap")
        assert not store.pages.announce([Announcement(url=page.url, at=NOW - 5.0)], signal="feed"), (
            "older than the visit"
        )
        assert store.pages.announce([Announcement(url=page.url)], signal="ping")
        assert store.get(page.id).announced == {"sitemap": 1, "ping": 1}


def only_visited_pages_can_be_announced(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add([*pages(1), *feeds(1)], now=NOW)
        assert not store.pages.announce([Announcement(url=f"http://{SITE}/0")], signal="ping")
        assert not store.pages.announce([Announcement(url="http://site0.example/0")], signal="ping")


def a_visit_answers_announcements_and_teaches_what_they_are_worth(open_store: Open) -> None:
    with opened(open_store) as store:
        page, other = seated(store, [1.0, 2.0])
        store.pages.announce([Announcement(url=page.url)], signal="feed")
        for turn, changed in ((9.0, True), (10.0, True), (11.0, False)):
            [lease] = take(store, NOW + 20.0 + turn)
            heard = Heard(announced=lease.resource.announced, changed=changed, elapsed=20.0)
            store.record([visited(lease, NOW + 20.0 + turn, turn=turn, next_turn=NOW, heard=heard)])
        assert store.get(page.id).announced == {}
        counts = store.pages.signals(SITE)["feed"]
        assert (counts.announced_changes, counts.silent_changes, counts.false_alarms) == (1.0, 1.0, 0.0)
        assert counts.watched == 60.0
        store.pages.announce([Announcement(url=other.url)], signal="feed")
        while store.get(other.id).announced:
            [lease] = take(store, NOW + 50.0)
            heard = Heard(announced=lease.resource.announced, changed=False, elapsed=1.0)
            store.record([visited(lease, NOW + 50.0, turn=20.0, next_turn=NOW, heard=heard)])
        assert store.pages.signals(SITE)["feed"].false_alarms == 1.0
        assert store.pages.signals("nowhere.example") == {}


def a_hastened_page_moves_forward_and_may_be_next(open_store: Open) -> None:
    with opened(open_store) as store:
        first, second = seated(store, [5.0, 6.0], next_turn=NOW + 100.0)
        store.pages.hasten([Hastened(resource=second.id, seconds=20.0)], now=NOW)
        moved = store.get(second.id).turn
        assert moved is not None
        assert math.isclose(moved, 6.0 - 20.0 * 0.2), "two pages of 0.1 visits a second: a turn is five seconds"
        assert store.next_ready() == NOW + 100.0
        store.pages.hasten([Hastened(resource=second.id, seconds=1e9)], now=NOW)
        [lease] = take(store, NOW)
        assert lease.resource.id == second.id, "its turn has come"
        assert store.get(first.id).turn == 5.0
        assert raises(ModelError, store.pages.hasten, [Hastened(resource=first.id, seconds=math.nan)], now=NOW)


def a_hastened_page_that_reached_its_turn_goes_before_the_one_that_is_waited_for(open_store: Open) -> None:
    with opened(open_store) as store:
        first, second = seated(store, [-3.0, 6.0], next_turn=NOW + 100.0)
        store.pages.hasten([Hastened(resource=second.id, seconds=35.0)], now=NOW)
        [lease] = take(store, NOW)
        assert lease.resource.id == second.id
        assert store.get(first.id).turn == -3.0


def a_crawl_delay_is_kept_until_robots_says_otherwise(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(feeds(1), now=NOW)
        for said, kept in (((True, 30.0), 30.0), ((False, None), 30.0), ((True, None), None)):
            [lease] = take(store, NOW + 1e6)
            done = report(lease, NOW, due=NOW, next_allowed=NOW)
            store.record([replace(done, robots_read=said[0], crawl_delay=said[1])])
            assert store.site("site0.example").state.crawl_delay == kept  # type: ignore[union-attr]


def nonsense_is_refused(open_store: Open) -> None:
    with opened(open_store) as store:
        store.add(pages(1), now=NOW)
        [lease] = take(store)
        for frequency in (math.nan, math.inf, -1.0):
            bad = report(lease, NOW, turn=1.0, frequency=frequency)
            assert raises(ModelError, store.record, [bad]), frequency
            assert raises(
                ModelError, store.pages.plan_sites, [SitePlan(site=1, price=0.0, frequency=frequency)], now=NOW
            )
        assert store.record([report(lease, NOW, turn=math.nan)]) == [True]
        assert store.get(lease.resource.id).turn is None, "no place is a place of no number"


def what_a_page_starts_from_is_kept(open_store: Open) -> None:
    with opened(open_store) as store:
        new = replace(pages(1)[0], state=np.array([0.0, 0.3, 9.0]), state_of="belief")
        [added] = store.add([new], now=NOW)
        found = store.get(added.id)
        assert (found.state_of, found.state.tolist()) == ("belief", [0.0, 0.3, 9.0])


def the_first_places_of_a_site_are_read_in_their_order(open_store: Open) -> None:
    with opened(open_store) as store:
        known = seated(store, [4.0, 1.0, 3.0, 2.0])
        store.add(pages(1, site="other.example"), now=NOW)
        first = store.pages.first_in_turn(SITE, besides=known[3].id, limit=64)
        assert first.ids.tolist() == [known[1].id, known[2].id, known[0].id], "all but the one asked for"
        assert first.turn.tolist() == [1.0, 3.0, 4.0]
        assert first.last.tolist() == [NOW] * 3
        assert store.pages.first_in_turn(SITE, besides=0, limit=2).ids.tolist() == [known[1].id, known[3].id]
        store.update(known[1].id, status=Status.PAUSED)
        assert store.pages.first_in_turn(SITE, besides=0, limit=1).ids.tolist() == [known[3].id], "who is not served"
        assert not len(store.pages.first_in_turn("other.example", besides=0, limit=9).ids), "it is new"
        assert not len(store.pages.first_in_turn("nobody.example", besides=0, limit=9).ids)


def a_page_that_is_called_is_served_next(open_store: Open) -> None:
    with opened(open_store) as store:
        known = seated(store, [1.0, 2.0, 3.0])
        [lease] = take(store, NOW + 20.0)
        done = visited(lease, NOW + 20.0, turn=9.0, next_turn=NOW + 21.0)
        store.record([replace(done, pace=replace(done.pace, called=(known[2].id, 1.5)))])
        assert store.get(known[2].id).turn == 1.5
        [lease] = take(store, NOW + 21.0)
        assert lease.resource.id == known[2].id


def a_call_gives_no_place_to_what_has_none(open_store: Open) -> None:
    with opened(open_store) as store:
        known = seated(store, [1.0, 2.0])
        [lease] = take(store, NOW + 20.0)
        store.update(known[1].id, pinned=60.0)
        done = visited(lease, NOW + 20.0, turn=9.0, next_turn=NOW + 21.0)
        store.record([replace(done, pace=replace(done.pace, called=(known[1].id, 0.5)))])
        assert store.get(known[1].id).turn is None, "somebody has said when it is visited"


LAWS = laws_of(globals())
