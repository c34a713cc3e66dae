"""Whatever goes wrong is a problem document, never a stack trace."""

import json

import pytest

from tests.fakes.asgi_client import Answer, AsgiClient
from tests.fakes.service_context import FakeContext, watch

HUGE = str(2**63)


def assert_problem(answer: Answer, status: int) -> None:
    assert answer.status == status
    assert answer.headers["content-type"] == "application/problem+json"
    document = answer.json()
    assert document["status"] == status
    assert document["detail"]
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    ("method", "target", "status"),
    [
        ("GET", "/nowhere", 404),
        ("GET", "/api/v1/nowhere", 404),
        ("GET", "/api/v1/resources/4711", 404),
        ("GET", "/api/v1/resources/4711/why", 404),
        ("GET", "/api/v1/resources/4711/visits", 404),
        ("GET", "/api/v1/resources/4711/entries", 404),
        ("DELETE", "/api/v1/resources/4711", 404),
        ("POST", "/api/v1/resources/4711/visit", 404),
        ("GET", "/api/v1/resources/lookup?url=https://nobody.example/", 404),
        ("GET", "/api/v1/resources/lookup?url=not+a+url", 422),
        ("GET", "/feeds/4711", 404),
        ("GET", "/feeds/4711.json", 404),
        ("GET", "/static/../app.py", 404),
        ("GET", "/static/%00", 404),
        ("PUT", "/api/v1/resources", 405),
        ("DELETE", "/api/v1/health", 405),
        ("POST", "/", 405),
        ("BREW", "/api/v1/health", 405),
        ("GET", "/api/v1/resources/0", 422),
        ("GET", "/api/v1/resources/x", 422),
        ("GET", f"/api/v1/resources/{HUGE}", 422),
        ("GET", "/api/v1/resources/" + "9" * 5000, 422),
        ("GET", "/feeds/" + "9" * 5000, 422),
        ("GET", "/api/v1/resources?kind=cheese", 422),
        ("GET", "/api/v1/resources?limit=0", 422),
        ("GET", "/api/v1/resources?limit=1001", 422),
        ("GET", f"/api/v1/resources?after={HUGE}", 422),
        ("GET", f"/api/v1/entries?after={HUGE}", 422),
        ("GET", "/api/v1/entries?after=-1", 422),
        ("GET", "/api/v1/visits?before=0", 422),
        ("GET", "/api/v1/resources?q=%00", 422),
        ("GET", "/api/v1/resources?q=" + "a" * 1001, 422),
        ("GET", "/?view=cheese", 422),
    ],
)
def test_bad_requests(client: AsgiClient, method: str, target: str, status: int) -> None:
    assert_problem(client.request(method, target), status)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 422),
        (b"{", 400),
        (b"\xff\xfe\xfa", 400),
        (b'{"urls": ["\xc3\x28"]}', 400),
        (b"[" * 100_000, 400),
        (b'{"urls": 1' + b"0" * 5000 + b"}", 400),
        (b"[]", 422),
        (b"null", 422),
        (b'{"urls": []}', 422),
        (b'{"urls": "https://example.org"}', 422),
        (b'{"urls": ["https://example.org"], "more": 1}', 422),
        (b'{"urls": ["https://example.org"], "folder": "\\u0000"}', 422),
        (b'{"urls": ["https://example.org"], "folder": "\\ud800"}', 422),
        (b'{"urls": ["https://example.org"], "kind": "cheese"}', 422),
        (json.dumps({"urls": ["https://example.org"] * 1001}).encode(), 422),
    ],
)
def test_bad_bodies(client: AsgiClient, body: bytes, status: int) -> None:
    answer = client.request("POST", "/api/v1/resources", body=[body], content_type="application/json")
    assert_problem(answer, status)


@pytest.mark.parametrize(
    "change",
    [
        b'{"pinned": 0}',
        b'{"pinned": -1}',
        b'{"pinned": NaN}',
        b'{"pinned": Infinity}',
        b'{"pinned": 1e400}',
        b'{"weight": null}',
        b'{"weight": -1}',
        b'{"weight": 0}',
        b'{"paused": "perhaps"}',
        b'{"tags": [""]}',
        b'{"id": 3}',
        b'{"address": "https://x.example/"}',
    ],
)
def test_bad_changes(client: AsgiClient, context: FakeContext, change: bytes) -> None:
    number = watch(context.store, "https://example.org/feed")
    target = f"/api/v1/resources/{number}"
    assert_problem(client.request("PATCH", target, body=[change], content_type="application/json"), 422)


def test_fields_at_fault_are_named_and_their_number_is_limited(client: AsgiClient) -> None:
    answer = client.send_json("POST", "/api/v1/resources", {"urls": [1] * 500, "kind": "cheese"})
    errors = answer.json()["errors"]
    assert errors[0]["where"] == "body.urls.0"
    assert len(errors) == 20


def test_our_own_failure_is_told_without_its_insides(client: AsgiClient, context: FakeContext) -> None:
    context.store = None  # type: ignore[assignment]
    answer = client.get("/api/v1/resources")
    assert_problem(answer, 500)
    assert "NoneType" not in answer.text


def test_a_browser_gets_a_page(client: AsgiClient) -> None:
    answer = client.get("/feeds/4711", accept="text/html,*/*")
    assert answer.status == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert "not watched: 4711" in answer.text
    assert_problem(client.get("/api/v1/resources/4711", accept="text/html"), 404)
