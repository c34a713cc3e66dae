"""Feeds that had to be repaired: REST and pages tell them and list them."""

from tests.fakes.asgi_client import AsgiClient
from tests.fakes.service_context import FakeContext
from tests.laws.store_material import NOW, feeds, report, take


def test_repaired_feeds_are_told_and_listed(client: AsgiClient, context: FakeContext) -> None:
    context.store.add(feeds(2, due=0.0), now=NOW)
    damaged, whole = take(context.store)
    context.store.record([report(damaged, repaired=("missing <ends>",)), report(whole)])
    for address in ("/api/v1/resources?repaired=true", "/resources.json?standing=repaired"):
        assert [item["repaired"] for item in client.get(address).json()["items"]] == [["missing <ends>"]], address
    assert len(client.get("/api/v1/resources?repaired=false").json()["items"]) == 1
    page = client.get("/resources?standing=repaired").text
    assert "missing &lt;ends&gt;" in page
    assert whole.resource.url.removeprefix("http://") not in page
    assert "had to be repaired to be read" in client.get(f"/feeds/{damaged.resource.id}").text
    assert "had to be repaired to be read" not in client.get(f"/feeds/{whole.resource.id}").text
