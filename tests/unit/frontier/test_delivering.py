"""Reports that a frontier cannot take: found, put aside, and in nobody's way."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from afresh.base.errors import ServiceError, StoreError
from afresh.base.records.frontier import PageReport, SiteReport
from afresh.frontier.delivering import Aside, Delivery, ReportFailed


@dataclass
class Picky:
    """Takes what has none of these words in a URL."""

    bad: tuple[str, ...] = ()
    hears_of_asides: bool = True
    taken: Counter[str] = field(default_factory=Counter)
    aside: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)  # sites whose list is over
    requests: int = 0

    async def report(self, sites: Sequence[SiteReport], *, key: str) -> None:
        self.requests += 1
        urls = [page.url for site in sites for page in site.pages]
        if any(word in url for word in self.bad for url in urls):
            raise ReportFailed("500: boom")
        self.taken.update(urls)
        self.ended += [site.name for site in sites if not site.is_partial]

    async def put_aside(self, site: SiteReport, why: str) -> None:
        if not self.hears_of_asides:
            raise ServiceError("500: boom")
        assert site.is_partial or len(site.pages) == 1
        self.aside.append(site.pages[0].url)


def reports(sites: int, pages: int) -> list[SiteReport]:
    return [
        SiteReport(lease=n, name=f"s{n}", pages=tuple(PageReport(f"http://s{n}/{page}.") for page in range(pages)))
        for n in range(sites)
    ]


def delivered(frontier: Picky, sites: list[SiteReport]) -> tuple[Delivery, list[Aside], list[SiteReport]]:
    kept: list[Aside] = []
    delivery = Delivery(frontier, kept.append)
    late = asyncio.run(delivery.deliver(sites))
    return delivery, kept, late


def test_one_page_of_many_is_found_and_all_others_are_taken_once() -> None:
    frontier = Picky(bad=("s11/3.",))
    delivery, kept, late = delivered(frontier, reports(20, 8))
    assert frontier.aside == [one.report.pages[0].url for one in kept] == ["http://s11/3."]
    assert kept[0].why == "500: boom"
    assert sum(frontier.taken.values()) == len(frontier.taken) == 20 * 8 - 1
    assert (delivery.put_aside, late) == (1, [])
    assert frontier.requests < 20


@pytest.mark.parametrize("page", [0, 2, 3])
def test_a_page_that_cannot_even_be_put_aside_is_given_back_when_others_are_taken(page: int) -> None:
    """Its list ends, once."""
    frontier = Picky(bad=(f"s1/{page}.",), hears_of_asides=False)
    _, kept, late = delivered(frontier, reports(3, 4))
    assert [one.report.pages[0].url for one in kept] == [f"http://s1/{page}."]
    assert len(frontier.taken) == 11
    assert (sorted(frontier.ended), late) == (["s0", "s1", "s2"], [])


@pytest.mark.parametrize("page", [0, 2, 3])
def test_a_list_that_is_still_worked_off_is_not_ended_by_a_page_that_is_not_taken(page: int) -> None:
    """Somebody else would ask its site beside us."""
    frontier = Picky(bad=(f"s1/{page}.",), hears_of_asides=False)
    parts = [site._replace(is_partial=True) for site in reports(3, 4)]
    _, kept, late = delivered(frontier, parts)
    assert (len(kept), len(frontier.taken), frontier.ended, late) == (1, 11, [], [])


def test_a_frontier_that_takes_nothing_is_not_pressed_and_nothing_is_put_aside() -> None:
    frontier = Picky(bad=("/",), hears_of_asides=False)
    sites = reports(40, 10)
    delivery, kept, late = delivered(frontier, sites)
    assert (kept, delivery.put_aside) == ([], 0)
    assert Counter(page.url for site in late for page in site.pages) == Counter(
        page.url for site in sites for page in site.pages
    )
    assert frontier.requests < 20
    frontier.bad = ()
    assert asyncio.run(delivery.deliver(late)) == []
    assert set(frontier.taken.values()) == {1}
    assert len(frontier.taken) == 400


def test_where_everything_would_be_put_aside_it_ends() -> None:
    with pytest.raises(StoreError, match="20 in a row are put aside"):
        delivered(Picky(bad=("/",)), reports(30, 1))
