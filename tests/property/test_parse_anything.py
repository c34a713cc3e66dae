"""Whatever bytes come, a parser gives a value or a ParseError, and the value keeps its promises."""

import contextlib
import math
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from afresh.base.errors import ParseError, UsageError
from afresh.base.models import FeedDocument
from afresh.lab.bench_feeds import KINDS, documents
from afresh.parse.dates import parse_date
from afresh.parse.discover import announced_feeds, result_links
from afresh.parse.feed import parse_feed
from afresh.parse.headers import clock_offset, http_date, max_age, retry_after
from afresh.parse.listing import read_list
from afresh.parse.opml import read_opml
from afresh.parse.robots import Robots
from afresh.parse.sitemap import parse_sitemap
from afresh.parse.url import Scope, canonical, site_of, strip_session_ids
from tests import fuzz
from tests.fakes.mutations import NASTY, mutated

FEEDS = [body[:6_000] for kind in KINDS for body in documents(kind, 2, seed=3)] + [
    b'{"version":"https://jsonfeed.org/version/1.1","items":[{"id":1,"title":"t","date_published":"2020-01-01"}]}',
    '<?xml version="1.0" encoding="utf-16"?><rss><channel><item><title>é</title></item></channel></rss>'.encode(
        "utf-16"
    ),
    b'<!DOCTYPE rss [<!ENTITY a "b">]><rss><channel><title>&a;</title><ttl>5</ttl></channel></rss>',
    b'<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/x"><entry><link href="y"/><content type="xhtml">'
    b'<div xmlns="http://www.w3.org/1999/xhtml"><p>x</p></div></content></entry></feed>',
]
quick = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


mutations = st.integers(0, 2**32).map(lambda seed: mutated(random.Random(seed), FEEDS))


def keeps_promises(feed: FeedDocument) -> None:
    assert len(feed.entries) <= 10_000
    for entry in feed.entries:
        texts = (
            entry.title,
            entry.link,
            entry.native_id,
            entry.author,
            entry.summary,
            entry.content,
            *entry.categories,
        )
        for text in texts:
            text.encode()  # no surrogates
            assert "\0" not in text
        assert len(entry.title) <= 2_000
        assert max(len(entry.summary), len(entry.content)) <= 200_000
        for moment in (entry.published, entry.updated):
            assert moment is None or (math.isfinite(moment) and 0 <= moment < 253_402_300_800)
        assert (entry.published is None) == (entry.date_source == "")
        assert not entry.link.lower().startswith(("javascript:", "data:", "file:"))
    assert feed.facts.ttl is None or feed.facts.ttl > 0
    assert all(0 <= hour < 24 for hour in feed.facts.skip_hours)


def parse_or_refuse(body: bytes, content_type: str) -> None:
    try:
        feed = parse_feed(body, content_type=content_type, url="https://example.org/feed")
    except ParseError:
        return
    keeps_promises(feed)


@quick
@given(
    mutations,
    st.sampled_from(["", "text/html", "text/xml; charset=latin-1", "application/xml; charset=utf-16", "x;;="]),
)
def test_mutated_feeds(body: bytes, content_type: str) -> None:
    parse_or_refuse(body, content_type)


@quick
@given(st.binary(max_size=300), st.text(max_size=40))
def test_any_bytes(body: bytes, content_type: str) -> None:
    parse_or_refuse(body, content_type)
    for parse in (read_opml, parse_sitemap):
        with contextlib.suppress(ParseError):
            parse(body)
    read_list(body)
    announced_feeds(body, "https://example.org/", content_type)
    result_links(body, content_type, "https://example.org/")
    Robots.parse(body, 200).allows("https://example.org/x", "afresh")


@quick
@given(st.lists(st.sampled_from([*NASTY, b"<rss>", b"<channel>", b"<title>", b"</title>", b"a", b" "]), max_size=30))
def test_markup_soup(parts: list[bytes]) -> None:
    parse_or_refuse(b"".join(parts), "")
    parse_or_refuse(b"<rss><channel>" + b"".join(parts) + b"</channel></rss>", "")


@quick
@given(st.text(max_size=80))
def test_any_text_is_a_date_or_none(text: str) -> None:
    for value in (parse_date(text), http_date(text)):
        assert value is None or math.isfinite(value)
    wait = retry_after(text, 1e9)
    assert wait is None or 0 <= wait <= 7 * 86_400
    headers = {"cache-control": text, "expires": text, "age": text, "date": text}
    age = max_age(headers, 1e9)
    assert age is None or age >= 0
    assert clock_offset(headers, 1e9) is None or math.isfinite(clock_offset(headers, 1e9) or 0.0)


@given(st.floats(0, 253_402_300_000).map(int), st.sampled_from(["%a, %d %b %Y %H:%M:%S GMT", "%Y-%m-%dT%H:%M:%SZ"]))
def test_dates_round_trip(seconds: int, form: str) -> None:
    from datetime import UTC, datetime, timedelta

    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    assert parse_date(moment.strftime(form)) == seconds


@given(st.one_of(st.text(max_size=60), st.text(max_size=40).map(lambda rest: "https://example.org" + rest)))
def test_canonical_is_idempotent_or_refuses(text: str) -> None:
    try:
        url = canonical(text)
    except UsageError:
        return
    assert canonical(url) == url
    assert "#" not in url
    for scope in Scope:
        assert site_of(url, scope)
    assert strip_session_ids(strip_session_ids(url)) == strip_session_ids(url)


@pytest.mark.parametrize("name", fuzz.TARGETS)
def test_a_short_fuzz(name: str) -> None:
    assert fuzz.fuzz(name, 300, seed=7) == []
