"""The laws of queues: crawls beside each other, URLs handed out one by one, what clients say about them."""

from concurrent.futures import ThreadPoolExecutor

from afresh.base.records.frontier import SiteOrder
from afresh.base.records.frontier_store import FrontierStore
from afresh.base.records.queues import DEFAULT_CRAWL, NEVER_AGAIN, Put, QueueControl, QueueRequest, QueueUrl, Taken
from afresh.base.timekeeping import TimeBounds
from tests.laws.frontier_material import (
    DELAY,
    NOW,
    OpenFrontier,
    account,
    filled,
    give_back,
    hosts,
    laws_of,
    opened,
    seeds,
    take,
    urls,
    wrong_sums,
)

HOLD = 30.0


def found(key: str, *pages: object, **more: object) -> list[Put]:
    """URLs of a queue, found somewhere."""
    return [Put(f"http://{key}/{page}", key, **more) for page in pages]  # type: ignore[arg-type]


def back(one: QueueUrl, due: float = NEVER_AGAIN, metadata: str = "") -> Put:
    """A URL that was handed out, and when it is wanted again."""
    return Put(one.url, one.key, is_known=True, due=due, metadata=metadata)


def put(store: FrontierStore, puts: list[Put], *, crawl: str = DEFAULT_CRAWL, now: float = NOW) -> list[Taken]:
    return store.put(crawl, puts, now=now)


def get(store: FrontierStore, *, now: float = NOW, **more: object) -> list[QueueUrl]:
    return store.serve(QueueRequest(hold=HOLD, **more), now=now)  # type: ignore[arg-type]


def paths(served: list[QueueUrl]) -> list[str]:
    return [one.url.removeprefix("http://") for one in served]


def a_list_is_of_one_crawl_and_what_it_links_to_goes_there(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2, pages=1) as store:
        assert store.crawl_number("mine") is None
        assert store.add(seeds(1, 2), now=NOW, crawl="mine").urls == 2  # known to the other crawl
        mine = store.crawl_number("mine")
        assert mine is not None
        assert len(take(store)) == 2
        [given] = take(store, crawl=mine)
        assert len(given.pages) == 2
        receipt = give_back(store, [given], links=("http://new.example/", given.pages[0].url))
        assert (receipt.visited, receipt.discovered, receipt.known) == (2, 1, 3)
        assert store.queue_stats("mine", now=NOW).urls == 3
        assert store.queue_stats(DEFAULT_CRAWL, now=NOW).urls == 2
        assert [site.name for site in store.sites(crawl=mine)] == ["new.example", "s0.example"]
        assert store.site("new.example") is None
        assert not wrong_sums(store)


def one_site_is_asked_for_by_name(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier) as store:
        assert hosts(take(store, site="s1.example", sites=5)) == ["s1.example"]
        assert not take(store, "two", site="s1.example")
        assert not take(store, "two", site="nowhere.example")
        assert sorted(hosts(take(store, "two"))) == ["s0.example", "s2.example"]


def a_found_url_is_new_once(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        assert put(store, found("a", 1, 2, 1)) == [Taken.NEW, Taken.NEW, Taken.KNOWN]
        assert put(store, found("a", 2, 3)) == [Taken.KNOWN, Taken.NEW]
        assert put(store, found("b", 1)) == [Taken.NEW]
        assert store.stats().urls == 4
        assert not wrong_sums(store)


def what_cannot_be_kept_is_refused_alone(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        odd = [Put("", "a"), Put("http://a/" + "x" * 3_000, "a"), Put("http://a/", ""), Put("http://a/", "k" * 256)]
        odd += [Put("http://a/\0", "a"), Put("http://a/\ud800", "a")]
        assert put(store, [*odd, *found("a", 1)]) == [Taken.REFUSED] * 6 + [Taken.NEW]
        assert put(store, [Put("http://a/", "k" * 255)]) == [Taken.NEW]
        assert store.stats().urls == 2


def the_same_url_in_two_queues_is_two(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        assert put(store, [Put("http://x/", "one"), Put("http://x/", "two")]) == [Taken.NEW, Taken.NEW]
        assert put(store, [Put("http://x/", "one")], crawl="other") == [Taken.NEW]
        assert sorted((one.key, one.crawl) for one in get(store, crawl=None)) == [
            ("one", "DEFAULT"),
            ("one", "other"),
            ("two", "DEFAULT"),
        ]
        assert not wrong_sums(store)


def a_url_may_be_found_and_come_back_at_once(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        one, known = Put("http://a/1", "a"), Put("http://a/1", "a", is_known=True, due=NEVER_AGAIN)
        assert put(store, [one, known, one]) == [Taken.NEW, Taken.UPDATED, Taken.KNOWN]
        assert get(store) == []
        assert store.queue_stats(DEFAULT_CRAWL, now=NOW).completed == 1
        assert not wrong_sums(store)


def crawls_do_not_see_each_other(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=1) as store:
        put(store, found("s0.example", 0, 1, 2), crawl="other")
        assert store.crawls() == ["DEFAULT", "other"]
        assert len(get(store, crawl="other")) == 3
        assert len(get(store)) == 1
        assert get(store, crawl="third", now=NOW + 100) == []
        assert hosts(take(store, now=NOW + 100)) == ["s0.example"]
        assert store.queue_stats("other", now=NOW).urls == 3
        assert not wrong_sums(store)


def a_client_that_takes_any_crawl_gets_of_all(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        for crawl in ("one", "two", "three"):
            for queue in range(4):
                put(store, found(f"q{queue}", 1), crawl=crawl)
        first = get(store, crawl=None, queues=6)
        assert len(first) == 6
        assert {one.crawl for one in first} == {"one", "two", "three"}
        assert len(get(store, crawl=None)) == 6


def a_client_may_say_how_long_a_queue_is_left_alone(open_frontier: OpenFrontier) -> None:
    for order in (SiteOrder.DUE, SiteOrder.LARGE):
        with opened(open_frontier) as store:
            store.clear(fetchers=False, urls=True, sites=True, leases=True, edges=True)
            store.set_site_order(order)
            put(store, [*found("a", 1, 2), *found("b", *range(9))])
            first = get(store, key="a", urls=1)
            get(store, queues=1, urls=1, now=NOW + 3)  # an order other than by time makes both queues available
            put(store, [back(*first)._replace(quiet=NOW + 20)], now=NOW + 4)
            assert {one.key for one in get(store, now=NOW + 19)} <= {"b"}
            assert "a" in {one.key for one in get(store, now=NOW + 21)}
            assert not wrong_sums(store)


def a_lock_is_renewed_while_there_is_one(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        put(store, found("a", 1, 2))
        first, second = get(store)
        put(store, [back(second)], now=NOW + 1)
        store.renew([first.number, second.number], until=NOW + 2 * HOLD)
        assert get(store, now=NOW + 2 * HOLD - 1) == []
        assert store.queue_stats(DEFAULT_CRAWL, now=NOW + HOLD).locked == 1
        assert paths(get(store, now=NOW + 2 * HOLD + 1)) == paths([first])
        assert not wrong_sums(store)


def a_locked_url_is_not_handed_out_again(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        put(store, found("a", *range(5)))
        first = get(store, urls=2)
        second = get(store, now=NOW + 2)
        assert len(first) == 2
        assert len(second) == 3
        assert not set(paths(first)) & set(paths(second))
        assert get(store, now=NOW + HOLD - 1) == []
        assert sorted(paths(get(store, now=NOW + HOLD))) == sorted(paths(first))
        assert store.queue_stats(DEFAULT_CRAWL, now=NOW + HOLD).locked == 5
        assert not wrong_sums(store)


def locks_survive_a_restart(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        put(store, found("a", 1, 2))
        get(store)
        store.control_queue(DEFAULT_CRAWL, "a", QueueControl(delay=50.0, limit=7, block_until=NOW + 60), now=NOW)
    with opened(open_frontier) as store:
        assert get(store, now=NOW + HOLD - 1) == []
        assert get(store, now=NOW + 59.0) == []
        assert len(get(store, now=NOW + 60.0)) == 2


def a_queue_is_served_again_after_its_delay(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        put(store, found("a", *range(9)))
        assert len(get(store, urls=1, default_delay=5.0)) == 1
        assert get(store, now=NOW + 4.9, urls=2, default_delay=5.0) == []
        assert len(get(store, now=NOW + 5.0, urls=2, default_delay=5.0)) == 2
        store.control_queue(DEFAULT_CRAWL, "a", QueueControl(delay=0.0), now=NOW)
        assert len(get(store, now=NOW + 5.5, urls=4)) == 4
        store.control_queue(DEFAULT_CRAWL, "a", QueueControl(delay=3.0), now=NOW)
        assert get(store, now=NOW + 8.0) == []
        assert get(store, now=NOW + 8.0, key="a") == []
        assert len(get(store, now=NOW + 8.5, key="a")) == 2


def a_queue_goes_back_to_the_default_delay(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        put(store, found("a", *range(9)))
        store.control_queue(DEFAULT_CRAWL, "a", QueueControl(delay=50.0), now=NOW)
        assert len(get(store, urls=1, default_delay=5.0)) == 1
        assert store.control_queue(DEFAULT_CRAWL, "a", QueueControl(forgets_delay=True), now=NOW, default_delay=5.0)
        assert get(store, now=NOW + 4.9, urls=2, default_delay=5.0) == []
        assert len(get(store, now=NOW + 5.0, urls=2, default_delay=5.0)) == 2


def another_default_delay_counts_from_the_last_serving(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        put(store, [*found("a", 1, 2), *found("b", 1, 2)])
        store.control_queue(DEFAULT_CRAWL, "b", QueueControl(delay=50.0), now=NOW)
        get(store, urls=1, default_delay=100.0)
        store.default_delay_changed(4.0, now=NOW + 1)
        assert get(store, now=NOW + 3.9) == []
        assert paths(get(store, now=NOW + 4.0, default_delay=4.0))[0].startswith("a/")
        assert get(store, now=NOW + 49.0, urls=5, key="b") == []


def of_one_call_a_queue_is_served_once(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        put(store, [one for queue in range(250) for one in found(f"q{queue}", 1, 2)])
        for queue in range(250):
            store.control_queue(DEFAULT_CRAWL, f"q{queue}", QueueControl(delay=0.0), now=NOW)
        served = get(store, urls=1)
        assert len({one.key for one in served}) == len(served) == 250
        assert get(store, now=NOW + 1, urls=1) == []  # as many as asked for are locked
        assert len(get(store, now=NOW + 2, urls=2)) == 250


def no_more_are_locked_than_a_client_asks_for(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        put(store, found("a", *range(9)))
        first = get(store, urls=3)
        assert get(store, now=NOW + 5, urls=3) == []
        assert put(store, [back(first[0])], now=NOW + 6) == [Taken.UPDATED]
        assert len(get(store, now=NOW + 6, urls=3)) == 3
        assert not wrong_sums(store)


def urls_come_in_the_order_of_their_time(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        put(store, found("a", "later", is_known=True, due=NOW - 1))
        put(store, found("a", "sooner", is_known=True, due=NOW - 100))
        put(store, found("a", "future", is_known=True, due=NOW + 100))
        assert paths(get(store)) == ["a/sooner", "a/later"]
        assert paths(get(store, now=NOW + 100))[-1] == "a/future"


def a_completed_url_is_not_handed_out(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        put(store, found("a", 1, 2))
        served = get(store)
        put(store, [back(one) for one in served], now=NOW + 1)
        stats = store.queue_stats(DEFAULT_CRAWL, "a", now=NOW + 1)
        assert (stats.urls, stats.active, stats.completed, stats.locked, stats.active_queues) == (2, 0, 2, 0, 0)
        assert get(store, now=NOW + 1e9) == []
        assert put(store, found("a", 1), now=NOW + 2) == [Taken.KNOWN]
        put(store, [back(served[0], NOW + 10)], now=NOW + 3)
        assert paths(get(store, now=NOW + 10)) == paths(served[:1])
        assert store.queue_stats(DEFAULT_CRAWL, "a", now=NOW).completed == 1
        assert store.stats().visited == 2
        assert not wrong_sums(store)


def new_and_known_urls_of_a_queue_may_come_back_together(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        put(store, found("a", 1))
        [one] = get(store)
        new = [*found("a", 2, is_known=True, due=NEVER_AGAIN), *found("a", 3, is_known=True, due=NOW + 5)]
        assert put(store, [*new, back(one)], now=NOW + 1) == [Taken.NEW, Taken.NEW, Taken.UPDATED]
        stats = store.queue_stats(DEFAULT_CRAWL, "a", now=NOW + 1)
        assert (stats.completed, stats.active, stats.locked) == (2, 1, 0)
        assert paths(get(store, now=NOW + 5)) == ["a/3"]
        assert not wrong_sums(store)


def without_a_date_what_changes_comes_again_sooner(open_frontier: OpenFrontier) -> None:
    pages, rest, longest = ("news", "old"), 5 * 86_400.0, 91 * 86_400.0
    with opened(open_frontier) as store:
        put(store, found("a", *pages))
        for turn in range(8):
            now = NOW + turn * rest
            served = get(store, now=now)
            assert len(served) == 2
            contents = {one.url: f"version {turn}" if "news" in one.url else "the same" for one in served}
            known = [Put(url, "a", is_known=True, content=content) for url, content in contents.items()]
            assert put(store, known, now=now) == [Taken.UPDATED] * 2
            news, old, missing = (store.stored_url(DEFAULT_CRAWL, "a", f"http://a/{page}") for page in (*pages, "none"))
            assert news is not None
            assert old is not None
            assert missing is None
            put(store, found("a", *pages, is_known=True, due=now + rest), now=now)
        assert now < news.due < old.due < now + longest
        assert store.queue_stats(DEFAULT_CRAWL, now=now).completed == 0
        assert not wrong_sums(store)
        assert put(store, found("a", "more", is_known=True), now=now) == [Taken.NEW]
        assert now < store.stored_url(DEFAULT_CRAWL, "a", "http://a/more").due < now + longest  # type: ignore[union-attr]


def what_a_client_keeps_is_given_back(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        put(store, found("a", 1, metadata='{"k":["v","w"]}'))
        put(store, found("a", 1, metadata='{"k":["other"]}'))
        served = get(store)
        assert served[0].metadata == '{"k":["v","w"]}'
        put(store, [back(served[0], NOW + 50, '{"status":["200"]}')], now=NOW + 1)
        again = get(store, now=NOW + 50)
        assert again[0].metadata == '{"status":["200"]}'
        put(store, [back(again[0], NOW + 90)], now=NOW + 51)
        assert get(store, now=NOW + 90)[0].metadata == ""


def a_blocked_queue_gives_nothing(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        put(store, [*found("a", 1), *found("b", 1)])
        assert store.control_queue(DEFAULT_CRAWL, "a", QueueControl(block_until=NOW + 50), now=NOW)
        assert not store.control_queue(DEFAULT_CRAWL, "c", QueueControl(block_until=NOW + 50), now=NOW)
        assert not store.control_queue("other", "a", QueueControl(block_until=NOW + 50), now=NOW)
        assert paths(get(store)) == ["b/1"]
        assert get(store, key="a") == []
        assert store.queues(DEFAULT_CRAWL, start=0, limit=9, active_at=NOW) == (["b"], 1)
        assert store.queues(DEFAULT_CRAWL, start=0, limit=9, active_at=None) == (["a", "b"], 2)
        store.control_queue(DEFAULT_CRAWL, "a", QueueControl(block_until=0.0), now=NOW)
        assert paths(get(store)) == ["a/1"]
        assert not wrong_sums(store)


def a_queue_with_enough_gives_nothing_more(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        put(store, found("a", 1, 2, 3))
        store.control_queue(DEFAULT_CRAWL, "a", QueueControl(limit=1), now=NOW)
        put(store, [back(get(store, urls=1)[0])], now=NOW + 1)
        assert get(store, now=NOW + 100) == []
        assert get(store, now=NOW + 100, key="a") == []
        assert take(store, now=NOW + 100) == []
        assert not wrong_sums(store)
        store.control_queue(DEFAULT_CRAWL, "a", QueueControl(limit=0), now=NOW)
        assert len(get(store, now=NOW + 101)) == 2


def lists_leave_locked_pages_out(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=5) as store:
        locked = get(store, urls=2)
        one = take(store, now=NOW + DELAY)
        assert len(urls(one)) == 3
        assert not set(urls(one)) & {page.url for page in locked}
        assert get(store, now=NOW + 3) == []  # the site is leased
        give_back(store, one, now=NOW + 4)
        assert not wrong_sums(store)
        assert len(get(store, now=NOW + 40)) == 2


def a_page_completed_during_a_list_stays_completed(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=2) as store:
        one = take(store)
        put(store, [Put(page, "s0.example", is_known=True, due=NEVER_AGAIN) for page in urls(one)], now=NOW + 1)
        give_back(store, one, now=NOW + 4)
        assert get(store, now=NOW + 1e6) == []
        assert not wrong_sums(store)


def every_site_order_serves_queues(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        store.set_site_order(SiteOrder.LARGE)
        for queue in range(1, 5):
            put(store, found(f"q{queue}", *range(queue)))
        served = get(store, queues=2, site_order=SiteOrder.LARGE)
        assert [one.key for one in served] == ["q4"] * 4 + ["q3"] * 3
        assert len(get(store, now=NOW + 2, site_order=SiteOrder.LARGE)) == 3
        assert not wrong_sums(store)


def a_removed_queue_is_gone(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2, pages=3) as store:
        put(store, found("s0.example", "x", metadata='{"k":["v"]}'))
        get(store, key="s0.example")
        removed = store.remove_some(DEFAULT_CRAWL, "s0.example", before=None, after=0, limit=100)
        assert removed == (4, None)
        assert (store.stats().sites, store.stats().urls) == (1, 3)
        assert store.queues(DEFAULT_CRAWL, start=0, limit=9, active_at=None) == (["s1.example"], 1)
        assert not wrong_sums(store)
        store.add(seeds(1, 1), now=NOW)
        assert paths(get(store, key="s0.example")) == ["s0.example/0"]
        assert store.remove_some(DEFAULT_CRAWL, "nowhere", before=None, after=0, limit=100) == (0, None)


def a_crawl_is_removed_some_at_a_time(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        put(store, [one for queue in range(4) for one in found(f"q{queue}", *range(5))], crawl="one")
        put(store, found("q0", 1), crawl="two")
        cursor, count, calls = 0, 0, 0
        while True:
            part = store.remove_some("one", before=None, after=cursor, limit=3)
            count, calls = count + part.urls, calls + 1
            assert not wrong_sums(store)
            if part.cursor is None:
                break
            cursor = part.cursor
        assert count == 20
        assert calls > 6
        assert store.crawls() == ["two"]
        assert put(store, found("q0", 1), crawl="one") == [Taken.NEW]


def old_urls_can_be_purged(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        store.register(account("one"))
        put(store, [*found("a", 1, 2), *found("b", 1)])
        put(store, found("a", 3), now=NOW + 50)
        assert store.remove_some(DEFAULT_CRAWL, before=NOW + 1, after=0, limit=100) == (3, None)
        assert not wrong_sums(store)
        assert paths(get(store, now=NOW + 60)) == ["a/3"]
        assert store.queues(DEFAULT_CRAWL, start=0, limit=9, active_at=None)[0] == ["a", "b"]
        leased = take(store, now=NOW + 200)
        assert store.remove_some(DEFAULT_CRAWL, before=NOW + 900, after=0, limit=100) == (0, None)
        give_back(store, leased, now=NOW + 203)
        assert store.remove_some(DEFAULT_CRAWL, before=NOW + 900, after=0, limit=100) == (1, None)
        assert not wrong_sums(store)


def stored_urls_can_be_listed(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        for queue in range(3):
            put(store, found(f"q{queue}", *range(7), metadata='{"k":["v"]}'))
        put(store, [Put("http://q1/3", "q1", is_known=True, due=NEVER_AGAIN)], now=NOW + 5)
        put(store, found("q1", 1), crawl="other")
        everything = [f"http://q{q}/{p}" for q in range(3) for p in range(7)]
        for containing in ("", "http", "/5", "q1/"):
            wanted = [url for url in everything if containing in url]
            for limit in (1, 2, 7, 100):
                listed, cursor = [], (0, -1)
                while cursor is not None:
                    part = store.stored_urls(DEFAULT_CRAWL, after=cursor, limit=limit, containing=containing)
                    assert len(part.urls) <= limit
                    assert part.urls or containing  # without a filter nobody is sent on to nothing
                    listed += part.urls
                    cursor = part.cursor
                assert sorted(one.url for one in listed) == wanted
        assert store.stored_urls(DEFAULT_CRAWL, "q1", limit=100).cursor is None
        part = store.stored_urls(DEFAULT_CRAWL, "q1", limit=100, containing="Q1/3", ignore_case=True)
        assert [(one.url, one.key, one.due, one.metadata) for one in part.urls] == [
            ("http://q1/3", "q1", NEVER_AGAIN, "")
        ]
        assert store.stored_urls(DEFAULT_CRAWL, limit=100, containing="Q1/3").urls == []
        one = store.stored_url(DEFAULT_CRAWL, "q2", "http://q2/4")
        assert one is not None
        assert (one.due, one.created, one.crawl, one.metadata) == (NOW, NOW, "DEFAULT", '{"k":["v"]}')
        assert store.stored_url(DEFAULT_CRAWL, "q2", "http://q1/4") is None
        assert store.stored_url("third", "q2", "http://q2/4") is None


def times_that_clients_gave_are_not_taken_for_a_wrong_clocks(open_frontier: OpenFrontier) -> None:
    bounds = TimeBounds(intervals={"page": 1_000.0}, pause=1_000.0, delay=1.0, lease=100.0)
    with opened(open_frontier) as store:
        put(store, found("a", "far", is_known=True, due=NOW + 1e8))
        assert not store.seen_times().are_ahead(NOW, bounds)
        put(store, found("b", 1), now=NOW + 1e6)
        get(store, key="b", now=NOW + 1e6)
        store.pull_back(now=NOW, bounds=bounds)
        assert not wrong_sums(store)
        one = store.stored_url(DEFAULT_CRAWL, "a", "http://a/far")
        assert one is not None
        assert one.due == NOW + 1e8
        assert paths(get(store, key="b", now=NOW + 1e3)) == ["b/1"]


def unlocked_urls_can_be_had_again(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        put(store, found("a", 1, 2))
        served = get(store)
        store.unlock([served[0].number])
        assert paths(get(store, now=NOW + 2)) == paths(served[:1])


def many_clients_never_share_a_url(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        put(store, [one for queue in range(20) for one in found(f"q{queue}", *range(10))])

        def work(number: int) -> list[str]:
            with opened(open_frontier) as mine:
                mine_only: list[str] = []
                for turn in range(6):
                    mine_only += paths(get(mine, now=NOW + 2 * turn, queues=4, urls=3))
                return mine_only

        with ThreadPoolExecutor(4) as pool:
            taken = [path for part in pool.map(work, range(4)) for path in part]
        assert len(taken) == len(set(taken)) > 30
        assert not wrong_sums(store)


LAWS = laws_of(globals())
