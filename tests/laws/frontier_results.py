"""The laws of results that a frontier keeps for sinks."""

from types import SimpleNamespace
from typing import cast

from afresh.base.records.frontier import KeptResult, PageReport, PageResult, SiteReport
from afresh.base.records.frontier_store import FrontierStore, Reported
from tests.laws.frontier_material import NOW, OpenFrontier, fetched, filled, give_back, laws_of, take, url, urls


def report(store: FrontierStore, *, key: str = "", keep: bool = True, result: PageResult = PageResult.FETCHED) -> int:
    """Takes a list of one site and reports it; how many pages."""
    lists = take(store, sites=1)
    sites = [fetched(one, result=result, content_hash="5f", links=[url(0, 0)]) for one in lists]
    store.report_many([Reported("one", sites, key)], now=NOW + 1.5, revisit_after=1e6, keep=keep)
    return len(urls(lists))


def everything(store: FrontierStore, *, limit: int = 3) -> list[KeptResult]:
    """Read in steps, as sinks do."""
    found: list[KeptResult] = []
    while page := store.results(after=found[-1].number if found else 0, limit=limit):
        assert len(page) <= limit
        found += page
    return found


def nothing_is_kept_where_nobody_wants_it(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier) as store:
        give_back(store, take(store))
        assert store.results(after=0, limit=10) == []


def every_page_that_was_reported_is_read_once(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=3, pages=4) as store:
        assert [report(store) for _ in range(3)] == [4, 4, 4]
        found = everything(store)
        numbers = [result.number for result in found]
        assert numbers == sorted(set(numbers))
        assert len({result.page.url for result in found}) == 12
        assert {(result.at, result.fetcher) for result in found} == {(NOW + 1.5, "one")}
        assert all(result.site in result.page.url for result in found)
        assert found[0].page.links == [url(0, 0)]
        assert everything(store, limit=1) == found


def what_the_server_answered_is_kept(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=1) as store:
        told = {"http": 301, "content_type": "text/html", "redirect": "http://b.example/", "why": "so"}
        sites = [fetched(one, **told) for one in take(store)]
        store.report_many([Reported("one", sites, "")], now=NOW, revisit_after=1e6, keep=True)
        [found] = everything(store)
        assert {name: getattr(found.page, name) for name in told} == told


def _as_a_door(site: SiteReport) -> SiteReport:
    """With pages of a class of its own, as REST reads them."""
    return site._replace(pages=[cast("PageReport", SimpleNamespace(**page._asdict())) for page in site.pages])


def whether_a_page_has_changed_is_told_as_the_frontier_found_out(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=1) as store:
        for visit, content in enumerate(("5f", "5f", "60", "")):
            now = NOW + 1e6 * visit
            sites = [_as_a_door(fetched(one, content_hash=content)) for one in take(store, now=now)]
            store.report_many([Reported("one", sites)], now=now + 1, revisit_after=10.0, keep=True)
        assert [kept.page.changed for kept in everything(store)] == [None, False, True, None]


def a_report_that_is_sent_again_is_kept_once(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=1, pages=2) as store:
        sites = [fetched(one) for one in take(store)]
        for _ in range(2):
            store.report_many([Reported("one", sites, "k")], now=NOW, revisit_after=1e6, keep=True)
        assert len(everything(store)) == 2


def what_was_not_tried_or_not_handed_out_is_not_kept(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2, pages=2) as store:
        report(store, result=PageResult.SKIPPED)
        sites = [fetched(one) for one in take(store, sites=1)]
        store.report_many([Reported("two", sites)], now=NOW, revisit_after=1e6, keep=True)
        assert everything(store) == []


def what_all_sinks_have_taken_is_dropped(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=3, pages=4) as store:
        for _ in range(3):
            report(store)
        found = everything(store)
        assert store.forget_results(taken=found[2].number) == 0  # the first report is not taken as a whole
        assert everything(store) == found
        assert store.forget_results(taken=found[5].number) == 1
        assert everything(store) == found[4:]
        assert store.forget_results(taken=None) == 2
        report(store, keep=False)
        assert everything(store) == []


def numbers_go_on_after_all_was_dropped(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier, sites=2, pages=1) as store:
        report(store)
        [first] = everything(store)
        store.forget_results(taken=first.number)
        report(store)
        [second] = store.results(after=first.number, limit=10)
        assert second.number > first.number


def one_process_carries_results(open_frontier: OpenFrontier) -> None:
    with filled(open_frontier) as store:
        assert store.lead()
        assert store.lead()


LAWS = laws_of(globals())
