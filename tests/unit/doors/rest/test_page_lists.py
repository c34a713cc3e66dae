"""Pages by REST: lists of other programs are told what is lost, and a page has an outline."""

from afresh.base.records.watches import Watch
from afresh.engine.watch_pages import page_scope, watch_of
from tests.fakes.asgi_client import AsgiClient
from tests.fakes.service_context import FakeContext
from tests.fakes.watched import WatchedPages

JOBS = "url: https://a.example/\nfilter:\n  - css: .price\n  - shellpipe: sort\n"


def test_an_imported_list_says_what_was_not_carried_over(client: AsgiClient, context: FakeContext) -> None:
    answer = client.send_json("POST", "/api/v1/resources/import", {"text": JOBS, "name": "urls.yaml"}).json()
    assert (answer["added"], answer["format"]) == (1, "jobs of urlwatch")
    assert answer["lost"] == ["filter shellpipe (1 page: https://a.example/)"]
    number = context.store.get("https://a.example/").id
    assert watch_of(context.store, page_scope(number)) == Watch(css=(".price",))


def test_the_outline_of_the_newest_version(client: AsgiClient, context: FakeContext) -> None:
    pages = WatchedPages(context.store)
    number = pages.add("http://shop.example/")
    assert client.get(f"/api/v1/resources/{number}/outline").json() == {"parts": [], "truncated": False}
    pages.visit(number, "<main><h1>Chairs</h1><p id=price>10 euros</p></main>")
    parts = client.get(f"/api/v1/resources/{number}/outline").json()["parts"]
    assert [(part["selector"], part["depth"]) for part in parts] == [
        ("body > main", 0),
        ("body > main > h1", 1),
        ("#price", 1),
    ]
    pages.visit(number, b"%PDF-1.7", content_type="application/pdf")
    assert client.get(f"/api/v1/resources/{number}/outline").json()["parts"] == []
    assert client.get("/api/v1/resources/999/outline").status == 404
