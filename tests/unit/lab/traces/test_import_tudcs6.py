import gzip

import pytest

from afresh.lab.traces import import_tudcs6, quality_report
from afresh.lab.traces.errors import TraceError

STREAM = """\
100;1000;aa;First;http://x/1;2
200;1000;bb;Second; with; separators;http://x/2;2
1500;2000;cc;"Quoted; title";http://x/3;3
MISS;3000;;;;
2500;3000;dd;;http://x/4;3
9999;3000;ee;From the future;http://x/5;3
;3000;ff;No date;http://x/6;3
1200;4000;gg;Older than the poll before;http://x/7;2
"""


def write(folder, name, text):
    (folder / name).write_text(text)


def test_one_file_is_one_feed(tmp_path):
    write(tmp_path, "feed_17.csv", STREAM)
    trace = import_tudcs6(tmp_path)
    assert trace.feed_ids.tolist() == [17]
    assert trace.stream(0).tolist() == [100, 200, 1500, 2500, 3000, 3000, 4000]
    assert trace.windows.tolist() == [2]  # the last one observed
    assert trace.columns == {"file": ["feed_17.csv"], "misses": ["1"], "corrected": ["3"]}
    assert trace.polls is not None
    assert trace.polls.times.tolist() == [1000, 2000, 3000, 4000]
    assert trace.polls.windows.tolist() == [2, 3, 3, 2]
    assert quality_report(trace).gaps == 1


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_separators_headers_and_spellings_of_time_are_recognised(tmp_path, delimiter):
    rows = [
        ("published", "polled", "id", "title", "link", "window"),
        ("2011-07-08 10:00:00", "2011-07-08T12:00:00+02:00", "a", "t", "l", "10"),
        ("1310119300000", "1310119400", "b", "t", "l", "10"),
    ]
    write(tmp_path, "a.csv", "".join(delimiter.join(row) + "\r\n" for row in rows))
    assert import_tudcs6(tmp_path).times.tolist() == [1310119200, 1310119300]


def test_compressed_and_nested_files_are_numbered_in_order_when_names_do_not_tell(tmp_path):
    (tmp_path / "deep").mkdir()
    with gzip.open(tmp_path / "deep" / "b.csv.gz", "wt") as file:
        file.write("1;2;a;t;l;5\n")
    write(tmp_path, "c.csv", "")
    trace = import_tudcs6(tmp_path)
    assert trace.feed_ids.tolist() == [1, 2]
    assert [len(trace.stream(i)) for i in range(2)] == [0, 1]
    assert trace.windows.tolist() == [1, 5]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("1;2;a;t;l;5\n1;2;a\n", 2, "3 fields"),
        ("1;2;a;t;l;5\n1;noon;a;t;l;5\n", 2, "unusable poll time 'noon'"),
        ("1;20;a;t;l;5\n1;10;a;t;l;5\n", 2, "unsorted"),
        ("1;2;a;t;l;many\n", 1, "window is not a whole number"),
        ("1;2;a;t;l;" + "9" * 5000 + "\n", 1, "window is not a whole number"),
    ],
)
def test_bad_lines_are_named(tmp_path, text, line, problem):
    write(tmp_path, "a.csv", text)
    with pytest.raises(TraceError) as caught:
        import_tudcs6(tmp_path)
    assert caught.value.line == line
    assert problem in str(caught.value)


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(TraceError, match=r"no \*\.csv"):
        import_tudcs6(tmp_path)
    with pytest.raises(TraceError, match="no such folder"):
        import_tudcs6(tmp_path / "absent")
