"""WARC files that others can read."""

from dataclasses import replace
from pathlib import Path

import pytest

from afresh.base.models import Failed, Failure, Fetched, NotModified, ReceivedHead, Redirect, Rejected, Trip
from afresh.sinks import warc_archive
from afresh.sinks.folders import LocalFolder
from afresh.sinks.warc_archive import WarcArchive

warcio = pytest.importorskip("warcio.archiveiterator", reason="left out: needs warcio")


def outcome(url: str, body: bytes) -> Fetched:
    headers = {"content-type": "text/html", "content-encoding": "gzip", "content-length": "17", "etag": '"1"'}
    return Fetched(trip=Trip(url=url, final_url=url, started=0.0, finished=1.0, headers=headers), status=200, body=body)


def test_responses_are_kept_as_they_were_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warc_archive, "LARGEST", 300)  # a file is full after one response
    archive = WarcArchive(tmp_path / "warcs", prefix="afresh-f")
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


def test_redirects_errors_and_unchanged_pages_are_kept_without_a_body(tmp_path: Path) -> None:
    url = "https://a.example.com/"
    trip = Trip(
        url=url, final_url=url, started=0.0, finished=1.0, headers={"location": "/there", "content-length": "9"}
    )
    archive = WarcArchive(tmp_path, prefix="afresh-f")
    archive(Rejected(trip=trip, status=404))
    archive(Rejected(trip=trip, status=599))
    archive(Failed(trip=replace(trip, redirects=(Redirect(301, "/there"),)), cause=Failure.REDIRECTS))
    archive(NotModified(trip=trip))
    archive(Failed(trip=trip, cause=Failure.CONNECT))  # nobody answered
    archive.close()
    found = []
    [path] = tmp_path.glob("*.warc.gz")
    with path.open("rb") as stream:
        for record in warcio.ArchiveIterator(stream):
            if record.rec_type != "warcinfo":
                cut = record.rec_headers.get_header("WARC-Truncated")
                assert record.http_headers.get_header("location") == "/there"
                assert record.content_stream().read() == b""
                found.append((record.rec_type, record.http_headers.statusline, cut))
    assert found == [
        ("response", "404 Not Found", "length"),
        ("response", "599 Unknown", "length"),
        ("response", "301 Moved Permanently", "length"),
        ("revisit", "304 Not Modified", None),
    ]
    assert archive.records == 4


def test_the_request_stands_beside_the_answer_and_errors_have_their_body(tmp_path: Path) -> None:
    url = "https://a.example.com/x?y=1"
    trip = Trip(
        url=url,
        final_url=url,
        started=0.0,
        finished=1.0,
        sent=(("Host", "a.example.com"), ("User-Agent", "afresh")),
        error_body=b"<p>not here</p>",
        is_cut=False,
    )
    archive = WarcArchive(tmp_path, prefix="afresh-f")
    archive(Rejected(trip=trip, status=404))
    archive(NotModified(trip=trip))
    archive.close()
    assert archive.records == 2
    [path] = tmp_path.glob("*.warc.gz")
    assert check(["check", "-v", str(path)]) == 0
    with path.open("rb") as stream:
        found = [
            (record.rec_type, record.rec_headers, record.http_headers, record.content_stream().read())
            for record in warcio.ArchiveIterator(stream)
        ][1:]
    assert [kind for kind, *_ in found] == ["response", "request", "revisit", "request"]
    for (_, answer, _, _), (_, request, http, _) in (found[:2], found[2:]):
        assert request.get_header("WARC-Concurrent-To") == answer.get_header("WARC-Record-ID")
        assert request.get_header("WARC-Target-URI") == url
        assert http.statusline == "/x?y=1 HTTP/1.1"
        assert (http.protocol, http.get_header("Host")) == ("GET", "a.example.com")
    assert found[0][3] == b"<p>not here</p>"
    assert found[0][1].get_header("WARC-Truncated") is None


def test_the_head_is_kept_as_it_was_received(tmp_path: Path) -> None:
    """What speaks of the packed body is marked, since the body is kept unpacked."""
    url = "https://a.example.com/"
    fields = (("Server", "x"), ("ETag", '"1"'), ("Content-Encoding", "gzip"), ("Content-Length", "17"))
    fields = (*fields, ("CONNECTION", "close"), ("X-Twice", "a"), ("X-Twice", "b"))
    head = ReceivedHead("1.0", "Fine by me", fields, "192.0.2.7")
    trip = Trip(url=url, final_url=url, started=0.0, finished=1.0, head=head, sent=(("Host", "a.example.com"),))
    archive = WarcArchive(tmp_path, prefix="afresh-f")
    archive(Fetched(trip=trip, status=200, body=b"<p>hello</p>"))
    archive.close()
    [path] = tmp_path.glob("*.warc.gz")
    assert check(["check", "-v", str(path)]) == 0
    with path.open("rb") as stream:
        [record] = [record for record in warcio.ArchiveIterator(stream) if record.rec_type == "response"]
    assert record.rec_headers.get_header("WARC-IP-Address") == "192.0.2.7"
    assert (record.http_headers.protocol, record.http_headers.statusline) == ("HTTP/1.0", "200 Fine by me")
    assert record.http_headers.headers == [
        *fields[:2],
        ("X-Archive-Orig-Content-Encoding", "gzip"),
        ("X-Archive-Orig-Content-Length", "17"),
        *fields[4:],
        ("Content-Length", "12"),
    ]


def check(words: list[str]) -> int:
    """What ``warcio check`` ends with."""
    from warcio.cli import main

    try:
        main(words)
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def records(path: Path) -> list[str]:
    with path.open("rb") as stream:
        return [
            record.rec_headers.get_header("WARC-Target-URI")
            for record in warcio.ArchiveIterator(stream)
            if record.rec_type == "response"
        ]


def test_what_a_killed_process_left_is_finished_without_its_torn_end(tmp_path: Path) -> None:
    """After ``settle`` nothing is lost; what was being written is."""
    archive = WarcArchive(tmp_path / "warcs", prefix="afresh-f")
    archive(outcome("https://a.example.com/1", b"<p>hello</p>"))
    archive.settle()
    [path] = (tmp_path / "warcs").glob("*.open")
    settled = path.read_bytes()
    archive(outcome("https://a.example.com/2", b"<p>hello again</p>"))
    archive.settle()
    (tmp_path / "left").mkdir()
    (tmp_path / "left" / path.name).write_bytes(path.read_bytes()[:-5])  # as if killed while it wrote
    archive.close()
    WarcArchive(tmp_path / "left", prefix="afresh-f")
    [path] = (tmp_path / "left").iterdir()
    assert path.name.endswith(".warc.gz")
    assert path.read_bytes() == settled
    assert records(path) == ["https://a.example.com/1"]


def test_finished_files_leave_for_their_address(tmp_path: Path) -> None:
    target = LocalFolder(tmp_path / "far")
    archive = WarcArchive(tmp_path / "near", prefix="afresh-f", target=target)
    archive(outcome("https://a.example.com/1", b"<p>hello</p>"))
    archive.close()
    [path] = (tmp_path / "far").iterdir()
    assert records(path) == ["https://a.example.com/1"]
    assert not list((tmp_path / "near").iterdir())
