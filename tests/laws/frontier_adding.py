"""The laws of a frontier's fetchers and of what is added to it."""

from dataclasses import replace

from afresh.base.records.frontier import PageResult, Seed, Standing
from tests.laws.frontier_material import (
    DELAY,
    NOW,
    OpenFrontier,
    account,
    filled,
    give_back,
    host,
    laws_of,
    opened,
    take,
    url,
    urls,
    wrong_sums,
)

# --- fetchers --------------------------------------------------------------------------------------------------------


def a_fetcher_registers_once(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        first = account("a")
        assert store.register(first)
        assert not store.register(first)
        assert not store.register(account("b", name="a"))  # the contact and name of another
        assert store.register(account("b"))
        assert store.fetcher("a") == first
        assert store.fetcher("c") is None


def fetchers_are_listed_by_registration(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        for uuid, registered in (("c", 3.0), ("b", 1.0), ("a", 3.0)):
            store.register(account(uuid, registered=registered))
        assert [one.uuid for one in store.fetchers()] == ["b", "a", "c"]


def a_fetcher_can_be_changed(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        store.register(account("a"))
        store.register(account("b"))
        changed = replace(account("a"), location="Berlin", tld_preference="de", address="192.0.2.1", token_digest="ff")
        assert store.replace_fetcher(changed)
        assert store.fetcher("a") == changed
        assert not store.replace_fetcher(account("c"))
        assert not store.replace_fetcher(replace(changed, name="b"))
        assert store.fetcher("a") == changed


def removing_a_fetcher_frees_its_sites_but_keeps_their_delay(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1) as store:
        assert take(store, pages=3)
        assert store.remove_fetcher("one", now=NOW + 1)
        assert not store.remove_fetcher("one", now=NOW + 1)
        assert store.stats().leased_sites == 0
        assert not take(store, "two", now=NOW + 3 * DELAY - 0.1)
        assert take(store, "two", now=NOW + 3 * DELAY)


def a_fetcher_that_begins_anew_gives_back_what_it_held(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=3, pages=4) as store:
        mine = take(store, sites=2)
        others = take(store, "two", sites=1)
        assert store.take_lists_back("one", now=NOW + 1) == 2
        assert store.take_lists_back("one", now=NOW + 1) == 0
        assert {fetcher: held.sites for fetcher, held in store.holdings().items()} == {"two": 1}
        assert not take(store, now=NOW + 1 + DELAY - 0.1)
        again = take(store, now=NOW + 1 + DELAY)
        assert sorted(urls(again)) == sorted(urls(mine))
        late = give_back(store, mine, now=NOW + 1 + DELAY)  # what had been under way
        assert set(late.standings) == {Standing.LATE}
        assert set(give_back(store, [*again, *others], now=NOW + 2 + DELAY).standings) == {
            Standing.ACCEPTED,
            Standing.UNKNOWN,
        }
        assert not wrong_sums(store)


def a_fetcher_is_seen_when_it_asks_or_reports(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier) as store:
        lists = take(store, now=NOW + 5)
        assert (store.fetcher("one") or account("")).last_seen == NOW + 5
        give_back(store, lists, now=NOW + 6)
        assert (store.fetcher("one") or account("")).last_seen == NOW + 6


# --- adding ----------------------------------------------------------------------------------------------------------


def adding_never_overwrites(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        first = store.add([Seed(url(0, 0), host(0), pagerank=0.5, due=NOW)], now=NOW)
        assert (first.urls, first.sites, first.known) == (1, 1, 0)
        again = store.add([Seed(url(0, 0), host(0), pagerank=9.0, due=NOW + 99), Seed(url(0, 1), host(0))], now=NOW + 1)
        assert (again.urls, again.sites, again.known) == (1, 0, 1)
        [one] = take(store, now=NOW + 1)
        [page] = [page for page in one.pages if page.url == url(0, 0)]
        assert (page.pagerank, page.due, page.discovered) == (0.5, NOW, NOW)
        assert store.stats().urls == 2


def a_url_added_twice_at_once_is_one_page(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        added = store.add([Seed(url(0, 0), host(0), pagerank=0.25), Seed(url(0, 0), host(0))], now=NOW)
        assert (added.urls, added.known) == (1, 1)
        [one] = take(store)
        assert [page.pagerank for page in one.pages] == [0.25]


def urls_that_cannot_be_kept_are_refused(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        odd = ["http://a.example/" + "x" * 2_048, "http://a.example/\0", "http://a.example/\ud800", ""]
        added = store.add([*(Seed(text, "a.example") for text in odd), Seed("http://b.example/", "")], now=NOW)
        assert (added.urls, added.refused) == (0, 5)
        added = store.add([Seed("http://a.example/ä", "a.example"), Seed(odd[0], "a.example")], now=NOW)
        assert (added.urls, added.refused) == (1, 1)
        assert urls(take(store)) == ["http://a.example/ä"]
        assert not wrong_sums(store)


def excluded_pages_are_known_but_not_handed_out(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        store.add([Seed(url(0, 0), host(0), bot_excluded=True), Seed(url(0, 1), host(0))], now=NOW)
        store.add([Seed(url(1, 0), host(1), bot_excluded=True)], now=NOW)
        assert urls(take(store)) == [url(0, 1)]
        assert store.stats().urls == 3


def a_page_that_is_not_due_waits(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        store.add([Seed(url(0, 0), host(0), due=NOW + 50), Seed(url(0, 1), host(0), due=NOW + 60)], now=NOW)
        assert not take(store, now=NOW + 49)
        assert urls(take(store, now=NOW + 50)) == [url(0, 0)]


def a_page_found_later_makes_its_site_ready(open_frontier: OpenFrontier) -> None:
    with opened(open_frontier) as store:
        store.add([Seed(url(0, 0), host(0), due=NOW + 50)], now=NOW)
        assert not take(store)
        store.add([Seed(url(0, 1), host(0))], now=NOW)
        assert urls(take(store)) == [url(0, 1)]


def a_page_that_was_given_up_is_tried_again_when_it_is_added_again(open_frontier: OpenFrontier) -> None:
    """By whoever wants it; a link to it says nothing new."""
    with filled(open_frontier, sites=2, pages=1) as store:
        give_back(store, take(store), now=NOW, result=PageResult.NOT_FOUND)
        assert store.add([Seed(url(0, 0), host(0))], now=NOW + 9, revive=False).revived == 0
        assert not take(store, now=NOW + 9)
        assert store.add([Seed(url(0, 0), host(0))], now=NOW + 9).revived == 1
        assert urls(take(store, now=NOW + 9)) == [url(0, 0)]
        assert not wrong_sums(store)


def a_refused_page_that_is_added_again_is_tried_again(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2, pages=2) as store:
        give_back(store, take(store), result=PageResult.REFUSED)
        added = store.add([Seed(url(0, 0), host(0)), Seed(url(0, 9), host(0)), Seed(url(1, 1), host(1))], now=NOW + 1)
        assert (added.urls, added.known, added.revived) == (1, 2, 2)
        lists = take(store, now=NOW + 1)
        assert sorted(urls(lists)) == [url(0, 0), url(0, 9), url(1, 1)]
        give_back(store, lists, now=NOW + 2)
        assert store.add([Seed(url(0, 0), host(0))], now=NOW + 3).revived == 0
        assert not wrong_sums(store)


LAWS = laws_of(globals())
