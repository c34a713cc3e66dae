"""From an outcome to a report: judge, learn, plan; no store, no network."""

import asyncio
import math
from dataclasses import replace

import pytest

from afresh.base.errors import ConfigError
from afresh.base.models import (
    Failed,
    Failure,
    FeedFacts,
    Kind,
    Lease,
    Redirect,
    Report,
    Request,
    Resource,
    Result,
    Status,
)
from afresh.base.settings import Settings
from afresh.base.settings.sections import ErrorSettings, KeepSettings, PolitenessSettings, PredictSettings
from afresh.base.visits import Answer
from afresh.engine.kinds import make_kinds
from afresh.engine.visit import Concluder
from afresh.parse.url import Sites
from tests.fakes.fake_web import FakeWeb, HandClock, rss

URL = "https://example.org/feed"
DAY = 86_400.0


class Bench:
    """One feed, one fake web, one concluder."""

    def __init__(self, **settings: object) -> None:
        self.clock = HandClock()
        self.web = FakeWeb(self.clock)
        predict = PredictSettings(rule="mavsync")
        self.settings = replace(Settings(predict=predict), **settings)  # type: ignore[arg-type]
        self.kinds = make_kinds(self.settings)
        self.concluder = Concluder(self.settings, self.kinds, Sites(self.settings.politeness))
        self.resource = Resource(id=1, url=URL, site="example.org", added=self.clock.now())

    def visit(self, after: float = 0.0, *, u: float = 0.5) -> Report:
        self.clock.advance(after)
        outcome = asyncio.run(self.web.fetch(self.request()))
        lease = Lease(id=1, site="example.org", until=math.inf, resource=self.resource)
        report = self.concluder.conclude(Answer(lease=lease, outcome=outcome, u=u))
        self.resource = report.resource
        return report

    def request(self, *, no_cache: bool = False) -> Request:
        return self.kinds[self.resource.kind].request(self.resource, no_cache=no_cache)


def test_the_home_page_that_a_list_names_stays_where_the_feed_names_none() -> None:
    """As an OPML file has it (``htmlUrl``); what the feed says itself goes before that."""
    bench = Bench()
    bench.resource = replace(bench.resource, facts=FeedFacts(site_url="https://example.org/blog"))
    bench.web.document(URL, rss("a"))
    bench.visit()
    assert bench.resource.facts.site_url == "https://example.org/blog"
    bench.web.document(URL, rss("a").replace(b"<title>T</title>", b"<title>T</title><link>https://own.example/</link>"))
    bench.visit(60.0)
    assert bench.resource.facts.site_url == "https://own.example/"


def test_a_first_document_is_learnt_and_planned() -> None:
    bench = Bench()
    now = bench.clock.now()
    dates = {"a": now - 7200, "b": now - 3600}
    bench.web.document(URL, rss("b", "a", dates=dates, ttl=30), etag='"x"', last_modified="yesterday")
    report = bench.visit()
    assert (report.visit.result, report.visit.new, report.visit.window_size) == (Result.NEW, 2, 2)
    assert [entry.parsed.title for entry in report.entries] == ["a", "b"]
    assert bench.resource.validators.etag == '"x"'
    assert bench.resource.validators.last_modified == "yesterday"
    assert bench.resource.facts.ttl == 1800
    assert bench.resource.title == "T"
    assert bench.resource.due == pytest.approx(now + 3600)  # (now - oldest) / 2: the synchronised time is already here
    assert bench.resource.reason
    assert report.next_allowed == now + bench.settings.politeness.delay


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (
            '<link rel="alternate" type="application/rss+xml" href="/news.xml">',
            "; it announces https://example.org/news.xml",
        ),
        ("<title>Home</title>", ", and it announces none"),
    ],
)
def test_a_page_that_was_taken_for_a_feed_names_the_feeds_it_announces(head: str, said: str) -> None:
    bench = Bench()
    bench.web.document(URL, f"<!doctype html><html><head>{head}</head><body>Hi</body></html>".encode())
    report = bench.visit()
    assert (report.visit.result, report.visit.error) == (Result.UNPARSABLE, f"an HTML page, not a feed{said}")


def test_a_feed_taken_for_its_page_keeps_what_else_the_page_announces() -> None:
    bench = Bench()
    link = '<link rel="alternate" type="application/rss+xml" href="/{0}.xml">'
    head = "".join(map(link.format, ("news", "comments", "photos")))
    bench.web.document(URL, f"<!doctype html><html><head>{head}</head><body>Hi</body></html>".encode())
    bench.visit()
    others = ("https://example.org/comments.xml", "https://example.org/photos.xml")
    assert bench.resource.url == "https://example.org/news.xml"
    assert bench.resource.facts.also_announced == others
    bench.web.document(bench.resource.url, rss("a"))
    assert bench.visit(1).visit.result is Result.NEW
    assert bench.resource.facts.also_announced == others


def test_a_304_keeps_validators_or_renews_them() -> None:
    bench = Bench()
    bench.web.document(URL, rss("a"), etag='"x"')
    bench.visit()
    assert bench.request(no_cache=True).etag == '"x"'
    bench.web.not_modified(URL, date="Mon, 12 Jan 1970 13:46:40 GMT")
    report = bench.visit(60)
    assert (report.visit.result, bench.resource.validators.etag) == (Result.NOT_MODIFIED, '"x"')
    bench.web.not_modified(URL, etag='"y"')
    bench.visit(60)
    assert bench.resource.validators.etag == '"y"'
    assert bench.resource.counters.not_modified == 2
    bench.web.document(URL, rss("a"), content_type="text/xml")
    bench.visit(60)
    assert bench.resource.validators.etag == "", "a document without validators ends conditional requests"


def test_a_document_that_had_to_be_repaired_says_so_until_it_is_whole_again() -> None:
    bench = Bench()
    whole = rss("a")
    bench.web.document(URL, whole.replace(b"<title>T</title>", b"<title>T & T</title>"))
    report = bench.visit()
    assert report.visit.repaired == bench.resource.repaired != ()
    bench.web.not_modified(URL)
    assert bench.visit(60).visit.repaired == ()
    assert bench.resource.repaired, "nothing is known to have changed"
    bench.web.document(URL, whole)
    assert bench.visit(60).visit.repaired == bench.resource.repaired == ()


def test_errors_back_off_to_one_try_a_day_and_never_give_up() -> None:
    bench = Bench()
    bench.web.status(URL, 500)
    waits = [bench.visit(1).resource.due - bench.clock.now() for _ in range(15)]
    assert waits[:3] == pytest.approx([300, 600, 1200])
    assert waits[-1] == pytest.approx(DAY)
    assert bench.resource.status is Status.ACTIVE
    assert bench.resource.counters.failures == 15
    bench.web.document(URL, rss("a"))
    bench.visit(1)
    assert bench.resource.counters.failures == 0


def test_the_block_of_the_thesis_is_an_option() -> None:
    bench = Bench(errors=ErrorSettings(block_ratio=10))
    bench.web.status(URL, 404)
    for _ in range(21):
        bench.visit(1)
    assert bench.resource.status is Status.BLOCKED
    assert math.isinf(bench.resource.due)


def test_gone_stops() -> None:
    bench = Bench()
    bench.web.status(URL, 410)
    report = bench.visit()
    assert (report.visit.result, bench.resource.status) == (Result.GONE, Status.GONE)
    assert math.isinf(bench.resource.due)


def test_retry_after_holds_for_the_whole_site_and_does_not_count_as_failure() -> None:
    bench = Bench()
    bench.web.status(URL, 429, retry_after=900.0)
    report = bench.visit()
    assert report.visit.result is Result.THROTTLED
    assert report.next_allowed == bench.clock.now() + 900
    assert report.retry_after == bench.clock.now() + 900
    assert bench.resource.due >= bench.clock.now() + 900
    assert bench.resource.counters.failed == 0
    greedy = Bench(politeness=PolitenessSettings(retry_after_cap=60.0))
    greedy.web.status(URL, 503, retry_after=1e9)
    assert greedy.visit().next_allowed == greedy.clock.now() + 60, "no server may send us away for years"


@pytest.mark.parametrize("status", [429, 503])
def test_a_feed_is_not_due_before_its_server_wants_to_be_asked(status: int) -> None:
    bench = Bench(predict=PredictSettings(rule="fix:interval=2m"))
    bench.web.document(URL, rss("a"))
    bench.visit()
    bench.web.status(URL, status, retry_after=7200.0)
    for u in (0.0, 0.99):
        due = bench.visit(120, u=u).resource.due - bench.clock.now()
        assert 7200.0 <= due <= 1.1 * 7200.0
    bench.web.status(URL, 429)
    assert bench.visit(7200, u=0.0).resource.due == bench.clock.now() + 120, "it asked for nothing: as usual"


def test_a_wish_longer_than_the_usual_interval_moves_the_next_visit() -> None:
    bench = Bench()
    bench.web.status(URL, 503, retry_after=5 * 3_600.0)
    bench.visit(u=0.0)
    assert bench.resource.due == bench.clock.now() + 5 * 3_600.0
    greedy = Bench(politeness=PolitenessSettings(retry_after_cap=7_200.0))
    greedy.web.status(URL, 429, retry_after=1e9)
    greedy.visit(u=0.0)
    assert greedy.resource.due == greedy.clock.now() + 7_200.0


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(("asked", "waits"), [(120.0, 120.0), (1.0, 60.0), (90_000.0, DAY), (7 * DAY, DAY)])
@pytest.mark.parametrize("pinned", [None, 7 * DAY])
def test_a_feed_waits_as_long_as_its_server_asks_within_the_cap(
    status: int, asked: float, waits: float, pinned: float | None
) -> None:
    """Neither the usual interval nor the feed's own is added; only the shortest one is kept, and the cap."""
    bench = Bench()
    bench.resource = replace(bench.resource, pinned=pinned)
    bench.web.document(URL, rss("a"))
    bench.visit()
    bench.web.status(URL, status, retry_after=asked)
    for u in (0.0, 0.99):
        assert bench.visit(3_600, u=u).resource.due == bench.clock.now() + waits


def test_a_server_that_only_ever_asks_to_wait_is_failing_and_asked_ever_more_rarely() -> None:
    bench = Bench()
    bench.web.status(URL, 429, retry_after=120.0)
    waits = [bench.visit(120).resource.due - bench.clock.now() for _ in range(7)]
    assert waits == [120, 120, 120, 240, 480, 960, 1920]
    assert bench.resource.counters.failures == 7
    assert bench.resource.counters.failed == 0, "no fault of the feed's, so nothing blocks it"
    assert bench.resource.reason == "the server asked us to wait, 7 times in a row (HTTP 429)"
    bench.web.document(URL, rss("a"))
    bench.visit(120)
    assert bench.resource.counters.failures == 0


def test_of_a_page_that_was_named_for_its_feed_the_feed_is_watched() -> None:
    bench = Bench()
    links = (
        '<link rel="alternate" type="application/rss+xml" title="Blog: Comments" href="/comments.xml">'
        '<link rel="alternate" type="application/rss+xml" title="Blog" href="http://feeds.example/news.xml">'
    )
    page = f"<!doctype html><html><head>{links}</head><body>Hello</body></html>".encode()
    bench.web.document(URL, page, content_type="text/html")
    report = bench.visit()
    assert report.visit.result is Result.UNPARSABLE
    assert (bench.resource.url, bench.resource.site) == ("http://feeds.example/news.xml", "feeds.example")
    assert bench.resource.due == bench.clock.now(), "its site's pause is all that it waits for"
    assert bench.resource.error == f"{URL} is a page, which announces this feed: asked for next"
    # where the feed is watched already the store leaves the page where it is
    bench.resource = replace(bench.resource, url=URL, site="example.org")
    bench.visit()
    assert (bench.resource.url, bench.resource.status) == (URL, Status.PAUSED)
    words = "a page, and the feed it announces is watched already: http://feeds.example/news.xml"
    assert bench.resource.error == words
    assert bench.resource.counters.failures == 0, "it is paused, and does not fail"


def test_a_feed_that_turns_out_to_be_a_page_fails_where_it_is() -> None:
    bench = Bench()
    page = b'<!doctype html><link rel="alternate" type="application/rss+xml" href="/other.xml">'
    bench.web.document(URL, page, content_type="text/html")
    bench.visit()
    feed = bench.resource.url
    assert feed.endswith("/other.xml")
    bench.web.document(feed, page, content_type="text/html")
    bench.visit()
    assert (bench.resource.url, bench.resource.status) == (feed, Status.ACTIVE)
    assert "; it announces " in bench.resource.error


def test_a_feed_that_was_read_before_stays_where_it_is_when_a_page_comes() -> None:
    bench = Bench()
    bench.web.document(URL, rss("a"))
    bench.visit()
    page = b'<!doctype html><link rel="alternate" type="application/rss+xml" href="/other.xml">'
    bench.web.document(URL, page, content_type="text/html")
    bench.visit(60)
    assert bench.resource.url == URL


def refused(bench: Bench, cause: Failure, detail: str, wait: float, *, requests: int = 0) -> None:
    """The gate keeps a visit back, before its first request or at a hop."""
    bench.web.answers[URL] = lambda _, trip: Failed(
        trip=replace(trip, requests=requests), cause=cause, detail=detail, retry_after=wait
    )


def test_a_visit_kept_back_at_a_hop_is_not_repeated_at_every_pause() -> None:
    bench = Bench(predict=PredictSettings(rule="fix:interval=2h"))
    refused(bench, Failure.LATER, "a.example may be asked in 40s", 40.0, requests=1)
    bench.visit(u=0.0)
    assert bench.resource.due == bench.clock.now() + bench.settings.predict.standard


def test_what_robots_cannot_say_is_no_failure_and_comes_back_when_it_is_asked_again() -> None:
    bench = Bench()
    words = "robots.txt could not be read: HTTP 503; asked again at 12:40 UTC"
    refused(bench, Failure.LATER, words, 120.0)
    report = bench.visit(u=0.0)
    assert (report.visit.result, report.visit.error) == (Result.THROTTLED, words)
    assert bench.resource.reason == words
    assert bench.resource.counters.failed == 0
    assert bench.resource.due == bench.clock.now() + 120.0
    assert report.next_allowed < bench.clock.now() + 60.0  # the site's other resources are not held up
    assert report.retry_after is None


def test_what_robots_cannot_say_for_days_is_a_failure_and_still_asked_for_when_it_can_be() -> None:
    """Such as a feed that is redirected to a site whose robots.txt answers with 503 for ever."""
    bench = Bench()
    words = "robots.txt could not be read: HTTP 503; asked again at 12:40 UTC"
    bench.web.document(URL, rss("a"))
    bench.visit()
    refused(bench, Failure.LATER, words, 12 * 3_600.0, requests=1)
    for failures in (0, 0, 1, 2):
        report = bench.visit(12 * 3_600.0, u=0.0)
        assert (bench.resource.counters.failures, bench.resource.error) == (failures, words)
        assert report.visit.was_kept_back
        assert bench.resource.due == bench.clock.now() + 12 * 3_600.0
    refused(bench, Failure.LATER, "a.example may be asked in 40s", 40.0)
    bench.visit(u=0.0)
    assert bench.resource.counters.failures == 2, "that is no more than a wait"


def test_what_robots_forbids_is_looked_at_again_when_it_is_read_anew() -> None:
    bench = Bench()
    refused(bench, Failure.ROBOTS, "robots.txt disallows it", 20 * 3_600.0)
    for _ in range(3):
        report = bench.visit(20 * 3_600.0, u=0.0)
        assert report.visit.result is Result.REFUSED
        assert bench.resource.due == bench.clock.now() + 20 * 3_600.0
        assert bench.resource.reason == "robots.txt forbids it; looked at again when robots.txt is read anew"
        assert report.next_allowed < bench.clock.now() + 60.0  # the site's other pages are not held up


@pytest.mark.parametrize("why", [Failure.ROBOTS, Failure.LATER, Failure.ADDRESS])
def test_a_feed_does_not_move_to_where_it_may_not_be_followed(why: Failure) -> None:
    bench = Bench()
    hop = Redirect(301, "http://a.example/secret/feed.xml")
    bench.web.answers[URL] = lambda _, trip: Failed(
        trip=replace(trip, redirects=(hop,), headers={"location": hop.url}), cause=why, detail="no", retry_after=DAY
    )
    for _ in range(5):
        bench.visit(DAY)
    assert (bench.resource.url, bench.resource.moving.target) == (URL, "")


def test_our_own_network_is_not_the_feeds_fault() -> None:
    bench = Bench()
    bench.web.failure(URL, Failure.OFFLINE)
    report = bench.visit()
    assert report.visit.result is Result.OFFLINE
    assert bench.resource.counters.failed == 0
    assert bench.resource.due - bench.clock.now() <= 120


def test_a_permanent_redirect_is_followed_at_once_but_trusted_on_the_third_day() -> None:
    bench = Bench()
    bench.web.moved(URL, "https://new.example.net/feed", rss("a"))
    bench.visit()
    bench.visit(60)
    assert bench.resource.url == URL
    bench.visit(DAY)
    assert (bench.resource.url, bench.resource.moving.days) == (URL, 2)
    bench.visit(DAY)
    assert (bench.resource.url, bench.resource.site) == ("https://new.example.net/feed", "new.example.net")


def test_a_temporary_redirect_never_changes_the_url() -> None:
    bench = Bench()
    bench.web.moved(URL, "https://elsewhere.example/feed", rss("a"), status=302)
    for _ in range(5):
        bench.visit(DAY)
    assert bench.resource.url == URL


def test_a_redirect_that_changes_its_mind_starts_again() -> None:
    bench = Bench()
    for target in ("https://a.example/", "https://b.example/", "https://a.example/"):
        bench.web.moved(URL, target, rss("a"))
        bench.visit(DAY)
    assert bench.resource.moving.days == 1


def test_a_pinned_interval_goes_before_any_prediction() -> None:
    bench = Bench()
    bench.resource = replace(bench.resource, pinned=1234.0)
    bench.web.document(URL, rss("a"))
    bench.visit()
    assert bench.resource.due == bench.clock.now() + 1234


def test_a_pinned_page_is_learnt_from_all_the_same() -> None:
    bench = Bench()
    bench.resource = replace(bench.resource, kind=Kind.PAGE, pinned=1234.0)
    for n in range(3):
        bench.web.document(URL, f"<title>Page</title><p>Words of day {n}".encode(), content_type="text/html")
        report = bench.visit(1234.0)
    assert bench.resource.due == bench.clock.now() + 1234
    assert (bench.resource.turn, bench.resource.frequency) == (None, 0.0)
    assert bench.resource.state_of
    assert len(bench.resource.state)
    assert report.pace.state is not None
    assert len(report.pace.state)


def test_bounds_of_a_feed_go_before_the_settings() -> None:
    bench = Bench()
    bench.resource = replace(bench.resource, shortest=7200.0, longest=7200.0, standard=7200.0)
    bench.web.document(URL, rss("a", "b", dates={"a": bench.clock.now() - 60, "b": bench.clock.now() - 30}))
    bench.visit()
    assert bench.resource.due == bench.clock.now() + 7200


@pytest.mark.parametrize(("mode", "interval"), [("ignore", 60.0), ("lower", 1800.0), ("interval", 1800.0)])
def test_ttl_is_ignored_a_lower_bound_or_the_interval(mode: str, interval: float) -> None:
    bench = Bench(predict=PredictSettings(rule="mavsync", ttl=mode))
    now = bench.clock.now()
    bench.web.document(URL, rss("b", "a", dates={"a": now - 40, "b": now - 20}, ttl=30))
    bench.visit()
    assert bench.resource.due - now == pytest.approx(interval)


@pytest.mark.parametrize("mode", ["lower", "interval"])
def test_a_ttl_of_years_does_not_silence_a_feed(mode: str) -> None:
    settings = PredictSettings(rule="mavsync", ttl=mode)
    bench = Bench(predict=settings)
    now = bench.clock.now()
    bench.web.document(URL, rss("b", "a", dates={"a": now - 40, "b": now - 20}, ttl=5_000_000))
    bench.visit()
    assert bench.resource.due - now == pytest.approx(settings.bounds.longest)


@pytest.mark.parametrize(("skips", "due"), [(True, 18.0), (False, 15.0 + 2800 / 3600)])
def test_hours_without_news_are_skipped_if_wanted(skips: bool, due: float) -> None:
    bench = Bench(predict=PredictSettings(rule="fix:interval=2h", skips=skips))
    hours = b"".join(b"<hour>%d</hour>" % hour for hour in (15, 16, 17))
    bench.web.document(URL, rss("a").replace(b"<title>T</title>", b"<skipHours>" + hours + b"</skipHours>"))
    report = bench.visit()  # at 13:46:40
    assert report.resource.due % DAY == pytest.approx(due * 3600)
    assert ("skipHours" in report.resource.reason) is skips


@pytest.mark.parametrize(("day", "hour"), [("Tuesday", 48), ("Wednesday", 24 + 13)])
def test_days_without_news_are_skipped_if_wanted(day: str, hour: int) -> None:
    bench = Bench(predict=PredictSettings(rule="fix:interval=1d", skips=True))  # Monday, 1970-01-12, 13:46:40
    skipped = f"<skipDays><day>{day}</day></skipDays>".encode()
    bench.web.document(URL, rss("a").replace(b"<title>T</title>", skipped))
    assert bench.visit().resource.due // 3600 == bench.clock.now() // DAY * 24 + hour


def test_a_feed_whose_hub_tells_is_still_polled_as_a_safety_net() -> None:
    bench = Bench(predict=PredictSettings(rule="fix:interval=2m"))
    bench.web.document(URL, rss("a"))
    answers = iter([6 * 3600.0, 30.0, None])
    kinds = make_kinds(bench.settings, pushed=lambda resource, now: next(answers))
    bench.concluder = replace(bench.concluder, kinds=kinds)
    told = bench.visit()
    assert told.resource.due == bench.clock.now() + 6 * 3600
    assert "its hub tells us" in told.resource.reason
    slower = bench.visit(60)
    assert slower.resource.due == bench.clock.now() + 120, "a safety net polls nothing more often"
    assert bench.visit(60).resource.due == bench.clock.now() + 120, "a hub that is not trusted changes nothing"


def test_unparsable_documents_are_kept_and_counted_but_change_no_window() -> None:
    bench = Bench()
    bench.web.document(URL, rss("a"), etag='"x"')
    bench.visit()
    bench.web.document(URL, b"\x00\x01 nothing to read", etag='"y"')
    report = bench.visit(60)
    assert report.visit.result is Result.UNPARSABLE
    assert report.document is not None
    assert report.document.body.startswith(b"\x00\x01")
    assert len(bench.resource.window) == 1
    assert bench.resource.validators.etag == '"x"', "a document we could not read must be asked for again"


def test_news_are_archived_only_if_wanted() -> None:
    bench = Bench(keep=KeepSettings(archive_news=True))
    bench.web.document(URL, rss("a"))
    report = bench.visit()
    assert report.document is not None
    assert report.document.why == "news"
    assert Bench().settings.keep.archive_news is False


def test_long_texts_are_cut() -> None:
    bench = Bench(keep=KeepSettings(content=10))
    body = (
        b"<rss version='2.0'><channel><item><title>a</title><description>"
        + b"x" * 99
        + b"</description></item></channel></rss>"
    )
    bench.web.document(URL, body)
    assert len(bench.visit().entries[0].parsed.summary) == 10


def test_another_rule_starts_with_a_fresh_state() -> None:
    bench = Bench()
    bench.web.document(URL, rss("a"))
    bench.visit()
    bench.resource = replace(bench.resource, rule="fix:interval=2h", state=bench.resource.state)
    bench.visit(60)
    assert (bench.resource.state_of, bench.resource.due - bench.clock.now()) == ("fix", 7200.0)


def test_named_services_are_one_site() -> None:
    sites = Sites(PolitenessSettings(scope="service", services=("forum=forum.example.org,example.net",)))
    assert sites.of("https://a.example.net/x") == "forum"
    assert sites.of("https://x.blogspot.com/feed") == "blogger"
    with pytest.raises(ConfigError, match=r"forum=forum\.example\.org"):
        Sites(PolitenessSettings(services=("nonsense",)))
