"""Query feeds over HTTP: made by REST, read as feeds, asked again with validators."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

import feedparser
import pytest

from afresh.doors.rest import create_app
from afresh.feeds.queries.matching import Matcher
from afresh.store import open_store
from tests.fakes.asgi_client import AsgiClient
from tests.fakes.service_context import NOW, FakeContext, visit, watch

ATOM = "{http://www.w3.org/2005/Atom}"
QUERIES = "/api/v1/queries"


@pytest.fixture
def context(tmp_path: Path) -> Iterator[FakeContext]:
    store = open_store(str(tmp_path / "afresh.db"))
    watch(store, "https://a.example/feed", title="A & <B>", folder="science")
    visit(store, titles=["Solar power", "Wind <script>"], links=["https://a.example/1", "javascript:alert(1)"])
    yield FakeContext(store)
    store.close()


@pytest.fixture
def client(context: FakeContext) -> AsgiClient:
    return AsgiClient(create_app(context))


def make(client: AsgiClient, text: str, **more: object) -> int:
    return client.send_json("POST", QUERIES, {"query": text, **more}).status


def news(context: FakeContext, *titles: str) -> None:
    """New entries of a feed of their own."""
    watch(context.store, f"https://{titles[0]}.example/feed")
    visit(context.store, titles=titles, links=[f"https://n.example/{title}" for title in titles])
    Matcher(context.store.queries, now=context.now).catch_up()


def test_made_shown_listed_and_dropped(client: AsgiClient) -> None:
    answer = client.send_json(
        "POST", QUERIES, {"query": 'CREATE FEED solar AS RETURN ALL WHERE TITLE CONTAINS "solar"'}
    )
    assert answer.status == 201
    made = answer.json()
    assert (made["name"], made["entries"], made["selectivity"]) == ("solar", 1, 0.5)
    assert made["sources"] == [{"source": "ALL", "is_gone": False, "seen": 2, "matched": 1, "selectivity": 0.5}]
    assert client.get(f"{QUERIES}/solar").json() == made
    assert client.get(QUERIES).json() == {"items": [made], "next": None}
    assert client.get(made["atom"]).status == 200
    assert client.request("DELETE", f"{QUERIES}/solar").status == 204
    assert client.request("DELETE", f"{QUERIES}/solar").status == 404
    assert client.get(made["atom"]).status == 404


def test_mistakes_are_problems_with_their_place(client: AsgiClient) -> None:
    answer = client.send_json("POST", QUERIES, {"query": "CREATE FEED x AS\nRETURN ALL WHERE ITEM IS"})
    assert answer.status == 422
    detail = answer.json()["detail"]
    assert "line 2, column 23: expected" in detail
    assert detail.endswith("RETURN ALL WHERE ITEM IS\n" + " " * 22 + "^")
    for text in ('CREATE FEED x AS RETURN "https://unknown.example/"', "CREATE FEED x AS RETURN FEED x"):
        assert make(client, text) == 422
    assert make(client, "CREATE FEED x AS RETURN ALL") == 201
    assert make(client, "CREATE FEED x AS RETURN ALL") == 422
    assert make(client, "CREATE FEED x AS RETURN ALL LIMIT 9", replace=True) == 201
    assert len(client.get(QUERIES).json()["items"]) == 1


@pytest.mark.parametrize(("form", "version"), [("atom", "atom10"), ("rss", "rss20")])
def test_the_feed_is_a_feed(client: AsgiClient, form: str, version: str) -> None:
    make(client, "CREATE FEED all-of-it TITLE 'All <of> it' AS RETURN ALL")
    answer = client.get(f"/feeds/q/all-of-it.{form}")
    assert answer.headers["content-type"].startswith(f"application/{form}+xml")
    parsed = feedparser.parse(answer.body)
    assert not parsed.bozo
    assert (parsed.version, parsed.feed.title) == (version, "All <of> it")
    assert [entry.title for entry in parsed.entries] == ["Wind <script>", "Solar power"]
    assert len({entry.id for entry in parsed.entries}) == 2
    assert b"javascript:" not in answer.body
    assert b"<script" not in answer.body
    assert "http://127.0.0.1:8000/feeds/q/all-of-it." + form in answer.text


def test_the_json_feed(client: AsgiClient) -> None:
    make(client, "CREATE FEED x AS RETURN ALL LIMIT 1")
    document = client.get("/feeds/q/x.json").json()
    assert document["version"] == "https://jsonfeed.org/version/1.1"
    assert document["feed_url"] == "http://127.0.0.1:8000/feeds/q/x.json"
    [item] = document["items"]
    assert (item["title"], item["date_published"][:10]) == ("Wind <script>", "2027-01-15")
    older = client.get(document["next_url"].removeprefix("http://127.0.0.1:8000")).json()
    assert [item["title"] for item in older["items"]] == ["Solar power"]
    assert "next_url" not in older


def test_nothing_new_is_not_sent_again(client: AsgiClient, context: FakeContext) -> None:
    make(client, "CREATE FEED x AS RETURN ALL")
    context.time += 5
    first = client.get("/feeds/q/x.atom")
    etag, modified = first.headers["etag"], first.headers["last-modified"]
    assert first.headers["cache-control"] == "max-age=60"
    assert modified == format_datetime(datetime.fromtimestamp(NOW, UTC), usegmt=True)
    for headers in (
        {"If_None_Match": etag},
        {"If_None_Match": f'"x", {etag.removeprefix("W/")}'},
        {"If_None_Match": "*"},
        {"If_Modified_Since": modified},
    ):
        answer = client.get("/feeds/q/x.atom", **headers)
        assert (answer.status, answer.body, answer.headers["etag"]) == (304, b"", etag), headers
    news(context, "later")
    for headers in ({"If_None_Match": etag}, {"If_Modified_Since": modified}, {"If_Modified_Since": "no date"}):
        assert client.get("/feeds/q/x.atom", **headers).status == 200, headers
    # A client that knows an old tag is not told by a date that is newer than the tag.
    assert client.get("/feeds/q/x.atom", If_None_Match=etag, If_Modified_Since=modified).status == 200
    assert client.get("/feeds/q/x.rss", If_None_Match=etag).status == 200


def test_no_date_is_given_within_its_own_second(client: AsgiClient, context: FakeContext) -> None:
    make(client, "CREATE FEED x AS RETURN ALL")
    assert "last-modified" not in client.get("/feeds/q/x.atom").headers
    context.time += 1
    assert "last-modified" in client.get("/feeds/q/x.atom").headers


def test_head_is_get_without_a_body(client: AsgiClient) -> None:
    make(client, "CREATE FEED x AS RETURN ALL")
    got, asked = client.get("/feeds/q/x.atom"), client.request("HEAD", "/feeds/q/x.atom")
    assert (asked.status, asked.body, asked.headers["etag"]) == (200, b"", got.headers["etag"])


def test_the_archive_is_walked_from_the_newest_to_the_oldest(client: AsgiClient, context: FakeContext) -> None:
    make(client, "CREATE FEED x AS RETURN ALL LIMIT 2")
    news(context, "three", "four", "five")
    url, found, pages = "/feeds/q/x.atom", [], 0
    while url:
        answer = client.get(url)
        feed = ElementTree.fromstring(answer.body)
        links = {link.get("rel"): link.get("href", "") for link in feed.findall(f"{ATOM}link")}
        assert links["self"] == f"http://127.0.0.1:8000{url}"
        assert answer.headers["cache-control"] == ("max-age=86400" if pages else "max-age=60")
        found += [entry.findtext(f"{ATOM}title") for entry in feed.findall(f"{ATOM}entry")]
        url = links.get("prev-archive", "").removeprefix("http://127.0.0.1:8000")
        pages += 1
    assert pages == 3
    assert list(dict.fromkeys(found)) == ["five", "four", "three", "Wind <script>", "Solar power"]
    assert client.get("/feeds/q/x.atom?page=3").status == 404
    assert client.get("/feeds/q/x.atom?page=0").status == 422


@pytest.mark.parametrize("name", ["X", "a_b", "a/b", "..", "a.atom", "-a", "a" * 65, "a%00", "é", "a b", "nothing"])
def test_odd_names_find_nothing(client: AsgiClient, name: str) -> None:
    assert client.get(f"/feeds/q/{quote(name)}.atom").status in (404, 422)
    assert client.get(f"{QUERIES}/{quote(name)}").status in (404, 422)


def test_a_host_name_cannot_break_out(context: FakeContext) -> None:
    make(AsgiClient(create_app(context)), "CREATE FEED x AS RETURN ALL")
    answer = AsgiClient(create_app(context), host='a"><x>.localhost').get("/feeds/q/x.atom")
    if answer.status == 200:
        assert not ElementTree.fromstring(answer.body).findall(".//x")
    else:
        assert answer.status in (400, 421)


def test_the_answer_carries_the_usual_protection(client: AsgiClient) -> None:
    make(client, "CREATE FEED x AS RETURN ALL")
    for form in ("atom", "rss", "json"):
        headers = client.get(f"/feeds/q/{'x'}.{form}").headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in headers["content-security-policy"]
    assert json.loads(client.get("/feeds/q/x.json").body)["items"]
    assert client.get("/feeds/q/x.xml").status == 422


def test_a_preview_tells_what_would_be_taken_and_keeps_nothing(client: AsgiClient) -> None:
    text = 'CREATE FEED solar TITLE "Sun" AS RETURN ALL AS $a | ALL WHERE $a[TITLE CONTAINS "solar"]'
    told = client.send_json("POST", "/api/v1/queries/preview", {"query": text}).json()
    assert (told["name"], told["title"], told["is_new"], told["taken"]) == ("solar", "Sun", True, 2)
    assert [source["matched"] for source in told["sources"]] == [1, 2]
    assert [entry["title"] for entry in told["newest"]] == ["Wind <script>", "Solar power"]
    [warning] = told["warnings"]
    assert warning.startswith("ALL has no filter")
    assert client.get("/api/v1/queries").json()["items"] == []
    wrong = client.send_json("POST", "/api/v1/queries/preview", {"query": "CREATE FEED"})
    assert wrong.status == 422


def test_an_unfiltered_source_beside_a_filtered_one_is_told_at_every_door(client: AsgiClient) -> None:
    half = 'CREATE FEED half AS RETURN ALL AS $a | ALL WHERE $a[TITLE CONTAINS "solar"]'
    made = client.send_json("POST", "/api/v1/queries", {"query": half}).json()
    assert len(made["warnings"]) == 1
    assert made["warnings"][0] in client.get("/queries").text
    assert made["warnings"][0] in client.get("/queries/half").text
    whole = 'CREATE FEED whole AS RETURN ALL | ALL WHERE TITLE CONTAINS "solar"'
    assert client.send_json("POST", "/api/v1/queries", {"query": whole}).json()["warnings"] == []


def test_the_page_of_a_query_shows_sources_and_entries(client: AsgiClient) -> None:
    text = 'CREATE FEED solar AS RETURN ALL WHERE TITLE CONTAINS "solar"'
    client.send_json("POST", "/api/v1/queries", {"query": text})
    page = client.get("/queries/solar.json").json()
    assert page["query"]["query"] == text
    assert [entry["title"] for entry in page["entries"]] == ["Solar power"]
    assert [(share["matched"], share["seen"]) for share in page["shares"]] == [(1, 2)]
    assert "data-preview" in client.get("/queries/solar").text
    assert client.get("/queries/other").status == 404
