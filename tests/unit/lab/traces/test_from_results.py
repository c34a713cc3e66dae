"""What a crawl found becomes a history of pages."""

import json
from pathlib import Path

import pytest

from afresh.doors.cli.main import run
from afresh.lab.traces import read_page_trace
from afresh.store.frontier import open_frontier


def line(url: str, minute: int, **more: object) -> str:
    at = f"2026-01-01T00:{minute:02d}:00Z"
    told = {"key": f"{url}{minute}", "url": url, "site": "a.example", "result": "fetched", "fetched": at, "bytes": 100}
    return json.dumps(told | {"reported": at, "changed": None, "content_hash": ""} | more)


def test_visits_that_found_a_change_are_versions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b, c = (f"https://a.example/{name}" for name in "abc")
    results = tmp_path / "results.ndjson"
    lines = [
        line(a, 0),
        line(a, 1, changed=False, result="not_modified"),
        line(a, 2, changed=True, bytes=200),
        line(a, 2, changed=True, bytes=200),  # sinks write at least once
        line(b, 0, content_hash="x"),
        line(b, 5, content_hash="y"),
        line(b, 9, content_hash="y"),
        line(c, 3, result="error", fetched=None),
    ]
    results.write_text("\n".join(lines) + "\n")
    assert run(["lab", "trace", "from-results", str(results), "-o", str(tmp_path / "out")]) == 0
    assert "pages 2, changes 2" in capsys.readouterr().out
    assert "Results of a frontier: results.ndjson." in (tmp_path / "out" / "README.md").read_text()
    trace = read_page_trace(tmp_path / "out")
    assert trace.columns["url"] == [a, b]
    first = trace.versions(0)[0]
    assert [(trace.versions(page) - first).tolist() for page in range(2)] == [[0.0, 120.0], [0.0, 300.0]]
    assert float(trace.columns["observed_until"][1]) - first == 540.0
    assert trace.sizes is not None
    assert trace.sizes.tolist() == [100.0, 200.0, 100.0, 100.0]


def test_what_is_no_result_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.ndjson").write_text('{"title": "an entry"}\n')
    assert run(["lab", "trace", "from-results", str(tmp_path / "x.ndjson"), "-o", str(tmp_path / "out")]) == 2
    assert "line 1 is no result of a frontier" in capsys.readouterr().err


def test_a_frontier_given_as_a_store_is_called_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    open_frontier(str(tmp_path / "frontier.db")).close()
    run(["--store", str(tmp_path / "frontier.db"), "lab", "trace", "record", "-o", str(tmp_path / "out")])
    said = capsys.readouterr().err
    assert "is a frontier (`afresh serve`)" in said
    assert "lab trace from-results" in said
