"""Crawls, single URLs and control of sites over REST: what gRPC clients have, by the names of REST, on both stores."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from afresh.store.frontier import open_frontier
from tests.fakes.frontier_door import NOW, FrontierDoor
from tests.fakes.frontier_stores import empty_frontier

HOST = "a.example.com"
URLS = [f"https://{HOST}/{page}" for page in range(4)]
LATER = "2030-01-01T00:00:00.000Z"


@pytest.fixture(params=["sqlite", "postgres"])
def door(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FrontierDoor]:
    made = FrontierDoor(store=open_frontier(empty_frontier(request.param, tmp_path), links=True))
    yield made
    made.store.close()


def ask(door: FrontierDoor, method: str, path: str, body: object = None, *, status: int = 200) -> Any:
    answer = door.send(method, path, body)
    assert answer.status == status, answer.text
    return answer.json()


def put(door: FrontierDoor, *urls: dict[str, Any], **more: str) -> list[str]:
    found: list[str] = ask(door, "POST", "/urls/put", {"urls": list(urls), **more})["statuses"]
    return found


def lock(door: FrontierDoor, **wanted: Any) -> list[str]:
    return [one["url"] for one in ask(door, "POST", "/urls/lock", wanted)["items"]]


def test_each_url_is_acknowledged(door: FrontierDoor) -> None:
    first = {"url": URLS[0], "metadata": {"depth": ["1"]}}
    assert put(door, first, {"url": "no url"}, {"url": URLS[1]}, first) == ["new", "refused", "new", "known"]
    assert put(door, {"url": URLS[1], "due": LATER}, {"url": URLS[2], "completed": True}) == ["updated", "new"]
    assert put(door, {"url": URLS[0], "fqdn": "mine"}) == ["new"]  # of a queue of its own
    assert ask(door, "GET", f"/urls?url={URLS[0]}")["metadata"] == {"depth": ["1"]}
    assert ask(door, "GET", f"/urls?url={URLS[1]}")["due"] == LATER
    done = ask(door, "GET", f"/urls?url={URLS[2]}")
    assert (done["status"], done["due"]) == ("completed", None)


def test_a_locked_url_is_nobody_elses_until_it_is_put_back(door: FrontierDoor) -> None:
    put(door, *({"url": url, "metadata": {"n": [url[-1]]}} for url in URLS))
    given = ask(door, "POST", "/urls/lock", {"urls": 2, "seconds": 60})
    assert [one["metadata"] for one in given["items"]] == [{"n": [one["url"][-1]]} for one in given["items"]]
    assert given["until"] == "2023-11-14T22:14:20.000Z"
    first, second = (one["url"] for one in given["items"])
    door.clock.time += 10.0
    assert not set(lock(door, urls=4)) & {first, second}
    assert put(door, {"url": first, "due": NOW + 20.0}, {"url": second, "known": True}) == ["updated", "updated"]
    door.clock.time = NOW + 20.0
    assert lock(door, urls=9) == [first]  # the second, when it has probably changed
    assert ask(door, "GET", f"/urls?url={second}")["due"] > "2023-11-15"
    door.clock.time += 61.0
    assert len(lock(door, urls=9)) == 3  # what was never put back is handed out again


def test_crawls_are_made_listed_and_deleted(door: FrontierDoor) -> None:
    assert ask(door, "GET", "/crawls")["items"] == []
    assert ask(door, "PUT", "/crawls", {"crawl": "news"})["urls"] == 0
    put(door, {"url": URLS[0]}, crawl="shops")
    assert ask(door, "POST", "/urls?crawl=news", {"urls": URLS})["urls"] == 4
    put(door, {"url": URLS[0], "completed": True}, crawl="news")
    found = {one.pop("crawl"): one for one in ask(door, "GET", "/crawls")["items"]}
    assert found["news"] == {"sites": 1, "active_sites": 1, "urls": 4, "completed": 1, "locked": 0}
    assert sorted(found) == ["news", "shops"]
    assert lock(door) == []
    assert len(lock(door, crawl=None, urls=9)) == 4
    assert ask(door, "DELETE", "/crawls?crawl=news")["urls"] == 4
    assert ask(door, "DELETE", "/crawls?crawl=news", status=404)["detail"].startswith("there is no crawl news")
    assert ask(door, "DELETE", "/crawls", status=422)["errors"][0]["where"] == "query.crawl"
    ask(door, "PUT", "/crawls", {"crawl": "empty"})
    assert [one["crawl"] for one in ask(door, "GET", "/crawls")["items"]] == ["empty", "shops"]
    assert ask(door, "DELETE", "/crawls?crawl=empty")["urls"] == 0
    assert [one["crawl"] for one in ask(door, "GET", "/crawls")["items"]] == ["shops"]


def test_lists_are_of_a_crawl_or_of_one_site(door: FrontierDoor) -> None:
    uuid = door.register()["uuid"]
    door.add("https://b.example.com/", "https://c.example.com/")
    ask(door, "POST", "/urls?crawl=news", {"urls": URLS})
    [site] = door.lists(uuid, crawl="news", amount=5)["url_frontiers"]
    assert (site["fqdn"], len(site["url_list"])) == (HOST, 4)
    given = door.lists(uuid, fqdn="c.example.com", amount=5)
    assert [one["fqdn"] for one in given["url_frontiers"]] == ["c.example.com"]
    assert door.lists(uuid, fqdn="c.example.com")["url_frontiers"] == []
    missing = ask(door, "POST", "/frontiers", {"fetcher_uuid": uuid, "crawl": "no"}, status=404)
    assert "there is no crawl no" in missing["detail"]
    assert ask(door, "GET", "/sites?crawl=news")["items"][0]["leased_by"] == uuid


def test_a_fetcher_says_when_pages_are_due_again(door: FrontierDoor) -> None:
    uuid = door.register()["uuid"]
    door.add(*URLS[:2])
    given = door.lists(uuid)
    door.report(uuid, given, due=LATER)
    assert {one["due"] for one in ask(door, "GET", "/urls")["items"]} == {LATER}
    door.clock.time = 1_900_000_000.0
    door.report(uuid, door.lists(uuid), completed=True)
    assert {one["due"] for one in ask(door, "GET", "/urls")["items"]} == {None}
    assert ask(door, "GET", "/sites")["items"][0]["completed"] == 2


def test_sites_are_blocked_delayed_and_limited(door: FrontierDoor) -> None:
    put(door, *({"url": url} for url in URLS))
    shown = ask(door, "PATCH", "/sites", {"fqdn": HOST, "blocked_until": NOW + 100.0})
    assert shown["blocked_until"] == "2023-11-14T22:15:00.000Z"
    assert lock(door) == []
    state = ask(door, "GET", f"/urls?url={URLS[0]}")
    assert state["why"] == "its site is blocked until 2023-11-14 22:15 UTC"
    assert ask(door, "PATCH", "/sites", {"fqdn": HOST, "blocked_until": 0})["blocked_until"] is None
    ask(door, "PATCH", "/sites", {"fqdn": HOST, "crawl_delay": 50.0, "limit": 2})
    assert len(lock(door, urls=1)) == 1
    door.clock.time += 49.0
    assert lock(door, urls=9) == []
    door.clock.time += 1.0
    first, second, *_ = lock(door, urls=9)
    put(door, {"url": first, "completed": True}, {"url": second, "completed": True})
    door.clock.time += 1_000.0
    assert lock(door, urls=9) == []  # as many as it may have
    shown = ask(door, "PATCH", "/sites", {"fqdn": HOST, "limit": 0})
    assert (shown["limit"], shown["completed"], shown["crawl_delay"]) == (0, 2, 50.0)
    assert len(lock(door, urls=9)) == 2
    ask(door, "PATCH", "/sites", {"fqdn": "nowhere.example.com", "limit": 1}, status=404)


def test_null_takes_back_a_delay_and_a_block(door: FrontierDoor) -> None:
    put(door, *({"url": url} for url in URLS))
    assert len(lock(door, urls=1)) == 1
    ask(door, "PATCH", "/sites", {"fqdn": HOST, "crawl_delay": 50.0, "blocked_until": NOW + 100.0})
    shown = ask(door, "PATCH", "/sites", {"fqdn": HOST, "blocked_until": None})
    assert (shown["blocked_until"], shown["crawl_delay"]) == (None, 50.0)
    door.clock.time += 1.0
    assert lock(door, urls=9) == []
    assert ask(door, "PATCH", "/sites", {"fqdn": HOST, "crawl_delay": None})["crawl_delay"] is None
    assert len(lock(door, urls=9)) == 3  # after a second, the default


def test_the_delay_of_all_other_sites(door: FrontierDoor) -> None:
    assert ask(door, "GET", "/sites/delay") == {"crawl_delay": 1.0}
    put(door, *({"url": url} for url in URLS))
    assert len(lock(door, urls=1)) == 1
    assert ask(door, "PUT", "/sites/delay", {"crawl_delay": 100.0}) == {"crawl_delay": 100.0}
    door.clock.time += 99.0
    assert lock(door, urls=9) == []
    door.clock.time += 1.0
    assert len(lock(door, urls=9)) == 4  # the lock of the first has ended, too


@pytest.mark.parametrize(
    "body",
    [{"sites": 0}, {"urls": 0}, {"seconds": 0}, {"sites": 10_000, "urls": 10_000}, {"crawl": "x" * 256}, {"size": 1}],
)
def test_wrong_wishes_are_refused(door: FrontierDoor, body: dict[str, Any]) -> None:
    assert ask(door, "POST", "/urls/lock", body, status=422)["errors"][0]["where"].startswith("body")


def test_a_fetcher_asks_and_puts_and_an_administrator_controls() -> None:
    door = FrontierDoor(tokens=("administrator-0123456789",), join_tokens=("join-token-0123456789",))
    token = door.register(token="join-token-0123456789")["token"]
    allowed = {"/urls/put": {"urls": [{"url": URLS[0]}]}, "/urls/lock": {}}
    assert [door.send("POST", path, body, token=token).status for path, body in allowed.items()] == [200, 200]
    assert [door.send("POST", path, body).status for path, body in allowed.items()] == [401, 401]
    assert door.send("GET", "/crawls", token=token).status == 200
    forbidden: list[tuple[str, str, dict[str, Any] | None]] = [
        ("PUT", "/crawls", {"crawl": "x"}),
        ("DELETE", "/crawls?crawl=DEFAULT", None),
        ("PATCH", "/sites", {"fqdn": HOST, "limit": 1}),
        ("PUT", "/sites/delay", {"crawl_delay": 0}),
    ]
    assert [door.send(*one, token=token).status for one in forbidden] == [403] * 4
    door.store.close()
