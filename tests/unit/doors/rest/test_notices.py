"""``/notices`` over REST: made, listed without secrets, tried, dropped."""

import pytest

from afresh.feeds.queries.creating import create
from tests.fakes.asgi_client import AsgiClient
from tests.fakes.service_context import FakeContext

NOTICES = "/api/v1/notices"


def test_a_notice_is_made_shown_tried_and_dropped(client: AsgiClient, context: FakeContext) -> None:
    create(context.store, "CREATE FEED solar AS RETURN ALL", now=0.0)
    body = {"topic": "query", "subject": "solar", "target": "https://me:pw@example.org/hook?key=1", "digest": 60}
    made = client.send_json("POST", NOTICES, body)
    assert made.status == 201
    facts = made.json()
    assert facts["secret"].startswith("whsec_")
    assert facts["target"] == "https://example.org/hook"
    number = facts["id"]
    shown = client.get(f"{NOTICES}/{number}").json()
    assert shown["secret"] is None
    assert shown["is_signed"]
    page = client.get(NOTICES).json()
    assert [item["id"] for item in page["items"]] == [number]
    assert page["next"] is None
    assert client.send_json("POST", f"{NOTICES}/{number}/test", {}).json() == {"is_taken": True}
    assert client.send_json("POST", NOTICES, body).status == 422, "the same twice"
    assert client.request("DELETE", f"{NOTICES}/{number}").status == 204
    assert client.get(f"{NOTICES}/{number}").status == 404


@pytest.mark.parametrize(
    "changes",
    [
        {"topic": "weather"},
        {"target": "nonsense"},
        {"target": ""},
        {"digest": -1},
        {"digest": 1e12},
        {"quiet": "nights"},
        {"subject": "x"},
        {"target": "json://x\x00"},
        {"more": 1},
    ],
)
def test_bad_notices_are_refused_whole(client: AsgiClient, changes: dict[str, object]) -> None:
    answer = client.send_json("POST", NOTICES, {"topic": "failing", "target": "json://example.org", **changes})
    assert answer.status == 422
    assert client.get(NOTICES).json()["items"] == []


def test_a_test_that_is_not_taken_says_why(client: AsgiClient) -> None:
    made = client.send_json("POST", NOTICES, {"topic": "broken", "target": "json://example.org"}).json()
    answer = client.send_json("POST", f"{NOTICES}/{made['id']}/test", {})
    assert answer.status == 502
    assert "did not take" in answer.json()["detail"]
    assert client.send_json("POST", f"{NOTICES}/99/test", {}).status == 404


def test_the_page_of_notices_shows_no_secret(client: AsgiClient) -> None:
    body = {"topic": "failing", "target": "https://me:pw@example.org/<b>?key=1", "quiet": "22:00-07:00", "digest": 3600}
    secret = client.send_json("POST", NOTICES, body).json()["secret"]
    for page in ("/notices", "/notices.json"):
        text = client.get(page).text
        assert "example.org" in text
        for hidden in (secret, "pw", "key=1"):
            assert hidden not in text
    assert "<b>" not in client.get("/notices").text


def test_an_unknown_query_feed_is_not_found(client: AsgiClient) -> None:
    body = {"topic": "query", "subject": "lunar", "target": "json://example.org"}
    assert client.send_json("POST", NOTICES, body).status == 404
