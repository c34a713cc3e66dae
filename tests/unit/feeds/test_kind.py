"""The rule that a feed is visited by."""

from collections.abc import Sequence
from email.utils import formatdate

import numpy as np
import pytest

from afresh.base.models import Bounds, Kind, Lease, Resource, Result, Window
from afresh.base.settings import Settings
from afresh.base.settings.sections import RefreshSettings
from afresh.base.visits import Answer, Finding
from afresh.engine.kinds import make_kinds
from afresh.engine.outcomes import plain_finding
from afresh.feeds.kind import FeedKind, rule_of
from afresh.feeds.rules import values_of
from tests.fakes.watched import fetched

BOUNDS = Bounds()
NOW = 1_760_000_600.0


def test_the_daemons_fairness_holds_for_rules_that_know_it_and_name_none() -> None:
    assert values_of(rule_of("priced", BOUNDS, 0.9))["fairness"] == 0.9
    assert values_of(rule_of("priced:fairness=0.1", BOUNDS, 0.9))["fairness"] == 0.1
    assert values_of(rule_of("priced", BOUNDS))["fairness"] == 0.4
    assert "fairness" not in values_of(rule_of("mavsync", BOUNDS, 0.9))


@pytest.mark.parametrize(("dated", "lost"), [(True, 36.0), (False, 1.0)])
def test_what_was_lost_between_two_windows_is_estimated(dated: bool, lost: float) -> None:
    """Ten minutes without a look, and a window of the last ten seconds with one entry a second."""
    dates = [NOW - 10 + n if dated else None for n in range(10)]
    assert _lost(dates, newest_before=NOW - 50.0) == lost


@pytest.mark.parametrize("dated", [True, False])
def test_a_batch_that_replaces_all_after_a_longer_silence_has_lost_nothing(dated: bool) -> None:
    """Twelve new books at once, fifty seconds after nothing was new for ten minutes."""
    dates = [NOW - 5.0 if dated else None] * 12
    assert _lost(dates, newest_before=NOW - 650.0) == 0.0
    assert _lost(dates, newest_before=NOW - 60.0) == pytest.approx(12 * 45.0 / 60.0 if dated else 1.0)


def test_entries_under_new_names_were_not_lost() -> None:
    """Their dates reach back beyond the visit before, and not beyond what it showed."""
    assert _lost([NOW - 200.0, NOW - 100.0, NOW - 20.0], newest_before=NOW - 60.0, oldest_before=NOW - 300.0) == 0.0
    long_ago = [1_000.0, 2_000.0, 3_000.0]  # dates that say nothing
    assert _lost(long_ago, newest_before=NOW - 60.0, oldest_before=NOW - 300.0) == 1.0


def _lost(dates: Sequence[float | None], *, newest_before: float, oldest_before: float | None = None) -> float:
    """Taken for lost by a document with entries of these dates, all new, fifty seconds after the last visit."""
    items = [f"<item><guid>{n}</guid>{_date(date) if date else ''}</item>" for n, date in enumerate(dates)]
    window = Window((b"older", b"old"), np.array([oldest_before or newest_before, newest_before]))
    finding = _visited(f"<rss version='2.0'><channel><title>t</title>{''.join(items)}</channel></rss>", window)
    assert finding.missed
    return finding.lost


def _visited(document: str, window: Window) -> Finding:
    """What a visit comes to, fifty seconds after one that left this window."""
    feeds = make_kinds(Settings())[Kind.FEED]
    before = Resource(id=1, url="http://a.example/", site="a.example", kind=Kind.FEED, window=window, last_ok=NOW - 50)
    lease = Lease(id=1, resource=before, site="a.example", until=NOW + 60)
    outcome = fetched(before.url, document.encode(), NOW, "application/rss+xml")
    return feeds.judge(Answer(lease=lease, outcome=outcome, site=None), plain_finding(outcome))


def test_of_a_document_that_was_cut_off_half_an_entry_is_not_taken_and_the_rest_is_remembered() -> None:
    items = [f"<item><guid>{n}</guid><title>The night train {n} of the year</title></item>" for n in range(4)]
    whole = f"<rss><channel><title>t</title>{''.join(items)}</channel></rss>"
    first = _visited(whole.replace(items[0], ""), Window())
    cut = _visited(whole[: whole.index(" 2 of")], first.window or Window())
    assert [entry.parsed.native_id for entry in cut.entries] == ["0"]
    assert (cut.revised, cut.repaired[-1]) == ((), "cut off within its last entry")
    assert _visited(whole, cut.window or Window()).entries == ()
    ended = _visited(whole[: whole.index(items[3])], first.window or Window())
    assert ([entry.parsed.native_id for entry in ended.entries], ended.repaired[-1]) == (
        ["0"],
        "cut off before its end",
    )


RSS = (
    "<?xml version='1.0'?>\n<rss version='2.0'><channel><title>News</title><link>https://a.example/</link>"
    "<item><title>One &amp; two</title><link>https://a.example/1?a=1&amp;b=2</link><guid isPermaLink='false'>1</guid>"
    "<pubDate>Mon, 05 Oct 2026 09:00:00 GMT</pubDate><description><![CDATA[<p>Rain</p>]]></description></item>\n"
    "<item><title>Three</title><link>https://a.example/3</link><pubDate>Mon, 05 Oct 2026 10:00:00 GMT</pubDate>"
    "<enclosure url='https://a.example/3.mp3' length='1' type='audio/mpeg'/></item></channel></rss>"
)
ATOM = (
    "<feed xmlns='http://www.w3.org/2005/Atom'><title>News</title><id>urn:f</id><updated>2026-10-05T10:00:00Z</updated>"
    "<entry><title>One</title><link href='https://a.example/1'/><id>urn:1</id><updated>2026-10-05T09:00:00Z</updated>"
    "<summary>Rain</summary></entry>\n<entry><title type='html'>Three</title><id>urn:3</id><link rel='alternate' "
    "href='https://a.example/3'/><updated>2026-10-05T10:00:00Z</updated><content>Sun</content></entry></feed>"
)


@pytest.mark.parametrize("whole", [RSS, ATOM], ids=["rss", "atom"])
def test_wherever_a_document_is_cut_off_it_brings_no_entry_that_the_whole_one_has_not(whole: str) -> None:
    """Within a tag, too: ``<item`` and nothing more was an entry without title, link, id and text."""
    known = _said(whole)
    assert len(known) == 2
    found = [_said(whole[:end]) for end in range(len(whole))]
    assert [said for said in found if said != known[: len(said)]] == []
    assert sorted({len(said) for said in found}) == [0, 1, 2]


def _said(document: str) -> list[tuple[object, ...]]:
    """What the entries say that a visit takes from it, by title."""
    found = sorted((entry.parsed for entry in _visited(document, Window()).entries), key=lambda entry: entry.title)
    return [(e.title, e.link, e.native_id, e.published, e.summary, e.content, e.enclosures) for e in found]


def test_a_document_that_ends_within_its_first_entry_is_told_as_failing() -> None:
    cut = _visited(RSS[: RSS.index("</guid>")], Window())
    assert (cut.result, cut.entries, cut.error) == (
        Result.UNPARSABLE,
        (),
        "ends within its first entry: it was cut off, or not written to its end",
    )


def test_an_entry_that_says_nothing_at_all_is_none() -> None:
    named = "<item><description>Only a text</description></item>"
    document = "<rss version='2.0'><channel><title>t</title><item/><item> </item>{}</channel></rss>"
    found = _visited(document.format(named), Window())
    assert ([entry.parsed.summary for entry in found.entries], found.window_size) == (["Only a text"], 1)
    assert _visited(document.format(f"<item>{_date(NOW)}</item>"), Window()).result is Result.SAME


def test_a_corrected_headline_is_told_of_a_known_entry() -> None:
    document = "<rss><channel><title>t</title>{}<item><guid>2</guid><title>Rain</title></item></channel></rss>"
    item = "<item><guid>1</guid><title>{}</title></item>"
    first = _visited(document.format(item.format("The mayor resings")), Window())
    again = _visited(document.format(item.format("The mayor resigns")), first.window or Window())
    assert (again.result, again.entries, [one.parsed.title for one in again.revised]) == (
        Result.SAME,
        (),
        ["The mayor resigns"],
    )


def _date(moment: float) -> str:
    return f"<pubDate>{formatdate(moment)}</pubDate>"


def test_the_setting_reaches_the_feeds() -> None:
    feeds = make_kinds(Settings(refresh=RefreshSettings(fairness=0.9)))[Kind.FEED]
    assert isinstance(feeds, FeedKind)
    assert feeds.fairness == 0.9
