"""Feed documents that are made up, but shaped like real ones: thirty entries, about fifty kilobytes."""

import html
import random
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime

import orjson

ENTRIES = 30
LENGTH = 1_200  # characters of an entry's HTML
_TEXT = (
    "harbour winter signal paper ratio garden letter engine window river market council theatre museum budget "
    "season climate battery satellite archive library orchestra café naïve Zürich señor"
)
_LATIN = tuple(_TEXT.split())
_WORDS = (*_LATIN, "проект", "新聞", "tempo")
_TAGS = ("p", "em", "strong", "li", "blockquote")
_HEAD = (
    '<?xml version="1.0" encoding="{encoding}"?>\n<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    ' xmlns:atom="http://www.w3.org/2005/Atom" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/">\n<channel>'
    "<title>{title}</title><link>https://site.example/</link><description>{about}</description>"
    '<atom:link href="https://site.example/feed/" rel="self" type="application/rss+xml"/>'
    '<atom:link href="https://hub.example/" rel="hub"/><language>en</language><ttl>60</ttl>'
    "<skipHours><hour>3</hour></skipHours><sy:updatePeriod>hourly</sy:updatePeriod>\n"
)
_ATOM_HEAD = (
    '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">'
    '<title>{title}</title><id>tag:site.example,2024:feed</id><link rel="self" href="https://site.example/atom.xml"/>'
    '<link rel="hub" href="https://hub.example/"/><updated>2024-01-01T00:00:00Z</updated>\n'
)


class _Writer:
    """Entries of one document, all from one seed."""

    def __init__(self, seed: str, vocabulary: tuple[str, ...], quote: Callable[[str], str]) -> None:
        self._rng = random.Random(seed)
        self._vocabulary = vocabulary
        self.quote = quote

    def words(self, count: int) -> str:
        return " ".join(self._rng.choices(self._vocabulary, k=count))

    def body(self) -> str:
        parts: list[str] = []
        while sum(map(len, parts)) < LENGTH:
            tag = self._rng.choice(_TAGS)
            link = f'<a href="https://site.example/{self._rng.randrange(10**6)}?a=1&amp;b=2">{self.words(3)}</a>'
            parts.append(f"<{tag}>{self.words(self._rng.randint(12, 40))}, {link} {self.words(8)}.</{tag}>")
        return "\n".join(parts)

    def moments(self) -> list[datetime]:
        at = 1_700_000_000.0 + self._rng.random() * 1e7
        moments = []
        for _ in range(ENTRIES):
            moments.append(datetime.fromtimestamp(int(at), UTC))
            at -= self._rng.expovariate(1 / 20_000)
        return moments


def _rss(write: _Writer, encoding: str = "utf-8") -> bytes:
    items = [
        f"<item>\n<title>{html.escape(write.words(8).capitalize())} &amp; more</title>\n"
        f"<link>https://site.example/{at:%Y/%m/%d}/post-{i}/</link>\n"
        f"<dc:creator><![CDATA[{write.words(2)}]]></dc:creator>\n<pubDate>{format_datetime(at)}</pubDate>\n"
        f"<category><![CDATA[{write.words(1)}]]></category>\n<category><![CDATA[{write.words(2)}]]></category>\n"
        f'<guid isPermaLink="false">https://site.example/?p={i}</guid>\n'
        f"<description>{write.quote(write.body())}</description>\n</item>"
        for i, at in enumerate(write.moments())
    ]
    head = _HEAD.format(encoding=encoding, title=write.words(3), about=write.words(9))
    return (head + "\n".join(items) + "\n</channel></rss>").encode(encoding)


def _atom(write: _Writer) -> bytes:
    entries = [
        f"<entry>\n<title type='html'>{html.escape(write.words(8).capitalize())}</title>\n"
        f'<link rel="alternate" type="text/html" href="https://site.example/{i}.html"/>\n'
        f"<id>tag:site.example,2024:{i}</id>\n<published>{at.isoformat()}</published>\n"
        f"<updated>{at:%Y-%m-%dT%H:%M:%SZ}</updated>\n<author><name>{write.words(2)}</name></author>\n"
        f'<category term="{write.words(1)}"/>\n<content type="html">{write.quote(write.body())}</content>\n</entry>'
        for i, at in enumerate(write.moments())
    ]
    return (_ATOM_HEAD.format(title=write.words(3)) + "\n".join(entries) + "\n</feed>").encode()


def _json(write: _Writer) -> bytes:
    items = [
        {
            "id": f"https://site.example/?p={i}",
            "url": f"https://site.example/{i}.html",
            "title": write.words(8).capitalize(),
            "date_published": at.isoformat(),
            "authors": [{"name": write.words(2)}],
            "tags": write.words(2).split(),
            "content_html": write.body(),
        }
        for i, at in enumerate(write.moments())
    ]
    head = {"version": "https://jsonfeed.org/version/1.1", "title": write.words(3), "feed_url": "https://site.example/"}
    return orjson.dumps({**head, "hubs": [{"type": "WebSub", "url": "https://hub.example/"}], "items": items})


def _section(text: str) -> str:
    return f"<![CDATA[{text}]]>"


_MAKERS: dict[str, Callable[[str], bytes]] = {
    "rss-cdata": lambda seed: _rss(_Writer(seed, _WORDS, _section)),
    "rss-escaped": lambda seed: _rss(_Writer(seed, _WORDS, html.escape)),
    "atom": lambda seed: _atom(_Writer(seed, _WORDS, html.escape)),
    "json": lambda seed: _json(_Writer(seed, _WORDS, str)),
    "iso-8859-1": lambda seed: _rss(_Writer(seed, _LATIN, html.escape), "iso-8859-1"),
}
KINDS = tuple(_MAKERS)


def documents(kind: str, count: int = 20, seed: int = 1) -> list[bytes]:
    """Documents of one kind, the same for the same seed."""
    return [_MAKERS[kind](f"{seed} {kind} {number}") for number in range(count)]
