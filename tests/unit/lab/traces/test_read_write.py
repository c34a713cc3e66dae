import gzip
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.lab.replay.trace import RecordedPolls, Trace
from afresh.lab.traces import PageTrace, read_page_trace, read_trace, write_page_trace, write_trace
from afresh.lab.traces.errors import TraceError
from afresh.lab.traces.files import read_bytes
from afresh.lab.traces.tables import read_table

FEEDS = "feed_id,kind,window\n7,news,2\n3,blog,10\n9,empty,0\n"
ENTRIES = "feed_id,timestamp\n3,100\n3,200.5\n7,50\n7,50\n"


def folder(tmp_path, feeds=FEEDS, entries=ENTRIES, **files):
    (tmp_path / "feeds.csv").write_text(feeds)
    (tmp_path / "entries.csv").write_text(entries)
    for name, text in files.items():
        (tmp_path / f"{name}.csv").write_text(text)
    return tmp_path


def test_a_trace_keeps_the_order_of_its_feeds(tmp_path):
    trace = read_trace(folder(tmp_path))
    assert trace.name == tmp_path.name
    assert trace.feed_ids.tolist() == [7, 3, 9]
    assert trace.stream(0).tolist() == [50, 50]  # equal times are genuine
    assert trace.stream(1).tolist() == [100, 200.5]
    assert trace.stream(2).tolist() == []
    assert trace.windows.tolist() == [2, 10, 1]  # 0 does not matter for a feed without entries
    assert trace.columns == {"kind": ["news", "blog", "empty"]}
    assert trace.sizes is None
    assert trace.polls is None


def test_feeds_may_be_interleaved_and_sizes_missing(tmp_path):
    trace = read_trace(folder(tmp_path, entries="timestamp,feed_id,size\n50,7,1000\n60,3,\n70,7,5\n"))
    assert trace.stream(0).tolist() == [50, 70]
    assert trace.sizes is not None
    np.testing.assert_array_equal(trace.sizes, [1000, 5, np.nan])


def test_carriage_returns_blank_lines_quotes_and_a_byte_order_mark(tmp_path):
    feeds = '\ufefffeed_id,window,name\r\n7,2,"a, b"\r\n\r\n3,1,c\r\n'
    trace = read_trace(folder(tmp_path, feeds=feeds, entries='feed_id,timestamp\r\n"3",5\r\n\r\n7,6\r\n'))
    assert trace.columns["name"] == ["a, b", "c"]
    assert trace.times.tolist() == [6, 5]


def test_the_compressed_file_is_preferred(tmp_path):
    folder(tmp_path)
    with gzip.open(tmp_path / "entries.csv.gz", "wb") as file:
        file.write(b"feed_id,timestamp\n3,1\n")
    assert read_trace(tmp_path).times.tolist() == [1]


def test_recorded_polls(tmp_path):
    trace = read_trace(folder(tmp_path, polls="feed_id,timestamp,window,bytes\n3,10,0,369\n7,20,2,\n3,30,5,17000\n"))
    assert trace.polls is not None
    assert trace.polls.offsets.tolist() == [0, 1, 3, 3]
    assert trace.polls.windows.tolist() == [2, 0, 5]
    np.testing.assert_array_equal(trace.polls.sizes, [np.nan, 369, 17000])


@pytest.mark.parametrize(
    ("files", "where", "problem"),
    [
        ({"entries": "feed_id,timestamp\n3,100\n3,99\n"}, "entries.csv:3", "unsorted"),
        ({"entries": "feed_id,timestamp\n3,100\n7,5\n3,99\n"}, "entries.csv:4", "unsorted"),
        ({"entries": "feed_id,timestamp\n3,-1\n"}, "entries.csv:2", "negative timestamp -1"),
        ({"entries": "feed_id,timestamp\n3,5\n3,\n"}, "entries.csv:3", "missing timestamp"),
        ({"entries": "feed_id,timestamp\n3,5\n,7\n"}, "entries.csv:3", "missing feed_id"),
        ({"entries": "feed_id,timestamp\n3,5\n3,noon\n"}, "entries.csv:3", "timestamp is not a number: 'noon'"),
        ({"entries": "feed_id,timestamp\n3,nan\n"}, "entries.csv:2", "not a number"),
        ({"entries": "feed_id,timestamp\n3,inf\n"}, "entries.csv:2", "not a number"),
        ({"entries": "feed_id,timestamp\n3,1_0\n"}, "entries.csv:2", "not a number"),
        ({"entries": "feed_id,timestamp\n3,1700000000000\n"}, "entries.csv:2", "future"),
        ({"entries": "feed_id,timestamp\n\n4,5\n"}, "entries.csv:3", "unknown feed_id 4"),
        ({"entries": "feed_id,timestamp\n3.5,5\n"}, "entries.csv:2", "not a whole number"),
        ({"entries": "feed_id,timestamp\n3,5,6\n"}, "entries.csv:2", "3 fields"),
        ({"entries": "feed_id,timestamp\n3,5,3,6\n"}, "entries.csv:2", "4 fields"),
        ({"entries": "feed_id,timestamp\n3\n5,3,100\n"}, "entries.csv:2", "1 fields"),
        ({"entries": "feed_id,time\n3,5\n"}, "entries.csv:1", "missing column timestamp"),
        ({"entries": ""}, "entries.csv:1", "missing column feed_id"),
        ({"entries": "feed_id,timestamp,size\n3,5,-2\n"}, "entries.csv:2", "negative size"),
        ({"entries": 'feed_id,timestamp\n3,"5\n'}, "entries.csv", "not CSV"),
        ({"feeds": "feed_id,window\n3,0\n7,2\n"}, "feeds.csv:2", "window 0"),
        ({"feeds": "feed_id,window\n3,\n7,2\n"}, "feeds.csv:2", "missing window"),
        ({"feeds": "feed_id,window\n3,ten\n7,2\n"}, "feeds.csv:2", "window is not a whole number"),
        ({"feeds": "feed_id,window\n3,-1\n7,2\n"}, "feeds.csv:2", "window is not a whole number"),
        ({"feeds": "feed_id,window\n3,99999999\n7,2\n"}, "feeds.csv:2", "beyond"),
        ({"feeds": "feed_id,kind\n3,a\n"}, "feeds.csv:1", "missing column window"),
        ({"feeds": "feed_id,window,window\n3,1,1\n"}, "feeds.csv:1", "appears twice"),
        ({"feeds": "feed_id,window\n3,1\n7,2\n3,1\n"}, "feeds.csv:4", "appears again, first on line 2"),
        ({"feeds": "feed_id,window\nx,1\n"}, "feeds.csv:2", "feed_id is not a whole number"),
        ({"feeds": "feed_id,window\n"}, "entries.csv:2", "unknown feed_id 3"),
        ({"polls": "feed_id,timestamp,window\n3,5,1.5\n"}, "polls.csv:2", "window 1.5"),
        ({"polls": "feed_id,timestamp,window\n3,5,1\n3,4,1\n"}, "polls.csv:3", "unsorted"),
    ],
)
def test_bad_input_is_named(tmp_path, files, where, problem):
    with pytest.raises(TraceError) as caught:
        read_trace(folder(tmp_path, **files))
    assert where in str(caught.value)
    assert problem in str(caught.value)
    assert caught.value.path.endswith(where.partition(":")[0])


def test_a_caller_with_a_clock_refuses_the_future(tmp_path):
    with pytest.raises(TraceError, match=r"entries\.csv:3.*future"):
        read_trace(folder(tmp_path), latest=150.0)


def test_missing_files_are_named(tmp_path):
    with pytest.raises(TraceError, match="no such folder"):
        read_trace(tmp_path / "absent")
    with pytest.raises(TraceError, match=r"missing file: feeds\.csv"):
        read_trace(tmp_path)
    (tmp_path / "feeds.csv").write_text(FEEDS)
    with pytest.raises(TraceError, match=r"entries\.csv\.gz or entries\.csv"):
        read_trace(tmp_path)


@pytest.mark.parametrize("cut", [0, 5, 30])
def test_a_broken_gzip_is_named(tmp_path, cut):
    folder(tmp_path)
    whole = gzip.compress(ENTRIES.encode())
    (tmp_path / "entries.csv.gz").write_bytes(whole[:cut] if cut else b"plain text")
    with pytest.raises(TraceError, match=r"entries\.csv\.gz.*broken gzip"):
        read_trace(tmp_path)


def test_a_file_that_is_no_text(tmp_path):
    folder(tmp_path)
    (tmp_path / "feeds.csv").write_bytes(b"feed_id,window\n3,\xff\n")
    with pytest.raises(TraceError, match=r"feeds\.csv:2: not UTF-8"):
        read_trace(tmp_path)


def test_a_bomb_is_refused(tmp_path):
    path = tmp_path / "entries.csv.gz"
    path.write_bytes(gzip.compress(b"0" * 100_000))
    with pytest.raises(TraceError, match="larger than 1,000 bytes"):
        read_bytes(path, limit=1000)


def test_fast_and_patient_reading_agree(tmp_path):
    plain, quoted = tmp_path / "plain.csv", tmp_path / "quoted.csv"
    rows = [(i, i * 1.25, "" if i % 3 else i) for i in range(100)]
    plain.write_text("a,b,c\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    quoted.write_text("a,b,c\n" + "".join(f'"{a}",{b},{c}\n' for a, b, c in rows))
    fast, slow = (read_table(path, ("a", "b"), ("c", "d")) for path in (plain, quoted))
    for name in ("a", "b", "c"):
        np.testing.assert_array_equal(fast[name], slow[name])
    np.testing.assert_array_equal(fast.lines, slow.lines)
    assert "d" not in fast.columns


times = st.lists(st.floats(0, 4e9, allow_nan=False), max_size=8).map(sorted)
names = st.text(st.characters(blacklist_categories=("Cs",)), max_size=6)


@st.composite
def traces(draw):
    streams = draw(st.lists(times, max_size=5))
    n = len(streams)
    ids = draw(st.lists(st.integers(0, 10**12), min_size=n, max_size=n, unique=True))
    counts = np.array([len(s) for s in streams], dtype=np.int64)
    trace = Trace(
        name="x",
        feed_ids=np.array(ids, dtype=np.int64),
        offsets=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        times=np.concatenate([[], *streams]).astype(np.float64),
        windows=np.array(draw(st.lists(st.integers(1, 50), min_size=n, max_size=n)), dtype=np.int64),
        columns={"kind": draw(st.lists(names, min_size=n, max_size=n))},
    )
    if not draw(st.booleans()):
        return trace
    polls = RecordedPolls(
        offsets=trace.offsets,
        times=trace.times,
        windows=np.arange(len(trace.times)),
        sizes=np.where(np.arange(len(trace.times)) % 2, np.nan, 17.5),
    )
    return replace(trace, polls=polls, sizes=np.full(len(trace.times), 3.0))


@given(trace=traces())
def test_a_written_trace_reads_back_the_same(tmp_path_factory, trace):
    where = tmp_path_factory.mktemp("trace")
    back = read_trace(write_trace(trace, where, readme="# mine\n"))
    for name in ("feed_ids", "offsets", "times", "windows"):
        np.testing.assert_array_equal(getattr(back, name), getattr(trace, name))
    assert back.columns == trace.columns
    assert (back.polls is None) == (trace.polls is None)
    if trace.polls is not None and back.polls is not None:
        for name in ("offsets", "times", "windows", "sizes"):
            np.testing.assert_array_equal(getattr(back.polls, name), getattr(trace.polls, name))
    assert (where / "README.md").read_text() == "# mine\n"


def test_text_with_any_line_end_survives(tmp_path):
    trace = read_trace(folder(tmp_path))
    odd = replace(trace, columns={"kind": ["a\rb", "c\nd", 'e\r\n,;"f']})
    assert read_trace(write_trace(odd, tmp_path / "odd")).columns == odd.columns


def test_many_interleaved_entries_at_one_time_keep_their_sizes(tmp_path):
    rows = [(3 if i % 2 else 7, 100, i) for i in range(400)]
    text = "feed_id,timestamp,size\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows)
    trace = read_trace(folder(tmp_path, entries=text))
    assert trace.sizes is not None
    assert trace.sizes.tolist() == [*range(0, 400, 2), *range(1, 400, 2)]


def test_writing_twice_gives_the_same_bytes(tmp_path):
    trace = read_trace(folder(tmp_path))
    one, two = (write_trace(trace, tmp_path / name) for name in ("one", "two"))
    assert (one / "entries.csv.gz").read_bytes() == (two / "entries.csv.gz").read_bytes()


def test_page_traces(tmp_path):
    (tmp_path / "pages.csv").write_text("page_id,url\n5,a\n6,b\n")
    (tmp_path / "changes.csv").write_text("page_id,timestamp,size\n5,1,10\n5,2,\n6,9,7\n")
    trace = read_page_trace(tmp_path)
    assert isinstance(trace, PageTrace)
    assert len(trace) == 2
    assert trace.versions(0).tolist() == [1, 2]
    assert trace.changes(0).tolist() == [2]
    assert trace.changes(1).tolist() == []
    again = read_page_trace(write_page_trace(trace, tmp_path / "again"))
    np.testing.assert_array_equal(again.times, trace.times)
    np.testing.assert_array_equal(again.sizes, trace.sizes)
    (tmp_path / "changes.csv").write_text("page_id,timestamp,size\n5,3,10\n5,2,\n")
    with pytest.raises(TraceError, match=r"changes\.csv:3: unsorted"):
        read_page_trace(tmp_path)
