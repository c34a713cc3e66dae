"""What an endpoint lacks is said before it begins anything, with the command that installs it."""

import sys

import pytest

from tests.fakes.asgi_client import AsgiClient


@pytest.mark.parametrize(
    ("package", "path", "body", "extra"),
    [
        ("sklearn", "/models/trainings", {}, "lab"),
        ("sklearn", "/models/train", {}, "lab"),
        ("scipy", "/lab/runs", {"experiment": "horincar-table-4-1"}, "lab"),
    ],
)
def test_an_endpoint_says_what_it_lacks(
    client: AsgiClient, monkeypatch: pytest.MonkeyPatch, package: str, path: str, body: dict[str, object], extra: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    answer = client.send_json("POST", f"/api/v1{path}", body)
    assert answer.status == 422, answer.text
    assert f"pip install 'afresh[{extra}]'" in answer.json()["detail"]
    assert "Traceback" not in answer.text
