"""The page of fetchers, at a frontier and at a daemon."""

import base64

from tests.fakes.asgi_client import AsgiClient
from tests.fakes.frontier_door import FrontierDoor

ADMIN = "an-administrators-token"
EVIL = "<script>alert(1)</script>"


def test_a_frontier_shows_who_holds_what() -> None:
    door = FrontierDoor()
    first, second = door.register("first"), door.register("second")
    door.add("https://a.example/1", "https://a.example/2", "https://b.example/1", "https://c.example/1")
    assert door.lists(first["uuid"], amount=2)["url_frontiers_count"] == 2
    page = door.client.get("/fetchers.json").json()
    assert page["totals"]["leased_sites"] == 2
    assert page["totals"]["urls"] == 4
    rows = {row["uuid"]: row for row in page["items"]}
    assert rows[first["uuid"]]["leased_sites"] == 2
    assert rows[first["uuid"]]["latest_return"] > page["at"]
    assert not rows[first["uuid"]]["is_away"]
    assert rows[second["uuid"]]["leased_sites"] == 0
    assert rows[second["uuid"]]["latest_return"] is None
    door.clock.advance(10_000.0)
    assert all(row["is_away"] for row in door.client.get("/fetchers.json").json()["items"])


def test_names_of_fetchers_are_text_and_secrets_stay_secret() -> None:
    door = FrontierDoor()
    account = door.register(EVIL)
    text = door.client.get("/fetchers").text
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text
    for answer in (text, door.client.get("/fetchers.json").text):
        assert account["token"] not in answer
        assert "token" not in answer
    assert 'href="/resources"' not in text  # a frontier has no such page


def test_only_administrators_look() -> None:
    door = FrontierDoor(tokens=[ADMIN])
    fetcher = door.register("one", token=ADMIN)
    refused = door.client.get("/fetchers")
    assert refused.status == 401
    assert refused.headers["www-authenticate"].startswith("Basic")
    assert door.client.get("/fetchers", authorization=f"Bearer {fetcher['token']}").status == 403
    by_browser = "Basic " + base64.b64encode(f"me:{ADMIN}".encode()).decode()
    assert door.client.get("/fetchers", authorization=by_browser).status == 200
    assert door.client.get("/", authorization=by_browser).headers["location"] == "/fetchers"
    assert door.client.get("/static/afresh.css").status == 200


def test_a_daemon_says_how_to_start_a_frontier(client: AsgiClient) -> None:
    assert "afresh serve" in client.get("/fetchers").text
    twin = client.get("/fetchers.json").json()
    assert (twin["items"], twin["totals"]) == ([], None)
