"""Links of every kind of file people keep links in."""

import contextlib
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.base.errors import ParseError
from afresh.base.records.links import LinkRef
from afresh.parse.bookmarks import write_bookmarks
from afresh.parse.links import read_links


def urls(body: str | bytes, name: str = "") -> list[str]:
    return [link.url for link in read_links(body.encode() if isinstance(body, str) else body, name=name)]


BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8"><TITLE>Bookmarks</TITLE>
<DL><p><DT><H3>News</H3><DL><p>
<DT><A HREF="https://a.example/" ADD_DATE="1">A &amp; co</A>
<DT><A HREF="place:sort=8">Recent</A>
<DT><A HREF="javascript:void(0)">Bookmarklet</A>
</DL><p><DT><A HREF="http://b.example/x?y=1&amp;z=2">B</A></DL>"""


def test_bookmarks_of_browsers() -> None:
    assert urls(BOOKMARKS) == ["https://a.example/", "http://b.example/x?y=1&z=2"]
    assert read_links(BOOKMARKS.encode())[0].title == "A & co"
    cut = BOOKMARKS[: BOOKMARKS.index('<DT><A HREF="javascript')]
    assert urls(cut, "bookmarks.html") == ["https://a.example/"], "a file that was cut gives what it has"
    chrome = {
        "roots": {"bar": {"name": "Bar", "children": [{"type": "url", "name": "C", "url": "https://c.example/"}]}}
    }
    firefox = {"title": "", "children": [{"title": "D", "uri": "https://d.example/"}, {"uri": "place:x"}]}
    assert urls(json.dumps(chrome)) == ["https://c.example/"]
    assert urls(json.dumps(firefox)) == ["https://d.example/"]


def test_markdown_knows_code_references_and_bare_addresses() -> None:
    text = """# Title
See [one](https://one.example/a_(b)) and <https://two.example/>, https://three.example/x.

```
https://code.example/
```
`https://inline.example/` [four][4]

[4]: https://four.example/ "Title"
"""
    found = read_links(text.encode(), name="x.md")
    assert {link.url: link.line for link in found} == {
        "https://one.example/a_(b)": 2,
        "https://two.example/": 2,
        "https://three.example/x": 2,
        "https://four.example/": 9,
    }


def test_csv_opml_html_and_plain_lists() -> None:
    assert urls("title,url\nA,https://a.example/\n", "x.csv") == ["https://a.example/"]
    assert urls("https://a.example/,A\nhttps://b.example/,B\n", "x.csv") == ["https://a.example/", "https://b.example/"]
    opml = "<opml version='2.0'><body><outline text='A' xmlUrl='https://a.example/feed'/></body></opml>"
    assert urls(opml) == ["https://a.example/feed"]
    assert urls("<html><body><a href='https://a.example/'>A</a><a href='#top'>up</a></body></html>") == [
        "https://a.example/"
    ]
    assert urls("# mine\nhttps://a.example/  A\nmailto:x@y.example\n") == ["https://a.example/", "mailto:x@y.example"]


def test_broken_json_is_told() -> None:
    with pytest.raises(ParseError, match="JSON"):
        read_links(b'{"roots": ')
    with pytest.raises(ParseError):
        read_links(b"[" * 100_000)


@given(st.binary(max_size=400), st.sampled_from(["", "x.md", "x.csv", "x.html", "x.json", "x.opml"]))
def test_any_bytes_give_links_or_a_parse_error(body: bytes, name: str) -> None:
    with contextlib.suppress(ParseError):
        read_links(body, name=name)


def test_folders_and_tags_of_bookmarks_survive_the_way_out_and_back() -> None:
    links = [
        LinkRef(url="http://a.example/?x=1&y=2", title="<A> & more"),
        LinkRef(url="http://b.example/", title="B", folder="news"),
        LinkRef(url="http://c.example/", title="C", folder="news/local", tags=("a & b", "town")),
        LinkRef(url="http://d.example/", title="D", folder="other"),
    ]
    assert read_links(write_bookmarks(links).encode(), name="bookmarks.html") == links


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("x" + "[" * 30_000, "x.md"),
        ("x\n" + "[\n" * 30_000, "x.md"),
        ("x " + "[a](b " * 15_000, "x.md"),
        ("x [a](b" + " " * 30_000, "x.md"),
        ("x " + "[a](http://b.example/c)\n" * 40_000, "x.md"),
        ("<!doctype netscape-bookmark-file-1>" + "<a " * 30_000, "x.html"),
    ],
    ids=["brackets", "references", "titles", "spaces", "lines", "anchors"],
)
def test_no_file_takes_long_to_read(text: str, name: str) -> None:
    started = time.process_time()
    read_links(text.encode(), name=name)
    assert time.process_time() - started < 2.0  # seconds; tenths now, ten and more where time grew with the square


def test_text_of_a_link_may_hold_escaped_brackets() -> None:
    found = read_links(
        rb"[a \[b\] c](https://a.example/) ![i](https://i.example/x.png (t)) [![k](https://k.example/)]", name="x.md"
    )
    assert [(link.title, link.url) for link in found][:2] == [
        ("a [b] c", "https://a.example/"),
        ("i", "https://i.example/x.png"),
    ]
