"""The gate: foreign hosts, foreign pages, foreign content types, too much of anything."""

import asyncio

import pytest

from afresh.doors.rest import AuthSettings, create_app
from afresh.doors.rest.incoming_gate import BodyLimits
from tests.fakes.asgi_client import AsgiClient
from tests.fakes.service_context import FakeContext

ADD = {"urls": ["https://example.org/feed"]}


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8000", "localhost:1", "[::1]:8000", "[::1]"])
def test_loopback_names_are_answered(client: AsgiClient, host: str) -> None:
    assert client.get("/api/v1/health", host=host).status == 200


@pytest.mark.parametrize(
    "host", ["", "evil.example", "evil.example:8000", "127.0.0.1.evil.example", "[::2]", "0.0.0.0"]
)
def test_rebound_names_are_not(client: AsgiClient, host: str) -> None:
    assert client.get("/api/v1/health", host=host).status == 421


@pytest.mark.parametrize("path", ["/api/v1/health", "/push/" + "t" * 20, "/feeds/q/none.atom"])
@pytest.mark.parametrize("second", [b"127.0.0.1", b"evil.example"])
def test_two_names_are_one_too_many(context: FakeContext, path: str, second: bytes) -> None:
    statuses: list[int] = []

    async def ask() -> None:
        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                statuses.append(int(str(message["status"])))

        headers = [(b"host", b"127.0.0.1"), (b"host", second)]
        scope = {"type": "http", "method": "GET", "path": path, "headers": headers, "query_string": b""}
        await create_app(context)(scope, receive, send)  # type: ignore[arg-type]

    asyncio.run(ask())
    assert statuses == [400]


def test_configured_name_is_answered(context: FakeContext) -> None:
    client = AsgiClient(create_app(context, auth=AuthSettings(names=("Feeds.example",))))
    assert client.get("/api/v1/health", host="feeds.example:80").status == 200
    assert client.get("/api/v1/health", host="other.example").status == 421


def test_the_name_hubs_know_opens_nothing_else(context: FakeContext) -> None:
    client = AsgiClient(create_app(context, auth=AuthSettings(push_names=("Hooks.example",))))
    for path in ("/push/" + "t" * 20, "/feeds/q/none.atom"):
        assert client.get(path, host="hooks.example").status == 404, path
        assert client.get(path, host="other.example").status == 421, path
    for path in ("/", "/api/v1/resources", "/settings"):
        assert client.get(path, host="hooks.example").status == 421, path
    assert client.send_json("POST", "/api/v1/resources", ADD, host="hooks.example").status == 421


def test_the_name_hubs_know_closes_nothing_behind_a_login(context: FakeContext) -> None:
    auth = AuthSettings(host="0.0.0.0", tokens=("t" * 16,), push_names=("hooks.example",))
    client = AsgiClient(create_app(context, auth=auth), authorization="Bearer " + "t" * 16)
    for host in ("hooks.example", "192.168.0.7:8000"):
        assert client.get("/api/v1/resources", host=host).status == 200, host


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "null"},
        {"origin": "http://[broken"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
)
def test_changes_asked_by_other_pages_are_refused(
    client: AsgiClient, context: FakeContext, headers: dict[str, str]
) -> None:
    answer = client.send_json("POST", "/api/v1/resources", ADD, **headers)
    assert answer.status == 403
    assert context.store.count() == 0
    assert client.get("/api/v1/resources", **headers).status == 200


@pytest.mark.parametrize("headers", [{}, {"origin": "http://127.0.0.1:8000", "sec_fetch_site": "same-origin"}])
def test_own_pages_and_programs_may_change(client: AsgiClient, context: FakeContext, headers: dict[str, str]) -> None:
    assert client.send_json("POST", "/api/v1/resources", ADD, **headers).status == 200
    assert context.store.count() == 1


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_only_json_is_read(client: AsgiClient, kind: str) -> None:
    assert client.send_json("POST", "/api/v1/resources", ADD, content_type=kind).status == 415


def test_body_past_the_limit_is_refused_whether_announced_or_not(context: FakeContext) -> None:
    client = AsgiClient(create_app(context, limits=BodyLimits(ordinary=100, imports=1000)))
    pieces = [b'{"urls": [', b" " * 60, b" " * 60]
    json_type = "application/json"
    chunked = client.request("POST", "/api/v1/resources", body=pieces, content_type=json_type)
    announced = client.request("POST", "/api/v1/resources", content_type=json_type, content_length="101")
    silly = client.request("POST", "/api/v1/resources", content_type=json_type, content_length="9" * 5000)
    assert [chunked.status, announced.status, silly.status] == [413, 413, 413]
    assert chunked.json()["title"]


def test_imports_may_be_larger() -> None:
    limits = BodyLimits()
    assert limits.of("/api/v1/import") == 10_000_000
    assert limits.of("/api/v1/resources") == 1_000_000


def test_security_headers_on_every_answer(client: AsgiClient, context: FakeContext) -> None:
    context.store.close()  # makes the last of these fail inside
    for target in ("/static/afresh.css", "/nowhere", "/api/v1/health", "/api/v1/resources"):
        headers = client.get(target).headers
        policy = headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert "default-src 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


def test_head_is_get_without_body(client: AsgiClient) -> None:
    for target in ("/", "/api/v1/health", "/static/afresh.css"):
        answer = client.request("HEAD", target)
        assert (answer.status, answer.body) == (200, b"")
