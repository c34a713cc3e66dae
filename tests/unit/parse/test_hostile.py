"""Documents made to hurt: each is refused or read within moments, without help from outside."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from afresh.base.errors import ParseError
from afresh.parse.feed import parse_feed
from afresh.parse.markup import REFERENCES
from afresh.parse.opml import read_opml
from afresh.parse.sitemap import parse_sitemap
from afresh.parse.tree import read_repaired

LAUGHS = (
    '<!DOCTYPE rss [<!ENTITY a0 "ha">'
    + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
    + "]><rss><channel><title>&a11;</title></channel></rss>"
)
QUADRATIC = (
    f'<!DOCTYPE rss [<!ENTITY q "{"q" * 50_000}">]><rss><channel><title>{"&q;" * 50_000}</title></channel></rss>'
)


@pytest.fixture(autouse=True)
def _quick() -> Iterator[None]:
    start = time.process_time()
    yield
    assert time.process_time() - start < 5.0


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize("text", [LAUGHS, QUADRATIC])
def test_entities_made_of_entities_or_much_text_are_refused(text: str, encoding: str) -> None:
    with pytest.raises(ParseError, match="entity"):
        parse_feed(text.encode(encoding))
    with pytest.raises(ParseError, match="entity"):
        read_opml(text.encode(encoding))
    with pytest.raises(ParseError, match="entity"):
        parse_sitemap(text.encode(encoding))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize("kind", ["SYSTEM", 'PUBLIC "x"'])
def test_an_entity_that_is_a_file_stands_for_nothing(kind: str, encoding: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    declared = f'<!DOCTYPE rss [<!ENTITY f {kind} "{secret.as_uri()}">]>'
    item = "<item><title>a&f;b</title><link>https://e.org/?&f;</link><guid>1&amp;f;</guid></item>"
    for body in (f"{declared}<rss><channel>{item}</channel></rss>", f"{declared}<rss><channel>{item}"):
        feed = parse_feed(body.encode(encoding))
        (entry,) = feed.entries
        assert (entry.title, entry.link, entry.native_id) == ("ab", "https://e.org/?", "1&f;")
        assert REFERENCES in feed.repaired


def test_a_declaration_behind_a_comment_is_seen() -> None:
    for text in (LAUGHS, QUADRATIC):
        with pytest.raises(ParseError, match="entity"):
            parse_feed(("<!-- <rss> --><?x <rss> ?>" + text).encode())


@pytest.mark.parametrize(
    "body",
    [
        b"<rss><channel>" + b"<item>" * 100_000,
        b"<rss><channel><item><title>" + b"<b>" * 100_000,
        b"<rss><channel><item><description>" + b"<b>" * 200 + b"</b>" * 200 + b"</description></item></channel></rss>",
        b"<rss " + b" ".join(b'a%d="x"' % i for i in range(100_000)) + b"><channel><title>t</title></channel></rss>",
        b'<rss a="' + b"x" * 15_000_000 + b'"><channel><title>t</title></channel></rss>',
        b"<rss><channel><title>" + b"x" * 15_000_000 + b"</title></channel></rss>",
        b"<rss><channel><item><title>" + b"<![CDATA[" * 110_000,
        b"<rss><channel><item><title>" + b"&" * 1_000_000,
        b"<rss><channel><item><title>" + b"&a;" * 300_000,
        b"<rss><channel><!--" + b"<!--" * 250_000,
        b"<!DOCTYPE rss [" + b"<!ENTITY a " * 90_000,
        b"<!DOCTYPE rss [" + b"] " * 500_000,
        b"<rss><channel>" + b"<item><title>x" * 50_000,
        b"<?xml " + b" encoding" * 100_000,
        b"<rss>\0<channel>\0<item>\0" * 10_000,
        b"<item" * 200_000,
        b"<rss><channel><item><pubDate>" + b"1 " * 400_000,
        b"<rss" + b"".join(b' xmlns:n%d="u%d"' % (i, i) for i in range(20_000)) + b"><channel/></rss>",
        b" " * 1_000_000 + b"<",
        b"<!-- " * 100 + b" " * 900_000,
    ],
    ids=range(20),
)
def test_quick_whatever_comes(body: bytes) -> None:
    with contextlib.suppress(ParseError):
        parse_feed(body)


def test_of_thousands_of_attributes_of_a_damaged_feed_the_first_are_taken() -> None:
    """libxml2 looks for each of them from the first one on, and holds the interpreter meanwhile."""
    many = "".join(f' a{number}="{number}"' for number in range(3_000))
    root, _ = read_repaired(f"<rss><channel><item{many}/><item b='1'></channel></rss>".encode())
    first, second = root.iter("item")
    assert first.attrib == {f"a{number}": str(number) for number in range(500)}
    assert second.attrib == {"b": "1"}
