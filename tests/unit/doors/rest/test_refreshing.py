"""/refresh: the same is accepted and refused as at the command line."""

import pytest

from tests.fakes.asgi_client import AsgiClient
from tests.fakes.service_context import FakeContext, watch


def test_said_shown_and_taken_back(client: AsgiClient, context: FakeContext) -> None:
    number = watch(context.store, "https://a.example/feed", folder="news")
    answer = client.send_json("PATCH", "/api/v1/refresh", {"folder": "news", "mean_delay": 1200})
    assert answer.status == 200
    assert answer.json()["scope"] == "folder:news"
    assert client.send_json("PATCH", "/api/v1/refresh", {"feed": number, "strategy": "2steps"}).status == 200
    assert context.pokes
    shown = client.get("/api/v1/refresh").json()
    assert [(one["scope"], one["strategy"], one["mean_delay"]) for one in shown["choices"]] == [
        (f"feed:{number}", "2steps", None),
        ("folder:news", None, 1200.0),
    ]
    assert client.send_json("PATCH", "/api/v1/refresh", {"folder": "news", "mean_delay": None}).status == 200
    assert len(client.get("/api/v1/refresh").json()["choices"]) == 1


@pytest.mark.parametrize(
    "body",
    [
        {"tag": "x", "strategy": "2stepz"},
        {"tag": "x", "estimator": "single:alpha=7"},
        {"tag": "x", "completeness": 2.0},
        {"tag": "x", "mean_delay": 0.0},
        {"tag": "x", "folder": "y", "strategy": "2steps"},
        {"strategy": "2steps"},
        {"tag": "x", "strategy": "uniform", "completeness": 0.99},
    ],
)
def test_what_nobody_can_mean_is_refused(client: AsgiClient, body: dict[str, object]) -> None:
    answer = client.send_json("PATCH", "/api/v1/refresh", body)
    assert answer.status in (400, 422)
    assert client.get("/api/v1/refresh").json()["choices"] == []


def test_unknown_scopes(client: AsgiClient) -> None:
    for body in ({"feed": 99, "strategy": "2steps"}, {"query": "nope", "strategy": "2steps"}):
        assert client.send_json("PATCH", "/api/v1/refresh", body).status == 404
