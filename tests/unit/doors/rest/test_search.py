"""Search over everything, and entries by filters: the same through REST, pages and as a feed."""

from xml.etree import ElementTree

import pytest

from afresh.base.models import Kind
from afresh.engine.add import Wanted, add
from tests.fakes.asgi_client import AsgiClient
from tests.fakes.service_context import NOW, FakeContext, visit, watch

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def filled(context: FakeContext) -> FakeContext:
    """Two feeds with two entries each, a link, a query feed."""
    for name, folder in (("alpha", "news/local"), ("beta", "blogs")):
        watch(context.store, f"https://{name}.example/feed", title=f"{name} times", folder=folder, tags=(name,))
        titles = [f"Solar power in {name}", f"Wind in {name}"]
        visit(context.store, titles=titles, links=[f"https://{name}.example/{n}" for n in (1, 2)], at=NOW - 7200)
    add(
        context.store,
        [Wanted(url="https://solar.example/", title="A page kept", kind=Kind.LINK)],
        context.settings,
        now=NOW,
    )
    return context


def test_one_search_finds_everything_by_kind(client: AsgiClient, filled: FakeContext) -> None:
    client.send_json(
        "POST", "/api/v1/queries", {"query": 'CREATE FEED solar AS RETURN ALL WHERE TITLE CONTAINS "solar"'}
    )
    found = client.get("/api/v1/search?q=SOLAR").json()
    assert [one["title"] for one in found["entries"]] == ["Solar power in beta", "Solar power in alpha"]
    assert [one["title"] for one in found["links"]] == ["A page kept"]
    assert [one["name"] for one in found["sites"]] == ["solar.example"]
    assert [one["name"] for one in found["queries"]] == ["solar"]
    assert found["resources"] == found["settings"] == []
    assert found["is_cut"] is False
    other = client.get("/api/v1/search?q=timeout").json()
    assert [one["name"] for one in other["settings"]] == ["fetch.timeout"]
    assert [one["title"] for one in client.get("/api/v1/search?q=alpha%20t").json()["resources"]] == ["alpha times"]
    assert not any(client.get("/api/v1/search?q=%20").json().values())


def test_secrets_are_not_searched(client: AsgiClient, filled: FakeContext) -> None:
    assert client.get("/api/v1/search?q=very-secret-token").json()["settings"] == []
    [token] = client.get("/api/v1/search?q=service.tokens").json()["settings"]
    assert "very-secret" not in str(token)


def test_every_page_has_the_search(client: AsgiClient, filled: FakeContext) -> None:
    for path in (
        "/",
        "/entries",
        "/resources",
        "/sites",
        "/links",
        "/settings",
        "/queries",
        "/lab",
        "/import",
        "/feeds/1",
    ):
        assert 'action="/search"' in client.get(path).text, path
    page = client.get("/search?q=solar")
    assert "Solar power in beta" in page.text
    assert client.get("/search.json?q=solar").json()["entries"][0]["title"] == "Solar power in beta"
    assert "Nothing matches" in client.get("/search?q=nowhere").text


@pytest.mark.parametrize(
    ("asked", "titles"),
    [
        ("q=wind", ["Wind in beta", "Wind in alpha"]),
        ("folder=news", ["Wind in alpha", "Solar power in alpha"]),
        ("tag=beta&q=solar", ["Solar power in beta"]),
        ("resource=1", ["Wind in alpha", "Solar power in alpha"]),
        ("query=sunny", ["Solar power in beta", "Solar power in alpha"]),
        ("since=3h&q=wind", ["Wind in beta", "Wind in alpha"]),
        ("since=1h", []),
        ("until=1h&q=%22wind%20in%20a%22", ["Wind in alpha"]),
        ("until=1h&q=alpha%20wind", ["Wind in alpha"]),
        ("until=2027-01-15T05:00Z", []),
    ],
)
def test_entries_by_filter_are_the_same_at_every_door(
    client: AsgiClient, filled: FakeContext, asked: str, titles: list[str]
) -> None:
    client.send_json(
        "POST", "/api/v1/queries", {"query": 'CREATE FEED sunny AS RETURN ALL WHERE TITLE CONTAINS "solar"'}
    )
    assert [one["title"] for one in client.get(f"/api/v1/entries/search?{asked}").json()["items"]] == titles
    page = client.get(f"/entries?{asked}").text
    assert all(title in page for title in titles)
    assert [one["title"] for one in client.get(f"/entries.json?{asked}").json()["items"]] == titles
    feed = ElementTree.fromstring(client.get(f"/feeds/e/entries.atom?{asked}").text)
    assert [one.findtext(f"{ATOM}title") for one in feed.iter(f"{ATOM}entry")] == titles
    [own] = [link.get("href") for link in feed.findall(f"{ATOM}link") if link.get("rel") == "self"]
    assert own is not None
    assert own.endswith(f"/feeds/e/entries.atom?{asked}")


def test_what_cannot_be_asked_is_said(client: AsgiClient, filled: FakeContext) -> None:
    answer = client.get("/api/v1/entries/search?since=soon")
    assert (answer.status, "not a time: 'soon'" in answer.json()["detail"]) == (422, True)
    assert client.get("/api/v1/entries/search?query=nosuch").status == 404


def test_a_page_of_entries_goes_on(client: AsgiClient, filled: FakeContext) -> None:
    first = client.get("/api/v1/entries/search?limit=3").json()
    rest = client.get(f"/api/v1/entries/search?limit=3&before={first['next']}").json()
    assert [one["title"] for one in rest["items"]] == ["Solar power in alpha"]
    assert rest["next"] is None


def test_one_entry_is_shown_as_text_with_who_took_it(client: AsgiClient, filled: FakeContext) -> None:
    client.send_json(
        "POST", "/api/v1/queries", {"query": 'CREATE FEED sunny AS RETURN ALL WHERE TITLE CONTAINS "solar"'}
    )
    entry = client.get("/api/v1/entries/1").json()
    assert (entry["title"], entry["taken_by"], entry["folder"]) == ("Solar power in alpha", ["sunny"], "news/local")
    page = client.get("/entries/1").text
    assert 'href="/queries/sunny"' in page
    assert "/api/v1/entries/relevance" in page
    assert client.get("/entries/1.json").json()["entry"] == entry
    missing = client.get("/api/v1/entries/4711")
    assert (missing.status, missing.json()["detail"]) == (
        404,
        "no entry has the number 4711; it may have been forgotten since",
    )


def test_a_hit_shows_the_text_around_the_words_that_its_title_does_not_have(
    client: AsgiClient, context: FakeContext
) -> None:
    watch(context.store, "https://alpha.example/feed")
    summary = f"<p>{'word ' * 60}about <b>Trains</b> &amp; the <i>x<y</i> {'word ' * 60}</p>"
    visit(context.store, titles=["Bridge opened"], links=["https://alpha.example/1"], summary=summary)
    [hit] = client.get("/api/v1/entries/search?q=trains%20bridge").json()["items"]
    assert hit["excerpt"].startswith("… word")
    assert "about Trains & the x" in hit["excerpt"]
    assert len(hit["excerpt"]) < 160
    [same] = client.get("/api/v1/search?q=trains%20bridge").json()["entries"]
    assert same["excerpt"] == hit["excerpt"]
    for page in ("/entries?q=trains+bridge", "/search?q=trains+bridge"):
        assert "about <mark>Trains</mark> &amp; the x" in client.get(page).text
    [named] = client.get("/api/v1/entries/search?q=opened%20bridge").json()["items"]
    assert named["excerpt"] == ""
    assert 'class="excerpt"' not in client.get("/entries?q=opened+bridge").text
    [by_link] = client.get("/api/v1/entries/search?q=alpha.example/1").json()["items"]
    assert by_link["excerpt"] == "https://alpha.example/1"


def test_entries_in_order_can_be_those_of_a_folder_or_tag(client: AsgiClient, filled: FakeContext) -> None:
    first = client.get("/api/v1/entries?folder=news&limit=1").json()
    assert [one["title"] for one in first["items"]] == ["Solar power in alpha"]
    rest = client.get(f"/api/v1/entries?folder=news&after={first['next']}").json()
    assert [one["title"] for one in rest["items"]] == ["Wind in alpha"]
    assert client.get(f"/api/v1/entries?folder=news&after={rest['next']}").json() == {"items": [], "next": rest["next"]}
    tagged = client.get("/api/v1/entries?tag=beta").json()["items"]
    assert [one["title"] for one in tagged] == ["Solar power in beta", "Wind in beta"]


def test_the_folders_of_what_is_watched_are_a_tree(client: AsgiClient, filled: FakeContext) -> None:
    folders = client.get("/api/v1/resources/folders").json()["items"]
    told = [(folder["path"], folder["name"], folder["depth"], folder["resources"]) for folder in folders]
    assert told == [("blogs", "blogs", 0, 1), ("news", "news", 0, 1), ("news/local", "local", 1, 1)]
    assert client.get("/api/v1/resources/folders?kind=link").json() == {"items": []}
    assert [one["id"] for one in client.get("/api/v1/resources?folder=news").json()["items"]] == [1]


def test_pages_show_folders_and_offer_them(client: AsgiClient, filled: FakeContext) -> None:
    page = client.get("/resources?folder=news").text
    assert "alpha times" in page
    assert "beta times" not in page
    assert '<td role="cell" data-label="Folder" class="folder"><a href="/resources?folder=news%2Flocal">' in page
    assert (
        '<a href="/resources?folder=news" aria-current="true"><bdi>news</bdi></a> <span class="faint">1</span>' in page
    )
    kept = client.get("/resources?folder=news&kind=feed").text
    assert '<a href="/resources?kind=feed&amp;folder=blogs"><bdi>blogs</bdi></a>' in kept
    for path in ("/resources", "/entries"):
        text = client.get(path).text
        assert 'name="folder" value="" size="14" maxlength="1000" list="folders-there"' in text, path
        assert '<option value="news/local">1</option>' in text, path
        assert [one["path"] for one in client.get(f"{path}.json").json()["folders"]] == ["blogs", "news", "news/local"]


def test_the_buttons_beside_an_entry_say_what_they_do(client: AsgiClient, filled: FakeContext) -> None:
    for path in ("/entries", "/entries/1"):
        page = client.get(path).text
        assert "the less it weighs and the less often it is visited" in page, path
        assert 'title="Not worth reading: its feed weighs less, and is visited less often"' in page, path


def test_a_title_leads_to_what_was_published_wherever_entries_are_listed(
    client: AsgiClient, context: FakeContext
) -> None:
    watch(context.store, "https://alpha.example/feed")
    visit(context.store, titles=["Bridge opened"], links=["https://alpha.example/1"])
    for path in ("/entries", "/search?q=bridge", "/feeds/1"):
        page = client.get(path).text
        title = '<a href="https://alpha.example/1" rel="noopener noreferrer nofollow"><bdi>Bridge opened</bdi></a>'
        assert title in page, path
        assert '<a href="/entries/1" aria-label="Details of Bridge opened">details</a>' in page, path
