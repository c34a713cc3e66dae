"""Many resources in one request: bulk changes, imports, and the pause of a site."""

import json

import pytest

from afresh.base.models import Kind, Status
from tests.fakes.asgi_client import AsgiClient
from tests.fakes.service_context import NOW, FakeContext, watch

OPML = """<?xml version="1.0"?><opml version="2.0"><body><outline text="News">
<outline type="rss" text="A" xmlUrl="https://a.example/feed"/><outline type="rss" text="B" xmlUrl="https://b.example/feed"/>
</outline></body></opml>"""
BOOKMARKS = '<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF="https://c.example/page">C</A></DL>'
SITEMAP = (
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://d.example/1</loc></url></urlset>'
)
INDEX = SITEMAP.replace("urlset", "sitemapindex").replace("url>", "sitemap>")


def bulk(client: AsgiClient, **body: object) -> dict[str, int]:
    answer = client.send_json("POST", "/api/v1/resources/bulk", body)
    assert answer.status == 200, answer.text
    counts: dict[str, int] = answer.json()
    return counts


def test_pauses_and_resumes_those_named(client: AsgiClient, context: FakeContext) -> None:
    first, second = (watch(context.store, f"https://{name}.example/feed") for name in "ab")
    assert bulk(client, ids=[first, 999], action="pause") == {"changed": 1, "unknown": 1}
    assert context.store.get(first).status is Status.PAUSED
    assert context.store.get(second).status is Status.ACTIVE
    assert bulk(client, ids=[first, second], action="resume")["changed"] == 1


@pytest.mark.parametrize("name", ["visit", "poll"])  # the second is its old name
def test_visits_now_and_wakes_the_loop(name: str, client: AsgiClient, context: FakeContext) -> None:
    number = watch(context.store, "https://a.example/feed")
    context.store.update(number, due=NOW + 9000)
    assert bulk(client, ids=[number], action=name)["changed"] == 1
    assert context.store.get(number).due == NOW
    assert context.pokes == 1


def test_tags_all_that_a_filter_finds(client: AsgiClient, context: FakeContext) -> None:
    for place in range(5):
        watch(context.store, f"https://s{place}.example/feed", folder="one" if place < 3 else "two")
    assert bulk(client, where={"folder": "one"}, action="tag", tag="daily")["changed"] == 3
    assert bulk(client, where={}, action="tag", tag="daily")["changed"] == 2
    assert bulk(client, where={"tag": "daily", "folder": "two"}, action="untag", tag="daily")["changed"] == 2
    assert sum("daily" in item.tags for item in context.store.list_resources()) == 3


def test_moves_to_a_folder(client: AsgiClient, context: FakeContext) -> None:
    numbers = [watch(context.store, f"https://s{place}.example/feed", folder="one") for place in range(2)]
    assert bulk(client, ids=numbers, action="move", folder="two")["changed"] == 2
    assert bulk(client, where={"folder": "two"}, action="move", folder="two")["changed"] == 0
    assert bulk(client, ids=numbers[:1], action="move", folder="")["changed"] == 1
    assert sorted(item.folder for item in context.store.list_resources()) == ["", "two"]


def test_removes(client: AsgiClient, context: FakeContext) -> None:
    number = watch(context.store, "https://a.example/feed")
    assert bulk(client, ids=[number], action="remove")["changed"] == 1
    assert context.store.count() == 0


@pytest.mark.parametrize(
    "body",
    [
        {"action": "pause"},
        {"action": "tag", "ids": [1]},
        {"action": "move", "ids": [1]},
        {"action": "explode", "ids": [1]},
        {"action": "pause", "ids": [0]},
        {"action": "pause", "where": {"colour": "red"}},
    ],
)
def test_refuses_what_makes_no_sense(client: AsgiClient, body: dict[str, object]) -> None:
    answer = client.send_json("POST", "/api/v1/resources/bulk", body)
    assert answer.status in (400, 422), answer.text
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("text", "name", "kind", "urls"),
    [
        (OPML, "feeds.opml", Kind.FEED, ["https://a.example/feed", "https://b.example/feed"]),
        (BOOKMARKS, "bookmarks.html", Kind.LINK, ["https://c.example/page"]),
        (SITEMAP, "sitemap.xml", Kind.PAGE, ["https://d.example/1"]),
        (INDEX, "index.xml", Kind.SITEMAP, ["https://d.example/1"]),
        ("https://e.example/feed Title\n# not this\n", "list.txt", Kind.FEED, ["https://e.example/feed"]),
    ],
)
def test_imports_files_of_many_kinds(
    client: AsgiClient, context: FakeContext, text: str, name: str, kind: Kind, urls: list[str]
) -> None:
    body = {"text": text, "name": name, "kind": kind.value, "tags": ["mine"]}
    answer = client.send_json("POST", "/api/v1/resources/import", body)
    assert answer.status == 200, answer.text
    assert (answer.json()["added"], answer.json()["refused"]) == (len(urls), 0)
    found = context.store.list_resources()
    assert [(item.url, item.kind, item.tags) for item in found] == [(url, kind, ("mine",)) for url in urls]
    again = client.send_json("POST", "/api/v1/resources/import", body).json()
    assert (again["added"], again["known"]) == (0, len(urls))


def test_an_import_tells_what_it_refused(client: AsgiClient) -> None:
    body = {"text": "https://a.example/feed\nnot-a-url\n"}
    answer = client.send_json("POST", "/api/v1/resources/import", body).json()
    assert (answer["added"], answer["refused"]) == (1, 1)
    assert "not-a-url" in answer["errors"][0]
    broken = client.send_json("POST", "/api/v1/resources/import", {"text": "<opml><body>", "name": "cut.opml"})
    assert broken.status == 422


def test_a_password_in_an_address_that_is_refused_is_not_shown(client: AsgiClient) -> None:
    secret = "https://user:hunter2@a.example/rss.xml"
    answer = client.send_json("POST", "/api/v1/resources", {"urls": [secret]})
    assert [item["wanted"] for item in answer.json()["items"]] == ["https://…@a.example/rss.xml"]
    text = f'<opml version="2.0"><body><outline type="rss" text="A" xmlUrl="{secret}"/></body></opml>'
    imported = client.send_json("POST", "/api/v1/resources/import", {"text": text, "name": "x.opml"})
    assert imported.json()["refused"] == 1
    assert "hunter2" not in answer.text + imported.text


def test_sets_the_pause_of_a_site(client: AsgiClient, context: FakeContext) -> None:
    watch(context.store, "https://a.example/feed")
    answer = client.send_json("PATCH", "/api/v1/sites/a.example", {"delay": 7.5})
    assert (answer.status, answer.json()["delay"]) == (200, 7.5)
    assert client.send_json("PATCH", "/api/v1/sites/a.example", {"delay": None}).json()["delay"] is None
    assert client.send_json("PATCH", "/api/v1/sites/nobody.example", {"delay": 1}).status == 404
    assert client.send_json("PATCH", "/api/v1/sites/a.example", {"delay": -1}).status == 422


def test_a_folder_of_an_import_cannot_fill_the_disk(client: AsgiClient, context: FakeContext) -> None:
    links = [{"url": f"https://e{number}.example/"} for number in range(3)]
    text = json.dumps({"name": "x" * 100_000, "children": links})
    answer = client.send_json("POST", "/api/v1/resources/import", {"text": text, "folder": "mine"}).json()
    assert answer["added"] == 3
    assert {resource.folder for resource in context.store.iterate()} == {"mine/" + "x" * 995}
