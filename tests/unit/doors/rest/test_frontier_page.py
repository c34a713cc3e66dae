"""The page of a frontier: sites with their queues, what failed and why, one URL, and the rates."""

from typing import Any

from tests.fakes.frontier_door import NOW, FrontierDoor, totals


def crawled(**told: str) -> FrontierDoor:
    """Two sites were fetched, and of one nothing came; a third waits."""
    door = FrontierDoor()
    account = door.register("first")
    door.add("https://a.example/1", "https://a.example/2", "https://b.example/1", "https://c.example/1")
    given = door.lists(account["uuid"], amount=2)
    assert [one["fqdn"] for one in given["url_frontiers"]] == ["a.example", "b.example"]
    reported = {
        "uuid": account["uuid"],
        "fqdns": [
            {"fqdn": "a.example", "url_list": [{"url": "https://a.example/1", "result": "fetched"}]},
            {"fqdn": "b.example", "url_list": [{"url": "https://b.example/1", "result": "error", **told}]},
        ],
    }
    answer = door.send("POST", "/results", reported)
    assert answer.status == 200, answer.text
    return door


def page(door: FrontierDoor, query: str = "") -> dict[str, Any]:
    answer = door.client.get(f"/fetchers.json{query}")
    assert answer.status == 200
    found: dict[str, Any] = answer.json()
    return found


def test_sites_by_name_by_errors_by_queue_and_one_of_them() -> None:
    door = crawled()
    assert [(one["name"], one["waiting"], one["failed"]) for one in page(door)["sites"]] == [
        ("a.example", 1, 0),
        ("b.example", 0, 1),
        ("c.example", 1, 0),
    ]
    assert [one["name"] for one in page(door, "?view=errors")["sites"]] == ["b.example"]
    assert page(door, "?view=queue")["sites"][0]["name"] in ("a.example", "c.example")
    assert [one["name"] for one in page(door, "?site=c.example")["sites"]] == ["c.example"]
    assert page(door, "?site=nobody.example")["sites"] == []
    assert page(door, "?view=nonsense")["view"] == "name"


def test_behind_the_last_site_there_are_no_more_and_a_failed_url_does_not_wait() -> None:
    door = crawled()
    assert "There are no more sites" in door.client.get("/fetchers?after=z.example").text
    assert "No site is known yet" in FrontierDoor().client.get("/fetchers").text
    failed = page(door, "?url=https://b.example/1")["url"]
    assert (failed["standing"], failed["why"]) == ("failed", "it is tried again when it is due")
    assert "Visit the pages of b.example again now" in door.client.get("/fetchers").text


def test_the_urls_of_a_site_are_listed_where_it_is_looked_at() -> None:
    door = crawled()
    door.add(*(f"https://c.example/{number}" for number in range(2, 40)))
    assert page(door)["urls"] is None
    assert page(door, "?site=nobody.example")["urls"] is None
    first = page(door, "?site=c.example")["urls"]
    assert {(one["standing"], one["visited"]) for one in first["items"]} == {("waiting", None)}
    rest = page(door, f"?site=c.example&urls_after={first['next']}")["urls"]
    assert [len(first["items"]), len(rest["items"]), rest["next"]] == [25, 14, None]
    assert {one["is_due"] for one in first["items"]} == {True}
    found = page(door, "?site=c.example&contains=/39")["urls"]
    assert [one["url"] for one in found["items"]] == ["https://c.example/39"]
    assert "Pause between two requests" in door.client.get("/fetchers?site=c.example").text
    assert door.client.get("/fetchers?site=c.example&urls_after=x").status == 422


def test_what_failed_says_when_it_is_tried_again() -> None:
    failed = page(crawled())["failures"][0]
    assert (failed["due"] is not None, failed["is_due"]) == (True, False)


def test_who_holds_what() -> None:
    door = crawled()
    account = door.register("second")
    door.lists(account["uuid"], amount=1)
    held = page(door, "?view=held")["sites"]
    assert [(one["name"], one["leased_by"]) for one in held] == [("c.example", "second")]
    assert held[0]["leased_until"] > page(door)["at"]


def test_a_site_is_blocked_and_unblocked_by_what_the_page_sends() -> None:
    door = crawled()
    assert page(door, "?view=blocked")["sites"] == []
    for until, is_blocked in ((NOW + 3600, True), (0, False)):
        assert door.send("PATCH", "/sites", {"fqdn": "c.example", "blocked_until": until}).status == 200
        assert page(door, "?site=c.example")["sites"][0]["is_blocked"] is is_blocked
    assert 'data-send="PATCH /api/v1/sites"' in door.client.get("/fetchers").text


def test_fetchers_hear_of_a_block_until_it_is_over() -> None:
    door = crawled()
    blocked = lambda query="": door.send("GET", f"/sites/blocked{query}").json()["items"]  # noqa: E731
    assert blocked() == []
    door.send("PATCH", "/sites", {"fqdn": "c.example", "crawl_delay": 5})
    assert blocked() == []
    for site, until in (("c.example", NOW + 3600), ("b.example", NOW + 60)):
        door.send("PATCH", "/sites", {"fqdn": site, "blocked_until": until})
    assert blocked() == ["c.example", "b.example"]
    assert blocked("?crawl=other") == []
    assert FrontierDoor(store=door.store).send("GET", "/sites/blocked").json()["items"] == ["c.example", "b.example"]
    door.clock.time += 61
    assert blocked() == ["c.example"]
    door.send("PATCH", "/sites", {"fqdn": "c.example", "blocked_until": None})
    assert blocked() == []


def test_pages_of_a_site_are_made_due_by_what_the_page_sends() -> None:
    door = crawled()
    assert 'data-send="POST /api/v1/sites/visit"' in door.client.get("/fetchers?site=a.example").text
    assert 'data-send="POST /api/v1/sites/visit"' not in door.client.get("/fetchers?site=c.example").text
    assert door.send("POST", "/sites/visit", {"fqdn": "a.example"}).json() == {"urls": 1}
    assert door.send("POST", "/sites/visit", {"fqdn": "nobody.example"}).status == 404


def test_the_sites_of_a_fetcher_that_is_gone_are_freed_by_what_the_page_sends() -> None:
    door = crawled()
    account = door.register("second")
    door.lists(account["uuid"], amount=1)
    offers = ('data-send="POST /api/v1/fetchers/restart"', 'data-send="DELETE /api/v1/fetchers"')
    assert not any(offer in door.client.get("/fetchers").text for offer in offers)  # it was there a moment ago
    door.clock.time += 1_000
    assert all(offer in door.client.get("/fetchers").text for offer in offers)
    held = {one["uuid"]: one["leased_sites"] for one in door.send("GET", "/fetchers").json()}
    assert (held.pop(account["uuid"]), *held.values()) == (1, 0)
    assert door.send("POST", "/fetchers/restart", {"uuid": account["uuid"]}).json() == {"given_back": 1}
    assert 'data-send="POST /api/v1/fetchers/restart"' not in door.client.get("/fetchers").text
    assert page(door, "?view=held")["sites"] == []


def test_a_site_that_cannot_be_asked_is_failing_and_an_error_of_one_page_is_past() -> None:
    door = crawled()
    told(door, "c.example", ("1", "skipped", "robots.txt could not be read: HTTP 503"))
    assert [one["name"] for one in page(door, "?view=errors")["sites"]] == ["b.example", "c.example"]
    door.clock.time += 600
    told(door, "a.example", ("1", "fetched", ""), ("2", "not_found", "HTTP 404"))
    door.clock.time += 600
    sites = {one["name"]: one for one in page(door)["sites"]}
    assert {name: one["is_failing"] for name, one in sites.items()} == {
        "a.example": False,
        "b.example": True,
        "c.example": True,
    }
    assert (sites["a.example"]["why"], sites["a.example"]["errors"]) == ("HTTP 404", 0)
    assert "last error" in door.client.get("/fetchers?site=a.example").text
    assert "last error" not in door.client.get("/fetchers?site=c.example").text


def test_what_failed_says_why() -> None:
    door = crawled()
    [failed] = page(door)["failures"]
    assert (failed["url"], failed["fetcher"]) == ("https://b.example/1", "first")
    assert failed["why"] == "no answer, or a server that fails: it is tried again"
    [failed] = page(crawled(why="HTTP 500"))["failures"]
    assert failed["why"] == "HTTP 500: it is tried again"


def told(door: FrontierDoor, site: str, *pages: tuple[str, str, str]) -> None:
    """A fetcher's report of one site: path, result, why."""
    [account] = door.send("GET", "/fetchers").json()
    given = door.lists(account["uuid"], fqdn=site)
    assert given["url_frontiers_count"] == 1
    listed = [{"url": f"https://{site}/{path}", "result": result, "why": why} for path, result, why in pages]
    report = {"uuid": account["uuid"], "fqdns": [{"fqdn": site, "url_list": listed}]}
    assert door.send("POST", "/results", report).status == 200


def test_what_robots_forbids_is_no_failure_but_shows_at_its_site() -> None:
    door = crawled()
    told(door, "c.example", ("1", "excluded", "robots.txt disallows it"))
    assert [one["site"] for one in page(door)["failures"]] == ["b.example"]
    assert [one["why"] for one in page(door, "?site=c.example")["failures"]] == ["robots.txt disallows it"]
    assert page(door, "?site=c.example")["sites"][0]["why"] == "robots.txt forbids all: 1 URL left out"


def test_a_site_that_cannot_be_asked_says_why() -> None:
    door = crawled()
    words = "robots.txt could not be read: HTTP 503; asked again at 12:40 UTC"
    told(door, "c.example", ("1", "skipped", words))
    assert page(door, "?site=c.example")["sites"][0]["why"] == f"{words}; 1 URL waits"
    assert [one["why"] for one in page(door, "?site=c.example")["failures"]] == [words]
    assert page(door, "?url=https://c.example/1")["url"]["failed_because"] == words
    assert [one["site"] for one in page(door)["failures"]] == ["b.example"]
    told(door, "c.example", ("1", "fetched", ""))
    assert page(door, "?site=c.example")["sites"][0]["why"] == ""


def test_the_failures_of_one_site() -> None:
    door = crawled(why="HTTP 500")
    told(door, "c.example", ("1", "not_found", "HTTP 404"))
    assert [one["site"] for one in page(door)["failures"]] == ["c.example", "b.example"]
    assert [one["site"] for one in page(door, "?site=b.example")["failures"]] == ["b.example"]
    [failed] = door.send("GET", "/failures?fqdn=b.example").json()["items"]
    assert (failed["url"], failed["fqdn"], failed["result"]) == ("https://b.example/1", "b.example", "error")
    assert failed["why"] == "HTTP 500: it is tried again"
    assert len(door.send("GET", "/failures").json()["items"]) == 2
    assert len(door.send("GET", "/failures?limit=1").json()["items"]) == 1
    assert "Failed lately: <bdi>b.example</bdi>" in door.client.get("/fetchers?site=b.example").text


def test_a_url_says_why_its_last_try_failed_until_the_next_visit() -> None:
    door = crawled(why="HTTP 500")
    state = door.send("GET", "/urls?url=https://b.example/1").json()
    assert (state["visited"], state["why"]) == (None, "HTTP 500: it is tried again")
    assert state["last_try"] is not None
    assert "HTTP 500: it is tried again" in door.client.get("/fetchers?url=https://b.example/1").text
    door.clock.time += 600.0
    told(door, "b.example", ("1", "fetched", ""))
    state = door.send("GET", "/urls?url=https://b.example/1").json()
    assert (state["last_try"], state["why"]) == (state["visited"], "")
    assert page(door, "?url=https://b.example/1")["url"]["last_try"] is None


def test_a_restart_forgets_no_failure() -> None:
    before = crawled(why="HTTP 500")
    after = FrontierDoor(store=before.store)
    for path in ("/failures", "/failures?fqdn=b.example", "/urls?url=https://b.example/1", "/sites?fqdn=b.example"):
        assert after.send("GET", path).json() == before.send("GET", path).json(), path
    shown = page(after, "?url=https://b.example/1")
    assert (
        [one["why"] for one in shown["failures"]] == [shown["url"]["failed_because"]] == ["HTTP 500: it is tried again"]
    )
    assert [one["why"] for one in shown["sites"]] == ["", "HTTP 500", ""]


def test_a_page_that_is_given_up_is_not_said_to_be_tried_again() -> None:
    door = crawled(why="HTTP 500")
    for _ in range(4):
        door.clock.time += 86_400.0
        told(door, "b.example", ("1", "error", "HTTP 500"))
    state = door.send("GET", "/urls?url=https://b.example/1").json()
    assert (state["status"], state["why"]) == ("failing", "HTTP 500: it is not asked for again")


def test_a_page_that_is_not_there_says_so() -> None:
    door = crawled()
    told(door, "c.example", ("1", "not_found", "HTTP 404"))
    state = door.send("GET", "/urls?url=https://c.example/1").json()
    assert (state["status"], state["why"]) == ("gone", "HTTP 404: it is asked for once more")
    shown = page(door, "?url=https://c.example/1")["url"]
    assert shown["why"].startswith("its server says that it is not there (HTTP 404, 410)")
    assert shown["due"] == "2023-12-14T22:13:20.000Z"


def test_a_url_is_found_without_its_scheme() -> None:
    door = crawled()
    assert page(door, "?url=a.example/1")["url"]["url"] == "https://a.example/1"
    assert door.send("GET", "/urls?url=a.example/1").json()["url"] == "https://a.example/1"
    door.add("http://plain.example/1")  # a URL without a scheme is read as https
    assert page(door, "?url=plain.example/1")["url"]["url"] == "http://plain.example/1"
    assert door.send("GET", "/urls?url=plain.example/1").json()["url"] == "http://plain.example/1"
    unknown = page(door, "?url=a.example/9")["url"]
    assert (unknown["status"], unknown["why"]) == ("", "it was never imported, and no fetched page links to it")


def test_one_url() -> None:
    door = crawled()
    known = page(door, "?url=https://a.example/1")["url"]
    assert (known["status"], known["site"], bool(known["visited"])) == ("active", "a.example", True)
    unknown = page(door, "?url=https://a.example/9")["url"]
    assert (unknown["status"], unknown["why"]) == ("", "it was never imported, and no fetched page links to it")
    refused = page(door, "?url=http://a..com/")["url"]
    assert refused["why"] == "'a..com' is no name of a host"
    assert page(door)["url"] is None
    assert "Not known here" in door.client.get("/fetchers?url=https://a.example/%3Cscript%3E").text


def test_rates_over_time() -> None:
    door = FrontierDoor()
    assert page(door)["visits_per_minute"] is None
    for step in range(200):  # five seconds apart, a visit a second
        door.frontier.lately.sample(totals(5 * step, 10 * step), NOW + 5 * step)
    plot = door.client.get("/plots/frontier.json").json()
    visits, found, failed = plot["series"]
    assert 40 <= len(visits["x"]) <= 61
    assert set(visits["y"]) == {60.0}
    assert set(found["y"]) == {120.0}
    assert set(failed["y"]) == {0.0}
    assert page(door)["visits_per_minute"] == 60.0
    assert door.client.get("/plots/frontier.csv").text.startswith("series,")
    assert door.client.get("/static/chart.js").status == 200
