"""Lengths of time are numbers of seconds or texts like 15m, as in options and settings."""

import pytest

from tests.fakes.asgi_client import AsgiClient
from tests.fakes.service_context import FakeContext, watch


@pytest.mark.parametrize(("sent", "seconds"), [("15m", 900.0), ("1d12h", 129_600.0), (900, 900.0), ("90", 90.0)])
def test_an_interval_as_people_write_it(client: AsgiClient, context: FakeContext, sent: object, seconds: float) -> None:
    number = watch(context.store, "https://a.example/feed")
    answer = client.send_json("PATCH", f"/api/v1/resources/{number}", {"pinned": sent})
    assert (answer.status, answer.json()["pinned"]) == (200, seconds)
    assert client.send_json("PATCH", f"/api/v1/resources/{number}", {"pinned": None}).json()["pinned"] is None


@pytest.mark.parametrize("sent", ["soon", "", "-5s", "inf", 0])
def test_what_is_none_is_refused(client: AsgiClient, context: FakeContext, sent: object) -> None:
    number = watch(context.store, "https://a.example/feed")
    answer = client.send_json("PATCH", f"/api/v1/resources/{number}", {"pinned": sent})
    assert answer.status == 422, answer.text


def test_the_pause_of_a_site(client: AsgiClient, context: FakeContext) -> None:
    watch(context.store, "https://a.example/feed")
    answer = client.send_json("PATCH", "/api/v1/sites/a.example", {"delay": "3s"})
    assert (answer.status, answer.json()["delay"]) == (200, 3.0)
    assert client.send_json("PATCH", "/api/v1/sites/a.example", {"delay": "2d"}).status == 422
