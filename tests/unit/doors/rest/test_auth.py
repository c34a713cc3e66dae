"""Who may ask."""

import base64

import pytest

from afresh.base.errors import ConfigError
from afresh.doors.listening import is_loopback, require_safe_bind
from afresh.doors.rest import AuthSettings, create_app
from afresh.doors.rest.auth import is_authorised
from tests.fakes.asgi_client import AsgiClient
from tests.fakes.service_context import FakeContext

TOKEN = "a-token-of-some-length"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]"])
def test_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", ["", "0.0.0.0", "::", "example.org", "localhost.example.org", "127.0.0.1.nip.io", "10.0.0.1"]
)
def test_not_loopback(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", ""])
def test_refuses_other_addresses_without_token(host: str, context: FakeContext) -> None:
    with pytest.raises(ConfigError, match="token") as caught:
        require_safe_bind(host, ())
    assert caught.value.option == "service.host"
    with pytest.raises(ConfigError):
        create_app(context, auth=AuthSettings(host=host))
    require_safe_bind(host, (TOKEN,))


@pytest.mark.parametrize("token", ["", "short", "has a space in the middle", "nön-ascii-characters-here"])
def test_refuses_weak_tokens(token: str) -> None:
    with pytest.raises(ConfigError):
        require_safe_bind("127.0.0.1", (TOKEN, token))


def basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


@pytest.mark.parametrize("header", [f"Bearer {TOKEN}", f"bearer  {TOKEN} ", basic("", TOKEN), basic("me", TOKEN)])
def test_token_lets_in(header: str) -> None:
    assert is_authorised(header, ("another-token-before", TOKEN))


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        TOKEN,
        f"Digest {TOKEN}",
        "Bearer ÿ",
        basic(TOKEN, ""),
        "Basic !!!",
        "Basic ÿÿ",
        "Basic " + base64.b64encode(b"\xff:\xff").decode(),
    ],
)
def test_anything_else_does_not(header: str) -> None:
    assert not is_authorised(header, (TOKEN,))


def test_app_with_token_guards_every_path(context: FakeContext) -> None:
    client = AsgiClient(create_app(context, auth=AuthSettings(host="0.0.0.0", tokens=(TOKEN,))), host="afresh.example")
    for path in ("/", "/status.json", "/api/v1/resources", "/metrics", "/static/afresh.css", "/nowhere"):
        answer = client.get(path)
        assert answer.status == 401
        assert answer.headers["www-authenticate"].startswith("Basic")  # the last of two lines
        assert client.get(path, authorization=f"Bearer {TOKEN}").status == (404 if path == "/nowhere" else 200)
