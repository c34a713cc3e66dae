"""What the demo web answers: documents that parse, validators that are true, manners as announced."""

import calendar
import gzip
import json
from collections import Counter
from dataclasses import replace
from email.utils import parsedate_to_datetime
from urllib.parse import urljoin, urlsplit

import feedparser
import numpy as np
import protego
import pytest
from selectolax.lexbor import LexborHTMLParser

from afresh.feeds.patterns import Pattern, classify
from afresh.lab.web import DemoFeed, DemoWeb
from afresh.lab.web.answers import Answer, Call
from afresh.lab.web.feeds import Channel, Format, Hints, Item, render

START = 1_700_000_000.0


@pytest.fixture
def demo() -> DemoWeb:
    return DemoWeb(seed=5, start=START, clock=lambda: START + 90)


def ask(demo: DemoWeb, url: str, at: float = 90.0, **headers: str) -> Answer:
    parts = urlsplit(url)
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return demo.answer(Call(host=parts.netloc, path=path, now=START + at, headers=named))


def only(demo: DemoWeb, manners: str) -> DemoFeed:
    [feed] = [feed for feed in demo.feeds if feed.manners == manners]
    return feed


def good(demo: DemoWeb) -> list[DemoFeed]:
    return [feed for feed in demo.feeds if feed.manners == "good"]


def entries(answer: Answer, form: Format) -> list[tuple[str, str, str]]:
    """(link, title, id) of a document, newest first."""
    if form is Format.JSON11:
        items = json.loads(answer.body)["items"]
        return [(item["url"], item["title"], item["id"]) for item in items]
    parsed = feedparser.parse(answer.body)
    assert not parsed.bozo, parsed.get("bozo_exception")
    return [(entry.link, entry.title, entry.get("id", "")) for entry in parsed.entries]


# --- the population ---


def test_population(demo: DemoWeb) -> None:
    assert len(demo.sites) >= 20
    assert 30 <= len(demo.feeds) <= 45
    assert len({feed.url for feed in demo.feeds}) == len(demo.feeds)
    patterns = Counter(feed.pattern for feed in good(demo))
    assert all(patterns[pattern] >= 2 for pattern in set(Pattern) - {Pattern.UNKNOWN})
    assert max(Counter(feed.site for feed in demo.feeds).values()) >= 2
    assert {feed.format for feed in demo.feeds} == set(Format)


def test_something_happens_every_second(demo: DemoWeb) -> None:
    seconds = {entry.time for feed in demo.feeds for entry in demo.published(feed, until=START + 300)}
    assert len(seconds) > 290


# --- rendering ---

HOSTILE = Item(
    id="a&b<c>'\"",
    title='5 < 6 & "quotes" ]]> é€',
    link="http://x.localhost/?a=1&b='2'",
    summary="<b>x</b> & y",
    date=START,
)
CHANNEL = Channel(title="T & <U>", link="http://x.localhost/", self_url="http://x.localhost/f?a&b", updated=START)


@pytest.mark.parametrize("form", list(Format))
def test_text_survives_every_format(form: Format) -> None:
    text = render(form, CHANNEL, [HOSTILE]).encode()
    [(link, _, native_id)] = entries(Answer(status=200, body=text), form)
    assert link == HOSTILE.link
    if form is not Format.RSS10:  # has no identifier but the link
        assert native_id == HOSTILE.id
    if form is Format.JSON11:
        assert json.loads(text)["items"][0]["title"] == HOSTILE.title
    else:
        # the parser reads titles of RSS as HTML, so the untouched text is looked for in the raw XML
        assert b"5 &lt; 6 &amp; &quot;quotes&quot; ]]&gt; \xc3\xa9\xe2\x82\xac" in text
        assert feedparser_time(feedparser.parse(text).entries[0]) == START


@pytest.mark.parametrize("form", list(Format))
def test_an_item_without_date_and_id_has_neither(form: Format) -> None:
    text = render(form, CHANNEL, [replace(HOSTILE, id="", date=None)])
    assert not any(
        word in text for word in ("pubDate", "dc:date>", "<published>", "date_published", "guid", HOSTILE.id)
    )


def test_hints_are_rendered() -> None:
    hints = Hints(ttl_minutes=5, skip_hours=(1, 2), skip_days=(6,), hub=True, cloud=True)
    channel = replace(CHANNEL, hints=hints)
    parsed = feedparser.parse(render(Format.RSS20, channel, [])).feed
    assert parsed.ttl == "5"
    assert "hub" in [link.rel for link in parsed.links]
    assert parsed.cloud["protocol"] == "http-post"
    assert "<skipHours><hour>1</hour><hour>2</hour></skipHours>" in render(Format.RSS20, channel, [])
    assert "<skipDays><day>Sunday</day></skipDays>" in render(Format.RSS20, channel, [])
    period = replace(CHANNEL, hints=Hints(update_period="hourly"))
    assert feedparser.parse(render(Format.RSS10, period, [])).feed.sy_updateperiod == "hourly"


def test_good_documents_show_the_window_of_the_truth(demo: DemoWeb) -> None:
    for feed in good(demo):
        truth = demo.published(feed, until=START + 90, history=True)[-feed.window :][::-1]
        shown = entries(ask(demo, feed.url), feed.format)
        assert [link for link, _, _ in shown] == [entry.link for entry in truth], feed.url
        if feed.format in (Format.ATOM10, Format.JSON11):
            assert [native for _, _, native in shown] == [entry.native_id for entry in truth]


def test_dates_of_documents_are_the_true_times_except_on_the_fly(demo: DemoWeb) -> None:
    for feed in good(demo):
        if feed.format is Format.JSON11:
            continue
        parsed = feedparser.parse(ask(demo, feed.url, 90.7).body).entries
        dates = [feedparser_time(entry) for entry in parsed]
        truth = [e.time for e in demo.published(feed, until=START + 90.7, history=True)[-feed.window :][::-1]]
        assert dates == ([START + 90] * len(truth) if feed.pattern is Pattern.ON_THE_FLY else truth), feed.url


def test_documents_made_at_request_time_are_recognised(demo: DemoWeb) -> None:
    feeds = [feed for feed in demo.feeds if feed.pattern is Pattern.ON_THE_FLY or feed.manners == "request-time dates"]
    assert len(feeds) >= 3
    for feed in feeds:
        dates = [feedparser_time(entry) for entry in feedparser.parse(ask(demo, feed.url, 90.7).body).entries]
        assert classify(np.array(dates), START + 90.7, http_date=START + 90) is Pattern.ON_THE_FLY


def feedparser_time(entry: feedparser.FeedParserDict) -> float:
    return float(calendar.timegm(entry.get("published_parsed") or entry["updated_parsed"]))


def test_publications_of_one_web_have_distinct_links_and_since_start_excludes_history(demo: DemoWeb) -> None:
    links = [entry.link for feed in demo.feeds for entry in demo.published(feed, history=True)]
    assert len(links) == len(set(links))
    counts = demo.entries_published()
    for feed in demo.feeds:
        recent = demo.published(feed)
        assert all(START < entry.time <= START + 90 for entry in recent)
        assert counts.get(feed.url) == (len(recent) if feed.is_readable else None)


# --- conditional requests ---


def test_validators_change_exactly_when_the_document_changes(demo: DemoWeb) -> None:
    checked = 0
    for feed in good(demo):
        if feed.pattern is Pattern.ON_THE_FLY:
            continue
        previous = ask(demo, feed.url, 0.0)
        for second in range(1, 60):
            at = second + 0.5
            full = ask(demo, feed.url, at)
            changed = full.body != previous.body
            for validator, condition in (("ETag", "if-none-match"), ("Last-Modified", "if-modified-since")):
                if validator in previous.headers:
                    again = ask(demo, feed.url, at, **{condition.replace("-", "_"): previous.headers[validator]})
                    assert again.status == (200 if changed else 304), (feed.url, second, validator)
                    assert (full.headers[validator] != previous.headers[validator]) == changed
                    assert again.body == (full.body if changed else b"")
                    checked += changed
            previous = full
    assert checked > 100


def test_etag_takes_precedence_over_the_date_and_nonsense_is_no_condition(demo: DemoWeb) -> None:
    url = good(demo)[0].url
    full = ask(demo, url)
    etag, modified = full.headers["ETag"], full.headers["Last-Modified"]
    assert ask(demo, url, if_none_match='"other"', if_modified_since=modified).status == 200
    assert ask(demo, url, if_none_match=f'"other", W/{etag}').status == 304
    assert ask(demo, url, if_modified_since="yesterday").status == 200


# --- manners ---


def statuses(demo: DemoWeb, manners: str, number: int = 6) -> list[int]:
    feed = only(demo, manners)
    return [ask(demo, feed.url, 90.0 + 10 * n).status for n in range(number)]


@pytest.mark.parametrize(
    ("manners", "expected"),
    [
        ("429 now and then", [200, 200, 200, 429, 200, 200]),
        ("503 now and then", [200, 200, 200, 503, 200, 200]),
        ("500 now and then", [200, 200, 500, 200, 200, 500]),
        ("hangs up", [200, 200, 0, 200, 200, 0]),
        ("gone", [410] * 6),
        ("429 when pressed", [200] * 6),
    ],
)
def test_statuses(demo: DemoWeb, manners: str, expected: list[int]) -> None:
    assert statuses(demo, manners) == expected


def test_pressing_the_impatient(demo: DemoWeb) -> None:
    url = only(demo, "429 when pressed").url
    assert [ask(demo, url, at).status for at in (0.0, 0.4, 1.0)] == [200, 429, 200]
    assert ask(demo, url, 1.1).headers["Retry-After"] == "5"


def test_retry_after_as_a_date_is_never_sooner_than_meant(demo: DemoWeb) -> None:
    url = only(demo, "503 now and then").url
    [*_, busy] = [ask(demo, url, 90.3) for _ in range(4)]
    assert parsedate_to_datetime(busy.headers["Retry-After"]).timestamp() == START + 96


def test_slow(demo: DemoWeb) -> None:
    assert ask(demo, only(demo, "slow").url).delay == 2.0
    assert ask(demo, good(demo)[0].url).delay == 0.0


def test_redirect_chain_ends_at_the_document_and_the_loop_does_not_end(demo: DemoWeb) -> None:
    def follow(feed: DemoFeed, limit: int) -> list[int]:
        url, seen = feed.url, []
        while len(seen) < limit:
            answer = ask(demo, url)
            seen.append(answer.status)
            if "Location" not in answer.headers:
                break
            url = feed.url.partition("/feed")[0] + answer.headers["Location"]
        return seen

    assert follow(only(demo, "redirect chain"), 10) == [302, 301, 307, 200]
    assert follow(only(demo, "redirect loop"), 10) == [302] * 10


def test_moved_leads_to_the_same_entries_on_another_site(demo: DemoWeb) -> None:
    feed = only(demo, "moved")
    answer = ask(demo, feed.url)
    assert answer.status == 301
    assert urlsplit(answer.headers["Location"]).hostname == "newhome.localhost"
    shown = entries(ask(demo, answer.headers["Location"]), feed.format)
    truth = demo.published(feed, until=START + 90, history=True)
    assert [link for link, _, _ in shown] == [entry.link for entry in truth][-feed.window :][::-1]
    assert answer.headers["Location"] not in [other.url for other in demo.feeds]


def test_broken_xml_now_and_then(demo: DemoWeb) -> None:
    url = only(demo, "broken XML").url
    parsed = [feedparser.parse(ask(demo, url).body) for _ in range(3)]
    assert [len(one.entries) for one in parsed] == [15, 15, 0]
    assert parsed[2].bozo


def test_cut_short_keeps_its_items(demo: DemoWeb) -> None:
    parsed = feedparser.parse(ask(demo, only(demo, "cut short").url).body)
    assert parsed.bozo
    assert len(parsed.entries) == 15


def test_wrong_charset(demo: DemoWeb) -> None:
    answer = ask(demo, only(demo, "wrong charset").url)
    assert b'encoding="utf-8"' in answer.body
    with pytest.raises(UnicodeDecodeError):
        answer.body.decode("utf-8")
    assert "ü" in answer.body.decode("latin-1") or "é" in answer.body.decode("latin-1")


def test_ignored_validators(demo: DemoWeb) -> None:
    url = only(demo, "validators ignored").url
    assert ask(demo, url, if_none_match=ask(demo, url).headers["ETag"]).status == 200


def test_window_too_small_for_a_poll_every_ten_seconds(demo: DemoWeb) -> None:
    feed = only(demo, "window too small")
    shown = {link for at in range(0, 100, 10) for link, _, _ in entries(ask(demo, feed.url, at), feed.format)}
    published = demo.published(feed, until=START + 90)
    assert sum(entry.link not in shown for entry in published) > len(published) / 2


def test_gzip(demo: DemoWeb) -> None:
    answer = ask(demo, only(demo, "gzip").url)
    assert answer.headers["Content-Encoding"] == "gzip"
    assert len(feedparser.parse(gzip.decompress(answer.body)).entries) == 15
    assert "Content-Encoding" not in ask(demo, only(demo, "gzip").url, if_none_match=answer.headers["ETag"]).headers


def test_request_time_dates(demo: DemoWeb) -> None:
    url = only(demo, "request-time dates").url
    for at in (90.2, 95.9):
        parsed = feedparser.parse(ask(demo, url, at).body)
        assert {feedparser_time(entry) for entry in parsed.entries} == {START + at // 1}


def test_no_dates_no_ids(demo: DemoWeb) -> None:
    parsed = feedparser.parse(ask(demo, only(demo, "no dates, no ids").url).body)
    assert len(parsed.entries) == 15
    assert not any("id" in entry or "published" in entry for entry in parsed.entries)


def test_alternating_window(demo: DemoWeb) -> None:
    url = only(demo, "alternating window").url
    assert [len(feedparser.parse(ask(demo, url).body).entries) for _ in range(4)] == [15, 0, 15, 0]


def test_bombs(demo: DemoWeb) -> None:
    assert ask(demo, only(demo, "entity bomb").url).body.count(b"<!ENTITY") == 10
    assert len(ask(demo, only(demo, "oversized").url).body) > 2_500_000
    packed = ask(demo, only(demo, "decompression bomb").url)
    assert len(packed.body) < 50_000
    assert packed.headers["Content-Encoding"] == "gzip"
    assert len(gzip.decompress(packed.body)) == 30_000_000


# --- pages ---


def test_start_page_announces_feeds_twins_a_session_duplicate_and_a_dead_link(demo: DemoWeb) -> None:
    tree = LexborHTMLParser(ask(demo, "http://herald.localhost:0/").body.decode())
    announced = [link.attributes["href"] for link in tree.css("head link[rel=alternate]")]
    assert announced[:2] == ["/feed/atom.xml", "/feed/rss.xml"]
    assert "/feed/atom.xml?PHPSESSID=0123456789abcdef" in announced
    found = {path: ask(demo, f"http://herald.localhost:0{path}") for path in announced if path}
    assert [path for path, answer in found.items() if answer.status != 200] == ["/nowhere.xml"]
    atom, rss = (entries(found[path], Format.ATOM10) for path in announced[:2] if path)
    assert [link for link, _, _ in rss[:15]] == [link for link, _, _ in atom[:15]]


def test_every_link_of_every_page_leads_somewhere(demo: DemoWeb) -> None:
    waiting, seen = [demo.sites[0]], set(demo.sites[:1])
    while waiting:
        url = waiting.pop()
        answer = ask(demo, url)
        assert answer.status == 200, url
        for link in LexborHTMLParser(answer.body.decode()).css("a[href]"):
            target = urljoin(url, link.attributes["href"] or "")
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    assert set(demo.sites) <= seen
    assert len(seen) > 5 * len(demo.sites)


def test_stories_change_now_and_then_in_one_paragraph(demo: DemoWeb) -> None:
    url = "http://herald.localhost:0/story/1"
    versions = [ask(demo, url, at) for at in range(0, 6000, 60)]
    texts = list(dict.fromkeys(version.body for version in versions))
    assert 3 < len(texts) < 100
    first, second = (set(text.decode().splitlines()) for text in texts[:2])
    assert len(first - second) == 1
    assert ask(demo, url, 6000, if_none_match=ask(demo, url, 6000).headers["ETag"]).status == 304


def test_entry_links_lead_to_their_page_once_published(demo: DemoWeb) -> None:
    entry = demo.published(good(demo)[0], until=START + 90)[-1]
    since = entry.time - START
    assert ask(demo, entry.link, since).status == 200
    assert ask(demo, entry.link, since - 1).status == 404


@pytest.mark.parametrize(
    "path", ["/entry/99999999999?of=/sport.xml", "/entry/-1?of=/sport.xml", "/entry/1", "/x", "/story/9"]
)
def test_what_is_not_there_is_404(demo: DemoWeb, path: str) -> None:
    assert ask(demo, f"http://herald.localhost:0{path}").status == 404


def test_robots(demo: DemoWeb) -> None:
    rules = protego.Protego.parse(ask(demo, "http://sensors.localhost:0/robots.txt").body.decode())
    assert rules.crawl_delay("anyone") == 3.0
    assert not rules.can_fetch("http://sensors.localhost/private/ledger", "anyone")
    assert rules.can_fetch("http://sensors.localhost/now.xml", "anyone")
    assert ask(demo, "http://attic.localhost:0/robots.txt").status == 404
