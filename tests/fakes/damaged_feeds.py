"""Feeds that were whole once, and one damage each: what editors, templates and cut-off connections do to them."""

import html
import random
import re
from collections.abc import Callable

ITEMS = 20
_MARKUP = ("<p>Text {i} with <b>HTML</b></p>", "Words about {i}, a &amp; b")
_END = 25  # characters behind the last item: what closes the feed is not what is damaged
_HEADS = {
    "rss": '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel><title>Feed</title>'
    "<link>https://example.org/</link><description>About</description>\n",
    "atom": '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"><title>Feed</title>'
    '<link href="https://example.org/"/><id>urn:feed</id>\n',
}
_TAILS = {"rss": "\n</channel></rss>", "atom": "\n</feed>           "}

#: Link and id of each entry.
Identities = list[tuple[str, str]]


def feed(kind: str, rng: random.Random) -> tuple[str, Identities]:
    """A well-formed feed, and who its entries are."""
    numbers = [rng.randrange(10**6) for _ in range(ITEMS)]
    make = _rss if kind == "rss" else _atom
    items = "\n".join(make(i, number) for i, number in enumerate(numbers))
    identities = [(html.unescape(_link(i, number)), _id(i, number)) for i, number in enumerate(numbers)]
    return _HEADS[kind] + items + _TAILS[kind], identities


def _link(i: int, number: int) -> str:
    return f"https://example.org/{number}/post-{i}?a=1&amp;b=2"


def _id(i: int, number: int) -> str:
    return f"id-{number}-{i}"


def _body(i: int) -> str:
    text = _MARKUP[i % 2].format(i=i)
    return f"<![CDATA[{text}]]>" if i % 4 == 0 else html.escape(text)


def _rss(i: int, number: int) -> str:
    return (
        f"<item>\n<title>Title {i} of {number} &amp; more</title>\n<link>{_link(i, number)}</link>\n"
        f"<description>{_body(i)}</description>\n<pubDate>Sat, 07 Sep 2002 {i:02}:00:01 GMT</pubDate>\n"
        f'<guid isPermaLink="false">{_id(i, number)}</guid>\n</item>'
    )


def _atom(i: int, number: int) -> str:
    return (
        f'<entry>\n<title>Title {i} of {number} &amp; more</title>\n<link href="{_link(i, number)}"/>\n'
        f"<id>{_id(i, number)}</id>\n<updated>2002-09-07T{i:02}:00:01Z</updated>\n<author><name>N</name></author>\n"
        f'<content type="html">{_body(i)}</content>\n</entry>'
    )


def _spans(text: str, pattern: str) -> list[tuple[int, int]]:
    """Where the pattern stands within the items, but not within what they quote."""
    first = re.search("<(?:item|entry)>", text)
    assert first is not None
    quoted = [match.span() for match in re.finditer(r"<!\[CDATA\[.*?\]\]>", text, re.DOTALL)]
    found = (m.span() for m in re.finditer(pattern, text, re.DOTALL) if first.start() <= m.start() < len(text) - _END)
    return [span for span in found if not any(a <= span[0] < b for a, b in quoted)]


def _without(text: str, span: tuple[int, int]) -> str:
    return text[: span[0]] + text[span[1] :]


def _between_tags(rng: random.Random, text: str, stray: str) -> str:
    """The stray text at the edge of another one, so that no value is torn apart."""
    start, end = rng.choice(_spans(text, r"(?<=>)[^<>]*(?=<)"))
    at = rng.choice((start, end))
    return text[:at] + stray + text[at:]


def _before_an_item(rng: random.Random, text: str, stray: str) -> str:
    start, _ = rng.choice(_spans(text, "<(?:item|entry)>"))
    return text[:start] + stray + text[start:]


def _typo(rng: random.Random, text: str) -> str:
    start, end = rng.choice(_spans(text, r"(?<=<)/?[a-zA-Z]+"))
    at = rng.randrange(start + (text[start] == "/"), end)
    return text[:at] + rng.choice("xyzq") + text[at + 1 :]


def _end_moved(rng: random.Random, text: str) -> str:
    """The end of an item stands behind the next one."""
    spans = _spans(text, "</(?:item|entry)>\n")[:-1]
    start, end = rng.choice(spans)
    later = spans[spans.index((start, end)) + 1][1] if (start, end) != spans[-1] else text.rindex("\n<")
    return text[:start] + text[end:later] + text[start:end] + text[later:]


def _in_capitals(rng: random.Random, text: str) -> str:
    """The tags of an item, and nothing else, begin with capitals."""
    start, end = rng.choice(_spans(text, "<(item|entry)>.*?</(?:item|entry)>"))
    change = re.compile(r"(?<=<)(/?)([a-z])(?=[\w]*[ />])")
    quoted = re.compile(r"(<!\[CDATA\[.*?\]\]>)", re.DOTALL)
    parts = [part if i % 2 else change.sub(_capital, part) for i, part in enumerate(quoted.split(text[start:end]))]
    return text[:start] + "".join(parts) + text[end:]


def _capital(letter: re.Match[str]) -> str:
    return letter[1] + letter[2].upper()


#: Damages by name.
DAMAGES: dict[str, Callable[[random.Random, str], str]] = {
    "stray <br> or <p>": lambda rng, text: _between_tags(rng, text, rng.choice(("<br>", "<p>"))),
    "stray </b>": lambda rng, text: _between_tags(rng, text, "</b>"),
    "stray <": lambda rng, text: _between_tags(rng, text, " < "),
    "an end tag missing": lambda rng, text: _without(text, rng.choice(_spans(text, "</[a-zA-Z]+>"))),
    "a < lost": lambda rng, text: _without(text, rng.choice(_spans(text, "<(?!!)"))),
    "a > lost": lambda rng, text: _without(text, rng.choice(_spans(text, "(?<!]])>"))),
    "typo in a tag": _typo,
    "a comment left open": lambda rng, text: _before_an_item(rng, text, "<!-- "),
    "an end behind the next item": _end_moved,
    "an item in capitals": _in_capitals,
    "truncated": lambda rng, text: text[: rng.randrange(text.index("\n<", 100), len(text))],
}
#: Where the items' own tags are whole.
HARMLESS = (
    "stray <br> or <p>",
    "stray </b>",
    "stray <",
    "a comment left open",
    "an end behind the next item",
    "an item in capitals",
)
