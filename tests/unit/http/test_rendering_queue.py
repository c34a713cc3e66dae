"""Browsers are few: who waits too long for one has not asked anybody yet."""

import asyncio

import pytest

from afresh.base.models import Failed, Failure, Outcome, Rejected, Request, Trip
from afresh.base.settings.sections import BrowserSettings, FetchSettings
from afresh.http import rendering
from afresh.http.hop import Hop
from tests.fakes.clocks import StillClock


class _Slow:
    """A client whose answers wait until they are let go."""

    def __init__(self) -> None:
        self.asked: list[Request] = []
        self.may_answer = asyncio.Event()

    async def fetch(self, request: Request, *, hop: Hop | None = None) -> Outcome:
        self.asked.append(request)
        await self.may_answer.wait()
        trip = Trip(url=request.url, final_url=request.url, started=0.0, finished=0.0)
        return Rejected(trip=trip, status=404)

    async def close(self) -> None:
        return


def test_who_waits_too_long_for_a_browser_comes_later_and_has_asked_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "_QUEUE", 0.05)
    monkeypatch.setattr(rendering, "missing_browser", lambda: "")

    async def go() -> tuple[Outcome, Outcome, Outcome, list[Request]]:
        slow = _Slow()
        client = rendering.RenderingClient(slow, BrowserSettings(at_once=1), FetchSettings(), clock=StillClock())
        page = Request(url="https://a.example/", etag="x", render=True)
        first = asyncio.create_task(client.fetch(page))
        while not slow.asked:
            await asyncio.sleep(0)
        late = await client.fetch(page)
        slow.may_answer.set()
        plain = await client.fetch(Request(url="https://a.example/plain"))
        return await first, late, plain, slow.asked

    first, late, plain, asked = asyncio.run(go())
    assert isinstance(first, Rejected)
    assert isinstance(plain, Rejected)
    assert isinstance(late, Failed)
    assert (late.cause, late.trip.requests, late.retry_after) == (Failure.LATER, 0, 0.05)
    assert [(request.etag, request.render) for request in asked] == [("", True), ("", False)]
