"""The bench of feeds: documents that all readers read alike, and what it says where they do not."""

from pathlib import Path

import pytest

from afresh.base.errors import UsageError
from afresh.lab.bench_feeds import KINDS, bench_feeds, documents, documents_in
from afresh.lab.bench_feeds.readers import Found, read_in_full
from afresh.lab.bench_feeds.reasons import ASPECTS, reasons
from afresh.parse.feed import parse_feed


def test_made_up_documents_are_as_large_as_real_ones_and_repeat() -> None:
    for kind in KINDS:
        (body,) = documents(kind, 1)
        assert 40_000 < len(body) < 80_000
        assert documents(kind, 1) == [body]
        assert documents(kind, 1, seed=2) != [body]


@pytest.mark.parametrize("kind", KINDS)
def test_all_readers_agree_on_them(kind: str) -> None:
    row = bench_feeds(kind, {"one": documents(kind, 1)[0]}, rounds=1)
    for rival in ("feedparser", "fastfeedparser") if kind != "json" else ("fastfeedparser",):
        assert [row[f"same_{aspect}_as_{rival}"] for aspect in ASPECTS] == [1.0] * 4
        assert isinstance(row[f"times_{rival}"], float)


def test_who_reads_nothing_is_not_compared() -> None:
    row = bench_feeds("json", {"one": documents("json", 1)[0]}, rounds=1)
    assert row["times_feedparser"] is None  # its releases do not know JSON Feed
    assert row["same_ids_as_feedparser"] is None


def test_to_read_in_full_leaves_nothing_for_later() -> None:
    (body,) = documents("rss-escaped", 1)
    assert all(hasattr(entry, "_source") for entry in parse_feed(body).entries)
    assert not any(hasattr(entry, "_source") for entry in read_in_full(body).entries)
    row = bench_feeds("rss", {"one": body}, rounds=1)
    assert isinstance(row["afresh_in_full_per_second"], float)


def test_a_folder_of_documents(tmp_path: Path) -> None:
    item = "<item><title>a</title><link>https://e.org/</link><guid>1</guid>{}</item>"
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "same.xml").write_text(f"<rss><channel>{item.format('')}</channel></rss>")
    other = item.format("<pubDate>2003-07-32T15:51:30-05:00</pubDate>")  # feedparser takes it for a day in August
    (tmp_path / "other.xml").write_text(f"<rss><channel>{other}</channel></rss>")
    (tmp_path / "none.txt").write_text("no feed")
    row = bench_feeds("mine", documents_in(tmp_path), rounds=1)
    assert (row["documents"], row["without_entries"]) == (2, 1)
    assert (row["same_ids_as_feedparser"], row["same_dates_as_feedparser"]) == (1.0, 0.5)
    assert row["differing_from_feedparser"] == ["other.xml: dates"]
    assert row["differing_because_feedparser"] == {"dates: they make another day of one that cannot be": 1}
    assert (row["impossible_dates_to_feedparser"], row["same_dates_as_feedparser_without_these"]) == (1, 1.0)


def test_only_dates_that_cannot_be_are_counted_as_such(tmp_path: Path) -> None:
    item = "<item><title>a</title><guid>1</guid><pubDate>{}</pubDate></item>"
    given = {
        "wrong": ("2003-06-31T15:51:30Z",),
        "both": ("2003-06-31T15:51:30Z", "2002-12-31T192030+01:00"),  # of the second feedparser loses the time
        "right": ("2003-06-30T15:51:30Z",),
        "also": ("2004-02-29T15:51:30Z",),
    }
    for name, dates in given.items():
        (tmp_path / name).write_text(f"<rss><channel>{''.join(map(item.format, dates))}</channel></rss>")
    row = bench_feeds("mine", documents_in(tmp_path), rounds=1)
    assert row["same_dates_as_feedparser"] == 0.5  # as before
    assert row["impossible_dates_to_feedparser"] == 1
    assert row["same_dates_as_feedparser_without_these"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("ours", "theirs", "why"),
    [
        (Found(("1",), ("/a",), (1,)), Found(("1",), ("/a",), (1,)), {}),
        (Found(("1",), ("/a",), (1,)), Found(), dict.fromkeys(ASPECTS, "they find no entry")),
        (Found(), Found(("1",), ("/a",), (1,)), dict.fromkeys(ASPECTS, "only they find entries")),
        (
            Found(("1",), ("",), (1,)),
            Found(("1", "2"), ("", ""), (1, 2)),
            dict.fromkeys(ASPECTS, "they find more entries"),
        ),
        (
            Found(("1",), ("",), (1,)),
            Found(("2",), ("http://e.org/",), (1,)),
            {"ids": "they find another", "links": "only they find one"},
        ),
        (
            Found(("1",), ("",), (1,)),
            Found(("1",), ("right",), (None,)),
            {"links": "they follow an id that is no address", "dates": "they find none"},
        ),
        (
            Found(("1",), ("",), (1,)),
            Found(("1",), ("",), (2,), ("2003-07-01T10:00:00Z",)),
            {"dates": "they find another"},
        ),
        (
            Found(("1",), ("",), (1,)),
            Found(("1",), ("",), (2,), ("2003-07-01T25:00:00Z",)),
            {"dates": "they make another day of one that cannot be"},
        ),
    ],
)
def test_why_readers_differ(ours: Found, theirs: Found, why: dict[str, str]) -> None:
    assert reasons(ours, theirs) == why


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no document"):
        documents_in(tmp_path)
    with pytest.raises(UsageError, match="none of the 1"):
        bench_feeds("mine", {"a": b"no feed"}, rounds=1)
