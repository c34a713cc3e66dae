"""OPML, plain lists, sitemaps: URLs in bulk."""

import gzip

import pytest

from afresh.base.errors import ParseError
from afresh.base.records.links import LinkRef
from afresh.parse.bookmarks import read_bookmarks
from afresh.parse.links import read_links
from afresh.parse.listing import lines_of, read_list, write_list
from afresh.parse.opml import read_opml, write_opml
from afresh.parse.sitemap import SitemapUrl, parse_sitemap

OPML = """<?xml version="1.0" encoding="UTF-8"?><opml version="1.0"><head><title>x</title></head><body>
<outline text="News" title="News"><outline text="Wörld/Local">
<outline type="rss" text="A" title="A &amp; Co" xmlUrl="https://a.example/feed" category="x, y"/></outline>
<outline type="rss" text="B" xmlurl="https://b.example/feed"/></outline>
<outline text="C" XMLURL=" https://c.example/feed "/><outline text="empty"/></body></opml>"""


def test_opml_with_folders() -> None:
    found = read_opml(OPML.encode())
    assert [(item.url, item.title, item.folder, item.tags) for item in found] == [
        ("https://a.example/feed", "A & Co", "News/Wörld∕Local", ("x", "y")),
        ("https://b.example/feed", "B", "News", ()),
        ("https://c.example/feed", "C", "", ()),
    ]
    assert found.links[0].line == 3
    assert found.repaired == 0


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_opml_in_another_encoding_than_it_says(encoding: str) -> None:
    assert [i.folder for i in read_opml(OPML.encode(encoding))] == ["News/Wörld∕Local", "News", ""]


def test_damaged_opml_is_repaired_and_counted() -> None:
    found = read_opml(OPML.replace("</outline>\n", "</out>\n", 1).encode())
    assert [item.url for item in found] == [item.url for item in read_opml(OPML.encode())]
    assert found.repaired == 1


@pytest.mark.parametrize(
    "about",
    [
        'By the makers of <a href="https://b.example" target="_blank" rel="noopener">B</a>. Since 1999.',
        'The <em data-stringify-type="italic">How</em> book at https://g.example/',
        '<a href="https://s.example/">S</a> on <a href="https://c.example">C</a>',
        "it's <b class='x'>\"quoted\"</b> > twice",
    ],
)
def test_markup_with_quotes_in_a_value_hides_no_feed(about: str) -> None:
    body = (
        '<opml version="2.0"><body><outline text="Folder">'
        f'<outline text="One" title="One" description="{about}" xmlUrl="https://one.example/f" type="rss" />'
        '<outline text="Two" xmlUrl="https://two.example/f" type="rss"/></outline>'
        '<outline text="Three" xmlUrl="https://three.example/f"/></body></opml>'
    )
    found = read_opml(body.encode())
    assert [(link.url, link.title, link.folder) for link in found] == [
        ("https://one.example/f", "One", "Folder"),
        ("https://two.example/f", "Two", "Folder"),
        ("https://three.example/f", "Three", ""),
    ]
    assert found.repaired


def test_opml_beyond_repair_says_where() -> None:
    with pytest.raises(ParseError, match="line 3") as caught:
        read_opml(b"<opml>\n<head>\n<title>x</head></opml>")
    assert caught.value.position.startswith("3:")
    with pytest.raises(ParseError, match="not OPML"):
        read_opml(b"<rss/>")
    with pytest.raises(ParseError):
        read_opml(b"<opml><body>" + b"<outline text='x'>" * 100_000)


def test_opml_round_trip() -> None:
    items = [
        LinkRef(url="https://a.example/?a=1&b=2", title='"A" <b> &\x01', folder="x/y & z", tags=("c",)),
        LinkRef(url="https://b.example/", title="B"),
        LinkRef(url="https://c.example/", title="C", folder="x"),
        LinkRef(url="https://d.example/", title="D", folder="/".join(["deep"] * 10_000)),
    ]
    again = read_opml(write_opml(items, title="my <feeds>").encode())
    assert {(i.url, i.title, i.folder, i.tags) for i in again} == {
        ("https://a.example/?a=1&b=2", '"A" <b> &', "x/y & z", ("c",)),
        ("https://b.example/", "B", "", ()),
        ("https://c.example/", "C", "x", ()),
        ("https://d.example/", "D", "/".join(["deep"] * 50), ()),
    }


def test_lines_are_those_of_splitlines() -> None:
    breaks = "a\n\nb\r\nc\rd\ve\ff\x1cg\x1dh\x1ei\x85j\u2028k\u2029l\r\r\n\n"
    for text in ("", "a", "\n", "\r\n", breaks, breaks + "x"):
        assert list(lines_of(text)) == text.splitlines()


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("", b"a%d\n"),
        ("x.csv", b"a%d,://b%d\n"),
        ("x.md", b"[a](http://b%d.example/) "),
        ("x.html", b"<a href=h%d></a>"),
    ],
)
def test_more_links_than_anybody_has_are_refused(monkeypatch: pytest.MonkeyPatch, name: str, body: bytes) -> None:
    monkeypatch.setattr("afresh.parse.listing.MAX_LINKS", 100)
    few = b"".join(body.replace(b"%d", b"%d" % number) for number in range(100))
    assert len(read_links(few, name=name)) == 100
    with pytest.raises(ParseError, match="links; split it"):
        read_links(few + few.replace(b"1", b"x"), name=name)


def test_a_file_of_brackets_is_not_unfolded() -> None:
    with pytest.raises(ParseError, match="lists and objects"):
        read_links(b"[" + b"[]," * 1_600_000 + b"[]]", name="x.json")


def test_a_line_of_more_cells_than_a_table_has_is_refused() -> None:
    with pytest.raises(ParseError, match="cells; refused") as caught:
        read_links(b"url,title\n" + b"https://a.example/,A\n" * 3 + b"," * 1_100_000, name="x.csv")
    assert caught.value.position == "5:1"
    assert len(read_links(b"url,title\n" + b",,,,,,\n" * 200_000 + b"https://a.example/,A\n", name="x.csv")) == 1


def test_plain_list_round_trip() -> None:
    body = "# mine\n\nhttps://a.example/feed  The A  feed\nhttps://b.example/\thé\n  example.org/feed\r\n".encode(
        "latin-1"
    )
    found = read_list(body)
    assert [(i.url, i.title, i.line) for i in found] == [
        ("https://a.example/feed", "The A feed", 3),
        ("https://b.example/", "hé", 4),
        ("example.org/feed", "", 5),
    ]
    assert [(i.url, i.title) for i in read_list(write_list(found).encode())] == [
        ("https://a.example/feed", "The A feed"),
        ("https://b.example/", "hé"),
        ("example.org/feed", ""),
    ]


SITEMAP = b"""<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc> https://e.org/1 </loc><lastmod>2020-01-02</lastmod><changefreq>Daily</changefreq>
<priority>0.8</priority></url>
<url><loc>https://e.org/2</loc><lastmod>x</lastmod><changefreq>often</changefreq><priority>nan</priority></url>
<url><loc>javascript:1</loc></url><url/></urlset>"""


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_sitemap(pack: type[bytes]) -> None:
    assert parse_sitemap(pack(SITEMAP)).urls == (
        SitemapUrl(url="https://e.org/1", modified=1_577_923_200.0, frequency="daily", priority=0.8),
        SitemapUrl(url="https://e.org/2"),
    )


def test_half_a_character_costs_no_page() -> None:
    body = (
        b'<urlset xmlns="http://s.example/<![CDATA["><url><loc>https://e.org/1</loc></url>'
        b"<url><loc>https://e.org/2</loc><changefreq>&#xD800;</changefreq></url></urlset>"
    )
    assert [item.url for item in parse_sitemap(body, content_type="text/xml; charset=latin-1").urls] == [
        "https://e.org/1",
        "https://e.org/2",
    ]


def test_sitemap_index_and_text() -> None:
    index = b"<sitemapindex><sitemap><loc>https://e.org/s.xml.gz</loc></sitemap></sitemapindex>"
    assert [item.url for item in parse_sitemap(index).sitemaps] == ["https://e.org/s.xml.gz"]
    text = b"\xef\xbb\xbfhttps://e.org/1\r\nhttps://e.org/2\nrubbish\nhttps://e.org/1\n"
    assert [item.url for item in parse_sitemap(text).urls] == ["https://e.org/1", "https://e.org/2"]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"<rss/>", "not a sitemap"),
        (gzip.compress(b"\0" * 60 * 2**20), "refused"),
        (b"\x1f\x8b rubbish", "gzip"),
        (b"", "not well-formed|empty"),
    ],
)
def test_no_sitemap(body: bytes, says: str) -> None:
    with pytest.raises(ParseError, match=says):
        parse_sitemap(body)


@pytest.mark.parametrize(
    "written",
    [
        '<A HREF="https://e.org/?a=1&amp;b=2" ADD_DATE="1600000000" TAGS="x,y">T &amp; more</A>',
        '<A HREF="https://e.org/?a=1&amp;b=2" ADD_DATE="1600000000" LAST_VISIT="1" TAGS="x,y">T &amp; more</A>',
        '<a href="https://e.org/?a=1&amp;b=2" add_date="1600000000" tags="x,y">T &amp; more</a>',
        '<A HREF="https://e.org/?a=1&amp;b=2" ADD_DATE="1600000000" TAGS="x,y" PRIVATE="0">T &amp; more</A>',
        "<A TAGS=\"x,y\" ADD_DATE=1600000000 HREF='https://e.org/?a=1&amp;b=2'>T <b>&amp;</b> more</A>",
        '<A HREF="https://e.org/?a=1&amp;b=2" ADD_DATE="1600000000" TAGS="x,y">T &amp; more',
        '<A HREF="https://e.org/?a=1&amp;b=2" ADD_DATE="1600000000" TAGS="x,y" >T &amp; more</a >',
    ],
)
def test_a_bookmark_is_the_same_however_it_is_written(written: str) -> None:
    text = f"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><H3>F</H3><DL><DT>{written}<DD>Note</DL></DL>"
    link = LinkRef(
        url="https://e.org/?a=1&b=2", title="T & more", folder="F", tags=("x", "y"), note="Note", saved=1_600_000_000.0
    )
    assert read_bookmarks(text.encode()).links == (link,)


@pytest.mark.parametrize(
    ("behind", "note"),
    [
        ("\n    <DT>", ""),
        ("\n<DD>Note &lt;1&gt;\nand more\n<DT>", "Note <1>\nand more"),
        ("<DD>a <b>bold</b> word<DT>", "a bold word"),
        ("<DD>one<DT>two<DT>", "onetwo"),
        ("<DD>half [linkding-notes]more[/linkding-notes]<DT>", "half\n\nmore"),
        ("<p>no note<DT>", ""),
        ("<HR>\n<DT>", ""),
    ],
)
def test_a_bookmark_with_what_is_behind_it_is_the_same_in_large_and_small_letters(behind: str, note: str) -> None:
    for change in (str, str.lower):
        first, last = (
            change(f'<A HREF="https://e.org/{end}" ADD_DATE="1600000000" ICON="data:,x" LAST_CHARSET="UTF-8">')
            + f"T{end}"
            for end in "12"
        )
        end, behind = change("</A>"), behind.replace("DD", change("DD")).replace("DT", change("DT"))
        body = f"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT>{first}{end}{behind}{last}{end}</DL>".encode()
        found = [(link.url, link.title, link.note, link.saved) for link in read_bookmarks(body)]
        assert found == [("https://e.org/1", "T1", note, 1.6e9), ("https://e.org/2", "T2", "", 1.6e9)]
