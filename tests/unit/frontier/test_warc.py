"""WARC files that others can read."""

from pathlib import Path

import pytest

from afresh.base.models import Fetched, Trip
from afresh.frontier import warc
from afresh.frontier.warc import WarcArchive

warcio = pytest.importorskip("warcio.archiveiterator", reason="left out: needs warcio")


def outcome(url: str, body: bytes) -> Fetched:
    headers = {"content-type": "text/html", "content-encoding": "gzip", "content-length": "17", "etag": '"1"'}
    return Fetched(trip=Trip(url=url, final_url=url, started=0.0, finished=1.0, headers=headers), status=200, body=body)


def test_responses_are_kept_as_they_were_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warc, "LARGEST", 300)  # a file is full after one response
    archive = WarcArchive(tmp_path / "warcs", prefix="afresh-f", software="afresh/0")
    for number in range(2):
        archive(outcome(f"https://a.example.com/{number}", b"<p>hello</p>"))
    archive.close()
    files = sorted((tmp_path / "warcs").glob("*.warc.gz"))
    assert len(files) == 2
    found = []
    for file in files:
        with file.open("rb") as stream:
            for record in warcio.ArchiveIterator(stream):
                found.append((record.rec_type, record.rec_headers.get_header("WARC-Target-URI")))
                if record.rec_type == "response":
                    assert record.http_headers.get_header("content-encoding") is None
                    assert record.http_headers.get_header("content-length") == "12"
                    assert record.content_stream().read() == b"<p>hello</p>"
    assert found == [
        ("warcinfo", None),
        ("response", "https://a.example.com/0"),
        ("warcinfo", None),
        ("response", "https://a.example.com/1"),
    ]
    assert archive.records == 2
