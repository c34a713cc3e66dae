"""``/links``: how links stand, their versions in a sandbox, differences, acceptance."""

import csv
import io
import re
from dataclasses import replace

import pytest

from afresh.base.models import Fetched, Kind, NewResource, Rejected, Trip
from afresh.base.records.labels import NewModel
from afresh.base.records.links import Check, CheckRecord, CheckStatus, LinkState, Standing, Turned
from afresh.base.settings.sections import LinkSettings
from afresh.links.judge import LinkJudge
from afresh.links.verdicts.model import default_model, dump_model
from tests.fakes.asgi_client import AsgiClient
from tests.fakes.saved_links import page_body, watched
from tests.fakes.service_context import NOW, FakeContext

URL = "https://town.example/harbour"
PROSE = "The harbour was rebuilt in stone after the storm, and the council printed the plans for everybody. " * 6
GOOD = f"<title>Harbour</title><h1>Harbour</h1><p>{PROSE}</p><script>alert(document.cookie)</script>"
PARKED = "<title>town.example is for sale</title><h1>This domain is for sale</h1><p>Buy this domain</p>"


@pytest.fixture
def link(context: FakeContext) -> int:
    """A link that was fine once and is parked now."""
    number = context.store.add([NewResource(url=URL, site="town.example", kind=Kind.LINK)], now=NOW)[0].id
    judge = LinkJudge(context.store.links, LinkSettings(), model=lambda _: default_model())
    for place, body in enumerate((GOOD, PARKED)):
        at = NOW + place
        trip = Trip(url=URL, final_url=URL, started=at, finished=at, headers={"content-type": "text/html"})
        checked = judge.judge(number, Fetched(trip=trip, status=200, body=body.encode()))
        assert checked.record is not None
        context.store.links.record_checks([checked.record])
    return number


def test_links_are_listed_with_their_standing(client: AsgiClient, link: int) -> None:
    answer = client.get("/api/v1/links").json()
    [item] = answer["items"]
    assert (item["id"], item["url"], item["standing"], item["entry"]) == (link, URL, "broken", "not_ok")
    assert (item["status"], item["code"], item["turned"]) == ("content_different", 1040, "parked")
    assert answer["standings"] == {"broken": 1}
    assert client.get("/api/v1/links?standing=ok").json()["items"] == []
    assert client.get("/api/v1/links?status=content_similar").json()["items"] == []
    assert client.get("/api/v1/links?status=content_different").json()["items"] == [item]
    shown = {status: client.get(f"/links.json?status=content_{status}").json() for status in ("similar", "different")}
    assert [len(page["items"]) for page in shown.values()] == [0, 1]
    assert '<option value="content_similar" selected>' in client.get("/links?status=content_similar").text
    assert client.get(f"/api/v1/links/{link}").json() == item
    assert client.get("/api/v1/links/99").status == 404
    assert client.get("/api/v1/links?standing=fine").status == 422


def test_checks_and_versions_are_listed_newest_first(client: AsgiClient, link: int) -> None:
    checks = client.get(f"/api/v1/links/{link}/checks").json()["items"]
    assert [check["status"] for check in checks] == ["content_different", "content_new"]
    versions = client.get(f"/api/v1/links/{link}/versions").json()["items"]
    assert [version["is_reference"] for version in versions] == [False, True]
    assert client.get("/api/v1/links/99/checks").status == 404
    assert client.get("/api/v1/links/99/versions").status == 404


def test_a_stored_page_is_shown_in_a_sandbox_only(client: AsgiClient, link: int) -> None:
    versions = client.get(f"/api/v1/links/{link}/versions").json()["items"]
    shown = client.get(versions[1]["content"])
    assert shown.status == 200
    policy = shown.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'")
    assert "allow-" not in policy
    assert shown.headers["content-type"] == "text/html; charset=utf-8"
    assert shown.headers["x-content-type-options"] == "nosniff"
    assert shown.headers["x-dns-prefetch-control"] == "off"
    text = client.get(versions[1]["content"] + "?form=text")
    assert text.headers["content-type"] == "text/plain; charset=utf-8"
    assert "rebuilt in stone" in text.text
    assert "alert" not in text.text
    assert client.get(f"/api/v1/links/{link + 1}/versions/{versions[1]['id']}/content").status == 404
    assert client.get(f"/api/v1/links/{link}/versions/99/content").status == 404


def test_everything_else_keeps_the_usual_policy(client: AsgiClient, link: int) -> None:
    policy = client.get(f"/api/v1/links/{link}").headers["content-security-policy"]
    assert "sandbox" not in policy
    assert "frame-ancestors 'none'" in policy


def test_a_difference_explains_itself(client: AsgiClient, link: int) -> None:
    made = client.get(f"/api/v1/links/{link}/diff").json()
    assert (made["content"], made["turned"]) == ("different", "parked")
    assert made["probability"] < 0.5
    assert made["measures"]
    assert {"change": "removed", "text": "Harbour"} in made["difference"]
    assert client.get(f"/api/v1/links/{link}/diff?new=99").status == 404
    assert client.get("/api/v1/links/99/diff").status == 404


def test_a_person_accepts_or_rejects(client: AsgiClient, context: FakeContext, link: int) -> None:
    accepted = client.send_json("POST", f"/api/v1/links/{link}/accept", {"by": "me"}).json()
    assert (accepted["standing"], accepted["accepted_by"]) == ("ok", "me")
    assert accepted["reference"] == context.store.links.versions(link)[0].id
    rejected = client.send_json("POST", f"/api/v1/links/{link}/reject", {"version": accepted["reference"]}).json()
    assert (rejected["standing"], rejected["rejected"]) == ("broken", accepted["reference"])
    assert client.send_json("POST", f"/api/v1/links/{link}/accept", {"version": 99}).status in (404, 422)
    assert client.send_json("POST", "/api/v1/links/99/accept", {}).status == 404
    assert client.send_json("POST", f"/api/v1/links/{link}/accept", {"version": 0}).status == 422


def test_the_address_where_a_page_is_now_can_be_taken(client: AsgiClient, context: FakeContext, link: int) -> None:
    state = context.store.links.link(link).state
    check = context.store.links.link_checks(link, limit=1)[0]
    new = "https://new.example/harbour"
    record = CheckRecord(resource=link, check=check, state=replace(state, new_url=new))
    context.store.links.record_checks([record])
    page = client.get(f"/links/{link}").text
    assert ("Perhaps now at" in page, "Take this address" in page, f'value="{new}"' in page) == (True, True, True)
    sending = f'<form data-send="PATCH /api/v1/links/{link}" data-then="reload">'
    assert f'{sending}<input type="hidden" name="url" value="{new}">' in client.get("/links").text
    taken = client.send_json("PATCH", f"/api/v1/links/{link}", {"url": new}).json()
    assert (taken["id"], taken["url"], taken["new_url"], taken["versions"]) == (link, new, None, 2)
    assert "Take this address" not in client.get(f"/links/{link}").text
    assert client.send_json("PATCH", f"/api/v1/links/{link}", {"url": "http://10.0.0.1/"}).status == 422
    assert client.send_json("PATCH", f"/api/v1/links/{link}", {"url": new}).status == 200  # where it is already


def test_profile_and_check_now(client: AsgiClient, context: FakeContext, link: int) -> None:
    changed = client.send_json("PATCH", f"/api/v1/links/{link}", {"profile": "attributive"}).json()
    assert changed["profile"] == "attributive"
    assert client.send_json("PATCH", f"/api/v1/links/{link}", {"profile": "other"}).status == 422
    assert client.request("POST", f"/api/v1/links/{link}/check").status == 202
    assert context.polled == [link]


def test_a_link_is_judged_by_the_model_chosen_for_it(client: AsgiClient, context: FakeContext) -> None:
    link = watched(context.store, 1, page_body(1), page_body(2))
    other = replace(default_model(), slope=2.0 * default_model().slope)
    new = NewModel(owner="her", kernel="linear", measures=other.measures, examples=1, body=dump_model(other))
    hers = context.store.learning.add_model(new, now=NOW).id

    def choose(choice: str) -> float:
        changed = client.send_json("PATCH", f"/api/v1/links/{link}", {"model": choice})
        assert (changed.status, changed.json()["model"], changed.json()["profile"]) == (200, choice, "referential")
        assert f'value="{choice}" selected' in client.get(f"/links/{link}", accept="text/html").text
        probability: float = client.get(f"/api/v1/links/{link}/diff").json()["probability"]
        return probability

    shipped = choose("shipped")
    assert choose("everybody") == choose("owner:her") == shipped  # hers is not in use yet
    pinned = choose(str(hers))
    assert pinned != shipped
    context.store.learning.activate_model(hers, owner="her", now=NOW)
    assert choose("owner:her") == pinned
    assert choose("everybody") == shipped
    both = client.send_json("PATCH", f"/api/v1/links/{link}", {"model": "owner:her", "profile": "attributive"}).json()
    assert (both["model"], both["profile"]) == ("owner:her", "attributive")


@pytest.mark.parametrize(
    ("model", "status"),
    [("99", 404), ("nonsense", 422), ("owner:", 422), ("", 422), ("-1", 422), ("9" * 30, 422), ("owner:a\0", 422)],
)
def test_a_model_that_is_none_is_refused(client: AsgiClient, link: int, model: str, status: int) -> None:
    assert client.send_json("PATCH", f"/api/v1/links/{link}", {"model": model}).status == status
    assert client.get(f"/api/v1/links/{link}").json()["model"] == "everybody"


def test_a_broken_link_names_where_a_copy_may_be(client: AsgiClient, link: int) -> None:
    item = client.get(f"/api/v1/links/{link}").json()
    assert item["archive"] == f"https://web.archive.org/web/20270115080000/{URL}"
    assert item["archive"] in client.get(f"/links/{link}").text
    client.send_json("POST", f"/api/v1/links/{link}/accept", {})
    assert client.get(f"/api/v1/links/{link}").json()["archive"] is None


@pytest.fixture
def foldered(context: FakeContext) -> list[int]:
    """Four links in three folders; the first two have moved."""
    folders = ("", "work", "work/python", "workshop")
    new = [
        NewResource(url=f"https://{n}.example/", site=f"{n}.example", title=f"=Link {n}", kind=Kind.LINK, folder=folder)
        for n, folder in enumerate(folders)
    ]
    numbers = [added.id for added in context.store.add(new, now=NOW)]
    for number in numbers[:2]:
        state = LinkState(standing=Standing.MOVED, status=CheckStatus.EQUAL, new_url=f"https://new.example/{number}")
        check = Check(url="", at=NOW, status=CheckStatus.EQUAL)
        context.store.links.record_checks([CheckRecord(resource=number, check=check, state=state)])
    return numbers


def test_the_page_begins_with_what_is_broken(
    client: AsgiClient, context: FakeContext, foldered: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many pages it takes; a link that somebody only suspects is offered a copy, too."""
    stands = zip((3, 2), (Standing.BROKEN, Standing.SUSPECT), strict=True)
    for place, standing in stands:
        state = LinkState(standing=standing, status=CheckStatus.MISSING)
        check = Check(url="", at=NOW, status=CheckStatus.MISSING)
        context.store.links.record_checks([CheckRecord(resource=foldered[place], check=check, state=state)])
    new = NewResource(url="https://new.example/", site="new.example", kind=Kind.LINK)
    never = context.store.add([new], now=NOW)[0].id
    urgent = [foldered[3], foldered[0], foldered[1], foldered[2], never]
    for rows in (50, 5, 2, 1):
        monkeypatch.setattr("afresh.doors.pages.links.ROWS", rows)
        found, after = [], 0
        while after is not None:
            page = client.get(f"/links.json?after={after}").json()
            found += page["items"]
            after = page["next"]
        assert [item["id"] for item in found] == urgent
    assert [item["archive"] is not None for item in found] == [True, False, False, True, False]


def test_folders_are_a_tree(client: AsgiClient, foldered: list[int]) -> None:
    folders = client.get("/api/v1/links/folders").json()["items"]
    told = [(folder["path"], folder["depth"], folder["links"]) for folder in folders]
    assert told == [("work", 0, 2), ("work/python", 1, 1), ("workshop", 0, 1)]
    for query in ("within=work", "within=work/python", "folder=work", "within=nowhere"):
        found = [item["id"] for item in client.get(f"/api/v1/links?{query}").json()["items"]]
        assert found == {
            "within=work": foldered[1:3],
            "within=work/python": [foldered[2]],
            "folder=work": foldered[1:3],
        }.get(query, [])
    page = client.get("/links.json?folder=work").json()
    assert [item["id"] for item in page["items"]] == foldered[1:3]
    assert 'href="/links?folder=work%2Fpython"' in client.get("/links").text


def test_many_links_take_their_new_addresses(client: AsgiClient, context: FakeContext, foldered: list[int]) -> None:
    body = {"ids": [*foldered[:3], 999], "action": "address"}
    answer = client.send_json("POST", "/api/v1/links/bulk", body).json()
    assert answer["changed"] == 2
    assert [text.partition(":")[0] for text in answer["refused"]] == [f"link {foldered[2]}", "link 999"]
    assert context.store.get(foldered[0]).url == f"https://new.example/{foldered[0]}"
    nothing = client.send_json("POST", "/api/v1/links/bulk", {"ids": [foldered[3]], "action": "accept"}).json()
    assert (nothing["changed"], len(nothing["refused"])) == (0, 1)
    assert client.send_json("POST", "/api/v1/links/bulk", {"ids": [], "action": "accept"}).status == 422


def test_where_no_page_is_nothing_is_accepted(client: AsgiClient, context: FakeContext, link: int) -> None:
    """At the door of one, at that of many, and the page offers no button for it."""
    other = context.store.add([NewResource(url=URL + "/2", site="town.example", kind=Kind.LINK)], now=NOW)[0].id
    judge = LinkJudge(context.store.links, LinkSettings(), model=lambda _: default_model())
    for number, codes in ((link, (410,)), (other, (200,))):
        for code in codes:
            trip = Trip(url=URL, final_url=URL, started=NOW, finished=NOW + 9, headers={"content-type": "text/html"})
            page = Fetched(trip=trip, status=200, body=GOOD.encode())
            checked = judge.judge(number, page if code == 200 else Rejected(trip=trip, status=code))
            assert checked.record is not None
            context.store.links.record_checks([checked.record])
    before = client.get(f"/api/v1/links/{link}").json()
    why = f"there is no page at {URL} that could be accepted (last check: HTTP 410)"
    assert (before["standing"], before["status"], before["not_accepted_because"]) == ("broken", "content_missing", why)
    refused = client.send_json("POST", f"/api/v1/links/{link}/accept", {})
    assert (refused.status, refused.json()["detail"]) == (422, why)
    many = client.send_json("POST", "/api/v1/links/bulk", {"ids": [link, other], "action": "accept"}).json()
    assert many == {"changed": 1, "refused": [f"link {link}: {why}"], "left": {"no page there": 1}}
    assert client.get(f"/api/v1/links/{link}").json() == before
    buttons = [client.get(f"/links/{number}").text.partition(">The page is now this<")[0] for number in (link, other)]
    assert ["disabled" in text.rpartition("<button")[2] for text in buttons] == [True, False]


@pytest.mark.parametrize(
    ("detail", "standing", "verdict"),
    [
        ("permanent redirect", "ok", "the first version: nothing to compare it with yet"),
        ("says so itself (notice), and the page is there", "ok", "the same page, changed a little"),
        ("says so itself (meta refresh)", "unknown", "not checked yet"),
    ],
)
def test_a_page_that_was_seen_at_its_new_address_is_well_there(
    client: AsgiClient, context: FakeContext, link: int, detail: str, standing: str, verdict: str
) -> None:
    new = "https://new.example/harbour"
    check = Check(url=URL, at=NOW + 7, status=CheckStatus.MOVED, new_url=new, detail=detail)
    state = LinkState(standing=Standing.MOVED, status=CheckStatus.MOVED, checked=NOW + 7, new_url=new, detail=detail)
    context.store.links.record_checks([CheckRecord(resource=link, check=check, state=state)])
    taken = client.send_json("PATCH", f"/api/v1/links/{link}", {"url": new}).json()
    assert (taken["standing"], taken["checked"] is not None) == (standing, standing == "ok")
    assert f'<p class="big">{verdict}</p>' in client.get(f"/links/{link}").text


def test_the_address_of_a_copy_has_no_verdict_yet(client: AsgiClient, link: int) -> None:
    assert "turned into: parked" in client.get(f"/links/{link}").text
    copy = "https://web.archive.org/web/2019/" + URL
    taken = client.send_json("PATCH", f"/api/v1/links/{link}", {"url": copy}).json()
    assert (taken["standing"], taken["status"], taken["probability"]) == ("unknown", None, None)
    assert '<p class="big">not checked yet</p>' in client.get(f"/links/{link}").text


def test_many_links_take_no_front_page_for_theirs(client: AsgiClient, context: FakeContext) -> None:
    new = NewResource(url="https://sold.example/lamps/7", site="sold.example", kind=Kind.LINK)
    number = context.store.add([new], now=NOW)[0].id
    state = LinkState(standing=Standing.MOVED, new_url="https://other.example/", detail="permanent redirect")
    check = Check(url="", at=NOW, status=CheckStatus.MOVED)
    context.store.links.record_checks([CheckRecord(resource=number, check=check, state=state)])
    answer = client.send_json("POST", "/api/v1/links/bulk", {"ids": [number], "action": "address"}).json()
    assert answer["changed"] == 0
    assert "https://other.example/ was not taken: it leads to a front page now" in answer["refused"][0]
    assert client.get(f"/api/v1/links/{number}").json()["left_because"] == "it leads to a front page now"
    assert "No repair by itself: it leads to a front page now." in client.get(f"/links/{number}").text
    known = client.send_json("PATCH", f"/api/v1/links/{number}", {"url": "https://other.example/"}).json()
    assert known["url"] == "https://other.example/"  # who names an address means it


def test_reports_say_what_a_link_turned_into(client: AsgiClient, context: FakeContext, link: int) -> None:
    state = LinkState(standing=Standing.BROKEN, status=CheckStatus.DIFFERENT, turned=Turned.PARKED, detail="for sale")
    check = Check(url="", at=NOW, status=CheckStatus.DIFFERENT)
    context.store.links.record_checks([CheckRecord(resource=link, check=check, state=state)])
    [row] = csv.DictReader(io.StringIO(client.get("/links/report.csv?standing=broken").text))
    assert row["detail"] == "parked; for sale"
    assert "parked; for sale" in client.get("/links/report.html").text


def test_reports_hold_all_that_is_shown_and_no_formula(client: AsgiClient, foldered: list[int]) -> None:
    answer = client.get("/links/report.csv?standing=moved")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["url"] for row in rows] == ["https://0.example/", "https://1.example/"]
    assert [row["title"] for row in rows] == ["'=Link 0", "'=Link 1"]
    assert answer.headers["content-disposition"] == 'attachment; filename="links.csv"'
    page = client.get("/links/report.html?folder=work")
    assert page.headers["content-disposition"].startswith("attachment")
    assert "1 moved, 1 unknown of 2 links" in page.text
    assert "https://1.example/" in page.text
    assert "https://0.example/" not in page.text


def test_tags_folder_and_note_are_shown_and_found(client: AsgiClient, context: FakeContext, link: int) -> None:
    context.store.update(link, tags=("toread",), folder="recipes/bread", note="from Ada\n<b>")
    new = NewResource(url="https://other.example/", site="other.example", kind=Kind.LINK)
    other = context.store.add([new], now=NOW)[0].id
    for path in ("/links.json?q=TOREAD", "/links.json?tag=toread", "/links.json?q=bread", "/api/v1/links?tag=toread"):
        assert [item["id"] for item in client.get(path).json()["items"]] == [link]
    assert [item["id"] for item in client.get("/search.json?q=toread").json()["links"]] == [link]
    assert other not in [item["id"] for item in client.get("/search.json?q=bread").json()["links"]]
    text = client.get("/links").text
    assert '<a class="tag" href="/links?tag=toread"><bdi>toread</bdi></a>' in text
    text = client.get(f"/links/{link}").text
    assert '<a class="tag" href="/links?tag=toread"><bdi>toread</bdi></a>' in text
    assert 'href="/links?folder=recipes%2Fbread"' in text
    assert "<bdi>from Ada</bdi><br><bdi>&lt;b&gt;</bdi>" in text
    assert client.get(f"/api/v1/links/{link}").json()["note"] == "from Ada\n<b>"


def test_many_at_once_are_told_what_becomes_of_them(client: AsgiClient, link: int) -> None:
    """Behind their number, by the page's script: what is only asked for is not said to be done."""
    told = dict(re.findall(r'value="(\w+)"[^>]*? data-told="([^"]+)"', client.get("/links").text))
    assert told == {
        "visit": "will be checked as soon as their sites allow",
        "move": "moved",
        "address": "now at the new address",
        "accept": "accepted",
        "pause": "paused",
        "resume": "resumed",
        "remove": "removed",
    }
