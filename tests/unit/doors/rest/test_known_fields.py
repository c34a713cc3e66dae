"""A field that a body does not have is refused with the one that was meant, or with those there are."""

import pytest

from tests.fakes.asgi_client import AsgiClient


@pytest.mark.parametrize(
    ("method", "path", "body", "where", "told"),
    [
        ("PATCH", "/resources/6", {"pin": "30s"}, "body.pin", "no field is called pin; did you mean pinned?"),
        (
            "POST",
            "/resources",
            {"urls": ["https://e.org/"], "url": "https://e.org/"},
            "body.url",
            "no field is called url; did you mean urls?",
        ),
        (
            "POST",
            "/entries/relevance",
            {"zz": 1},
            "body.zz",
            "no field is called zz; there are irrelevant, relevant",
        ),
        (
            "POST",
            "/resources/bulk",
            {"action": "pause", "where": {"foldr": "News"}},
            "body.where.foldr",
            "no field is called foldr; did you mean folder?",
        ),
    ],
)
def test_it_is_refused_by_name(
    client: AsgiClient, method: str, path: str, body: dict[str, object], where: str, told: str
) -> None:
    answer = client.send_json(method, f"/api/v1{path}", body)
    assert answer.status == 422
    assert answer.json()["detail"] == f"{where}: {told}"
    assert answer.json()["errors"] == [{"where": where, "message": told}]
