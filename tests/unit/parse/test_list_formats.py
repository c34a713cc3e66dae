"""Lists as programs write them: what each says of a link is kept. The samples are ours, in their shapes."""

import json
from typing import Any

import pytest

from afresh.base.records.links import LinkRef
from afresh.base.records.watches import Watch
from afresh.parse.links import read_links
from afresh.parse.listing import LinkList
from afresh.parse.opml import read_opml
from afresh.parse.posts import read_posts

WHEN = 1_700_000_000.0  # 2023-11-14 22:13:20 UTC


def links(text: str, name: str = "") -> list[LinkRef]:
    return read_links(text.encode(), name=name)


def one(text: str, name: str = "") -> LinkRef:
    (found,) = links(text, name)
    return found


NETSCAPE = '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META CONTENT="text/html; charset=UTF-8">\n<H1>Bookmarks Menu</H1>\n'
FIREFOX = (
    NETSCAPE
    + """<DL><p>
    <DT><H3 ADD_DATE="1700000000" LAST_MODIFIED="1" PERSONAL_TOOLBAR_FOLDER="true">Toolbar &amp; more</H3>
    <DD>What this folder is for
    <DL><p>
        <DT><H3>Inner/most</H3>
        <DL><p>
            <DT><A HREF="https://a.example/?x=1&amp;y=2" ADD_DATE="1700000000" LAST_MODIFIED="1700000001" ICON_URI="https://a.example/i"
             ICON="data:image/png;base64,AAAA" SHORTCUTURL="a" TAGS="one,two words">A &amp; B</A>
            <DD>First line
second line
        </DL><p>
        <HR>    </DL><p>
    <DT><A HREF="place:sort=8">Recent</A>
    <DT><A HREF="https://b.example/">https://b.example/</A>
    <DT><A FEEDURL="https://c.example/feed" HREF="https://c.example/">C</A>
</DL>"""
)


def test_firefox() -> None:
    assert links(FIREFOX) == [
        LinkRef(
            url="https://a.example/?x=1&y=2",
            title="A & B",
            folder="Toolbar & more/Inner∕most",
            tags=("one", "two words"),
            note="First line\nsecond line",
            saved=WHEN,
        ),
        LinkRef(url="https://b.example/"),
        LinkRef(url="https://c.example/feed", title="C", home="https://c.example/", kind="feed"),
    ]


def test_safari_has_no_list_around_its_folders() -> None:
    found = links(
        "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<HTML>\n<META CONTENT='text/html; charset=UTF-8'>\n<Title>Marks</Title>\n"
        "<H1>Bookmarks</H1>\n<DT><H3 FOLDED>Favourites</H3>\n<DL><p>\n<DT><A HREF='https://a.example/'>A</A>\n</DL><p>\n"
        "<DT><A HREF='https://b.example/'>B</A>\n<DT><H3 FOLDED id='com.apple.ReadingList'>Reading List</H3>\n<DL><p>\n"
        "<DT><A HREF='https://c.example/'>C</A>\n</DL><p>\n</HTML>\n"
    )
    assert [(link.url[8], link.folder) for link in found] == [("a", "Favourites"), ("b", ""), ("c", "Reading List")]


@pytest.mark.parametrize("attributes", ["", 'ICON="data:image/png;base64,AAA="'], ids=["chrome", "edge"])
def test_chrome_and_edge(attributes: str) -> None:
    found = one(
        NETSCAPE + '<DL><p>\n    <DT><H3 ADD_DATE="1" PERSONAL_TOOLBAR_FOLDER="true">Bar</H3>\n    <DL><p>\n'
        f'        <DT><A HREF="https://a.example/" ADD_DATE="1700000000" {attributes}>A</A>\n    </DL><p>\n</DL><p>\n'
    )
    assert found == LinkRef(url="https://a.example/", title="A", folder="Bar", saved=WHEN)


def test_pinboard_linkding_and_raindrop_pages() -> None:
    text = NETSCAPE + (
        '<DL><p><DT><A HREF="https://a.example/" ADD_DATE="1700000000" PRIVATE="1" TOREAD="0" TAGS="x,y">A</A>\n'
        "<DD>said of it\n"
        '<DT><A HREF="https://b.example/" ADD_DATE="1700000000" TAGS="">B</A>\n\r<DD>told'
        "[linkding-notes]noted &lt;1&gt;[/linkding-notes]\n\r"
        '<DT><H3 ADD_DATE="1">Unsorted</H3><DL><p><DT><A HREF="https://c.example/" DATA-COVER="https://c.example/i" '
        'DATA-IMPORTANT="true">C</A></DL><p></DL><p>'
    )
    assert links(text) == [
        LinkRef(url="https://a.example/", title="A", tags=("x", "y"), note="said of it", saved=WHEN),
        LinkRef(url="https://b.example/", title="B", note="told\n\nnoted <1>", saved=WHEN),
        LinkRef(url="https://c.example/", title="C", folder="Unsorted"),
    ]


def test_pocket_page() -> None:
    text = (
        "<!DOCTYPE html>\n<html><head><title>Pocket Export</title></head><body>\n<h1>Unread</h1>\n<ul>\n"
        '<li><a href="https://a.example/" time_added="1700000000" tags="x,y">A</a></li>\n</ul>\n'
        '<h1>Read Archive</h1>\n<ul>\n<li><a href="https://b.example/" time_added="1700000000" tags="">B</a></li></ul>'
    )
    assert links(text, "ril_export.html") == [
        LinkRef(url="https://a.example/", title="A", folder="Unread", tags=("x", "y"), saved=WHEN),
        LinkRef(url="https://b.example/", title="B", folder="Read Archive", saved=WHEN),
    ]


def test_instapaper() -> None:
    text = (
        "<!DOCTYPE html>\n<html>\n<head><title>Instapaper: Export</title></head>\n<body>\n<h1>Unread</h1>\n<ol>\n"
        '<li><a href="https://a.example/?x&amp;y">A</a></li>\n</ol>\n<h1>My <i>own</i></h1>\n<ol>\n'
        '<li><a href="https://b.example/">B</a><br>said</li></ol></body></html>'
    )
    assert links(text, "instapaper-export.html") == [
        LinkRef(url="https://a.example/?x&y", title="A", folder="Unread"),
        LinkRef(url="https://b.example/", title="B", folder="My own"),
    ]


def test_a_live_bookmark_is_its_feed_with_or_without_a_page() -> None:
    found = links(
        NETSCAPE + '<DL><DT><A FEEDURL="https://a.example/feed">A</A>\n<DT><A NAME="x">none</A><DT><A>none</A>'
    )
    assert found == [LinkRef(url="https://a.example/feed", title="A", kind="feed")]


def test_a_quote_that_is_never_closed_costs_its_own_link_at_most() -> None:
    text = NETSCAPE + '<DL><DT><A HREF="https://a.example/>A</A>\n<DT><A HREF="https://b.example/">B</A></DL>'
    assert "https://b.example/" in [link.url for link in links(text)]


def place(**more: Any) -> dict[str, Any]:
    return {"type": "text/x-moz-place", "title": "A", "uri": "https://a.example/", **more}


JSONS: dict[str, tuple[object, LinkRef]] = {
    "firefox": (
        {
            "title": "",
            "type": "text/x-moz-place-container",
            "root": "placesRoot",
            "children": [
                {
                    "title": "menu",
                    "children": [
                        place(
                            dateAdded=1_700_000_000_123_456,
                            tags="x,y",
                            annos=[{"name": "bookmarkProperties/description", "value": "said"}],
                        )
                    ],
                }
            ],
        },
        LinkRef(url="https://a.example/", title="A", folder="menu", tags=("x", "y"), note="said", saved=WHEN),
    ),
    "firefox's live bookmarks": (
        {
            "title": "menu",
            "type": "text/x-moz-place-container",
            "children": [
                {
                    "title": "A",
                    "type": "text/x-moz-place-container",
                    "children": [],
                    "annos": [
                        {"name": "livemark/siteURI", "value": "https://a.example/"},
                        {"name": "livemark/feedURI", "value": "https://a.example/feed"},
                        "none",
                    ],
                }
            ],
        },
        LinkRef(url="https://a.example/feed", title="A", folder="menu", home="https://a.example/", kind="feed"),
    ),
    "chrome": (
        {
            "checksum": "0",
            "version": 1,
            "roots": {
                "bookmark_bar": {
                    "name": "Bar",
                    "type": "folder",
                    "children": [
                        {
                            "name": "In",
                            "children": [
                                {
                                    "date_added": "13344473600000000",
                                    "name": "A",
                                    "type": "url",
                                    "url": "https://a.example/",
                                    "meta_info": {"power_bookmark_meta": ""},
                                }
                            ],
                        }
                    ],
                }
            },
        },
        LinkRef(url="https://a.example/", title="A", folder="Bar/In", saved=WHEN),
    ),
    "pinboard": (
        [
            {
                "href": "https://a.example/",
                "description": "A",
                "extended": "said",
                "time": "2023-11-14T22:13:20Z",
                "shared": "yes",
                "toread": "no",
                "tags": "x y",
            }
        ],
        LinkRef(url="https://a.example/", title="A", tags=("x", "y"), note="said", saved=WHEN),
    ),
    "raindrop": (
        {
            "result": True,
            "items": [
                {
                    "link": "https://a.example/",
                    "title": "A",
                    "excerpt": "short",
                    "note": "mine",
                    "tags": ["x", "y"],
                    "created": "2023-11-14T22:13:20.123Z",
                    "collection": {"$id": 1, "title": "News"},
                    "media": [{"link": "https://a.example/i.png"}],
                }
            ],
        },
        LinkRef(url="https://a.example/", title="A", folder="News", tags=("x", "y"), note="mine\n\nshort", saved=WHEN),
    ),
    "linkding": (
        {
            "count": 1,
            "results": [
                {
                    "url": "https://a.example/",
                    "title": "A",
                    "description": "said",
                    "tag_names": ["x"],
                    "date_added": "2023-11-14T22:13:20Z",
                    "favicon_url": "https://a.example/i",
                }
            ],
        },
        LinkRef(url="https://a.example/", title="A", tags=("x",), note="said", saved=WHEN),
    ),
    "miniflux": (
        [
            {
                "feed_url": "https://a.example/feed",
                "site_url": "https://a.example/",
                "title": "A",
                "category": {"title": "News"},
            }
        ],
        LinkRef(url="https://a.example/feed", title="A", folder="News", home="https://a.example/"),
    ),
    "newsblur": (
        {
            "feeds": {
                "7": {"feed_address": "https://a.example/feed", "feed_link": "https://a.example/", "feed_title": "A"}
            }
        },
        LinkRef(url="https://a.example/feed", title="A", home="https://a.example/"),
    ),
    "karakeep": (
        {
            "bookmarks": [
                {
                    "createdAt": 1_700_000_000,
                    "title": "A",
                    "tags": ["x", "y"],
                    "note": "said",
                    "content": {"type": "link", "url": "https://a.example/"},
                },
                {"createdAt": 1_700_000_000, "title": "B", "tags": [], "content": {"type": "text", "text": "b"}},
            ]
        },
        LinkRef(url="https://a.example/", title="A", tags=("x", "y"), note="said", saved=WHEN),
    ),
    "a list of addresses": (["https://a.example/"], LinkRef(url="https://a.example/")),
}


@pytest.mark.parametrize("program", JSONS)
def test_json(program: str) -> None:
    content, expected = JSONS[program]
    assert one(json.dumps(content), "x.json") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "title,url,time_added,tags,status\nA,https://a.example/,1700000000,x|y,unread\n",
            LinkRef(url="https://a.example/", title="A", folder="unread", tags=("x", "y"), saved=WHEN, line=2),
        ),
        (
            'URL,Title,Selection,Folder,Timestamp,Tags\nhttps://a.example/,A,said,Archive,1700000000,"[""x"",""y""]"\n',
            LinkRef(
                url="https://a.example/",
                title="A",
                folder="Archive",
                tags=("x", "y"),
                note="said",
                saved=WHEN,
                line=2,
            ),
        ),
        (
            "\ufeffid,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite\n"
            '1,"A, b","one\ntwo",short,https://a.example/,News / Local,"x, y",2023-11-14T22:13:20.123Z,,,false\n',
            LinkRef(
                url="https://a.example/",
                title="A, b",
                folder="News/Local",
                tags=("x", "y"),
                note="one\ntwo\n\nshort",
                saved=WHEN,
                line=3,
            ),
        ),
        ("name;link\nA;https://a.example/\n", LinkRef(url="https://a.example/", title="A", line=2)),
        ("sep=;\nurl;title\nhttps://a.example/;A\n", LinkRef(url="https://a.example/", title="A", line=3)),
        (
            "Channel Id,Channel Url,Channel Title\nUC1,https://a.example/,A\n",
            LinkRef(url="https://a.example/", title="A", line=2),
        ),
        (
            "Title,URL,ID,Document tags,Saved date\nA,https://a.example/,1,\"['x', 'y']\",2023-11-14 22:13:20+00:00\n",
            LinkRef(url="https://a.example/", title="A", tags=("x", "y"), saved=WHEN, line=2),
        ),
        ("Link\tDescription\nhttps://a.example/\tA\n", LinkRef(url="https://a.example/", title="A", line=2)),
    ],
    ids=["pocket", "instapaper", "raindrop", "semicolons", "excel", "youtube", "readwise", "tabs"],
)
def test_tables(text: str, expected: LinkRef) -> None:
    assert one(text) == one(text, "export.csv") == expected


def test_posts_of_pinboard() -> None:
    text = (
        '<?xml version="1.0" encoding="UTF-8" ?><posts user="ann"><post href="https://a.example/?x=1&amp;y=2" hash="1" '
        'time="2023-11-14T22:13:20Z" description="A &lt;b&gt;" extended="said" tag="x y:z" shared="no" toread="yes" />'
        '<post href="javascript:void(0)" description="B"/></posts>'
    )
    expected = LinkRef(url="https://a.example/?x=1&y=2", title="A <b>", tags=("x", "y:z"), note="said", saved=WHEN)
    assert one(text) == one(text, "pinboard_export.xml") == expected
    found, damaged = read_posts(text.encode()), read_posts(text.replace("&amp;", "&").encode())
    assert (found.kind, found.left_out, found.repaired) == ("link", {"javascript:": 1}, 0)
    assert (damaged.links, damaged.repaired) == ((expected,), 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://a.example/ | A title\n", LinkRef(url="https://a.example/", title="A title", line=1)),
        (
            'https://a.example/ tech "two words" "~A title"\n',
            LinkRef(url="https://a.example/", title="A title", tags=("tech", "two words"), line=1),
        ),
        (
            'https://a.example/ The "best" of all\n',
            LinkRef(url="https://a.example/", title='The "best" of all', line=1),
        ),
        (
            "* Links\n- [[https://a.example/][A title]] more\n",
            LinkRef(url="https://a.example/", title="A title", line=2),
        ),
        ("see [https://a.example/?x[1][2]=3] there\n", LinkRef(url="https://a.example/?x[1][2]=3", line=1)),
    ],
    ids=["onetab", "newsboat", "quoted", "org", "brackets"],
)
def test_lists_of_lines(text: str, expected: LinkRef) -> None:
    assert one(text, "list.txt") == expected


OUTLINE = '<outline type="rss" text="A" title="A" xmlUrl="https://a.example/feed" htmlUrl="https://a.example/"'
OPMLS = {
    "feedly": f'<opml version="1.0"><head/><body><outline text="News" title="News">{OUTLINE}/></outline></body></opml>',
    "newsblur": '<opml version="1.1"><body><outline text="News" title="News"><outline htmlUrl="https://a.example/" '
    'text="A" title="A" type="rss" version="RSS" xmlUrl="https://a.example/feed"/></outline></body></opml>',
    "miniflux": '<opml version="2.0"><body><outline text="News"><outline title="A" text="A" '
    'xmlUrl="https://a.example/feed" htmlUrl="https://a.example/" type="rss"></outline></outline></body></opml>',
    "freshrss": '<opml xmlns:frss="https://freshrss.org/opml" version="2.0"><body><outline text="News" '
    f'frss:opmlUrl="https://o.example/">{OUTLINE} frss:cssFullContent="article &gt; div"/></outline></body></opml>',
    "tt-rss": f'<opml version="1.0"><body><outline text="News" ttrssSortOrder="0">{OUTLINE} ttrssPurgeInterval="0"/>'
    '</outline><outline text="tt-rss-prefs" schema-version="1"><outline pref-name="X" value="https://p.example/"/></outline>'
    '<outline text="tt-rss-filters"><outline filter-type="2">{"rules":[]}</outline></outline></body></opml>',
}


@pytest.mark.parametrize("program", OPMLS)
def test_opml_of_feed_readers(program: str) -> None:
    found = read_opml(OPMLS[program].encode())
    assert found.repaired == 0
    (link,) = found
    assert (link.url, link.title, link.folder, link.home) == (
        "https://a.example/feed",
        "A",
        "News",
        "https://a.example/",
    )


def outline(attributes: str) -> LinkList:
    return read_opml(
        f'<opml xmlns:frss="https://freshrss.org/opml"><body><outline text="A" {attributes}/></body></opml>'.encode()
    )


def test_what_freshrss_makes_a_feed_of_is_watched_as_a_page() -> None:
    of_page = 'type="HTML+XPath" xmlUrl="https://a.example/" frss:xPathItem='
    found = outline(of_page + "'//div[@class=\"item\"]' frss:xPathItemTitle='descendant::h2'")
    (link,) = found
    assert Watch.from_text(link.watch) == Watch(xpath=('//div[@class="item"]',))
    assert not found.lost
    bad = outline(of_page + '"//["')
    assert [link.watch for link in bad] == ["{}"], "all of the page"
    assert "is no XPath" in bad.lost[0]


def test_what_freshrss_makes_of_other_things_is_told() -> None:
    found = outline('type="JSON+DotNotation" xmlUrl="https://a.example/api" frss:jsonItem="items"')
    assert [link.watch for link in found] == [""]
    assert found.lost == (
        "a feed that FreshRSS makes of something else (json+dotnotation), watched as a feed"
        " (1 page: https://a.example/api)",
    )


@pytest.mark.parametrize(
    ("attributes", "kind"),
    [
        ('type="rss" xmlUrl="https://a.example/feed"', ""),
        ('type="link" url="https://a.example/"', "link"),
        ('type="link" xmlUrl="https://a.example/feed"', ""),
        ('type="link" url="https://a.example/" kind="page"', "page"),
        ('type="link" url="https://a.example/" kind="article"', "link"),
    ],
)
def test_what_an_outline_is(attributes: str, kind: str) -> None:
    assert [(link.url[:18], link.kind) for link in outline(attributes)] == [("https://a.example/", kind)]


GOOD = (
    '<?xml version="1.0"?>\n<opml version="2.0"><head><title>t</title></head><body>\n<outline text="News">\n'
    '<outline type="rss" text="A" xmlUrl="https://a.example/feed"/>\n'
    '<outline type="rss" text="B" xmlUrl="https://b.example/feed"/>\n</outline>\n'
    '<outline type="rss" text="C" xmlUrl="https://c.example/feed"/>\n</body></opml>\n'
)
DAMAGE = {
    "ampersand": ('text="B"', 'text="B & b"', 1, "B & b"),
    "less than": ('text="B"', 'text="B < b"', 1, "B < b"),
    "mark-up": ('text="B"', 'text="<b>B</b>"', 2, "<b>B</b>"),
    "quotes": ('text="B"', 'text="the "B" feed"', 1, 'the "B" feed'),
    "no quotes": ('text="B"', "text=B", 1, "B"),
    "no end": ('b.example/feed"/>', 'b.example/feed">', 1, "B"),
    "two ends": ('b.example/feed"/>', 'b.example/feed"></outline></outline>', 1, "B"),
    "no end of the document": ("</outline>\n<outline", "<outline", 1, "B"),
    "a control character": ('text="B"', 'text="\x01B"', 1, "B"),
    "an unknown name": ('text="B"', 'text="B &nonsense; b"', 1, "B &nonsense; b"),
    "a quote missing": ('b.example/feed"', "b.example/feed", 1, "B"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damaged_opml(kind: str) -> None:
    old, new, repaired, title = DAMAGE[kind]
    found = read_opml(GOOD.replace(old, new).encode())
    assert [link.url for link in found] == [f"https://{name}.example/feed" for name in "abc"]
    assert found.links[1].title == title
    assert found.links[1].folder == "News"
    assert found.repaired == repaired


def test_feeds_that_are_never_ended_hold_no_feeds() -> None:
    found = read_opml(GOOD.replace('a.example/feed"/>', 'a.example/feed">').replace('"C"', '"C & c"').encode())
    assert [(link.url[8], link.folder) for link in found] == [("a", "News"), ("b", "News"), ("c", "")]
    assert found.repaired == 2
