"""``make fuzz``: mutated documents for every parser; whatever comes, the answer is a value or a ParseError.

    python -m tests.fuzz [--documents 200000] [--seed 1] [PARSER ...]

A document that makes a parser raise anything else is printed with its number, from which it can be made again.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from afresh.base.errors import ParseError, UsageError
from afresh.feeds.queries.language import parse_query
from afresh.parse.bookmarks import read_bookmarks
from afresh.parse.dates import parse_date
from afresh.parse.discover import announced_feeds
from afresh.parse.document_links import read_document
from afresh.parse.feed import parse_feed
from afresh.parse.link_json import read_json_links
from afresh.parse.link_tables import read_table
from afresh.parse.links import read_links
from afresh.parse.listing import read_list
from afresh.parse.opml import read_opml
from afresh.parse.page import parse_page
from afresh.parse.posts import read_posts
from afresh.parse.robots import Robots
from afresh.parse.sitemap import parse_sitemap
from tests.fakes.mutations import mutated

TYPES = ("", "text/html", "text/xml; charset=latin-1", "application/xml; charset=utf-16", "x;;=", "a/b; charset=idna")
FEEDS = (
    # Those that once went wrong come first.
    b"<!--<![CDATA[--><r>&r;",
    b"<!-&#xD800;-<![CDATA[--><r>&r;",
    b"""<rss><channel><item><link>https://e.org/1</link><author>&N</author><category>&#0;</category>
    <enclosure url="https://e.org/a.&x;mp3"/></item></channel></rss>""",
    b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>t</title><link href="https://e.\xa8rg/1"/></entry></feed>',
    b"<rss><channel><item><title>a < b</title><link>http://e.org/?a=1&amp;b=2</link></item></channel></rss>",
    b"""<?xml version="1.0" encoding="utf-8"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
    <title>T</title><link>https://e.org/</link><ttl>60</ttl><skipHours><hour>3</hour></skipHours><item><title>a &amp; b
    </title><link>https://e.org/1</link><guid isPermaLink="false">1</guid>
    <pubDate>Sat, 07 Sep 2002 00:00:01 GMT</pubDate>
    <dc:creator><![CDATA[N]]></dc:creator><category>c</category><description>&lt;p>x&lt;/p></description>
    <enclosure url="https://e.org/a.mp3" length="12" type="audio/mpeg"/></item>
    <item><title>c</title></item></channel></rss>""",
    b"""<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><title>T</title><link rel="hub" href="https://h.org/"/>
    <entry><title type="html">a &amp;amp; b</title><link href="https://e.org/1"/><id>urn:1</id>
    <published>2003-12-13T18:30:02Z</published><updated>2003-12-13T18:30:02.25+01:00</updated><author><name>N</name></author>
    <category term="c"/><content type="html">&lt;p>x&lt;/p></content></entry><entry xml:base="/x"><link href="y"/>
    <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>x</p></div></content></entry></feed>""",
    b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel>
    <title>T</title></channel><item rdf:about="https://e.org/1"><title>a</title></item></rdf:RDF>""",
    b'''{"version":"https://jsonfeed.org/version/1.1","items":[{"id":1,"title":"t","date_published":"2020-01-01",
    "tags":["a"],"attachments":[{"url":"a","size_in_bytes":1}]}]}''',
    '<?xml version="1.0" encoding="utf-16"?><rss><channel><item><title>é</title></item></channel></rss>'.encode("u16"),
    b"""<rss><channel><item><title>&lt;![CDATA[a]]&gt; &#55357;&#56832;</title><link>?a=1&copy=2</link></item></channel>
    <channel/></rss>""",
    b'<?xml version="1.0" encoding="gb2312"?><rss><channel><item><title>\xe9F\xff</title></item></channel></rss>',
    b'<!DOCTYPE rss [<!ENTITY a "b">]><rss><channel><title>&a;</title><ttl>5</ttl></channel></rss>',
    b'<CHANNEL HREF="http://e.org/"><ITEM HREF="/1" LASTMOD="2004-04-06T23:05:43Z"><TITLE>a</TITLE></ITEM></CHANNEL>',
)  # fmt: skip
LISTS = (
    b"""<opml version="2.0"><head><title>T</title></head><body><outline text="F"><outline type="rss" text="a &amp; b"
    xmlUrl="https://e.org/feed" htmlUrl="https://e.org/" category="x,y"/><outline
    description="c <a href="d" rel="e">f</a>" xmlUrl="https://e.org/2"/></outline></body></opml>""",
    b"""<!DOCTYPE NETSCAPE-Bookmark-file-1><H1>Bookmarks</H1><DL><p><DT><H3 ADD_DATE="1">F</H3><DL><p>
    <DT><A HREF="https://e.org/" ADD_DATE="1700000000" TAGS="a,b">x</A><DD>about</DL><p></DL>""",
    b'<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p><DT><A HREF="" TAGS="" FEEDURL="">x</A></DL>',  # once went wrong
    b'[{"href":"https://e.org/","description":"x","tags":"a b","time":"2020-01-01T00:00:00Z"}]',
    b'{"roots":{"bar":{"children":[{"type":"url","name":"x","url":"https://e.org/","date_added":"13200000000000000"}]}}}',
    b"title,url,time_added,tags\nx,https://e.org/,1700000000,a|b\n",
    b"sep=;\nurl;title;document tags\nhttps://e.org/;x;['a', 'b']\n",
)  # fmt: skip
POSTS = (
    b"""<posts user="a"><post href="https://e.org/?a&amp;b" description="x" extended="y" tag="a b"
    time="2020-01-01T00:00:00Z"/></posts>""",
)
LINES = (b'https://e.org/ | x\nhttps://e.org/1 a "b c" "~d"\nhttps://e.org/2 - [[https://e.org/3][e]]\n',)
SITEMAPS = (
    b"""<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://e.org/</loc>
    <lastmod>2020-01-01</lastmod><changefreq>daily</changefreq><priority>0.5</priority></url></urlset>""",
    b'<?xml version="1.0"?><urlset x="<!--"><&x;url><loc></url></urlset>',  # once went wrong
    b"<sitemapindex><sitemap><loc>https://e.org/s.xml</loc></sitemap></sitemapindex>",
    b"https://e.org/1\nhttps://e.org/2\n",
)
PAGES = (
    b"<!doctype html><html><head><title>T</title><link rel=alternate type='application/rss+xml' href=/f></head><body>"
    b"<h1>a</h1><p>one <a href='/x'>two</a></p><script>x</script><table><tr><td>1</table>"
    b"<form><input></form></body></html>",
)
DATES = tuple(
    text.encode()
    for text in (
        "Sat, 07 Sep 2002 00:00:01 GMT", "2003-12-13T18:30:02.25+01:00", "Κυρ, 11 Ιούλ 2004 12:00:00 EST",
        "03335", "2003-12",
        "2004-július-13T9:15-05:00", "2004년 05월 28일  01:31:15", "Sun Jan  4 16:29:06 2004", "7. März 2002",
        "Tue Jan 02 2024 03:04:05 GMT+0100 (CET)", "2024-01-02T03:04Z[UTC]", "2024年1月2日 3:04", "1704164645123",
    )
)  # fmt: skip

WRITTEN = {
    "md": b"# a\n\n[b](c.md#d 'e') ![f](g.png) <http://h.org/> [i][j] <a href='k'>l</a>\n\n[j]: http://m.org/ \"n\"\n\n"
    b"| o | [p](q) |\n|---|---|\n| `r` | **[s](t)** |\n\n```\n[no](no)\n```\n\n- [ ] u[^1]\n\n[^1]: http://v.org/\n",
    "html": b"<base href=/a/><a href='b c'>d</a><img srcset='e 1x, f 2x'><link href=g>"
    b"<style>h{i:url(j)}</style><script>k</script>",
    "rst": b"a\n=\n\n`b <c.html>`_ d_ `e`__ http://f.org/\n\n.. _d: http://g.org/\n"
    b".. __: h\n.. image:: i.png\n   :target: j\n",
    "adoc": b"= a\n\nhttp://b.org/[c] link:d.html[e] image::f.png[] <<g>> xref:h.adoc#i[j]\n\n----\nhttp://no.org/\n----\n",
    "css": b"@import 'a.css'; b{c:url(d.png)} /* url(no) */ e{f:url( 'g' )}",
    "ipynb": b'{"cells":[{"cell_type":"markdown","source":["[a](b)"]},{"cell_type":"code","source":"c"}]}',
    "txt": b"see http://a.org/b(c), (https://d.org/), and e@f.org.\n",
}
ROBOTS = (
    b"User-agent: *\nDisallow: /a*b$\nAllow: /a/c\nCrawl-delay: 3\nSitemap: https://e.org/s.xml\n"
    b"User-agent: afresh/1\nDisallow:\n",
)
QUERIES = (
    b'CREATE FEED a WEIGHT 3 AS RETURN ALL WHERE TITLE CONTAINS "b" AND NOT (DATE > "2020-01-01" OR AUTHOR = \'c\')',
    b'RETURN "https://e.org/f" WHERE TITLE MATCHES "a.*b" LIMIT 3',
)
WATCHED = (
    b'{"watching":{"a":{"url":"https://e.org/","title":"t","include_filters":[".a","xpath://b"],"subtractive_selectors":["c"],'
    b'"trigger_text":["/d/"],"tags":["g"]}},"settings":{"application":{"tags":{"g":{"title":"h"}}}}}',
    b"name: a\nurl: https://e.org/\nfilter:\n  - css: .a\n  - element-by-id: b\n---\nurl: https://e.org/2\n"
    b"filter: html2text\n",
)


@dataclass(frozen=True)
class Target:
    """A parser and documents that it reads."""

    parse: Callable[[bytes, str], object]
    corpus: Sequence[bytes]


def _feed(body: bytes, content_type: str) -> object:
    return hash(
        parse_feed(body, content_type=content_type, url="https://example.org/feed").entries
    )  # reads every field


def _document(ending: str, body: bytes, _: str) -> object:
    return read_document(body, f"a.{ending}")


TARGETS = {
    "feed": Target(_feed, FEEDS),
    "opml": Target(read_opml, LISTS[:1]),
    "bookmarks": Target(lambda body, _: read_bookmarks(body), LISTS[1:3]),
    "json": Target(lambda body, _: read_json_links(body), LISTS[3:5]),
    "table": Target(lambda body, _: read_table(body), LISTS[5:]),
    "posts": Target(lambda body, _: read_posts(body), POSTS),
    "list": Target(lambda body, _: read_list(body), LINES),
    "sitemap": Target(lambda body, content_type: parse_sitemap(body, content_type=content_type), SITEMAPS),
    "page": Target(lambda body, content_type: parse_page(body, url="https://e.org/", content_type=content_type), PAGES),
    "discover": Target(lambda body, content_type: announced_feeds(body, "https://e.org/", content_type), PAGES),
    **{ending: Target(partial(_document, ending), [body]) for ending, body in WRITTEN.items()},
    "robots": Target(lambda body, _: Robots.parse(body, 200).crawl_delay("afresh"), ROBOTS),
    "query": Target(lambda body, _: parse_query(body.decode("utf-8", "replace")), QUERIES),
    "watched": Target(lambda body, _: read_links(body, name="urls.yaml"), WATCHED),
    "date": Target(lambda body, _: parse_date(body.decode("utf-8", "replace")), DATES),
}


def fuzz(name: str, documents: int, seed: int) -> list[str]:
    """What went wrong: the number of the document, the error, and the document itself."""
    target = TARGETS[name]
    wrong: list[str] = []
    for number in range(documents):
        rng = random.Random(f"{seed} {name} {number}")
        body = target.corpus[number] if number < len(target.corpus) else mutated(rng, target.corpus)
        content_type = rng.choice(TYPES)
        try:
            target.parse(body, content_type)
        except (ParseError, UsageError):
            continue
        except Exception as error:
            wrong.append(f"{name} {number}: {type(error).__name__}: {error}\n  {content_type!r} {body!r}")
    return wrong


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("parsers", nargs="*", metavar="PARSER", help=", ".join(TARGETS))
    given = parser.parse_args(arguments)
    failures = 0
    for name in given.parsers or TARGETS:
        start = time.monotonic()
        wrong = fuzz(name, given.documents, given.seed)
        failures += len(wrong)
        print(f"{name}: {given.documents:,} documents in {time.monotonic() - start:,.0f} s, {len(wrong)} went wrong")
        print("\n".join(wrong[:20]), end="\n" if wrong else "", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
