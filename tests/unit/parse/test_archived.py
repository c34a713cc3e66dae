"""Archived versions without the archive's own additions."""

import gzip

import pytest

from afresh.base.errors import ParseError
from afresh.parse.archived import archived_address, is_warc, read_warc, strip_archive, timestamp
from afresh.parse.page import parse_page

ORIGINAL = (
    b"<html><head><title>Harbour</title></head><body>"
    b'<a href="http://example.org/plans">plans</a><img src="http://example.org/a.gif">'
    b"<p>Rebuilt in stone.</p></body></html>"
)
TODAY = (
    b'<html><head><script type="text/javascript" src="https://web-static.archive.org/_static/js/bundle-playback.js?v=1"'
    b' charset="utf-8"></script>\n<script type="text/javascript">\n  __wm.init("https://web.archive.org/web");\n</script>'
    b'<link rel="stylesheet" type="text/css" href="https://web-static.archive.org/_static/css/banner-styles.css" />'
    b"<!-- End Wayback Rewrite JS Include -->\n<title>Harbour</title></head><body>"
    b"<!-- BEGIN WAYBACK TOOLBAR INSERT --><div id=wm-ipp>Wayback captures 12 <a href='/web/2002*/x'>all</a></div>"
    b"<!-- END WAYBACK TOOLBAR INSERT -->"
    b'<a href="https://web.archive.org/web/20030401120000/http://example.org/plans">plans</a>'
    b'<img src="/web/20030401120000im_/http://example.org/a.gif"><p>Rebuilt in stone.</p></body></html>\n'
    b"<!--\n     FILE ARCHIVED ON 12:00:00 Apr 01, 2003 AND RETRIEVED FROM THE\n     INTERNET ARCHIVE -->\n"
    b"<!--\nplayback timings (ms):\n  captures_list: 1.0\n-->"
)
OF_2003 = (
    b"<html><head><title>Harbour</title></head><body>"
    b'<a href="http://web.archive.org/web/20030401120000/http://example.org/plans">plans</a>'
    b'<img src="http://web.archive.org/web/20030401120000/http://example.org/a.gif">'
    b"<p>Rebuilt in stone.</p></body></html>"
    b'<SCRIPT language="Javascript">\n<!--\n\n// FILE ARCHIVED ON 20030401120000 AND RETRIEVED FROM THE\n'
    b"// INTERNET ARCHIVE\n   var sWayBackCGI = 'http://web.archive.org/web/20030401120000/';\n//-->\n</SCRIPT>"
)


@pytest.mark.parametrize("body", [TODAY, OF_2003], ids=["today", "2003"])
def test_the_archives_additions_are_gone(body: bytes) -> None:
    cleaned = strip_archive(body)
    assert b"archive.org" not in cleaned.lower()
    assert b"wayback" not in cleaned.lower()
    was, now = parse_page(ORIGINAL), parse_page(cleaned)
    assert (now.text, now.title, now.links) == (was.text, was.title, was.links)
    assert now.tags == was.tags


def test_a_page_that_was_in_no_archive_stays_as_it_is() -> None:
    assert strip_archive(ORIGINAL) == ORIGINAL
    mentions = b"<p>See /web/ and the years 2003, on the web; FILE ARCHIVED ON paper.</p>"
    assert strip_archive(mentions) == mentions


def test_hostile_input_takes_no_time() -> None:
    body = b"<!-- WB Insert -->" * 50_000 + b"<script " * 50_000 + b"/web/2003/http" * 20_000
    assert strip_archive(body)


def test_addresses_tell_page_and_time() -> None:
    assert archived_address("https://web.archive.org/web/2003/https:/example.org/a?b=/web/1") == (
        "https://example.org/a?b=/web/1",
        timestamp("2003"),
    )
    assert archived_address("http://example.org/web/2003/") is None
    assert archived_address("https://web.archive.org/web/20031399/http://example.org/") is None
    assert timestamp("20030401") == 1049155200.0


def warc(*pages: tuple[str, bytes, int]) -> bytes:
    """A WARC file, written by hand, each record compressed by itself as is usual."""
    records = []
    for number, (url, body, status) in enumerate(pages):
        answer = b"HTTP/1.1 %d OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (
            status,
            len(body),
            body,
        )
        head = (
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2003-04-01T12:00:00Z\r\n"
            f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012}>\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(answer)}\r\n\r\n"
        )
        records.append(gzip.compress(head.encode() + answer + b"\r\n\r\n"))
    return b"".join(records)


def test_a_warc_file_is_read() -> None:
    body = warc(("http://example.org/", ORIGINAL, 200), ("http://example.org/x", b"gone", 404))
    assert is_warc(body)
    [page] = read_warc(body)
    assert (page.url, page.at, page.body) == ("http://example.org/", 1049198400.0, ORIGINAL)
    assert page.content_type == "text/html"


def test_a_broken_warc_file_is_said_to_be_so() -> None:
    with pytest.raises(ParseError, match=r"a\.warc"):
        list(read_warc(b"WARC/1.0\r\nnonsense", name="a.warc"))
    with pytest.raises(ParseError, match=r"a\.warc"):
        list(read_warc(b"\x1f\x8bnot gzip at all", name="a.warc"))
    whole = warc(("http://example.org/", ORIGINAL, 200))
    with pytest.raises(ParseError, match=r"a\.warc"):
        list(read_warc(whole[:150], name="a.warc"))
