"""A query parameter that a route does not have is refused with the one that was meant."""

import pytest

from tests.fakes.asgi_client import AsgiClient


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("/entries?after=0&foldr=x", "no parameter is called foldr; did you mean folder?"),
        ("/entries/search?serch=x", "no parameter is called serch"),
        ("/resources?tga=y&folders=x", "no parameter is called tga; did you mean tag?; no parameter is called folders"),
        ("/links?stading=ok", "no parameter is called stading; did you mean standing?"),
        ("/resources/1?x=1", "no parameter is called x; there is none here"),
        ("/sites?zz=1", "no parameter is called zz; there are after, failing, limit, q"),
    ],
)
def test_it_is_refused_by_name(client: AsgiClient, address: str, told: str) -> None:
    answer = client.get(f"/api/v1{address}")
    assert answer.status == 422
    assert answer.json()["detail"].startswith(told)
    assert answer.json()["errors"][0]["where"].startswith("query.")


def test_what_is_known_passes(client: AsgiClient) -> None:
    for address in ("/entries?after=0&folder=x&tag=y&limit=3", "/search?q=x&limit=2", "/resources?q=a&q=b", "/links?"):
        assert client.get(f"/api/v1{address}").status == 200, address


def test_pages_take_what_others_hang_on_to_their_address(client: AsgiClient) -> None:
    assert client.get("/entries?utm_source=mail").status == 200
