"""Fetchers that hold sites and are not heard of any more are told, until they are heard again or freed."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from afresh.frontier.silent_fetchers import ASKING, OTHERS
from afresh.store.frontier import open_frontier
from tests.fakes.frontier_door import FrontierDoor
from tests.fakes.frontier_stores import empty_frontier


@pytest.fixture(params=["sqlite", "postgres"])
def door(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FrontierDoor]:
    door = FrontierDoor(store=open_frontier(empty_frontier(request.param, tmp_path), links=False))
    door.add("https://a.example/", "https://b.example/")
    yield door
    door.store.close()


def holder(door: FrontierDoor) -> dict[str, Any]:
    account = door.register("three")
    assert len(door.lists(account["uuid"], amount=2, token=account["token"])["url_frontiers"]) == 2
    return account


def told(door: FrontierDoor, after: float = 0.0) -> list[str]:
    door.clock.advance(after)
    asyncio.run(door.frontier.tell_of_silence())
    return [one["why"] for one in door.send("GET", "/health").json()["troubles"]]


def test_one_that_asks_every_few_seconds_is_missed_after_two_minutes(door: FrontierDoor) -> None:
    account = holder(door)
    door.clock.advance(60.0)
    assert door.send("GET", "/sites/blocked", token=account["token"]).status == 200
    assert told(door, ASKING - 1.0) == []
    words = "fetcher three: silent for 3m, holds 2 sites; `afresh frontier free three` frees them"
    assert told(door, 61.0) == [words]
    assert "afresh_frontier_silent_fetchers 1.0" in door.client.request("GET", "/metrics").text
    assert door.client.request("GET", "/fetchers.json").json()["items"][0]["is_away"]


def test_one_that_never_asks_is_waited_for_longer(door: FrontierDoor) -> None:
    holder(door)
    assert told(door, OTHERS - 1.0) == []
    assert len(told(door, 1.0)) == 1


def test_it_is_over_when_it_is_heard_again(door: FrontierDoor) -> None:
    account = holder(door)
    assert told(door, OTHERS) != []
    door.send("GET", "/sites/blocked", token=account["token"])
    assert told(door) == []


@pytest.mark.parametrize(("method", "path"), [("POST", "/fetchers/restart"), ("DELETE", "/fetchers")])
def test_it_is_over_when_its_sites_are_free(door: FrontierDoor, method: str, path: str) -> None:
    account = holder(door)
    assert told(door, OTHERS) != []
    assert door.send(method, path, {"uuid": account["uuid"]}).status < 300
    assert door.send("GET", "/health").json()["troubles"] == []


def test_one_that_holds_nothing_may_be_silent(door: FrontierDoor) -> None:
    door.register("idle")
    assert told(door, 10 * OTHERS) == []
