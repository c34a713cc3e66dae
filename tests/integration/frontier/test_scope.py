"""How far a crawl goes: links that lead out are left out and counted, what an operator names is taken."""

from pathlib import Path

import pytest

from afresh.base.errors import ConfigError
from afresh.base.settings.sections import FrontierOptions
from afresh.frontier.scope import Scope
from afresh.store.frontier import open_frontier
from tests.fakes.frontier_door import FrontierDoor
from tests.fakes.frontier_stores import empty_frontier

LINKS = [
    "https://example.org/a",
    "https://www.example.org/b",
    "https://blog.example.org/c",
    "https://other.net/d",
    "https://other.net/calendar/2026",
]


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return empty_frontier(request.param, tmp_path)


def door_at(place: str, **options: object) -> FrontierDoor:
    scope = Scope.of(FrontierOptions(**options))  # type: ignore[arg-type]
    return FrontierDoor(store=open_frontier(place, links=True), scope=scope)


def known(door: FrontierDoor) -> set[str]:
    return {item["url"] for item in door.send("GET", "/urls").json()["items"]}


def crawl(door: FrontierDoor, *links: str) -> set[str]:
    """Adds a seed, reports it with links; what the frontier knows then, beside the seed."""
    door.add("https://example.org/")
    uuid = door.register()["uuid"]
    door.report(uuid, door.lists(uuid), links=list(links or LINKS))
    found = known(door) - {"https://example.org/"}
    door.store.close()
    return found


@pytest.mark.parametrize(
    ("options", "taken"),
    [
        ({}, LINKS),
        ({"stay": "hosts"}, LINKS[:2]),
        ({"stay": "domains"}, LINKS[:3]),
        ({"exclude": ("/calendar/",)}, LINKS[:4]),
        ({"include": (r"^https://other\.net/",)}, LINKS[3:]),
        ({"stay": "domains", "include": ("/[bcd]$",), "exclude": ("blog",)}, LINKS[1:2]),
    ],
)
def test_links_that_lead_out_are_left_out_and_counted(options: dict[str, object], taken: list[str], place: str) -> None:
    door = door_at(place, **options)
    assert crawl(door) == set(taken)
    assert door.frontier.lately.out_of_scope() == len(LINKS) - len(taken)


def test_what_an_operator_names_is_within_unless_it_is_excluded(place: str) -> None:
    door = door_at(place, stay="hosts", include=("/a",), exclude=("private",))
    done = door.add("https://second.example/x", "https://second.example/private/y")
    assert (done["urls"], done["refused"]) == (1, 1)
    assert "frontier.exclude" in done["refusals"][0]["why"]
    assert crawl(door, "https://second.example/a", "https://third.example/a") == {
        "https://second.example/x",
        "https://second.example/a",
    }


def test_seeds_that_another_process_noted_count_here_too(place: str) -> None:
    here, there = (door_at(place, stay="hosts") for _ in range(2))
    here.add("https://example.org/")
    uuid = here.register()["uuid"]
    given = here.lists(uuid)
    assert not here.frontier.scope.has(here.store, "https://late.example/")
    there.add("https://late.example/seed")
    here.report(uuid, given, links=["https://late.example/1", "https://stranger.example/1"])
    assert known(there) == {"https://example.org/", "https://late.example/seed", "https://late.example/1"}
    for door in (here, there):
        door.store.close()


def test_a_scope_that_another_process_was_given_holds_here_within_a_second(place: str) -> None:
    here, there = door_at(place), door_at(place, exclude=("late",))
    here.add("https://example.org/")
    uuid = here.register()["uuid"]
    given = here.lists(uuid)
    there.frontier.scope.begin(there.store)
    here.clock.advance(1.5)
    here.report(uuid, given, links=["https://late.example/1", "https://other.example/1"])
    assert known(here) == {"https://example.org/", "https://other.example/1"}
    assert here.add("https://late.example/2")["refused"] == 1
    for door in (here, there):
        door.store.close()


def test_pages_found_without_a_source_are_links_too(place: str) -> None:
    door = door_at(place, stay="hosts")
    door.add("https://example.org/")
    uuid = door.register()["uuid"]
    loose = [{"url": url} for url in LINKS]
    answer = door.send("POST", "/results", {"uuid": uuid, "urls": loose}).json()
    assert answer["discovered"] == 2
    assert known(door) == {"https://example.org/", *LINKS[:2]}
    assert door.send("GET", "/stats").json()["out_of_scope_amount"] == 3
    door.store.close()


def test_a_pattern_that_is_none_names_its_setting() -> None:
    with pytest.raises(ConfigError, match=r"frontier\.exclude"):
        Scope.of(FrontierOptions(exclude=("(",)))


def test_a_site_is_blocked_before_it_is_known(place: str) -> None:
    door = door_at(place)
    body = {"fqdn": "Nosuch.example", "blocked_until": "9999-12-31T23:59:59Z"}
    answer = door.send("PATCH", "/sites", body)
    assert (answer.status, answer.json()["url_count"]) == (200, 0), answer.text
    door.add("https://nosuch.example/1", "https://b.example/1")
    uuid = door.register()["uuid"]
    assert [site["fqdn"] for site in door.lists(uuid, amount=0)["url_frontiers"]] == ["b.example"]
    assert door.store.recount() == dict.fromkeys(door.store.recount(), 0)
    assert door.send("PATCH", "/sites", {"fqdn": "nosuch.example", "blocked_until": None}).status == 200
    assert [site["fqdn"] for site in door.lists(uuid, amount=0)["url_frontiers"]] == ["nosuch.example"]
    for name in ("no host", "127.0.0.1", "http://a.example/"):
        assert door.send("PATCH", "/sites", body | {"fqdn": name}).status == 404, name
    door.store.close()
