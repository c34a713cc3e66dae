"""The pages: everything foreign is escaped, every page has its twin, nothing comes from elsewhere."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from afresh.base.durations import parse_duration
from afresh.base.models import Kind, NewResource, Result, Status
from afresh.base.records.links import Check, CheckRecord, CheckStatus, LinkState, Standing
from afresh.base.settings.sections import BudgetSettings
from afresh.doors.pages import overview
from afresh.doors.pages.rendering import MORE_PLACES, PLACES, exact_duration, marked, safe_link, shorten
from afresh.doors.pages.status import _recall
from afresh.engine.add import Wanted, add
from afresh.engine.budget import Budget
from tests.fakes.asgi_client import AsgiClient
from tests.fakes.service_context import NOW, FakeContext, visit, watch
from tests.laws.store_material import report

EVIL = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>\u202egnp"
EVIL_LINKS = [
    "javascript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,x",
    "//evil.example",
]


@pytest.fixture
def hostile(context: FakeContext) -> int:
    """A feed whose every word is an attack."""
    watch(context.store, "https://a.example/feed?%22%3E%3Cscript%3E", folder=EVIL, tags=("<i>",))
    titles = [EVIL, *(f"{EVIL}{place}" for place in range(len(EVIL_LINKS)))]
    links = ['https://a.example/?"onclick="alert(1)', *EVIL_LINKS]
    watch(context.store, "https://b.example/feed", title=EVIL)
    number = visit(context.store, titles=titles, links=links, feed_title=EVIL, pattern=EVIL)
    visit(context.store, result=Result.UNPARSABLE, error=EVIL)
    return number


def parsed(text: str) -> LexborHTMLParser:
    return LexborHTMLParser(text)


@pytest.mark.parametrize(
    "target",
    [
        "/",
        "/?view=all",
        "/?view=failing",
        "/feeds/{}",
        "/?q=%3Cscript%3Ealert(1)%3C/script%3E",
        "/resources",
        "/resources?tag=%3Ci%3E&q=%22%3E%3Cscript%3E",
        "/sites",
        "/sites?q=%22%3E%3Cscript%3E&failing=true",
        "/fetchers",
        "/queries",
        "/entries",
        "/entries?q=%22%3E%3Cscript%3E&folder=%3Ci%3E&since=1d",
        "/entries/1",
        "/search?q=%22%3E%3Cscript%3E",
        "/search?q=alert",
        "/notices",
        "/settings",
        "/import",
    ],
)
def test_foreign_content_is_text(client: AsgiClient, hostile: int, target: str) -> None:
    tree = parsed(client.get(target.format(hostile)).text)
    scripts = {node.attributes.get("src") for node in tree.css("script")}
    assert "/static/act.js" in scripts
    assert scripts <= {f"/static/{name}.js" for name in ("act", "times", "live", "plot", "drop", "preview")}
    assert [node.attributes["src"] for node in tree.css("img")] == ["/static/icon.svg"]
    for node in tree.css("*"):
        assert not [name for name in node.attributes if name.startswith("on") or name == "style"]
    for node in tree.css("a"):
        href = node.attributes["href"] or ""
        assert re.match(r"https?://|/(?!/)|#|\?", href), href
        if href.startswith("http"):
            assert node.attributes["rel"] == "noopener noreferrer nofollow"


def test_pages_ask_nobody_else(client: AsgiClient, hostile: int) -> None:
    for target in ("/", f"/feeds/{hostile}"):
        tree = parsed(client.get(target).text)
        sources = [
            node.attributes.get("src") or node.attributes.get("href") for node in tree.css("script, link, img, form")
        ]
        assert all(source is None or source.startswith("/") for source in sources)
    for name in ("afresh.css", "live.js"):
        asset = client.get(f"/static/{name}")
        assert asset.status == 200
        assert asset.headers["cache-control"] == "no-cache"
        assert "//" not in asset.text.replace("// ", "")
        assert "url(" not in asset.text


def test_every_page_announces_a_twin_that_says_the_same(client: AsgiClient, hostile: int) -> None:
    for target in ("/", "/?view=all&q=b.example", f"/feeds/{hostile}"):
        [link] = parsed(client.get(target).text).css("link[rel=alternate]")
        twin = client.get(link.attributes["href"] or "")
        assert twin.headers["content-type"] == "application/json"
        assert twin.json()["at"] == "2027-01-15T08:00:00.000Z"
    routes = {route.path for route in overview.router.routes}  # type: ignore[attr-defined]
    html = {path for path in routes if not path.endswith(".json")}
    assert {("/status" if path == "/" else path) + ".json" for path in html} == routes - html


def test_status_shows_totals_next_visit_and_why(client: AsgiClient, context: FakeContext) -> None:
    number = watch(context.store, "https://a.example/feed", title="Alpha")
    visit(context.store, titles=["one"], links=["https://a.example/1"], due=NOW + 95)
    watch(context.store, "https://b.example/feed", title="Beta")
    visit(context.store, result=Result.HTTP_ERROR, error="500 from the server", due=NOW + 3600)
    page = client.get("/status.json").json()
    assert page["totals"] == {
        "feeds": 2.0,
        "pages": 0.0,
        "links": 0.0,
        "watched": 2.0,
        "visits": 2.0,
        "entries": 1.0,
        "mean_delay": 90.0,
        "errors": 1.0,
        "failing": 1.0,
        "recall": 1.0,
        "lost": 0.0,
        "troubled": 1.0,
        "damaged": 0.0,
    }
    assert [item["title"] for item in page["items"]] == ["Alpha", "Beta"]
    assert [feed["title"] for feed in page["failing"]] == ["Beta"]
    text = client.get("/").text
    row = parsed(text).css_first("table.feeds tbody tr").text(separator=" ")
    assert "in 1m35s" in row
    assert "08:01:35" in row
    assert "polled every 10m on average" in row
    assert f'href="/feeds/{number}"' in text
    assert "500 from the server" in text


def test_what_went_wrong_is_said_once_in_a_row(client: AsgiClient, context: FakeContext) -> None:
    number = watch(context.store, "https://a.example/feed", title="Alpha")
    planned = "failed once (HTTP 500); tried again after 10m"
    visit(context.store, result=Result.HTTP_ERROR, error="HTTP 500", reason=planned)
    for target in ("/?view=failing", f"/feeds/{number}"):
        row = parsed(client.get(target).text).css_first("td.why").text(separator=" ")
        assert " ".join(row.split()) == "HTTP 500 failed once; tried again after 10m"


def test_search_and_paging_reach_every_feed_once(client: AsgiClient, context: FakeContext) -> None:
    for place in range(120):
        watch(context.store, f"https://s{place}.example/feed", title=f"Feed {place}")
    seen: list[str] = []
    target: str | None = "/?view=all"
    while target:
        tree = parsed(client.get(target).text)
        seen += [node.text(strip=True) for node in tree.css("tbody th a")]
        following = tree.css_first("a[rel=next]")
        target = following.attributes["href"] if following else None
    assert seen == [f"Feed {place}" for place in range(120)]
    found = parsed(client.get("/?view=all&q=Feed+11").text).css("tbody th a")
    assert [node.text(strip=True) for node in found] == ["Feed 11", *(f"Feed {place}" for place in range(110, 120))]


def test_empty_store_says_how_to_begin(client: AsgiClient) -> None:
    assert "afresh add" in client.get("/").text
    assert "Nothing is watched yet" in client.get("/?q=x").text


def test_what_is_not_there_is_said_of_everything(client: AsgiClient, context: FakeContext) -> None:
    watch(context.store, "https://a.example/feed")
    assert "Nothing matches" in client.get("/?q=zz").text
    assert "Nothing is failing" in client.get("/?view=failing").text


def test_links_alone_make_a_sensible_overview(client: AsgiClient, context: FakeContext) -> None:
    wanted = [Wanted(url=f"https://{name}.example/", title=name, kind=Kind.LINK) for name in ("well", "lost", "new")]
    numbers = [result.id for result in add(context.store, wanted, context.settings, now=NOW)]
    lost = LinkState(standing=Standing.BROKEN, status=CheckStatus.MISSING, detail="HTTP 404")
    check = Check(at=NOW - 60, url="https://lost.example/", status=CheckStatus.MISSING)
    context.store.links.record_checks([CheckRecord(resource=numbers[1] or 0, check=check, state=lost)])
    visit(context.store, result=Result.HTTP_ERROR, error="404 from the server")
    page = client.get("/status.json").json()
    assert (page["totals"]["links"], page["totals"]["failing"]) == (3.0, 1.0)
    assert page["standings"] == {"broken": 1, "unknown": 2}
    assert [link["title"] for link in page["links"]] == ["lost"]
    assert [item["kind"] for item in page["items"]] == ["link"] * 3
    text = client.get("/").text
    names = [node.text(strip=True) for node in parsed(text).css(".totals dt")]
    assert names[:3] == ["Links", "Links broken", "Links not checked yet"]
    assert not {"Feeds", "Recall, last day", "Delay, last hour"} & set(names)
    assert f'href="/links/{numbers[1]}"' in text
    assert "Nothing is failing" not in client.get("/?view=failing").text


def test_pages_alone_make_a_sensible_overview(client: AsgiClient, context: FakeContext) -> None:
    new = NewResource(url="https://shop.example/", site="shop.example", kind=Kind.PAGE, due=NOW - 1)
    context.store.add([new], now=NOW)
    names = [node.text(strip=True) for node in parsed(client.get("/").text).css(".totals dt")]
    assert names[0] == "Pages"
    assert "Feeds" not in names


def test_feed_page_pages_through_its_visits(client: AsgiClient, context: FakeContext) -> None:
    number = watch(context.store, "https://a.example/feed")
    for place in range(60):
        visit(context.store, at=NOW - 1000 + place, due=NOW - 1)
    first = client.get(f"/feeds/{number}.json").json()
    second = client.get(f"/feeds/{number}.json?before={first['next']}").json()
    rows = [item["id"] for item in first["visits"] + second["visits"]]
    assert len(set(rows)) == 60
    assert "Older visits" in client.get(f"/feeds/{number}").text
    assert "Newest visits" in client.get(f"/feeds/{number}?before={first['next']}").text


def test_lone_surrogates_reach_neither_page_nor_json(context: FakeContext, client: AsgiClient) -> None:
    number = watch(context.store, "https://a.example/feed")
    context.known_options = [("a", "\ud800", "b", "c")]
    assert json.loads(client.get("/api/v1/settings").body)["items"][0]["value"] == "?"
    assert client.get(f"/feeds/{number}").status == 200


@pytest.mark.parametrize(
    "url", ["", None, "ftp://a.example", "http:", "https://a b", "https://a\x00", "http:\\\\a", *EVIL_LINKS]
)
def test_unsafe_links(url: str | None) -> None:
    assert safe_link(url) == ""


def test_shorten_bounds_work_and_length() -> None:
    assert len(shorten("x" * 10_000_000)) == 300
    assert shorten(" " * 10_000_000) == ""


def test_templates_never_switch_escaping_off() -> None:
    for template in Path(overview.__file__).with_name("templates").glob("*.html"):
        text = template.read_text(encoding="utf-8")
        assert "|safe}" not in text.replace(" ", "")
        assert "autoescape" not in text


def test_sites_in_trouble_are_found_by_name(client: AsgiClient, context: FakeContext) -> None:
    watch(context.store, "https://alpha.example/feed")
    watch(context.store, "https://beta.example/feed")
    visit(context.store, result=Result.UNREACHABLE, error="no answer")
    visit(context.store, titles=["one"], links=["https://beta.example/1"])
    named = {
        query: [site["name"] for site in client.get(f"/sites.json{query}").json()["items"]]
        for query in ("", "?q=ETA", "?q=_", "?failing=true", "?failing=true&q=zzz", "?failing=false")
    }
    [failing] = named["?failing=true"]
    assert sorted(named[""]) == ["alpha.example", "beta.example"] == sorted(named["?failing=false"])
    assert named["?q=ETA"] == ["beta.example"]
    assert named["?q=_"] == named["?failing=true&q=zzz"] == []
    assert client.get("/api/v1/sites?failing=true").json()["items"][0]["name"] == failing
    text = client.get("/sites?failing=true").text
    assert (">Visits<" in text, ">Requests<" in text) == (True, False), "robots.txt and redirects are part of a visit"
    assert "in a row" in text
    assert ">no failures<" not in text
    assert "Nothing matches." in client.get("/sites?q=zzz").text
    assert 'href="/sites?failing=true"' in client.get("/").text


def test_the_latest_visited_come_first_where_asked(client: AsgiClient, context: FakeContext) -> None:
    first = watch(context.store, "https://alpha.example/feed", title="Alpha")
    watch(context.store, "https://beta.example/feed", title="Beta")
    visit(context.store, titles=["one"], links=["https://alpha.example/1"])
    page = client.get("/resources.json?order=last_visit").json()
    assert [item["last_visit"] is not None for item in page["items"]] == [True, False]
    assert 'value="last_visit" selected' in client.get("/resources?order=last_visit").text
    assert first in {item["id"] for item in page["items"]}


def test_numbers_of_a_page_are_those_of_a_page(client: AsgiClient, context: FakeContext) -> None:
    """Forecast and rhythm belong to feeds, and so do the words for the numbers of their rules."""
    feed = watch(context.store, "https://alpha.example/feed")
    new = NewResource(url="https://alpha.example/terms", site="alpha.example", kind=Kind.PAGE, due=NOW)
    page = context.store.add([new], now=NOW)[0].id
    assert "Rhythm learnt" in client.get(f"/feeds/{feed}").text
    assert "Rhythm learnt" not in client.get(f"/feeds/{page}").text


def test_code_among_our_own_words_is_marked() -> None:
    assert (
        str(marked("a `<b>` and ``--trace``; 5 > 3")) == "a <code>&lt;b&gt;</code> and <code>--trace</code>; 5 &gt; 3"
    )


@pytest.mark.parametrize("seconds", [0.0, 0.25, 1.0, 59.0, 60.0, 5400.0, 5403.5, 86_400.0, 1_000_000.0])
def test_an_exact_duration_is_read_as_it_was(seconds: float) -> None:
    assert parse_duration(exact_duration(seconds)) == seconds


def test_no_link_of_ours_leads_nowhere(client: AsgiClient, hostile: int) -> None:
    """Every page is reached from the overview, and everything the pages link to answers."""
    waiting, seen = ["/"], set[str]()
    while waiting:
        target = waiting.pop()
        if target in seen:
            continue
        seen.add(target)
        answer = client.get(target)
        assert answer.status < 400, target
        if answer.headers["content-type"].startswith("text/html") and len(seen) < 200:
            hrefs = (node.attributes["href"] or "" for node in parsed(answer.text).css("a[href], link[href]"))
            waiting += [href for href in hrefs if href.startswith("/")]
    assert {path for path, _ in (*PLACES, *MORE_PLACES)} <= seen
    assert "/links" in [path for path, _ in PLACES[:4]]  # as many as a phone shows
    assert {f"/feeds/{hostile}", "/metrics", "/sites?failing=true", "/resources?standing=failing"} <= seen


@pytest.mark.parametrize(("settled", "words"), [(True, "the price has settled"), (False, "the price is settling")])
def test_overview_shows_budget_spend_and_whether_it_has_settled(
    client: AsgiClient, context: FakeContext, settled: bool, words: str
) -> None:
    report = Budget(BudgetSettings(requests_per_hour=200.0)).report(NOW)
    context.spending = replace(report, used_last_hour=190, settled=settled)
    shown = " ".join(parsed(client.get("/").text).body.text().split())
    assert "190 of 200 requests used in the last hour (95 %)" in shown
    assert words in shown


def test_the_page_of_a_feed_says_where_its_price_comes_from(client: AsgiClient, context: FakeContext) -> None:
    number = watch(context.store, "https://a.example/feed")
    shown = parsed(client.get(f"/feeds/{number}").text).body.text()
    assert "counts 2 times, says the controller of the budget of 600 requests an hour" in shown


def test_who_cannot_train_is_told_before_rating(client: AsgiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "needs the extra lab" not in client.get("/learning").text
    monkeypatch.setattr("afresh.base.extras.is_installed", lambda _: False)
    assert "Training needs the extra lab" in client.get("/learning").text


def test_the_overview_tells_of_checks_by_command(client: AsgiClient, context: FakeContext) -> None:
    """No daemon has visited these links: one was checked, one put off by its site, one not asked for yet."""
    urls = [f"https://{name}.example/" for name in "abc"]
    links = [NewResource(url=url, site=url.split("/")[2], kind=Kind.LINK) for url in urls]
    numbers = [added.id for added in context.store.add(links, now=NOW)]
    later = "b.example may not be asked for another 9m"
    told = ((CheckStatus.EQUAL, Standing.OK, ""), (CheckStatus.THROTTLED, Standing.UNKNOWN, later))
    records = [
        CheckRecord(
            resource=number,
            check=Check(url=url, at=NOW - 3_600.0, status=status, detail=detail),
            state=LinkState(status=status, standing=standing, checked=NOW - 3_600.0, detail=detail),
        )
        for number, url, (status, standing, detail) in zip(numbers[:2], urls[:2], told, strict=True)
    ]
    context.store.links.record_checks(records)
    tree = parsed(client.get("/").text)
    tiles = {tile.css_first("dt").text(): tile.css_first("dd").text() for tile in tree.css("dl.totals div")}
    assert (tiles["Links not checked yet"], tiles["Links that could not be checked"]) == ("1", "1")
    rows = [[" ".join(cell.text().split()) for cell in row.css("td")] for row in tree.css("#live-items tbody tr")]
    assert [(row[1], row[-1]) for row in rows] == [
        ("checked 1h ago ok", "checked by a command, from which its usual pause counts"),
        ("checked 1h ago could not be checked", later),
        ("never", "–"),
    ]
    twin = client.get("/status.json").json()
    assert (twin["untold"], sorted(twin["checked"])) == (1, [str(number) for number in numbers[:2]])
    assert "could not be checked" in client.get("/links").text


def test_recall_is_told_once_something_was_measured() -> None:
    """What a feed shows at its first visit has no delay, and says nothing of what may be missed."""
    assert _recall({"entries_last_day": 34.0}) is None
    assert _recall({"entries_last_day": 34.0, "delayed_last_day": 3.0}) == 1.0
    assert _recall({"entries_last_day": 34.0, "delayed_last_day": 3.0, "missed_last_day": 1.0}) == 0.75


def test_the_front_page_says_when_all_is_only_kept(client: AsgiClient, context: FakeContext) -> None:
    new = NewResource(url="https://a.example/", site="a.example", kind=Kind.LINK, status=Status.PAUSED)
    number = context.store.add([new], now=NOW)[0].id
    assert ">running: nothing is watched<" in client.get("/").text
    context.store.update(number, status=Status.ACTIVE)
    assert ">watching<" in client.get("/").text


def test_the_front_page_says_what_all_that_is_due_waits_for(client: AsgiClient, context: FakeContext) -> None:
    for number in range(3):
        watch(context.store, f"https://s{number}.example/feed")
    words = "Within the budget of 60 requests an hour one leaves every 60 s; 3 are due"
    context.time += 30.0
    assert words not in client.get("/").text
    context.settings = replace(context.settings, budget=BudgetSettings(requests_per_hour=60.0))
    assert words in client.get("/").text


@pytest.mark.parametrize(("found", "colour"), [(99.0, "faint"), (9.0, "warn")])
def test_a_few_lost_entries_are_no_alarm(
    client: AsgiClient, context: FakeContext, monkeypatch: pytest.MonkeyPatch, found: float, colour: str
) -> None:
    watch(context.store, "https://a.example/feed")
    stats = context.store.stats
    told = {"delayed_last_day": found, "missed_last_day": 1.0}
    monkeypatch.setattr(context.store, "stats", lambda now: {**stats(now=now), **told})
    [lost] = [node for node in parsed(client.get("/").text).css("dd span.block") if "lost" in node.text()]
    assert (lost.attributes["class"], lost.text()) == (f"{colour} block", "about 1 lost, by estimate")


def test_a_feed_tells_what_else_its_page_announces(client: AsgiClient, context: FakeContext) -> None:
    number = watch(context.store, "https://a.example/feed")
    [lease] = context.store.lease(holder="test", now=NOW, until=NOW + 60, limit=1)
    done = report(lease, NOW)
    facts = replace(done.resource.facts, also_announced=("https://a.example/comments.xml",))
    assert context.store.record([replace(done, resource=replace(done.resource, facts=facts))]) == [True]
    [told] = [node for node in parsed(client.get(f"/feeds/{number}").text).css("p") if "also announces" in node.text()]
    assert told.css_first("a").attributes["href"] == "https://a.example/comments.xml"
