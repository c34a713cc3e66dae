"""The fields all feed formats share: text within its limits, links made absolute, numbers that make sense."""

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar, cast
from urllib.parse import urljoin, urlsplit

import ada_url

from afresh.base.models import Deferred, Enclosure, FeedDocument, FeedFacts, ParsedEntry, ReadPath
from afresh.parse.dates import parse_date

MAX_ENTRIES = 10_000
MAX_TITLE = 2_000
MAX_LINK = 4_000
MAX_ID = 2_000
MAX_CONTENT = 200_000
MAX_NAME = 500  # an author, a category
MAX_CATEGORIES = 50
MAX_ENCLOSURES = 50
MAX_LANGUAGE = 64

T = TypeVar("T")
#: Texts of an entry's fields as written, the first of each.
Texts = dict[str | None, str | None]
#: URL, type and length of a file as written.
File = tuple[str | None, str | None, str | None]

_REFERENCE = re.compile("&[#A-Za-z]")
# A closing tag or one that needs none: what a sentence about "<b>" does not have.
_MARKED_UP = re.compile(
    r"</(?:a|abbr|b|big|blockquote|center|cite|code|del|div|em|font|h[1-6]|i|ins|kbd|li|mark|ol|p|pre|q|s|script|small|"
    r"span|strike|strong|style|sub|sup|tt|u|ul)\s*>|<(?:br|hr|img|wbr)\b[^<>]*>|<!--",
    re.IGNORECASE,
)
_UNSEEN = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_LINK_BREAKS = re.compile(r"[\t\r\n]+")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
# A link is shown to people, and some browsers run "javascript:"; what nobody follows is not worth keeping.
_LINK_SCHEMES = frozenset(
    ("http", "https", "ftp", "ftps", "gemini", "gopher", "magnet", "mailto", "news", "nntp", "irc", "xmpp", "tel")
)
_SECTION = "<![CDATA["
_C0_AND_SPACE = "".join(map(chr, range(33)))
_PERIODS = {"hourly": 3_600.0, "daily": 86_400.0, "weekly": 604_800.0, "monthly": 2_592_000.0, "yearly": 31_536_000.0}
_DAYS = {day: n for n, day in enumerate(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"))}
_MAX_TTL_MINUTES = 10 * 525_600.0  # ten years: beyond that a number is a mistake


def line(text: str | None, limit: int = MAX_TITLE) -> str:
    """Text of one line: outer and repeated blanks gone."""
    if not text:
        return ""
    text = text[: 2 * limit].strip()
    if not text.isprintable() or "  " in text:  # line ends and tabs are not printable
        text = " ".join(text.split())
    return text[:limit]


def plain(text: str | None, limit: int = MAX_TITLE) -> str:
    """Text of one line from what may be HTML, as in RSS, which does not say: by what it looks like.

    >>> plain("a &lt; <b>b</b>"), plain("if a <b> c"), plain("1 < 2")
    ('a < b', 'if a <b> c', '1 < 2')
    """
    if text and text.lstrip().startswith(_SECTION):
        text = _unwrapped(text)
    if not text or not looks_marked_up(text):
        return line(text, limit)
    if "<" in text and _MARKED_UP.search(text, 0, 2 * limit):
        return without_markup(text, limit)
    return line(html.unescape(text[: 2 * limit]), limit)


def _unwrapped(text: str) -> str:
    """What a section of CDATA holds that was escaped itself, as some programs do.

    >>> _unwrapped(" <![CDATA[ a & b ]]>")
    'a & b'
    """
    return text.strip().removeprefix(_SECTION).removesuffix("]]>").strip()


def titles_of(found: Sequence[str], read: Callable[[str], str] = plain) -> list[str]:
    """Titles as ``read`` gives them; most are lines of text already, which is quickly seen of all together."""
    joined = "|".join(found)
    is_plain = joined.isprintable() and "<" not in joined and "  " not in joined and not _REFERENCE.search(joined)
    if is_plain and max(map(len, found), default=0) <= MAX_TITLE:
        return list(map(str.strip, found))
    return list(map(read, found))


def looks_marked_up(text: str) -> bool:
    """Whether tags or references of HTML are in it."""
    return ("&" in text and _REFERENCE.search(text) is not None) or (
        "<" in text and _MARKED_UP.search(text) is not None
    )


def without_markup(text: str, limit: int = MAX_TITLE) -> str:
    """Text of one line from HTML: tags and what nobody sees gone, entities as characters."""
    return line(html.unescape(_TAG.sub("", _UNSEEN.sub("", text[: 2 * limit]))), limit)


@lru_cache(maxsize=8192)
def name_of(text: str) -> str:
    """An author or category; the same few come again and again."""
    return plain(text, MAX_NAME)


def content_of(text: str | None) -> str:
    """The text or HTML of an entry."""
    return (text or "").strip()[:MAX_CONTENT]


def absolute(link: str | None, base: str) -> str:
    """The link made absolute; empty if there is none, or none that a person could follow."""
    if not link:
        return ""
    if not link.isprintable() or link[0] == " " or link[-1] == " ":
        link = _LINK_BREAKS.sub("", link.strip(_C0_AND_SPACE))
    if link.startswith(_SECTION):
        link = _unwrapped(link)
    link = link.replace("&amp;", "&")  # escaped twice: nobody means a parameter called "amp;b"
    if len(link) > MAX_LINK:
        return ""
    if "\\" in link or "///" in link[:9]:
        return _as_browsers_do(link, base)
    if ("[" in link or "]" in link) and not _has_host(link):
        return ""
    if link.startswith(("https://", "http://")) or not link:
        return link
    scheme = _SCHEME.match(link)
    if scheme:
        return link if scheme[1].lower() in _LINK_SCHEMES else ""
    if not base:
        return link
    try:
        joined = urljoin(base, link)
    except ValueError:
        return ""
    return joined if len(joined) <= MAX_LINK else ""


def addresses(found: Sequence[str], base: str) -> list[str]:
    """Links made absolute; most are, which is quickly seen of all together."""
    joined = "".join(found)
    # One sign after the other: each is found twenty times as quickly as any of them by a pattern.
    has_signs = " " in joined or "\\" in joined or "[" in joined or "]" in joined or "///" in joined
    has_signs = has_signs or "&amp;" in joined
    is_plain = not has_signs and joined.isprintable()
    if is_plain and max(map(len, found), default=0) <= MAX_LINK:
        return [link if link.startswith(("https://", "http://")) else absolute(link, base) for link in found]
    return [absolute(link, base) for link in found]


def _has_host(link: str) -> bool:
    """Whether brackets in it are those of an address of IPv6, or stand behind the host."""
    try:
        urlsplit(link)
    except ValueError:
        return False
    return True


def _as_browsers_do(link: str, base: str) -> str:
    """Backslashes are slashes to browsers, and three of them are two (WHATWG)."""
    try:
        joined: str = ada_url.join_url(base, link) if base else ada_url.normalize_url(link)
    except ValueError:
        return link if not base and not _SCHEME.match(link) else ""
    scheme, _, _ = joined.partition(":")
    return joined if scheme in _LINK_SCHEMES and len(joined) <= MAX_LINK else ""


def web_address(text: str | None, base: str = "") -> str:
    """An id that can be followed, for want of a link; empty if it cannot.

    >>> web_address("HTTP://e.org/1"), web_address("/1", "http://e.org/feed"), web_address("tag:e.org,2004:1")
    ('HTTP://e.org/1', 'http://e.org/1', '')
    """
    text = (text or "").strip()
    if text.startswith("/"):
        return absolute(text, base)
    return text if text[:8].lower().startswith(("http://", "https://")) else ""


def first_date(found: Texts, sources: Sequence[str]) -> tuple[float | None, str]:
    """The first usable date and the element it came from; None and "" if there is none."""
    for source in sources:
        text = found.get(source)
        if text and (seconds := parse_date(text)) is not None:
            return seconds, source
    return None, ""


def first_times(
    times: Mapping[str, Sequence[float | None]], count: int
) -> tuple[Sequence[float | None], Sequence[str]]:
    """The same of many entries, from the dates of each element, which are in the order of preference.

    >>> first_times({"published": [None, 3.0, None], "updated": [1.0, 2.0, None]}, 3)
    ([1.0, 3.0, None], ['updated', 'published', ''])
    """
    for name, column in times.items():
        if None not in column:  # as nearly always
            return column, [name] * count
        break
    found = [
        next(((column[n], name) for name, column in times.items() if column[n] is not None), (None, ""))
        for n in range(count)
    ]
    return [seconds for seconds, _ in found], [name for _, name in found]


def tidy(categories: Sequence[str]) -> tuple[str, ...]:
    """Categories in order, without blanks and repetitions."""
    names = [name_of(text[:MAX_TITLE]) for text in categories[:MAX_CATEGORIES]]
    return tuple(dict.fromkeys(filter(None, names)))


def enclosures_of(found: Sequence[File], base: str) -> tuple[Enclosure, ...]:
    """Files of an entry from their URL, type and length as written; each once, in order.

    >>> enclosures_of([("a.mp3", "audio/mpeg", "12"), ("a.mp3", "", "")], "http://e.org/")
    (Enclosure(url='http://e.org/a.mp3', type='audio/mpeg', length=12),)
    """
    files: dict[str, Enclosure] = {}
    for link, media_type, length in found[:MAX_ENCLOSURES]:
        url = absolute(link, base)
        if url and url not in files:
            files[url] = Enclosure(url=url, type=plain(media_type, MAX_NAME), length=_bytes_of(length))
    return tuple(files.values())


def _bytes_of(length: str | None) -> int | None:
    digits = (length or "").strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 18 else None


def ttl_seconds(text: str | None) -> float | None:
    """RSS ttl: minutes to seconds; None unless it is a positive number."""
    try:
        minutes = float((text or "").strip())
    except ValueError:
        return None
    return minutes * 60.0 if 0.0 < minutes <= _MAX_TTL_MINUTES else None


def hours_of(texts: Sequence[str | None]) -> tuple[int, ...]:
    """RSS skipHours as sorted hours; 24 is another name of 0, what is no hour is ignored."""
    numbers = (int(t) for text in texts[:100] if (t := (text or "").strip()).isascii() and t.isdigit() and len(t) <= 2)
    return tuple(sorted({n % 24 for n in numbers if n <= 24}))


def days_of(texts: Sequence[str | None]) -> tuple[int, ...]:
    """RSS skipDays as sorted weekdays, Monday = 0; what is no day is ignored."""
    names = ((text or "").strip().lower() for text in texts[:100])
    return tuple(sorted({_DAYS[name] for name in names if name in _DAYS}))


def update_seconds(period: str | None, frequency: str | None) -> float | None:
    """Syndication module: a period divided by its frequency, in seconds; None if no period is given.

    >>> update_seconds("hourly", "2")
    1800.0
    """
    if not period and not frequency:
        return None
    seconds = _PERIODS.get((period or "daily").strip().lower())  # the module's default period is a day
    try:
        times = float(frequency or 1)
    except ValueError:
        times = 1.0
    if seconds is None or not 0.0 < times <= 86_400.0:
        return seconds
    return seconds / times


_new = object.__new__


@dataclass(slots=True)
class Draft(Deferred):
    """An entry in the making: ``finished`` turns it into a ``ParsedEntry`` in place.

    A frozen dataclass pays for each field with a call, and every visit parses dozens of entries of a dozen fields.
    """

    title: str
    link: str
    native_id: str
    published: float | None
    date_source: str
    updated: float | None
    author: str = field(init=False)
    summary: str = field(init=False)
    content: str = field(init=False)
    categories: tuple[str, ...] = field(init=False)
    language: str = field(init=False)
    enclosures: tuple[Enclosure, ...] = field(init=False)

    def finished(
        self,
        *,
        author: str,
        summary: str | None,
        content: str | None,
        categories: tuple[str, ...],
        language: str | None,
        enclosures: tuple[Enclosure, ...],
    ) -> ParsedEntry:
        """The whole entry."""
        self.author = author
        self.summary = content_of(summary)
        self.content = content_of(content)
        self.categories = categories
        self.language = line(language, MAX_LANGUAGE) if language else ""
        self.enclosures = enclosures
        self.__class__ = ParsedEntry  # type: ignore[assignment]  # allowed: the slots are the same, and a test says so
        return cast("ParsedEntry", self)


def deferred(
    title: str,
    link: str,
    native_id: str,
    published: float | None,
    date_source: str,
    updated: float | None,
    source: tuple[Callable[[T], tuple[object, ...]], T],
) -> ParsedEntry:
    """The entry whose other fields are read from their source when somebody asks for one of them."""
    draft = _new(Draft)
    draft.title = title
    draft.link = link
    draft.native_id = native_id
    draft.published = published
    draft.date_source = date_source
    draft.updated = updated
    draft._source = source  # type: ignore[misc]  # a slot of Deferred
    draft.__class__ = ParsedEntry  # type: ignore[assignment]
    return cast("ParsedEntry", draft)


def document(facts: dict[str, object], entries: list[ParsedEntry], *, path: ReadPath = ReadPath.FAST) -> FeedDocument:
    """A feed from its facts and entries, with what the entries say about the feed."""
    facts["has_ids"] = any(entry.native_id for entry in entries)
    facts["has_dates"] = any(entry.published is not None for entry in entries)
    return FeedDocument(facts=FeedFacts(**facts), entries=tuple(entries), path=path)  # type: ignore[arg-type]  # by name
