import csv
import gzip
import io

import numpy as np
import pytest

from afresh.base.models import Counters, Entry, FeedFacts, Kind, ParsedEntry, Resource, Result, Visit
from afresh.base.records.history import Document, StoredEntry
from afresh.lab.traces import import_tudcs6, read_trace, record_trace, write_documents, write_stream, write_trace
from afresh.lab.traces import record as record_module
from afresh.lab.traces.export import MEANINGS


class Shelf:
    """The reading part of a store: two feeds and a page, a short log."""

    def __init__(self):
        facts = FeedFacts(format="rss20", ttl=600.0, has_dates=True, hub="http://hub")
        self.resources = [
            Resource(id=5, url="http://x/feed", site="x", facts=facts, pattern="sliced", counters=Counters(misses=1)),
            Resource(id=6, url="http://x/page", site="x", kind=Kind.PAGE),
            Resource(id=9, url="http://y/feed", site="y", capacity=7),
        ]
        self.log = [
            (1, self.visit(100.0, Result.NEW, 2, 9000)),
            (2, self.visit(200.0, Result.NOT_MODIFIED, None, 369)),
            (3, self.visit(300.0, Result.HTTP_ERROR, None, 50)),
            (4, self.visit(400.0, Result.NEW, 3, 9500)),
        ]
        self.found = [
            self.entry(1, 40.0, 100.0),
            self.entry(2, 60.0, 100.0),
            self.entry(3, 350.0, 400.0, title="Zwei;\n Zeilen", after_gap=True),
            self.entry(4, 320.0, 400.0),
        ]
        self.kept = [
            Document(resource=5, at=100.0, why="news", headers="HTTP/1.1 200 OK\r\nETag: x\r\n", body=b"\xff<rss/>"),
            Document(resource=5, at=300.0, why="unparsable", headers="", body=b"?"),
        ]

    @staticmethod
    def visit(at, result, window, size):
        return Visit(resource=5, started=at, finished=at + 1, result=result, window_size=window, bytes=size)

    @staticmethod
    def entry(seq, published, found, *, title="t", after_gap=False):
        parsed = ParsedEntry(title=title, link=f"http://x/{seq}")
        entry = Entry(
            uid=bytes([seq]) * 20,
            published=published,
            published_raw=published,
            found=found,
            initial=seq < 3,
            after_gap=after_gap,
            parsed=parsed,
        )
        return StoredEntry(seq=seq, resource=5, url="http://x/feed", entry=entry)

    def iterate(self, where):
        return iter([r for r in self.resources if where.kind in (None, r.kind)])

    def entries(self, *, after=0, limit=100, resource=None, newest_first=False):
        return [e for e in self.found if e.seq > after and resource in (None, e.resource)][:limit]

    def visits(self, *, resource=None, before=None, limit=100):
        newest_first = [(n, v) for n, v in reversed(self.log) if before is None or n < before]
        return [(n, v) for n, v in newest_first if resource in (None, v.resource)][:limit]

    def documents(self, *, resource=None, limit=100):
        return [d for d in self.kept if resource in (None, d.resource)][:limit]


@pytest.fixture(params=[1, 10_000])
def store(request, monkeypatch):
    monkeypatch.setattr(record_module, "PAGE", request.param)  # pages of one row must give the same
    return Shelf()


def test_a_store_becomes_a_trace(store, tmp_path):
    trace = record_trace(store, name="mine")
    assert trace.feed_ids.tolist() == [5, 9]
    assert trace.stream(0).tolist() == [40, 60, 320, 350]  # in order of publication
    assert trace.stream(1).tolist() == []
    assert trace.windows.tolist() == [3, 7]
    assert trace.polls is not None
    assert trace.polls.offsets.tolist() == [0, 3, 3]
    assert trace.polls.times.tolist() == [100, 200, 400]  # the failure showed nothing
    assert trace.polls.windows.tolist() == [2, 2, 3]
    assert trace.polls.sizes.tolist() == [9000, 369, 9500]
    assert trace.columns["ttl"] == ["600", ""]
    assert trace.columns["has_hub"] == ["1", "0"]
    assert trace.columns["misses"] == ["1", "0"]
    back = read_trace(write_trace(trace, tmp_path))
    np.testing.assert_array_equal(back.times, trace.times)


def test_every_column_that_is_recorded_has_its_meaning_in_the_readme(store):
    assert set(record_trace(store).columns) <= set(MEANINGS)


def test_a_stream_as_csv_with_windows_and_misses(store, tmp_path):
    text = io.StringIO()
    assert write_stream(store, 5, text) == 4
    rows = list(csv.reader(io.StringIO(text.getvalue()), delimiter=";"))
    assert rows[0] == ["published", "polled", "id", "title", "link", "window"]
    assert rows[1] == ["40", "100", "01" * 20, "t", "http://x/1", "2"]
    assert [row[0] for row in rows[1:]] == ["40", "60", "MISS", "320", "350"]
    assert rows[-1][3] == "Zwei; Zeilen"
    # what we write in this layout, we can read
    (tmp_path / "5.csv").write_text(text.getvalue())
    trace = import_tudcs6(tmp_path)
    assert trace.feed_ids.tolist() == [5]
    assert trace.times.tolist() == [40, 60, 320, 350]
    assert trace.columns["misses"] == ["1"]


def test_documents_with_news_are_archived(store, tmp_path):
    assert write_documents(store, tmp_path / "raw", resource=5) == 1
    assert [path.name for path in (tmp_path / "raw").iterdir()] == ["5-100.gz"]
    with gzip.open(tmp_path / "raw" / "5-100.gz") as file:
        assert file.read() == b"HTTP/1.1 200 OK\r\nETag: x\r\n\r\n\xff<rss/>"


def test_an_empty_store_is_an_empty_trace(store):
    store.resources = []
    trace = record_trace(store)
    assert len(trace) == 0
    assert trace.polls is None
