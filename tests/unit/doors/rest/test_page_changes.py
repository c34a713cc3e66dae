"""Watched pages over REST and on their page: versions, differences, what is watched, feeds of changes."""

import re
from xml.etree import ElementTree

import pytest

from afresh.parse.pictures import read_png
from tests.fakes.asgi_client import AsgiClient
from tests.fakes.service_context import FakeContext
from tests.fakes.watched import WatchedPages, picture

PAGE = "/api/v1/resources/1"


@pytest.fixture
def pages(context: FakeContext) -> WatchedPages:
    """A page that was visited twice and has changed."""
    pages = WatchedPages(context.store)
    number = pages.add(tags=("shop",))
    for price in ("10 €", "12 €"):
        pages.see(number, "Lamp &lt;script&gt;", f"Price: {price}", "The end")
    return pages


@pytest.mark.usefixtures("pages")
def test_versions_and_what_they_showed(client: AsgiClient) -> None:
    found = client.get(f"{PAGE}/versions").json()["items"]
    assert [item["id"] for item in found] == [2, 1]
    shown = client.get(found[0]["content"])
    assert "sandbox" in shown.headers["content-security-policy"]
    assert "Price: 12" in client.get(found[0]["content"] + "?form=text").text
    assert client.get(f"{PAGE}/versions/99/content").status == 404
    assert client.get("/api/v1/resources/99/versions").status == 404


def test_versions_are_counted_by_page(client: AsgiClient, pages: WatchedPages) -> None:
    other = pages.add("http://other.example/")
    for price in ("5 €", "6 €"):
        pages.see(other, f"Price: {price}")
    place = f"/api/v1/resources/{other}"
    found = client.get(f"{place}/versions").json()["items"]
    assert [(item["number"], item["id"]) for item in found] == [(2, 4), (1, 3)]
    assert found[0]["content"] == f"{place}/versions/2/content"
    assert "Price: 6" in client.get(found[0]["content"] + "?form=text").text
    difference = client.get(f"{place}/difference?old=1&new=2").json()
    assert (difference["summary"], difference["new"]["number"]) == ("Price: 5 → 6 €", 2)
    shown = client.get(f"/feeds/{other}").text
    assert re.search(r"Version 1 of .*?against version 2 of ", shown, re.DOTALL)
    # addresses with ids of the store, as they were before
    assert client.get(f"{place}/difference?old=3&new=4").json() == difference
    assert "Price: 5" in client.get(f"{place}/versions/3/content?form=text").text
    assert client.get(f"{place}/versions/5/content").status == 404


def test_a_version_of_another_page_is_not_shown(client: AsgiClient, pages: WatchedPages) -> None:
    other = pages.add("http://other.example/")
    pages.see(other, "Secret")
    assert client.get(f"{PAGE}/versions/3/content").status == 404
    assert client.get(f"{PAGE}/difference?old=1&new=3").status == 404


@pytest.mark.usefixtures("pages")
def test_what_differs(client: AsgiClient) -> None:
    view = client.get(f"{PAGE}/difference").json()
    assert (view["summary"], view["text"]) == ("Price: 10 → 12 €", "- Price: 10 €\n+ Price: 12 €")
    assert [row["mark"] for row in view["rows"]] == ["same", "changed", "same"]
    assert client.get(f"{PAGE}/difference?old=2&new=1").json()["summary"] == "Price: 12 → 10 €"
    assert client.get(f"{PAGE}/difference?old=99").status == 404


def test_nothing_to_compare_is_a_problem_in_words(client: AsgiClient, pages: WatchedPages) -> None:
    new = pages.add("http://new.example/")
    answer = client.get(f"/api/v1/resources/{new}/difference")
    assert (answer.status, "visited first" in answer.json()["detail"]) == (422, True)


@pytest.mark.usefixtures("pages")
def test_what_is_watched_is_changed_field_by_field(client: AsgiClient) -> None:
    assert client.get(f"{PAGE}/watch").json()["css"] == []
    changed = client.send_json("PATCH", f"{PAGE}/watch", {"css": [".price"], "at_least": 3}).json()
    assert (changed["css"], changed["at_least"], changed["case"]) == ([".price"], 3, True)
    assert client.send_json("PATCH", f"{PAGE}/watch", {"only": "numbers"}).json()["css"] == [".price"]
    assert client.send_json("PATCH", f"{PAGE}/watch", {"css": []}).json()["css"] == []
    for wrong in ({"css": ["p["]}, {"ignore": ["("]}, {"at_least": 0}, {"colour": "red"}, {"only": "verbs"}):
        assert client.send_json("PATCH", f"{PAGE}/watch", wrong).status in (400, 422), wrong
    assert client.get(f"{PAGE}/watch").json()["only"] == "numbers"
    assert client.send_json("PATCH", "/api/v1/resources/99/watch", {"css": ["p"]}).status == 404


@pytest.mark.usefixtures("pages")
@pytest.mark.parametrize("path", ["/feeds/r/1", "/feeds/t/shop"])
def test_changes_are_a_feed(client: AsgiClient, path: str) -> None:
    atom = client.get(f"{path}.atom")
    assert atom.headers["content-type"].startswith("application/atom+xml")
    [entry] = ElementTree.fromstring(atom.text).findall("{*}entry")
    assert entry.findtext("{*}title") == "The page: Price: 10 → 12 €"
    assert "<ins>12</ins>" in (entry.findtext("{*}content") or "")
    again = client.get(f"{path}.atom", if_none_match=atom.headers["etag"])
    assert (again.status, again.text) == (304, "")
    assert "<rss" in client.get(f"{path}.rss").text
    assert client.get(f"{path}.json").json()["items"][0]["title"] == "The page: Price: 10 → 12 €"
    assert client.get("/feeds/r/99.atom").status == 404
    assert client.get(f"{path}.pdf").status in (404, 422)


@pytest.mark.usefixtures("pages")
def test_the_page_of_a_page_shows_the_difference(client: AsgiClient) -> None:
    shown = client.get("/feeds/1").text
    assert re.search(r"Price: <del[^>]*>10</del><ins[^>]*>12</ins>", shown)
    assert "Lamp &lt;script&gt;" in shown
    older = client.get("/feeds/1?old=2&new=1").text
    assert re.search(r"<del[^>]*>12</del><ins[^>]*>10</ins>", older)
    assert client.get("/feeds/1?old=99").status == 200  # trimmed since: the rest is shown
    assert client.get("/feeds/1.json").json()["changes"]["difference"]["summary"] == "Price: 10 → 12 €"


def test_the_page_names_what_is_left_out_and_offers_to_count_it(client: AsgiClient, pages: WatchedPages) -> None:
    number = pages.add("http://club.example/")
    for visit in range(9):
        pages.see(number, "Members", f"{1_000 + visit} visitors", "Imprint")
    why = client.get(f"/api/v1/resources/{number}/why").json()["watched"]
    assert why[1:] == [
        "the line between “Members” and “Imprint” changes at every visit and is left out; --everything counts it"
    ]
    shown = client.get(f"/feeds/{number}").text
    assert "the line between “Members” and “Imprint” changes at every visit" in shown
    assert "Count it, too" in shown
    client.send_json("PATCH", f"/api/v1/resources/{number}/watch", {"everything": True})
    shown = client.get(f"/feeds/{number}").text
    assert "Count it, too" not in shown
    assert "Leave it out" in shown
    assert re.search(r"Pages</a></dt><dd>2<", client.get("/").text)


@pytest.mark.usefixtures("pages")
def test_a_page_becomes_a_link_and_back_with_its_versions(client: AsgiClient) -> None:
    versions = client.get(f"{PAGE}/versions").json()["items"]
    assert "Keep as a link" in client.get("/feeds/1").text
    link = client.send_json("PATCH", PAGE, {"kind": "link"}).json()
    assert (link["kind"], link["id"]) == ("link", 1)
    assert client.get("/api/v1/links/1").json()["reference"] == versions[0]["id"]
    assert "Watch its changes" in client.get("/links/1").text
    assert client.send_json("PATCH", PAGE, {"kind": "page"}).json()["kind"] == "page"
    assert client.get(f"{PAGE}/versions").json()["items"] == versions
    assert "Watch its changes" not in client.get("/links/1").text
    assert client.send_json("PATCH", PAGE, {"kind": "feed"}).status in (400, 422)


def test_pictures_are_shown_and_are_nothing_but_pictures(client: AsgiClient, pages: WatchedPages) -> None:
    number = pages.add("http://pictured.example/")
    for grey in (100, 0, 0):
        pages.visit(number, f"<p>Seen {pages.now:.0f}, grey {grey}</p>", picture=picture(grey))
    newest, before, first = client.get(f"/api/v1/resources/{number}/versions").json()["items"]
    shown = client.get(first["picture"])
    assert shown.headers["content-type"] == "image/png"
    assert "sandbox" in shown.headers["content-security-policy"]
    assert shown.headers["x-content-type-options"] == "nosniff"
    assert read_png(shown.body)[45, 30].tolist() == [100, 100, 100]
    difference = client.get(
        f"/api/v1/resources/{number}/difference?old={first['number']}&new={before['number']}"
    ).json()
    both = client.get(difference["picture"])
    assert (both.headers["content-type"], read_png(both.body).shape[1]) == ("image/png", 136)
    page = client.get(f"/feeds/{number}?old={first['number']}&new={before['number']}").text
    assert difference["picture"].replace("&", "&amp;") in page
    # the newest two look the same, and of the other page there are no pictures
    same = f"/api/v1/resources/{number}/difference"
    assert client.get(same).json()["picture"] == ""
    assert "look the same" in client.get(f"{same}/picture").json()["detail"]
    assert client.get(f"{PAGE}/versions").json()["items"][0]["picture"] == ""
    for path, status in ((f"{PAGE}/versions/2/picture", 422), (f"{PAGE}/versions/{newest['id']}/picture", 404)):
        assert client.get(path).status == status


def test_a_page_gets_a_picture_when_pictures_begin_to_be_taken(client: AsgiClient, pages: WatchedPages) -> None:
    number = pages.add("http://late.example/")
    pages.visit(number, "<p>Lamp</p>")
    pages.visit(number, "<p>Lamp</p>", picture=picture(7))
    [only] = client.get(f"/api/v1/resources/{number}/versions").json()["items"]
    assert read_png(client.get(only["picture"]).body)[45, 30, 0] == 7


def test_what_would_be_watched_is_shown_and_nothing_is_kept(client: AsgiClient, context: FakeContext) -> None:
    context.pages["http://shop.example/"] = b"<title>Shop</title><h1>Lamp</h1><p class=price>10 \xe2\x82\xac</p>"
    wanted = {"url": "http://shop.example/", "css": [".price", ".stock"]}
    tried = client.send_json("POST", "/api/v1/resources/try", wanted)
    assert tried.json() == {
        "url": "http://shop.example/",
        "title": "Shop",
        "kind": "html",
        "lines": ["10 €"],
        "missing": [".stock"],
    }
    assert client.send_json("POST", "/api/v1/resources/try", {"url": "http://shop.example/"}).json()["lines"] == [
        "Lamp",
        "10 €",
    ]
    assert client.get("/api/v1/resources").json()["items"] == []
    for wrong in ({"url": "http://gone.example/"}, {**wanted, "css": ["p["]}, {"css": ["p"]}, {**wanted, "colour": 1}):
        assert client.send_json("POST", "/api/v1/resources/try", wrong).status in (400, 422), wrong
