"""Input that no feed is: a result, or a ParseError with a place, within seconds and without much memory."""

import encodings.aliases
import json
import subprocess
import sys
from collections.abc import Callable

import pytest

from afresh.base.errors import ParseError
from afresh.base.models import ParsedEntry
from afresh.parse.document_links.html import read_html
from afresh.parse.document_links.markdown import read_markdown
from afresh.parse.feed import parse_feed
from afresh.parse.link_json import read_json_links
from afresh.parse.link_tables import read_table
from afresh.parse.opml import read_opml
from afresh.parse.sitemap import parse_sitemap

# Run in a process of its own, whose memory can be told from that of the tests.
PROGRAM = """
import json, resource, sys, time
from afresh.base.errors import ParseError
from afresh.base.models import ParsedEntry
from afresh.parse.feed import parse_feed

M = 1_000_000
FRAME = b"<rss><channel><item><title>x</title>%b</item></channel></rss>"
attributes = b" ".join(b'a%d="x"' % i for i in range(M))
documents = {
    "less": b"<" * (10 * M),
    "less in a feed": b"<rss><channel>" + b"<" * (10 * M),
    "attributes": b"<rss " + attributes + b"><channel/></rss>",
    "attributes of an item": b"<rss><channel><item " + attributes + b"/></channel></rss>",
    "deep": FRAME % (b"<a>" * M + b"</a>" * M),
    "deep and open": b"<rss><channel><item><title>x</title>" + b"<a>" * M,
    "items in items": b"<rss><channel>" + b"<item>" * M,
    "zeros": FRAME % (b"\\0" * (2 * M)),
    "ampersands": FRAME % (b"&" * (4 * M)),
    "sections": b"<rss><channel>" + b"<item><link>http://a</link><title><![CDATA[" * 50_000,
    "lists": b"[" * (10 * M),
    "objects": b'{"items":[' + b"{}," * 100_000 + b"{}]}",
}
start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
told = {}
for name, body in documents.items():
    began = time.process_time()
    try:
        told[name] = [len(parse_feed(body).entries), "", time.process_time() - began]
    except ParseError as error:
        told[name] = [str(error), error.position, time.process_time() - began]
told["kilobytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start
json.dump(told, sys.stdout)
"""


def test_documents_of_megabytes() -> None:
    answer = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, check=True, timeout=200)
    told = json.loads(answer.stdout)
    assert told.pop("kilobytes") < 200_000
    for name, (result, position, seconds) in told.items():
        assert isinstance(result, int) or position, name
        assert seconds < 5.0, name


@pytest.mark.parametrize(
    "body",
    [
        b"<rss><channel><item><title>\xed\xa0\x80</title></item></channel></rss>",
        b"<rss><channel><item><title>&#xD800;&#55296;</title></item></channel></rss>",
        b'{"items":[{"title":"\\ud800"}]}',
        b'{"items":[{"title":"\\u0000"}]}',
        b"\0<\0r\0s\0s",
        b"<!--<![CDATA[--><r>&r;",
        b'<rss><channel><item _="1"/></channel></rss>',
        b"<rss><channel><![CDATA[<item><link>http://e.org/</link></item>]]></channel></rss>",
    ],
)
def test_text_that_is_none(body: bytes) -> None:
    told = read(body)
    for entry in told if isinstance(told, tuple) else ():
        assert "\0" not in entry.title
        entry.title.encode()


@pytest.mark.parametrize(
    ("reader", "body"),
    [
        (read_opml, b"<opml><body><outline xmlUrl='" + b"x" * 60_000_000),
        (read_json_links, b"[" * 2_000_000),
        (read_json_links, b"{"),
        (read_table, b"url,b\n" + b'"' + b"x" * 200_000),
        (parse_sitemap, b"<html/>"),
        (lambda body: read_html(body.decode()), b"<" * 1_100_000),
        (lambda body: read_markdown(body.decode()), b"<" * 1_100_000),
    ],
)
def test_what_no_reader_reads_is_refused_with_a_place(reader: Callable[[bytes], object], body: bytes) -> None:
    with pytest.raises(ParseError) as caught:
        reader(body)
    line, column = caught.value.position.split(":")
    assert int(line) >= 1
    assert int(column) >= 0


def read(body: bytes) -> tuple[ParsedEntry, ...] | str:
    """The entries, or the place where reading was given up."""
    try:
        return parse_feed(body).entries
    except ParseError as error:
        if not error.position:
            raise AssertionError("an error without a place") from error
        return error.position


def test_any_charset_label() -> None:
    labels = {*encodings.aliases.aliases, *encodings.aliases.aliases.values(), "x-unknown", "\udc00", "a" * 500, "../x"}
    for label in sorted(labels):
        declared = f'<?xml version="1.0" encoding="{label}"?>'.encode("utf-8", "replace")
        for head, byte in ((b"", b"\xe9"), (declared, b"e")):
            body = head + b"<rss><channel><item><title>caf" + byte + b"</title></item></channel></rss>"
            assert len(parse_feed(body, content_type=f"text/xml; charset={label}").entries) == 1, label


def test_an_item_that_is_only_quoted_is_no_item() -> None:
    item = b"<item><title>a</title><link>http://e.org/</link></item>"
    body = (
        b"<rss><channel><!-- "
        + item
        + b" -->"
        + item
        + b"<description><![CDATA["
        + item
        + b"]]></description></channel></rss>"
    )
    assert len(parse_feed(body).entries) == 1
