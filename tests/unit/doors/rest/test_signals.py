"""``/signals`` and what sites and pages show of the revisit engine."""

from afresh.base.models import Kind, NewResource
from tests.fakes.asgi_client import AsgiClient
from tests.fakes.service_context import NOW, FakeContext


def test_whoever_knows_may_say_so(client: AsgiClient, context: FakeContext) -> None:
    context.store.add([NewResource(url="https://a.example/", site="a.example", kind=Kind.PAGE)], now=NOW)
    answer = client.send_json("POST", "/api/v1/signals", {"urls": ["https://a.example/", "no url"]})
    assert (answer.status, answer.json()) == (202, {"heard": 0}), "it was never visited: there is nothing to be stale"


def test_nonsense_is_refused(client: AsgiClient) -> None:
    bad: list[dict[str, object]] = [{}, {"urls": []}, {"urls": ["x"], "signal": "rumour"}, {"urls": ["x"] * 1001}]
    for body in [*bad, {"urls": [1]}]:
        assert client.send_json("POST", "/api/v1/signals", body).status in (400, 422), body


def test_a_site_shows_its_price_and_pace(client: AsgiClient, context: FakeContext) -> None:
    context.store.add([NewResource(url="https://a.example/", site="a.example", kind=Kind.PAGE)], now=NOW)
    [site] = client.get("/api/v1/sites").json()["items"]
    assert (site["price"], site["crawl_delay"], site["visits_per_hour"], site["answer"]) == (0.0, None, 0.0, 0.0)


def test_sitemaps_are_added_like_anything_else(client: AsgiClient, context: FakeContext) -> None:
    body = {"urls": ["https://a.example/sitemap.xml"], "kind": "sitemap"}
    assert client.send_json("POST", "/api/v1/resources", body).json()["items"][0]["status"] == 201
    assert context.store.get("https://a.example/sitemap.xml").kind is Kind.SITEMAP
