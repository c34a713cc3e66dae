"""Looking inside a frontier over REST, pausing it, and removing from it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from afresh.base.records.frontier import UrlStanding
from afresh.frontier.failures import Reason
from afresh.store.frontier import open_frontier
from tests.fakes.frontier_door import NOW, FrontierDoor
from tests.fakes.frontier_stores import empty_frontier

URLS = [f"https://s{site}.example.com/{page}" for site in range(3) for page in range(4)]


@pytest.fixture(params=["sqlite", "postgres"])
def door(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FrontierDoor]:
    made = FrontierDoor(store=open_frontier(empty_frontier(request.param, tmp_path), links=True))
    made.add(*URLS)
    yield made
    made.store.close()


def get(door: FrontierDoor, path: str) -> Any:
    answer = door.send("GET", path)
    assert answer.status == 200, answer.text
    return answer.json()


def test_all_can_be_paused_and_resumed(door: FrontierDoor) -> None:
    uuid = door.register()["uuid"]
    held = door.lists(uuid, amount=1)
    assert get(door, "/active") == {"active": True}
    assert door.send("PUT", "/active", {"active": False}).json() == {"active": False}
    assert get(door, "/active") == {"active": False}
    assert door.lists(uuid)["url_frontiers"] == []
    assert door.report(uuid, held).json()["visited"] == 4
    assert door.add("https://new.example.com/")["urls"] == 1
    door.send("PUT", "/active", {"active": True})
    assert door.lists(uuid, amount=0)["url_frontiers_count"] == 3


def test_sites_are_listed_with_their_counts(door: FrontierDoor) -> None:
    uuid = door.register()["uuid"]
    door.report(uuid, door.lists(uuid, amount=1, length=3))
    door.lists(uuid, amount=1)
    first = get(door, "/sites?limit=2")
    rest = get(door, f"/sites?limit=2&after={first['next']}")
    sites = {site["fqdn"]: site for site in first["items"] + rest["items"]}
    assert sorted(sites) == [f"s{n}.example.com" for n in range(3)]
    assert rest["next"] is None
    assert sorted(site["visited_count"] for site in sites.values()) == [0, 0, 3]
    assert {site["url_count"] for site in sites.values()} == {4}
    assert [site["leased_by"] for site in sites.values()].count(uuid) == 1
    assert get(door, "/sites?fqdn=s1.example.com")["items"] == [sites["s1.example.com"]]
    assert get(door, "/sites?fqdn=nowhere.example.com")["items"] == []


def test_what_robots_txt_keeps_from_being_asked_is_told(door: FrontierDoor) -> None:
    uuid = door.register()["uuid"]
    shut, unread, gone = door.lists(uuid, amount=3, length=3)["url_frontiers"]
    door.report(uuid, {"url_frontiers": [shut]}, result="excluded")
    words = "robots.txt could not be read: HTTP 503; asked again at 12:40 UTC"
    door.report(uuid, {"url_frontiers": [unread]}, result="skipped", why=words)
    door.report(uuid, {"url_frontiers": [gone]}, result="not_found", why="HTTP 404")
    sites = {site["fqdn"]: site for site in get(door, "/sites")["items"]}

    def told(one: dict[str, Any]) -> tuple[int, ...]:
        site = sites[one["fqdn"]]
        return tuple(site[f"{name}_count"] for name in ("visited", *UrlStanding))

    assert sites[shut["fqdn"]]["why"] == "robots.txt forbids all: 3 URLs left out; 1 URL waits"
    assert sites[unread["fqdn"]]["why"] == f"{words}; 4 URLs wait"
    assert sites[gone["fqdn"]]["why"] == "HTTP 404"
    assert [told(one) for one in (shut, unread, gone)] == [(0, 0, 0, 3, 1), (0, 0, 0, 0, 4), (3, 0, 3, 0, 1)]
    stats, names = get(door, "/stats"), [f"{name}_amount" for name in UrlStanding]
    assert [stats[name] for name in names] == [0, 3, 3, 6]
    assert (stats["visited_ratio"], stats["url_amount"]) == (0.25, 12)
    scraped = door.client.get("/metrics").text
    for name, count in zip(UrlStanding, (0, 3, 3, 6), strict=True):
        assert f'afresh_frontier_urls_by_standing{{standing="{name}"}} {count}.0' in scraped
    assert "afresh_frontier_visited 3.0" in scraped  # as before
    page = door.client.get("/fetchers?view=shut").text
    assert "robots.txt forbids all: 3 URLs left out; 1 URL waits" in page
    assert "4 URLs wait" in page
    assert gone["fqdn"] not in page.split('id="live-sites"')[1].split("</table>")[0]
    door.report(uuid, door.lists(uuid, amount=3), result="fetched")
    again = {site["fqdn"]: site["why"] for site in get(door, "/sites")["items"]}
    assert again[shut["fqdn"]] == "robots.txt forbids some: 3 URLs left out"


def test_one_url_is_shown_with_what_its_visits_taught(door: FrontierDoor) -> None:
    uuid = door.register()["uuid"]
    url = URLS[0]
    assert get(door, f"/urls?url={url}")["visited"] is None
    for content in "aab":
        given = door.lists(uuid, amount=0)
        shown = get(door, f"/urls?url={url}")
        assert (shown["leased_by"], shown["leased_until"]) == (uuid, given["latest_return"])
        door.report(uuid, given, content_hash=content, etag='"x"')
        door.clock.time += 100 * 86_400.0
    shown = get(door, "/urls?url=HTTPS://S0.example.com:443/0%23part")  # as it would be kept
    assert (shown["url"], shown["fqdn"], shown["status"]) == (url, "s0.example.com", "active")
    assert (shown["looks"], shown["changes"], shown["failures"], shown["content_hash"]) == (2, 1, 0, "b")
    assert shown["changes_per_day"] == pytest.approx(shown["change_rate"] * 86_400.0)
    assert shown["changes_per_day"] > 0
    assert shown["standing"] == "visited_well"
    assert (shown["etag"], shown["leased_by"], shown["leased_until"]) == ('"x"', "", None)
    assert shown["visited"] > shown["discovered"]
    assert door.send("GET", "/urls?url=https://s0.example.com/unknown").status == 404
    assert door.send("GET", "/urls?url=nonsense").status == 404


def test_urls_are_listed_counted_and_exported(door: FrontierDoor) -> None:
    found: list[str] = []
    after = ""
    while after is not None:
        part = get(door, f"/urls?limit=5&after={after}")
        found += [one["url"] for one in part["items"]]
        after = part["next"]
    assert sorted(found) == sorted(URLS)
    of_site = get(door, "/urls?fqdn=s1.example.com&contains=/2")
    assert [one["url"] for one in of_site["items"]] == ["https://s1.example.com/2"]
    assert get(door, "/urls/count") == {"urls": 12}
    assert get(door, "/urls/count?contains=/2") == {"urls": 3}
    assert get(door, "/urls/count?fqdn=s1.example.com") == {"urls": 4}
    assert get(door, "/urls/count?crawl=another") == {"urls": 0}
    exported = door.send("GET", "/urls/export?contains=/3")
    assert exported.headers["content-type"] == "application/x-ndjson"
    lines = [json.loads(line) for line in exported.text.splitlines()]
    assert sorted(one["url"] for one in lines) == [f"https://s{n}.example.com/3" for n in range(3)]
    again = FrontierDoor()
    body = door.send("GET", "/urls/export").body
    taken = again.client.request("POST", "/api/v1/urls", body=[body], content_type="application/x-ndjson").json()
    assert taken["urls"] == 12
    again.store.close()


def test_a_site_old_urls_or_all_are_removed(door: FrontierDoor) -> None:
    door.clock.time = NOW + 1_000
    door.add("https://s0.example.com/new", "https://young.example.com/")
    assert door.send("DELETE", "/urls").status == 422
    assert get(door, "/urls/count") == {"urls": 14}
    assert door.send("DELETE", "/urls?fqdn=s1.example.com").json() == {"urls": 4}
    assert get(door, "/sites?fqdn=s1.example.com")["items"] == []
    assert door.send("DELETE", "/urls?older_than=500&fqdn=s2.example.com").json() == {"urls": 4}
    assert door.send("DELETE", "/urls?older_than=500").json() == {"urls": 4}
    left = [one["url"] for one in get(door, "/urls")["items"]]
    assert sorted(left) == ["https://s0.example.com/new", "https://young.example.com/"]
    assert not {name: count for name, count in door.store.recount().items() if count}
    assert door.send("DELETE", "/urls?all=true").json() == {"urls": 2}
    assert get(door, "/stats")["url_amount"] == 0


@pytest.mark.parametrize(
    "path", ["/urls?limit=0", "/urls?limit=x", "/urls?after=x", "/urls?after=1.x", "/sites?limit=1001", "/urls?url=%00"]
)
def test_wrong_parameters_are_refused(door: FrontierDoor, path: str) -> None:
    answer = door.send("GET", path)
    assert answer.status == 422
    assert answer.json()["errors"][0]["where"].startswith("query.")


def test_a_parameter_nobody_knows_is_refused(door: FrontierDoor) -> None:
    """What was meant as a filter must not show everything, or remove it."""
    answer = door.send("GET", "/failures?fqn=s0.example.com")
    assert (answer.status, answer.json()["detail"]) == (422, "no parameter is called fqn; did you mean fqdn?")
    assert door.send("DELETE", "/urls?all=true&craw=other").status == 422
    assert get(door, "/urls/count") == {"urls": 12}


@pytest.mark.parametrize("age", ["-1", "nan", "soon", "1e300"])
def test_wrong_ages_are_refused(door: FrontierDoor, age: str) -> None:
    assert door.send("DELETE", f"/urls?older_than={age}").status == 422
    assert get(door, "/urls/count") == {"urls": 12}


def test_metrics_are_prometheus_text(door: FrontierDoor) -> None:
    uuid = door.register()["uuid"]
    door.report(uuid, door.lists(uuid, amount=1))
    door.lists(uuid, amount=1)
    answer = door.client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    samples = {
        sample.name: sample.value for family in text_string_to_metric_families(answer.text) for sample in family.samples
    }
    assert samples["afresh_frontier_urls"] == 12
    assert samples["afresh_frontier_visits_total"] == 4
    assert samples["afresh_frontier_leased_sites"] == 1
    assert (samples["afresh_frontier_active"], samples["afresh_frontier_troubles"]) == (1, 0)
    assert "frontier_getURLs_calls_total" in samples


def scraped(door: FrontierDoor) -> dict[str, float]:
    """Samples by name and value of their label."""
    return {
        " ".join((sample.name, *sample.labels.values())): sample.value
        for family in text_string_to_metric_families(door.client.get("/metrics").text)
        for sample in family.samples
    }


def test_metrics_count_failures_by_reason_and_answers_by_class(door: FrontierDoor) -> None:
    uuid = door.register()["uuid"]
    told: list[dict[str, Any]] = [
        {"result": "fetched", "http": 200},
        {"result": "not_found", "http": 404},
        {"result": "error", "http": 503},
        {"result": "error", "why": "a stranger's words"},
    ]
    [site] = door.lists(uuid, amount=1)["url_frontiers"]
    pages = [{"url": page["url"], **one} for page, one in zip(site["url_list"], told, strict=True)]
    report = {"uuid": uuid, "fqdns": [{"fqdn": site["fqdn"], "url_list": pages}]}
    assert door.send("POST", "/results", report).status == 200
    found = scraped(door)
    failures = {name.split()[1]: value for name, value in found.items() if name.startswith("afresh_frontier_failures")}
    assert failures == dict.fromkeys(Reason, 0.0) | {"gone": 1, "server_error": 1, "no_answer": 1}
    answers = [found[f"afresh_frontier_answers_total {kind}"] for kind in ("2xx", "3xx", "4xx", "5xx")]
    assert answers == [1, 0, 1, 1]


def test_metrics_tell_what_waits(door: FrontierDoor) -> None:
    names = ("due_sites", "waiting_sites", "leased_sites", "leased_urls", "waiting_urls")
    assert [scraped(door)[f"afresh_frontier_{name}"] for name in names] == [3, 0, 0, 0, 12]
    uuid = door.register()["uuid"]
    door.report(uuid, door.lists(uuid, amount=1))
    door.lists(uuid, amount=1)
    assert [scraped(door)[f"afresh_frontier_{name}"] for name in names] == [1, 1, 1, 4, 8]
    door.clock.time += 1e8
    assert scraped(door)["afresh_frontier_due_sites"] == 3


def test_only_an_administrator_looks_inside() -> None:
    door = FrontierDoor(tokens=("administrator-0123456789",), join_tokens=("join-token-0123456789",))
    token = door.register(token="join-token-0123456789")["token"]
    paths = ("/sites", "/urls", "/urls/count", "/urls/export")
    assert [door.send("GET", path, token=token).status for path in paths] == [403] * 4
    assert door.send("DELETE", "/urls?all=true", token=token).status == 403
    assert door.send("PUT", "/active", {"active": False}, token=token).status == 403
    assert door.send("GET", "/active", token=token).status == 200
    assert door.client.get("/metrics").status == 401
    door.store.close()
