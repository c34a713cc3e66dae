"""Of a damaged feed as many entries are read as by feedparser, and nearly all if their own tags are whole."""

import io
import random

import feedparser
import pytest

from afresh.base.errors import ParseError
from afresh.base.models import ReadPath
from afresh.parse.feed import parse_feed
from afresh.parse.markup import TAGS
from tests.fakes.damaged_feeds import DAMAGES, HARMLESS, ITEMS, feed

DOCUMENTS = 25


def shares(kind: str, damage: str) -> tuple[float, float]:
    """The share of entries with the right link and id, as afresh and as feedparser read them."""
    ours = theirs = 0
    for seed in range(DOCUMENTS):
        rng = random.Random(f"{kind} {damage} {seed}")
        text, identities = feed(kind, rng)
        body = DAMAGES[damage](rng, text).encode()
        read = {(entry.link, entry.native_id) for entry in parse_feed(body).entries}
        other = {(entry.get("link"), entry.get("id")) for entry in feedparser.parse(io.BytesIO(body)).entries}
        ours += len(read.intersection(identities))
        theirs += len(other.intersection(identities))
    return ours / DOCUMENTS / ITEMS, theirs / DOCUMENTS / ITEMS


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("kind", ["rss", "atom"])
def test_no_fewer_entries_than_feedparser_reads(kind: str, damage: str) -> None:
    ours, theirs = shares(kind, damage)
    assert ours >= theirs
    assert ours >= (0.99 if damage in HARMLESS else 0.3 if damage == "truncated" else 0.98)


def test_a_damaged_feed_says_so() -> None:
    text, identities = feed("rss", random.Random(1))
    whole = parse_feed(text.encode())
    assert (whole.path, whole.repaired) == (ReadPath.FAST, ())
    assert [(entry.link, entry.native_id) for entry in whole.entries] == identities
    damaged = parse_feed(text.replace("</title>", "", 2).encode())
    assert (damaged.path, damaged.repaired) == (ReadPath.PATIENT, (TAGS,))


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("<item><title>a</title><dc:date>2003-12-13T18:30:02Z</dc:date></item>", ("a", "", "", 1071340202.0)),
        ("<item><title>a < b</title><link>/?a=1&amp;b=2</link></item>", ("a < b", "/?a=1&b=2", "", None)),
        ("<item><title>a<br>b</title><guid>1</guid></item>", ("ab", "", "1", None)),
        ("<item><titel>a</title><guid>1</guid></item>", ("a", "", "1", None)),
        ("<item><title>a</titel><guid>1</guid></item>", ("a", "", "1", None)),
        ("<item>title>a</title><guid isPermaLink='false'1</guid></item>", ("a", "", "1", None)),
        ("<item><title>a/title><guid>1</guid></item>", ("a", "", "1", None)),
        ("<item><titlea</title><guid>1</guid></item>", ("a", "", "1", None)),
        ("item><title>a</title><guid>1</guid></item>", ("a", "", "1", None)),
        ("<title>T</title><iten><title>a</title><guid>1</guid></item>", ("a", "", "1", None)),
        ("<image><title>x</title></image><item><title>a</title><guid>1</guid><br></item>", ("a", "", "1", None)),
        ("<item><author><name>N</author><title>a</title><guid>1</guid></item>", ("a", "", "1", None)),
        ("<!-- left open <item><title>a</title><guid>1</guid></item>", ("a", "", "1", None)),
        ("<item><title><![CDATA[a</title><guid>1</guid></item>", ("a", "", "1", None)),
    ],
)  # fmt: skip
def test_one_damage(inside: str, expected: tuple[str, str, str, float | None]) -> None:
    (entry,) = parse_feed(f"<rss><channel>{inside}</channel></rss>".encode()).entries
    assert (entry.title, entry.link, entry.native_id, entry.published) == expected


def test_markup_that_was_not_escaped_is_kept_as_markup() -> None:
    item = "<item><title>a</title><description>1 &lt; 2 <b>x<br></b> & <![CDATA[<i>]]></description></item>"
    (entry,) = parse_feed(f"<rss><channel>{item}</channel></rss>".encode()).entries
    assert entry.summary == "1 &lt; 2 <b>x<br></b> &amp; &lt;i&gt;"


def test_a_reference_behind_a_comment_that_looks_like_a_section() -> None:
    body = b"<!--<![CDATA[--><rss><channel><item><title>a &r; b</title></item></channel></rss>"
    assert [entry.title for entry in parse_feed(body).entries] == ["a &r; b"]


@pytest.mark.parametrize("kind", ["item", "entry"])
def test_an_item_that_ends_behind_the_next_one_hides_nothing(kind: str) -> None:
    inner = f"<{kind}><id>2</id><{kind}><id>3</id></{kind}></{kind}>"
    body = f"<{kind}><id>1</id><title>a</title>{inner}</{kind}><{kind}><id>4</id></{kind}>"
    frame = "<rss><channel>{}</channel></rss>" if kind == "item" else "<feed>{}</feed>"
    found = parse_feed(frame.format(body).encode())
    assert [entry.native_id for entry in found.entries] == ["1", "2", "3", "4"]
    assert found.entries[0].title == "a"


def test_items_of_something_that_is_whole_and_no_feed_are_no_entries() -> None:
    menu = b'<?xml version="1.0"?><project><menu><item name="Overview" href="index.html"/></menu></project>'
    with pytest.raises(ParseError, match="of the kind <project>, not a feed"):
        parse_feed(menu)
    assert (
        len(parse_feed(b"<envelope><rss><channel><item><title>a</title></item></channel></rss></envelope>").entries)
        == 1
    )
    assert len(parse_feed(b'<?xml version="1.0"?><item><title>a</title></item>').entries) == 1
