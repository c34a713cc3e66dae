"""A host that answers nothing at all is not tried twice for every link."""

import asyncio

import pytest

from afresh.base.models import Failed, Failure, Fetched, Outcome, Request, Trip
from afresh.base.records.links import CheckStatus
from afresh.links.answers import Checked
from afresh.links.status_checker import StatusChecker
from afresh.links.unsaved import UnsavedLinks
from tests.fakes.fake_web import FakeWeb, HandClock

SITE = "https://town.example"
LINKS = [f"{SITE}/{number}" for number in range(6)]


class Recovering(FakeWeb):
    """A host that is away for so many tries of a link."""

    def __init__(self, *, away: int, cause: Failure = Failure.CONNECT) -> None:
        super().__init__(HandClock())
        for url in LINKS:
            self.answers[url] = self._answer
        self._away, self._cause = away, cause

    def _answer(self, request: Request, trip: Trip) -> Outcome:
        if self.asked.count(request.url) > self._away:
            return Fetched(trip=trip, status=200, body=b"<p>Here I am.")
        return Failed(trip=trip, cause=self._cause, detail="as told")

    @property
    def asked(self) -> list[str]:
        return [request.url for _, request in self.requests]


def check(web: Recovering, *, parallel: int = 64, retries: int = 1) -> list[CheckStatus]:
    """What is found of each link."""
    links, found = UnsavedLinks(), dict[str, CheckStatus]()
    checker = StatusChecker(web.fetch, links, now=web.clock.now, retries=retries)

    async def done(checked: Checked) -> None:
        found[checked.check.url] = checked.check.status

    numbers: dict[str, int | None] = {url: links.add(url) for url in LINKS}
    asyncio.run(checker.check_all(numbers, done, site_of=lambda _: SITE, parallel=parallel))
    return [found[url] for url in LINKS]


@pytest.mark.parametrize("parallel", [1, 2, 64])
@pytest.mark.parametrize(
    ("cause", "status"),
    [(Failure.CONNECT, CheckStatus.NET_UNREACHABLE), (Failure.TIMEOUT, CheckStatus.NET_TIMEOUT)],
)
def test_of_a_dead_host_one_link_is_tried_again_for_all(parallel: int, cause: Failure, status: CheckStatus) -> None:
    web = Recovering(away=100, cause=cause)
    assert check(web, parallel=parallel) == [status] * len(LINKS)
    assert sorted(web.asked) == sorted([LINKS[0], *LINKS])


def test_more_tries_are_those_of_one_link_as_well() -> None:
    web = Recovering(away=100)
    check(web, retries=3)
    assert sorted(web.asked) == sorted([LINKS[0]] * 3 + LINKS)


def test_a_host_that_is_back_at_the_second_try_is_asked_for_all_its_links_again() -> None:
    web = Recovering(away=1)
    assert check(web) == [CheckStatus.NEW] * len(LINKS)
    assert sorted(web.asked) == sorted(LINKS * 2)


def test_one_link_alone_is_tried_as_often_as_wanted() -> None:
    web = Recovering(away=100)
    links = UnsavedLinks()
    checker = StatusChecker(web.fetch, links, now=web.clock.now, retries=2)
    asyncio.run(checker.check(LINKS[0], links.add(LINKS[0])))
    assert web.asked == [LINKS[0]] * 3


def test_an_answer_in_between_begins_the_count_anew() -> None:
    web = Recovering(away=100)
    web.status(LINKS[1], 404)
    check(web, parallel=1)
    assert web.asked == [LINKS[0], LINKS[0], LINKS[1], LINKS[2], LINKS[2], *LINKS[3:]]


def test_a_check_that_is_broken_off_leaves_nobody_waiting() -> None:
    web, links = Recovering(away=100), UnsavedLinks()
    checker = StatusChecker(web.fetch, links, now=web.clock.now, retries=1)

    async def go() -> Checked:
        first, second = (asyncio.create_task(checker.check(url, links.add(url))) for url in LINKS[:2])
        while web.asked.count(LINKS[0]) < 2:
            await asyncio.sleep(0)
        first.cancel()
        return await second

    assert asyncio.run(go()).check.status is CheckStatus.NET_UNREACHABLE
