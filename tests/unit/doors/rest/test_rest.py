"""The nouns under /api/v1."""

from dataclasses import replace

from prometheus_client.parser import text_string_to_metric_families

from afresh.base.models import Result, Status
from afresh.base.records.daemons import DaemonRecord
from afresh.base.settings.sections import BudgetSettings
from afresh.base.troubles import Trouble
from afresh.engine.budget import Budget
from tests.fakes.asgi_client import AsgiClient
from tests.fakes.service_context import NOW, FakeContext, visit, watch
from tests.laws.store_material import report, take


def test_whatever_is_no_url_does_not_keep_the_good_ones(client: AsgiClient) -> None:
    good = ["https://a.example/feed", "https://b.example/feed"]
    bad = [
        "feed:" * 1_590,
        "x" * 9_000,
        "",
        " ",
        "http://[",
        "\0",
        "http://u:p@c.example/",
        "feed:feed:http://d.example/",
    ]
    answer = client.send_json("POST", "/api/v1/resources", {"urls": [good[0], *bad, good[1]]})
    assert answer.status == 200
    items = answer.json()["items"]
    assert [item["status"] for item in items] == [201, *[422] * len(bad), 201]
    assert all(item["error"] for item in items[1:-1])


def test_batch_add_gives_each_url_its_status(client: AsgiClient) -> None:
    urls = ["https://a.example/feed", "https://a.example/feed", "javascript:alert(1)"]
    body = {"urls": urls, "folder": "news", "tags": ["daily"]}
    answer = client.send_json("POST", "/api/v1/resources", body)
    assert answer.status == 200
    items = answer.json()["items"]
    assert [item["status"] for item in items] == [201, 200, 422]
    assert items[2]["error"]
    assert (items[2]["wanted"], items[2]["id"]) == (urls[2], None)
    shown = client.get(f"/api/v1/resources/{items[0]['id']}").json()
    assert (shown["url"], shown["folder"], shown["tags"]) == (urls[0], "news", ["daily"])


def test_a_page_taken_for_a_feed_offers_the_feeds_it_announces(client: AsgiClient, context: FakeContext) -> None:
    number = watch(context.store, "https://a.example/")
    [lease] = take(context.store, NOW)
    failed = report(lease, NOW, due=NOW + 60.0, result=Result.UNPARSABLE)
    error = "an HTML page, not a feed; it announces https://a.example/feed.xml"
    context.store.record([replace(failed, resource=replace(failed.resource, error=error))])
    assert f"POST /api/v1/resources/{number}/announced" in client.get(f"/feeds/{number}").text
    answer = client.send_json("POST", f"/api/v1/resources/{number}/announced", {})
    assert (answer.status, len(answer.json()["items"])) == (200, 1)


def test_pages_by_key_cover_everything_once(client: AsgiClient, context: FakeContext) -> None:
    numbers = [watch(context.store, f"https://s{place}.example/feed") for place in range(7)]
    seen, after = [], 0
    while after is not None:
        page = client.get(f"/api/v1/resources?limit=3&after={after}").json()
        seen += [item["id"] for item in page["items"]]
        after = page["next"]
    assert seen == numbers


def test_filters(client: AsgiClient, context: FakeContext) -> None:
    watch(context.store, "https://a.example/feed", title="Alpha", folder="one", tags=("x",))
    watch(context.store, "https://b.example/feed", title="Beta", folder="two")
    failing = visit(context.store, result=Result.HTTP_ERROR, error="500")

    def found(query: str) -> list[str]:
        return [item["title"] for item in client.get(f"/api/v1/resources?{query}").json()["items"]]

    assert found("q=alp") == ["Alpha"]
    assert found("q=b.example") == ["Beta"]
    assert found("folder=two") == ["Beta"]
    assert found("tag=x") == ["Alpha"]
    assert found("site=b.example") == ["Beta"]
    assert found("kind=feed") == ["Alpha", "Beta"]
    assert found("kind=page") == []
    assert found("failing=true") == [context.store.get(failing).title]
    assert found("status=paused") == []


def test_lookup_by_url(client: AsgiClient, context: FakeContext) -> None:
    number = watch(context.store, "https://a.example/feed?x=1&y=2")
    answer = client.get("/api/v1/resources/lookup?url=https%3A%2F%2Fa.example%2Ffeed%3Fx%3D1%26y%3D2")
    assert answer.json()["id"] == number
    shouted = client.get("/api/v1/resources/lookup?url=HTTPS%3A%2F%2FA.example%2Ffeed%3Fx%3D1%26y%3D2%23top")
    assert shouted.json()["id"] == number


def test_patch_changes_what_was_sent_and_only_that(client: AsgiClient, context: FakeContext) -> None:
    number = watch(context.store, "https://a.example/feed", folder="one", tags=("x",))
    target = f"/api/v1/resources/{number}"
    changed = client.send_json(
        "PATCH", target, {"pinned": 900, "weight": 2.5, "paused": True, "tags": ["y", "z"]}
    ).json()
    assert (changed["pinned"], changed["weight"], changed["status"]) == (900.0, 2.5, "paused")
    assert (changed["folder"], changed["tags"], changed["due"]) == ("one", ["y", "z"], None)
    again = client.send_json("PATCH", target, {"pinned": None, "paused": False}).json()
    assert (again["pinned"], again["weight"], again["status"]) == (None, 2.5, "active")
    assert client.send_json("PATCH", target, {}).json() == again
    assert context.store.get(number).status is Status.ACTIVE


def test_an_address_changes_with_the_rest_or_not_at_all(client: AsgiClient, context: FakeContext) -> None:
    number = watch(context.store, "https://a.example/feed")
    bad = {"url": "https://b.example/rss", "shortest": 7200.0, "longest": 60.0}
    assert client.send_json("PATCH", f"/api/v1/resources/{number}", bad).status == 422
    assert context.store.get(number).url == "https://a.example/feed"
    good = {"url": "https://b.example/rss", "title": "B"}
    told = client.send_json("PATCH", f"/api/v1/resources/{number}", good).json()
    assert (told["url"], told["site"], told["title"]) == ("https://b.example/rss", "b.example", "B")


def test_patch_takes_rules_that_exist(client: AsgiClient, context: FakeContext) -> None:
    target = f"/api/v1/resources/{watch(context.store, 'https://a.example/feed')}"
    assert client.send_json("PATCH", target, {"predictor": "fix:interval=2h"}).json()["predictor"] == "fix:interval=2h"
    answer = client.send_json("PATCH", target, {"predictor": "fax"})
    assert answer.status == 422
    assert "did you mean fix?" in answer.json()["detail"]
    assert client.send_json("PATCH", target, {"predictor": None}).json()["predictor"] is None


def test_bounds_must_be_in_order(client: AsgiClient, context: FakeContext) -> None:
    number = watch(context.store, "https://a.example/feed")
    target = f"/api/v1/resources/{number}"
    assert client.send_json("PATCH", target, {"beta": 100}).status == 200
    assert client.send_json("PATCH", target, {"alpha": 200}).status == 422
    assert client.send_json("PATCH", target, {"alpha": 200, "beta": 300}).status == 200


def test_delete_forgets(client: AsgiClient, context: FakeContext) -> None:
    number = watch(context.store, "https://a.example/feed")
    assert client.request("DELETE", f"/api/v1/resources/{number}").status == 204
    assert client.get(f"/api/v1/resources/{number}").status == 404


def test_visit_and_why(client: AsgiClient, context: FakeContext) -> None:
    number = watch(context.store, "https://a.example/feed")
    visited = client.request("POST", f"/api/v1/resources/{number}/visit")
    assert (visited.status, visited.json()["id"]) == (202, number)
    assert context.polled == [number]
    context.store.update(number, status=Status.PAUSED)
    assert client.request("POST", f"/api/v1/resources/{number}/visit").status == 409
    assert context.polled == [number]
    why = client.get(f"/api/v1/resources/{number}/why").json()
    assert (why["rule"], why["url"]) == ("mavsync", "https://a.example/feed")
    assert why["numbers"]["entries_a_day"] == 12.5
    assert why["numbers"]["endless"] is None
    assert why["sentence"] == "Not visited, because it was paused"
    assert (why["price"]["price"], why["price"]["weight"], why["price"]["source"]) == (500.0, 2.0, "budget")
    assert why["price"]["words"] == (
        "a visit must save 8.3 min of waiting, where waiting for it counts 2 times, says the controller of the budget"
        " of 600 requests an hour, since 2027-01-15 07:59:00 UTC"
    )


def test_the_old_name_of_a_visit_works_and_says_the_new_one(client: AsgiClient, context: FakeContext) -> None:
    number = watch(context.store, "https://a.example/feed")
    polled = client.request("POST", f"/api/v1/resources/{number}/poll")
    assert (polled.status, context.polled) == (202, [number])
    assert polled.headers["link"] == f'</api/v1/resources/{number}/visit>; rel="successor-version"'


def test_entries_cursor_never_skips_and_never_repeats(client: AsgiClient, context: FakeContext) -> None:
    titles = [f"entry {place}" for place in range(5)]
    links = ["https://a.example/1"] * 5
    watch(context.store, "https://a.example/feed")
    watch(context.store, "https://b.example/feed")
    first = visit(context.store, titles=titles, links=links)
    seen, after = [], 0
    for _ in range(4):
        page = client.get(f"/api/v1/entries?limit=2&after={after}").json()
        seen += [item["title"] for item in page["items"]]
        after = page["next"]
    assert seen == titles
    assert client.get(f"/api/v1/entries?after={after}").json() == {"items": [], "next": after}
    visit(context.store, titles=["later"], links=links[:1])
    [later] = client.get(f"/api/v1/entries?after={after}").json()["items"]
    assert (later["title"], later["delay"], later["found"]) == ("later", 90.0, "2027-01-15T07:59:30.000Z")
    of_first = client.get(f"/api/v1/resources/{first}/entries").json()
    assert [item["title"] for item in of_first["items"]] == titles


def test_visits_newest_first(client: AsgiClient, context: FakeContext) -> None:
    number = watch(context.store, "https://a.example/feed")
    for at in (NOW - 50, NOW - 40, NOW - 30):
        visit(context.store, at=at, due=NOW - 1)
    page = client.get("/api/v1/visits?limit=2").json()
    assert [item["finished"][-5:] for item in page["items"]] == [".000Z", ".000Z"]
    older = client.get(f"/api/v1/resources/{number}/visits?limit=2&before={page['next']}").json()
    rows = [item["id"] for item in page["items"] + older["items"]]
    assert rows == sorted(rows, reverse=True)
    assert len(rows) == 3
    assert older["next"] is None
    assert page["items"][0]["reason"]


def test_sites(client: AsgiClient, context: FakeContext) -> None:
    watch(context.store, "https://b.example/feed")
    watch(context.store, "https://a.example/feed")
    page = client.get("/api/v1/sites?limit=1").json()
    assert [item["name"] for item in page["items"]] == ["a.example"]
    rest = client.get(f"/api/v1/sites?after={page['next']}").json()
    assert [item["name"] for item in rest["items"]] == ["b.example"]


def test_stats_health_and_settings(client: AsgiClient, context: FakeContext) -> None:
    watch(context.store, "https://a.example/feed")
    stats = client.get("/api/v1/stats").json()
    assert stats["at"] == "2027-01-15T08:00:00.000Z"
    assert stats["totals"]
    health = client.get("/api/v1/health").json()
    assert health["status"] == "ok"
    assert health["companions"] == {"push": {"is_running": False, "failures": 2, "error": "StoreBusy: locked"}}
    context.troubles = (Trouble("store", "postgresql://me:pw@db/x is away", context.time - 60.0, times=3),)
    degraded = client.get("/api/v1/health")
    assert (degraded.status, degraded.json()["status"]) == (200, "degraded")
    assert degraded.json()["troubles"] == [
        {
            "what": "store",
            "why": "postgresql://me:(hidden)@db/x is away",
            "since": "2027-01-15T07:59:00.000Z",
            "times": 3,
        }
    ]
    context.alive = False
    stopped = client.get("/api/v1/health")
    assert (stopped.status, stopped.json()["status"]) == (503, "failing")
    settings = client.get("/api/v1/settings")
    assert "very-secret-token" not in settings.text
    assert "pa55" not in settings.text
    assert settings.json()["items"][0] == {
        "name": "fetch.timeout",
        "value": "30s",
        "origin": "default",
        "help": "longest wait for an answer",
    }


def test_metrics_are_prometheus_text(client: AsgiClient, context: FakeContext) -> None:
    watch(context.store, "https://a.example/feed")
    visit(context.store, titles=["new"], links=["https://a.example/1"])
    answer = client.get("/metrics")
    families = {family.name: family for family in text_string_to_metric_families(answer.text)}
    by_result = {sample.labels["result"]: sample.value for sample in families["afresh_visits"].samples}
    assert (by_result["new"], by_result["same"]) == (1.0, 0.0)
    assert families["afresh_entries"].type == "counter"
    assert families["afresh_mean_delay_seconds"].type == "gauge"
    assert families["afresh_resources_feed"].samples[0].value == 1.0
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert "afresh_loop_alive 1.0" in answer.text
    assert 'afresh_build_info{version="0.0.test"} 1.0' in answer.text
    assert client.get("/api/v1/metrics").text == answer.text


def test_budget_spend_price_and_whether_it_has_settled(client: AsgiClient, context: FakeContext) -> None:
    assert client.get("/api/v1/budget").json() is None
    context.spending = replace(Budget(BudgetSettings(requests_per_hour=200.0)).report(NOW), used_last_hour=190)
    told = client.get("/api/v1/budget").json()
    assert (told["requests_per_hour"], told["used_last_hour"], told["used_share"]) == (200.0, 190, 0.95)
    assert (told["price"], told["settled"]) == (1000.0, False)
    assert client.get("/status.json").json()["budget"] == told


def test_daemons_that_share_the_store(client: AsgiClient, context: FakeContext) -> None:
    assert client.get("/api/v1/daemons").json() == {"items": []}
    context.store.daemons.beat(DaemonRecord(name="a:1", since=NOW, seen=NOW, requests=3, leads_since=None))
    context.store.daemons.beat(DaemonRecord(name="b:2", since=NOW, seen=NOW, requests=1, leads_since=NOW))
    [leader, other] = client.get("/api/v1/daemons").json()["items"]
    assert (leader["name"], leader["leads_since"], leader["share"]) == ("b:2", "2027-01-15T08:00:00.000Z", 0.25)
    assert (other["name"], other["leads_since"]) == ("a:1", None)
    assert client.get("/status.json").json()["daemons"] == [leader, other]
    shown = client.get("/").text
    assert 'leads: <span class="">ok</span>, since 2027' in shown
    assert "3 requests in the last hour (75 %)" in shown


def test_the_health_of_all_daemons_and_the_worst_of_them(client: AsgiClient, context: FakeContext) -> None:
    here = DaemonRecord(name="a:1", since=NOW, seen=NOW, requests=3, leads_since=NOW)
    trouble = Trouble("clock", "it jumped", NOW - 5.0)
    context.daemons = [here, replace(here, name="b:2", status="degraded", troubles=(trouble,)), replace(here, seen=0.0)]
    told = client.get("/api/v1/health")
    assert (told.status, told.json()["status"], told.json()["overall"]) == (200, "ok", "degraded")
    assert [one["status"] for one in told.json()["daemons"]] == ["ok", "degraded", "silent"]
    assert told.json()["daemons"][1]["troubles"][0]["why"] == "it jumped"
    assert "another daemon: degraded" in client.get("/").text
    context.store.daemons.beat(context.daemons[0])
    context.store.daemons.beat(context.daemons[1])
    assert '<span class="warn">degraded</span> (clock: it jumped)' in client.get("/").text
