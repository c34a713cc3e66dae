"""The frontier's REST interface as fetchers use it: accounts, lists, results, imports, settings."""

import gzip
import json
from collections.abc import Iterator
from datetime import datetime

import pytest

from afresh.base.settings.frontier import THESIS_NAMES
from afresh.doors.rest.frontier.example import make_example
from afresh.store.frontier import open_frontier
from tests.fakes.asgi_client import AsgiClient
from tests.fakes.frontier_door import NOW, UNKNOWN, FrontierDoor

PAGES = [f"https://a.example.com/{n}" for n in range(3)] + ["https://b.example.org/"]


@pytest.fixture
def door() -> Iterator[FrontierDoor]:
    made = FrontierDoor()
    yield made
    made.store.close()


def test_a_fetcher_registers_once(door: FrontierDoor) -> None:
    account = door.register()
    assert len(account["token"]) >= 40
    assert len(account["fetcher_hashes"]) == 128
    assert datetime.fromisoformat(account["reg_date"]).timestamp() == NOW
    again = door.send("POST", "/fetchers/", {"contact": "ops@example.org", "name": "one"})
    assert again.status == 409
    assert again.headers["content-type"] == "application/problem+json"
    listed = door.send("GET", "/fetchers").json()
    assert [item["uuid"] for item in listed] == [account["uuid"]]
    assert "token" not in listed[0]


def test_put_resets_and_patch_keeps(door: FrontierDoor) -> None:
    uuid = door.register()["uuid"]
    changed = door.send("PATCH", "/fetchers", {"uuid": uuid, "location": "Wien", "tld_preference": "AT"}).json()
    assert (changed["location"], changed["tld_preference"], changed["name"]) == ("Wien", "at", "one")
    changed = door.send("PATCH", "/fetchers", {"uuid": uuid, "ip_address": "192.0.2.7"}).json()
    assert (changed["location"], changed["ip_address"]) == ("Wien", "192.0.2.7")
    reset = door.send("PUT", "/fetchers", {"uuid": uuid, "tld_preference": "de"}).json()
    assert (reset["location"], reset["ip_address"], reset["tld_preference"]) == ("", "", "de")
    assert (reset["name"], reset["contact"]) == ("one", "ops@example.org")


def test_two_fetchers_cannot_end_up_with_one_name(door: FrontierDoor) -> None:
    door.register("one")
    other = door.register("two")["uuid"]
    assert door.send("PATCH", "/fetchers", {"uuid": other, "name": "one"}).status == 409


def test_a_deleted_fetcher_frees_its_sites(door: FrontierDoor) -> None:
    one, two = door.register("one")["uuid"], door.register("two")["uuid"]
    door.add(*PAGES)
    assert door.lists(one)["url_frontiers_count"] == 2
    assert door.lists(two)["url_frontiers_count"] == 0
    assert door.send("DELETE", "/fetchers", {"uuid": one}).status == 204
    assert door.send("DELETE", "/fetchers", {"uuid": one}).status == 404
    door.clock.time += 60
    assert door.lists(two)["url_frontiers_count"] == 2


def test_a_list_says_all_that_a_fetcher_needs(door: FrontierDoor) -> None:
    uuid = door.register()["uuid"]
    assert door.add(*PAGES) == {
        "urls": 4,
        "sites": 2,
        "known": 0,
        "refused": 0,
        "refusals": [],
        "backlog": 0,
        "revived": 0,
    }
    given = door.lists(uuid, amount=2, length=2)
    assert given["uuid"] == uuid
    assert given["response_url"] == "http://127.0.0.1:8000/api/v1/results"
    assert datetime.fromisoformat(given["latest_return"]).timestamp() == NOW + 3600
    assert (given["url_frontiers_count"], given["urls_count"]) == (2, 3)
    assert given["long_term_prio_mode"] == "due"
    [site] = [one for one in given["url_frontiers"] if one["fqdn"] == "a.example.com"]
    assert (site["fqdn"], site["tld"], site["fqdn_url_count"]) == ("a.example.com", "com", 3)
    assert site["fqdn_crawl_delay"] == 10.0  # the default, because the site states none
    assert site["fqdn_hash_fetcher_index"] == 0
    page = site["url_list"][0]
    assert page["url"] in PAGES
    assert (page["fqdn"], page["url_last_visited"], page["url_bot_excluded"]) == ("a.example.com", None, False)


def test_results_release_the_site_after_its_delay(door: FrontierDoor) -> None:
    one, two = door.register("one")["uuid"], door.register("two")["uuid"]
    door.add(PAGES[0], PAGES[1])
    given = door.lists(one, length=1)
    answer = door.report(one, given, links=["/relative", "https://c.example.net/new", PAGES[0], "http://10.0.0.1/"])
    done = answer.json()
    assert (done["visited"], done["discovered"], done["known"], done["refused"]) == (1, 1, 1, 2)
    assert done["fqdns"] == [{"fqdn": "a.example.com", "standing": "accepted"}]
    assert [site["fqdn"] for site in door.lists(two)["url_frontiers"]] == ["c.example.net"]
    door.clock.time += 10.0
    assert [site["fqdn"] for site in door.lists(two)["url_frontiers"]] == ["a.example.com"]


def test_the_same_key_again_changes_nothing(door: FrontierDoor) -> None:
    uuid = door.register()["uuid"]
    door.add(*PAGES)
    given = door.lists(uuid)
    first = door.report(uuid, given, key="k").json()
    again = door.report(uuid, given, key="k").json()
    assert (first["repeated"], again["repeated"]) == (False, True)
    assert {**again, "repeated": False} == first
    assert door.send("GET", "/stats").json()["visits"] == 4


def test_a_key_with_another_body_is_refused(door: FrontierDoor) -> None:
    uuid = door.register()["uuid"]
    door.add(*PAGES)
    first, second = door.lists(uuid, amount=1), door.lists(uuid, amount=1)
    assert door.report(uuid, first, key="k").json()["fqdns"][0]["standing"] == "accepted"
    refused = door.report(uuid, second, key="k")
    assert refused.status == 409
    assert "new key" in refused.json()["detail"]
    assert door.report(uuid, second, key="l").json()["fqdns"][0]["standing"] == "accepted"
    assert door.send("GET", "/stats").json()["visits"] == 4


def test_a_part_of_a_list_may_be_reported(door: FrontierDoor) -> None:
    one, two = door.register("one")["uuid"], door.register("two")["uuid"]
    door.add(*PAGES[:3])
    [site] = door.lists(one)["url_frontiers"]
    told = {"fqdn": site["fqdn"], "reservation": site["reservation"], "url_list": site["url_list"]}
    door.clock.time += 3_000
    some = {**told, "partial": True, "url_list": told["url_list"][:1]}
    answer = door.send("POST", "/results", {"uuid": one, "fqdns": [some]}).json()
    assert answer["visited"] == 1
    assert datetime.fromisoformat(answer["latest_return"]).timestamp() == door.clock.time + 3_600
    door.clock.time += 3_000
    assert door.lists(two)["url_frontiers"] == []
    rest = {**told, "url_list": told["url_list"][1:]}
    answer = door.send("POST", "/results", {"uuid": one, "fqdns": [rest]}).json()
    assert (answer["visited"], answer["latest_return"]) == (2, None)
    assert answer["fqdns"][0]["standing"] == "accepted"


def test_the_key_may_stand_in_the_header(door: FrontierDoor) -> None:
    uuid = door.register()["uuid"]
    door.add(*PAGES)
    given = door.lists(uuid)
    body = {"uuid": uuid, "fqdns": [{"fqdn": site["fqdn"], "url_list": []} for site in given["url_frontiers"]]}
    assert door.send("POST", "/results", body, idempotency_key="h").json()["key"] == "h"
    assert door.send("POST", "/results", body, idempotency_key="h").json()["repeated"]
    assert door.send("POST", "/results", {**body, "key": "other"}, idempotency_key="h").status == 422


def test_results_side_by_side_as_the_thesis_sends_them(door: FrontierDoor) -> None:
    uuid = door.register()["uuid"]
    door.add(*PAGES)
    door.lists(uuid)
    urls = [{"url": url, "fqdn": url.split("/")[2], "url_last_visited": "2023-11-14T22:13:20Z"} for url in PAGES]
    found = [{"url": "https://d.example.com/found", "fqdn": "d.example.com", "url_discovery_date": None}]
    body = {"uuid": uuid, "fqdn_count": 1, "fqdns": [{"fqdn": "a.example.com"}], "url_count": 5, "urls": urls + found}
    done = door.send("POST", "/results", body).json()
    assert (done["visited"], done["discovered"]) == (4, 1)
    assert {item["fqdn"]: item["standing"] for item in done["fqdns"]} == {
        "a.example.com": "accepted",
        "b.example.org": "accepted",
    }


def test_robots_exclusion_comes_back_and_is_kept_until_robots_is_read_anew(door: FrontierDoor) -> None:
    uuid = door.register()["uuid"]
    door.add(PAGES[0])
    door.report(uuid, door.lists(uuid), url_bot_excluded=True)
    door.clock.time += 86_000
    assert door.lists(uuid)["urls_count"] == 0
    door.clock.time += 500
    assert door.lists(uuid)["urls_count"] == 1


def test_imports_in_three_forms_and_packed(door: FrontierDoor) -> None:
    client: AsgiClient = door.client
    lines = b'"https://a.example.com/1"\n{"url": "https://a.example.com/2", "fqdn_crawl_delay": 3}\n\n'
    answer = client.request("POST", "/api/v1/urls", body=[lines], content_type="application/x-ndjson")
    assert answer.json()["urls"] == 2
    text = b"# seeds\nhttps://b.example.org/1\r\nhttps://a.example.com/1\nnot a url\nhttp://127.0.0.1/\n"
    answer = client.request(
        "POST", "/api/v1/urls", body=[gzip.compress(text)], content_type="text/plain", content_encoding="gzip"
    )
    done = answer.json()
    assert len(done.pop("refusals")) == 2
    assert done == {"urls": 1, "sites": 1, "known": 1, "refused": 2, "backlog": 0, "revived": 0}
    site = door.store.site("a.example.com")
    assert site is not None
    assert site.crawl_delay == 3.0


def test_random_urls_are_known_ones(door: FrontierDoor) -> None:
    door.add(*PAGES)
    assert set(door.send("GET", "/urls/random?amount=10").json()["url_list"]) <= set(PAGES)
    assert door.send("GET", "/urls/random?amount=2&fqdn=b.example.org").json()["url_list"][0] == PAGES[3]
    assert door.send("GET", "/urls/random?fqdn=unknown.example").json()["url_list"] == []


def test_settings_are_put_whole_and_rule_lists(door: FrontierDoor) -> None:
    uuid = door.register()["uuid"]
    door.add(*PAGES)
    put = door.send("PUT", "/settings", {"fqdn_amount": 1, "url_amount": 1, "default_crawl_delay": 2.5}).json()
    assert door.send("GET", "/settings").json() == put
    given = door.lists(uuid)
    assert (given["url_frontiers_count"], given["urls_count"]) == (1, 1)
    assert given["url_frontiers"][0]["fqdn_crawl_delay"] == 2.5
    assert door.send("PUT", "/settings", {}).json()["fqdn_amount"] == 10


def test_a_patch_changes_what_it_names_and_null_is_the_default(door: FrontierDoor) -> None:
    put = {"fqdn_amount": 1, "default_crawl_delay": 2.5, "revisit_after": 60.0, "min_links_per_page": 3}
    before = door.send("PUT", "/settings", put).json()
    assert door.send("PATCH", "/settings", {}).json() == before
    after = door.send("PATCH", "/settings", {"url_amount": 7, "fqdn_amount": None, "revisit_after": None}).json()
    changed = {"url_amount": 7, "pages": 7, "fqdn_amount": 10, "sites": 10, "revisit_after": None}
    assert after == {**before, **changed}
    assert door.send("GET", "/settings").json() == after
    forgotten = door.send("PATCH", "/settings", {"min_links_per_page": None}).json()
    assert "min_links_per_page" not in forgotten


OLD_NAMES = [(old, name) for old, name in THESIS_NAMES.items() if old != name]


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_settings_have_our_names_and_the_old_ones_are_understood(door: FrontierDoor, method: str) -> None:
    values = {
        "sites": 7, "pages": 3, "site_order": "random", "partitioning": "fqdn_hash", "page_order": "random",
        "default_delay": 2.5, "lease_seconds": 60.0, "release_on_report": False,
    }  # fmt: skip
    olds = {old: values[name] for old, name in OLD_NAMES}
    ours = door.send(method, "/settings", values)
    assert ours.status == 200, ours.text
    assert ours.json() | values | olds == ours.json()
    assert door.send("PUT", "/settings", {}).json()["lease_seconds"] == 3600.0
    assert door.send(method, "/settings", olds).json() == ours.json()
    assert door.send(method, "/settings", values | olds).json() == ours.json()


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_two_names_of_one_setting_that_differ_are_refused(door: FrontierDoor, method: str) -> None:
    before = door.send("GET", "/settings").json()
    refused = door.send(method, "/settings", {"sites": 10, "fqdn_amount": 20})
    assert refused.status == 422
    assert refused.json()["detail"] == "body.sites and its old name fqdn_amount differ; give one of them"
    assert door.send("GET", "/settings").json() == before


def test_old_names_of_settings_are_documented_as_such(door: FrontierDoor) -> None:
    told = door.client.get("/api/v1/openapi.json").json()
    known = told["components"]["schemas"]["Settings"]["properties"]
    for old, name in OLD_NAMES:
        assert known[old]["deprecated"] is True
        assert "deprecated" not in known[name]


def test_a_patch_is_judged_with_what_it_leaves_as_it_is(door: FrontierDoor) -> None:
    door.send("PUT", "/settings", {"min_links_per_page": 3})
    refused = door.send("PATCH", "/settings", {"max_links_per_page": 2})
    assert refused.status == 422
    assert "max_links_per_page" not in door.send("GET", "/settings").json()


def test_orders_that_need_links_are_refused_without_them(door: FrontierDoor) -> None:
    plain = FrontierDoor(links=False)
    refused = plain.send("PUT", "/settings", {"long_term_prio_mode": "avg_opic"})
    assert (refused.status, "frontier.links" in refused.json()["detail"]) == (422, True)
    assert door.send("PUT", "/settings", {"long_term_prio_mode": "avg_opic"}).status == 200
    plain.store.close()


def test_pagerank_needs_links_or_ranks_that_were_imported() -> None:
    door = FrontierDoor(links=False)
    uuid = door.register()["uuid"]
    wish = {"fetcher_uuid": uuid, "short_term_prio_mode": "pagerank"}
    for _ in range(2):
        refused = door.send("PUT", "/settings", {"long_term_prio_mode": "avg_pagerank"})
        assert (refused.status, "frontier.links" in refused.json()["detail"]) == (422, True)
        refused = door.send("POST", "/frontiers", wish)
        assert (refused.status, "frontier.links" in refused.json()["detail"]) == (422, True)
        door.add(*PAGES)
    door.send("POST", "/urls", {"urls": [{"url": "https://c.example.net/", "url_pagerank": 0.5}]})
    assert door.send("PUT", "/settings", {"long_term_prio_mode": "avg_pagerank"}).status == 200
    assert door.send("POST", "/frontiers", wish).status == 200
    door.store.close()


def test_geography_needs_places() -> None:
    door = FrontierDoor(places=False)
    uuid = door.register()["uuid"]
    for method, path, body in (
        ("PUT", "/settings", {"long_term_part_mode": "geographic"}),
        ("POST", "/frontiers", {"fetcher_uuid": uuid, "long_term_part_mode": "geographic"}),
    ):
        refused = door.send(method, path, body)
        assert (refused.status, "frontier.places" in refused.json()["detail"]) == (422, True)
    door.store.close()


def test_a_refused_url_is_told_with_the_reason(door: FrontierDoor) -> None:
    wrong = {
        "http://a..com/": "no name of a host",
        "http://-.com/": "no name of a host",
        "http://.com/": "no name of a host",
        "http://192.168.0.1/": "not of the public web",
        "ftp://example.com/": "only http and https",
        "no url": "not a URL",
        "https://example.com/" + "x" * 3_000: "at most 2,048",
    }
    done = door.add(*PAGES, *wrong)
    assert (done["urls"], done["refused"]) == (4, 7)
    assert [one["url"] for one in done["refusals"]] == [url[:200] for url in wrong]
    assert all(words in one["why"] for one, words in zip(done["refusals"], wrong.values(), strict=True)), done
    text = "\n".join([*PAGES, *["mailto:a@b.example"] * 50]).encode()
    plain = door.client.request("POST", "/api/v1/urls", body=[text], content_type="text/plain").json()
    assert (plain["known"], plain["refused"], len(plain["refusals"])) == (4, 50, 20)


def test_a_visit_in_the_future_is_not_believed(door: FrontierDoor) -> None:
    uuid = door.register()["uuid"]
    times = {"url_last_visited": "2999-01-01T00:00:00Z", "url_discovery_date": "2999-01-01T00:00:00Z"}
    door.send("POST", "/urls", {"urls": [{"url": PAGES[0], **times}]})
    [page] = door.lists(uuid)["url_frontiers"][0]["url_list"]
    assert datetime.fromisoformat(page["url_last_visited"]).timestamp() == NOW
    assert datetime.fromisoformat(page["url_discovery_date"]).timestamp() == NOW
    assert door.send("GET", "/stats").json()["avg_freshness"] == page["url_last_visited"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"fetcher_uuid": UNKNOWN, "amount": "many"}, "body.amount: a whole number or null is expected, not text"),
        ({"fetcher_uuid": UNKNOWN, "amount": -1}, "body.amount: at least 0 is expected"),
        ({"fetcher_uuid": UNKNOWN, "amont": 1}, "body: there is no field amont; did you mean amount?"),
        ({"amount": 1}, "body: fetcher_uuid is missing"),
        ({"fetcher_uuid": "x"}, "body.fetcher_uuid: Invalid UUID"),
        ({"fetcher_uuid": UNKNOWN, "short_term_prio_mode": "best"}, "'best' is none of: random, old_pages_first"),
    ],
)
def test_what_is_wrong_is_said_in_words(door: FrontierDoor, body: dict[str, object], words: str) -> None:
    answer = door.send("POST", "/frontiers", body)
    assert answer.status == 422
    assert words in answer.json()["detail"], answer.text
    assert "`" not in answer.text


def test_a_pattern_is_said_in_words(door: FrontierDoor) -> None:
    answer = door.send("POST", "/fetchers", {"contact": "nobody", "name": "one"})
    assert answer.json()["detail"] == "body.contact: an e-mail address, like ops@example.org, is expected"
    answer = door.send("POST", "/fetchers", {"contact": "a@b.example", "name": ""})
    assert answer.json()["detail"] == "body.name: at least 1 characters are expected"


def test_stats_count(door: FrontierDoor) -> None:
    uuid = door.register()["uuid"]
    door.add(*PAGES)
    given = door.lists(uuid, amount=2)
    first = [one for one in given["url_frontiers"] if one["fqdn"] == "a.example.com"]
    door.report(uuid, {**given, "url_frontiers": first})
    stats = door.send("GET", "/stats").json()
    assert stats["fetcher_amount"] == 1
    assert (stats["frontier_amount"], stats["url_amount"], stats["reserved_fqdn_amount"]) == (2, 4, 1)
    assert stats["visited_ratio"] == 0.75
    assert datetime.fromisoformat(stats["avg_freshness"]).timestamp() == NOW


def test_large_lists_are_packed_for_those_who_can_unpack(door: FrontierDoor) -> None:
    uuid = door.register()["uuid"]
    door.add(*(f"https://a{n % 5}.example.com/{n}" for n in range(1500)))  # a site would be given 360 of them
    answer = door.send("POST", "/frontiers", {"fetcher_uuid": uuid}, accept_encoding="br, gzip")
    assert answer.headers["content-encoding"] == "gzip"
    assert json.loads(gzip.decompress(answer.body))["urls_count"] == 1500
    assert len(answer.body) < 150_000
    small = door.send("POST", "/frontiers", {"fetcher_uuid": uuid}, accept_encoding="gzip")
    assert "content-encoding" not in small.headers


def test_a_long_list_is_sent_in_parts(door: FrontierDoor) -> None:
    one, two = door.register("one")["uuid"], door.register("two")["uuid"]
    urls = {f"https://s{site}.example.com/{page}" for site in range(300) for page in range(1 + 30 * (site % 2))}
    door.add(*sorted(urls))
    wish = {"fetcher_uuid": one, "amount": 0, "length": 0}
    answer = door.send("POST", "/frontiers", wish, accept_encoding="gzip")
    given = json.loads(gzip.decompress(answer.body))
    assert "content-length" not in answer.headers
    found = [page["url"] for site in given["url_frontiers"] for page in site["url_list"]]
    assert (len(found), set(found)) == (len(urls), urls)
    assert (given["url_frontiers_count"], given["urls_count"]) == (300, len(urls))
    assert door.lists(two, amount=0)["url_frontiers"] == []
    assert door.report(one, given).json()["visited"] == len(urls)


def test_a_list_is_full_at_some_time(door: FrontierDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("afresh.frontier.scheduling.MOST_URLS", 1_500)
    one, two = door.register("one")["uuid"], door.register("two")["uuid"]
    door.add(*(f"https://s{site}.example.com/{page}" for site in range(100) for page in range(40)))
    assert 1_500 <= door.lists(one, amount=0)["urls_count"] < 1_500 + 1_000 + 40
    assert door.lists(two, amount=0)["urls_count"] >= 1_500


def test_development_tools_exist_only_when_asked_for(door: FrontierDoor) -> None:
    assert door.send("DELETE", "/database", {"delete_urls": True}).status == 404
    dev = FrontierDoor(dev=True)
    dev.add(*PAGES)
    dev.register()
    stats = dev.send("DELETE", "/database", {"delete_urls": True, "delete_fqdns": True}).json()
    assert (stats["url_amount"], stats["frontier_amount"], stats["fetcher_amount"]) == (0, 0, 1)
    assert dev.send("POST", "/database", {"min_url_amount": 5, "max_url_amount": 4}).status == 400
    dev.store.close()


def test_the_example_database_is_made(door: FrontierDoor) -> None:
    dev = FrontierDoor(dev=True, make_example=make_example, store=open_frontier(":memory:", links=True))
    body = {
        "connection_amount": 2,
        "fetcher_amount": 3,
        "fqdn_amount": 20,
        "min_url_amount": 2,
        "max_url_amount": 4,
        "visited_ratio": 0.5,
    }
    answer = dev.send("POST", "/database", body)
    assert answer.status == 202, answer.text
    stats = answer.json()
    assert (stats["fetcher_amount"], stats["frontier_amount"]) == (3, 20)
    assert 40 <= stats["url_amount"] <= 80
    assert 0.2 < stats["visited_ratio"] < 0.8
    assert stats["url_ref_amount"] > stats["url_amount"]
    assert (stats["reserved_fqdn_amount"], stats["visits"]) == (0, 0)
    given = dev.lists(dev.register()["uuid"], amount=0)
    assert given["urls_count"] == stats["url_amount"]  # all of it can be had at once
    dev.store.close()


def test_nothing_lives_elsewhere(door: FrontierDoor) -> None:
    assert door.send("GET", "/nothing").status == 404
    wrong = door.send("DELETE", "/stats")
    assert wrong.status == 405
    assert wrong.headers["content-type"] == "application/problem+json"
    assert door.client.get("/api/v1/openapi.json").json()["openapi"] == "3.1.0"
    assert door.send("POST", "/frontiers", {"fetcher_uuid": UNKNOWN}).status == 404


def test_a_fault_of_our_own_is_shown_by_health(door: FrontierDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    assert door.send("GET", "/urls/random", None).status == 200
    assert door.send("GET", "/sites?nonsense=1").status == 422
    assert door.send("GET", "/health").json()["status"] == "ok", "what a client does wrong is no trouble"

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(type(door.store), "random_urls", fail)
    assert door.send("GET", "/urls/random").status == 500
    health = door.send("GET", "/health").json()
    assert (health["status"], health["troubles"][0]["what"]) == ("degraded", "answers")
    assert health["troubles"][0]["why"] == "GET /urls/random failed; the log says why"
