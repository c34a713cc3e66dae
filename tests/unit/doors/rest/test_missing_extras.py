"""What an endpoint lacks is said before it begins anything, with the command that installs it."""

import re
import sys
from html import unescape

import pytest

from afresh.base.extras import installing
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
    assert installing(extra) in answer.json()["detail"]
    assert "Traceback" not in answer.text


def test_a_page_offers_no_training_that_cannot_begin(client: AsgiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    link = client.send_json("POST", "/api/v1/resources", {"urls": ["https://a.example/"], "kind": "link"})
    pages = "/learning", f"/links/{link.json()['items'][0]['id']}"
    button = re.compile(r"<button([^<>]*)>Train a model")
    assert [button.findall(client.get(page).text) for page in pages] == [[""], [""]]
    monkeypatch.setitem(sys.modules, "sklearn", None)
    for page in pages:
        text = unescape(client.get(page).text)
        assert button.findall(text)[0].startswith(' disabled aria-describedby="wanting"')
        assert f'id="wanting">Training needs the extra lab, which is not installed: {installing("lab")}' in text
