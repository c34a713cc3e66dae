"""Lists of links: what every reader of one gives, and the plain form: a URL a line, a title behind it."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from functools import lru_cache
from typing import TypedDict

from afresh.base.errors import ParseError, UsageError
from afresh.base.folder_names import in_path
from afresh.base.records.links import LinkRef
from afresh.base.value_class import dataclass, maker
from afresh.parse.document_links.model import WrittenLink
from afresh.parse.encoding import decode

MAX_LINKS = 1_000_000
MAX_TITLE = 1_000  # characters of a title, a folder with those it is in
MAX_FOLDER = 1_000
MAX_DEPTH = 50  # of folders
MAX_NOTE = 10_000
MAX_TAGS, MAX_TAG = 50, 100  # tags of a link, characters of one
TOO_MANY = f"more than {MAX_LINKS:,} links; split it into smaller files"
_BREAKS = "\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_LINE = re.compile(f"([^{_BREAKS}]*+)(?:\r\n|[{_BREAKS}]|\\Z)")
#: Links of the browser itself, which no server answers.
_INTERNAL = ("place:", "javascript:", "data:", "about:", "chrome:", "edge:", "file:", "#")
_SCHEME = re.compile(r"(?!https?:)[a-z][a-z0-9+-]{0,40}:(?!\d)", re.IGNORECASE)  # not a host with its port
NO_ADDRESS = "without an address"
_NAMED = 5  # pages of which the same is lost
_FIRST_LETTERS = frozenset("pPjJdDaAcCeEfF#")
_NEWLINES = re.compile("\r\n?")
_LISTED_ADDRESS = re.compile(f"^[ \t\ufeff]*+([^#\\s{_BREAKS}][^\\s{_BREAKS}]*+)", re.MULTILINE)
_NEWSBOAT, _WORDS = re.compile(r'(?:^|\s)"~[^"]'), re.compile(r'"([^"]+)"|([^\s"]+)')
_IN_LINES = re.compile("[\t\r\n]")
ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")  # in XML, and of no use anywhere
_CONTROLS = bytes(number for number in range(128) if ILLEGAL.match(chr(number)))
_UNIX, _LAST = 11_644_473_600.0, 253_402_300_800.0  # 1970 in seconds since 1601; the year 10000


#: Makes links of a file, which may have very many.
new_link = maker(LinkRef)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkList:
    """The links of a file, and how it was read."""

    format: str  # in words: "OPML", "bookmarks", "CSV" …
    links: tuple[LinkRef, ...]
    repaired: int = 0  # places that had to be repaired to read it
    lost: tuple[str, ...] = ()  # what it says that has no equal here, in words
    kind: str = ""  # what its links are, feed or link, unless one says otherwise; empty: the file does not tell
    left_out: dict[str, int] = field(default_factory=dict)  # links that no server answers, by kind: "javascript:"
    repeats: tuple[LinkRef, ...] = ()  # further places of addresses that are among the links

    def __iter__(self) -> Iterator[LinkRef]:
        return iter(self.links)

    def __len__(self) -> int:
        return len(self.links)


class Lost:
    """What could not be carried over, and of which pages."""

    def __init__(self) -> None:
        self.page = ""  # that is being read
        self.kind = "page"  # of resource it is
        self._counts: Counter[tuple[str, str]] = Counter()
        self._pages: dict[tuple[str, str], dict[str, None]] = {}
        self._remarks: list[str] = []

    def note(self, what: str) -> None:
        """Of the page that is being read."""
        key = (what[:200], self.kind)
        self._counts[key] += 1
        pages = self._pages.setdefault(key, {})
        if self.page and len(pages) < _NAMED:
            pages[self.page] = None

    def remark(self, what: str) -> None:
        """Of the whole list."""
        self._remarks.append(what)

    def told(self) -> tuple[str, ...]:
        return (*(self._words(*key, count) for key, count in self._counts.most_common(50)), *self._remarks)

    def _words(self, what: str, kind: str, count: int) -> str:
        pages = self._pages[what, kind]
        names = f": {', '.join(pages)}{', …' if count > len(pages) else ''}" if pages else ""
        return f"{what} ({count} {kind}{'s' * (count > 1)}{names})"


class Kept(TypedDict):
    """What is kept of the links of a file, and how many are not: fields of a ``LinkList``."""

    links: tuple[LinkRef, ...]
    left_out: dict[str, int]
    repeats: tuple[LinkRef, ...]


def kept(found: Iterable[LinkRef]) -> Kept:
    """Each address once, the first of equals, and its other places; not those of the browser itself."""
    unique: dict[str, LinkRef] = {}
    left_out: Counter[str] = Counter()
    repeats: list[LinkRef] = []
    for link in found:
        url = link.url
        if url in unique:
            repeats.append(link)
        elif not url or (url[0] in _FIRST_LETTERS and url.lower().startswith(_INTERNAL)):
            left_out[scheme_of(url) or NO_ADDRESS] += 1
        elif len(unique) >= MAX_LINKS:
            raise ParseError(TOO_MANY)
        else:
            unique[url] = link
    return Kept(links=tuple(unique.values()), left_out=dict(left_out), repeats=tuple(repeats))


def with_all_tags(found: LinkList) -> LinkList:
    """The links, each with the tags that it has in any of its places."""
    unique = {link.url: link for link in found.links}
    for link in found.repeats:
        unique[link.url] = unique[link.url].tagged(link.tags)
    return replace(found, links=tuple(unique.values())) if found.repeats else found


def for_servers(found: LinkList) -> LinkList:
    """Bookmarks without those of mail, FTP and the like, counted by kind; who writes such a line in a list is told."""
    if found.kind != "link":
        return found
    left_out = Counter(found.left_out)
    left_out.update(filter(None, (scheme_of(link.url) for link in (*found.links, *found.repeats))))
    if left_out.total() == sum(found.left_out.values()):
        return found
    links, repeats = (tuple(link for link in some if not scheme_of(link.url)) for some in (found.links, found.repeats))
    return replace(found, links=links, repeats=repeats, left_out=dict(left_out))


def scheme_of(url: str) -> str:
    """The kind of an address that no server answers over HTTP; empty: it may be one that does.

    >>> scheme_of("JavaScript:void(0)"), scheme_of("ftp://a.example/"), scheme_of("a.example:8080/x"), scheme_of("//a/")
    ('javascript:', 'ftp:', '', '')
    """
    found = _SCHEME.match(url)
    return "" if found is None else found[0].lower()


def read_list(body: bytes) -> LinkList:
    """The URLs of a plain list, in order. What is no URL is left to whoever makes URLs canonical.

    >>> [(link.url, link.title, link.line) for link in read_list(b"# mine\\nhttps://example.org/feed  Example\\n")]
    [('https://example.org/feed', 'Example', 2)]
    """
    return LinkList(format="a plain list", **kept(_listed(legal(decode(body)))))


def _listed(text: str) -> Iterator[LinkRef]:
    for number, line in enumerate(lines_of(text), start=1):
        shown = line.strip()
        if shown and not shown.startswith("#"):
            url, _, said = shown.partition(" ") if "\t" not in shown else shown.partition("\t")
            title, tags = _named(said)
            yield new_link(url=address(url), title=title_of(title, url), tags=tags, line=number)


def _named(said: str) -> tuple[str, tuple[str, ...]]:
    """The title behind an address, and tags: Newsboat has both in quotes, OneTab a bar before the title.

    >>> _named('tech "two words" "~My title"'), _named("| A title"), _named('The "best"')
    (('My title', ('tech', 'two words')), ('A title', ()), ('The "best"', ()))
    """
    if _NEWSBOAT.search(said) is None:
        return said.removeprefix("| "), ()
    words = [quoted or bare for quoted, bare in _WORDS.findall(said)]
    title = next((word[1:] for word in words if word.startswith("~")), "")
    return title, tags_of("\n".join(word for word in words if word[0] not in "~!"), "\n")


def places_in_list(text: str) -> Iterator[WrittenLink]:
    """The addresses of a plain list and where they stand."""
    for found in _LISTED_ADDRESS.finditer(text):
        yield WrittenLink(target=found[1], start=found.start(1), end=found.end(1))


def legal(text: str) -> str:
    """The text without what no format has a use for: control characters, halves of characters."""
    return text if text.isprintable() or _is_legal(text) else ILLEGAL.sub("", text)


def _is_legal(text: str) -> bool:
    """Whether nothing of it is illegal, as nearly always: of a whole file a third of the time of the pattern."""
    try:
        raw = text.encode()
    except UnicodeEncodeError:
        return False
    return len(raw.translate(None, _CONTROLS)) == len(raw) and not ("\ufffe" in text or "\uffff" in text)


def lines_of(text: str) -> Iterator[str]:
    """What ``splitlines`` makes of it, one by one: all at once, short lines take fifty times the memory of the text.

    >>> list(lines_of("a\\r\\n\\nb"))
    ['a', '', 'b']
    """
    return (line[1] for line in _LINE.finditer(text) if line[0])


def write_list(items: Iterable[LinkRef]) -> str:
    """The list as text, one a line."""
    return "".join(f"{item.url} {one_line(item.title)}".rstrip() + "\n" for item in items)


# --- what people say of a link, as every format writes it ------------------------------------------------------------


# A file is freed of what is illegal as a whole: piece by piece it would take a third of the time of reading.


def one_line(text: str) -> str:
    return " ".join(text.split())


def address(text: str) -> str:
    """An address as far as any reader would take it: browsers, too, read on over the end of a line."""
    return (text if text.isprintable() else _IN_LINES.sub("", text)).strip()


def title_of(text: str, url: str) -> str:
    """A title; an address that stands for a missing one is none."""
    title = one_line(text)[:MAX_TITLE].rstrip()
    return "" if title[:1] == url[:1] and title == one_line(url)[:MAX_TITLE].rstrip() else title


def note_of(*texts: str) -> str:
    """What was written about a link, in one piece; lines stay lines.

    >>> note_of(" a\\r\\nb ", "", "c", "c")
    'a\\nb\\n\\nc'
    """
    pieces = (_NEWLINES.sub("\n", text).strip() for text in texts if text)
    return "\n\n".join(dict.fromkeys(piece for piece in pieces if piece))[:MAX_NOTE].rstrip()


@lru_cache(maxsize=4_096)  # the same few again and again
def tags_of(text: str, separator: str = ",") -> tuple[str, ...]:
    """Tags as browsers write them, one comma between two.

    >>> tags_of("town, harbour,,town")
    ('town', 'harbour')
    """
    pieces = text.split(separator, MAX_TAGS)[:MAX_TAGS]
    tags = [tag for piece in pieces if (tag := one_line(piece)[:MAX_TAG].rstrip())]
    return tuple(dict.fromkeys(tags))


def folder_name(text: str) -> str:
    """The name of one folder as a path has it."""
    return in_path(one_line(text))[:MAX_FOLDER].rstrip()


def folder_within(outer: str, name: str) -> str:
    """The folder of that name in another; outer folders win where it gets too deep."""
    if not name or outer.count("/") >= MAX_DEPTH - 1:
        return outer
    return (f"{outer}/{name}" if outer else name)[:MAX_FOLDER].rstrip(" /")


@lru_cache(maxsize=4_096)
def folder_path(text: str) -> str:
    """A folder written as a path, however its parts are set off.

    >>> folder_path("News / Local/ ")
    'News/Local'
    """
    path = ""
    for part in text.split("/", MAX_DEPTH)[:MAX_DEPTH]:
        path = folder_within(path, folder_name(part))
    return path


def kind_of(text: str) -> str:
    """What a link is watched for, as our own lists say it; empty: something else is meant.

    >>> kind_of("page"), kind_of("article")
    ('page', '')
    """
    return text if text in ("feed", "page", "link", "sitemap") else ""


def kind_said(text: str) -> str:
    """The same where a column or field of that name says it: what is no kind stays, to be refused by whoever adds it.

    >>> kind_said(" Page"), kind_said("nosuch")
    ('page', 'nosuch')
    """
    return kind_of(text.strip().lower()) or one_line(text)[:MAX_TAG]


def watch_of(text: str) -> str:
    """What of a page is watched, as our own lists say it; empty: nothing, or nothing that could be."""
    if not text.startswith("{"):
        return ""
    from afresh.base.records.watches import Watch  # noqa: PLC0415 (few lists are of pages)

    try:
        watch = Watch.from_text(text)
    except UsageError:
        return ""
    return "" if watch.is_usual else watch.to_text()


def visits_of(text: str) -> str:
    """What was decided about visits, as our own lists say it; empty: nothing, or nothing that could be."""
    if not text.startswith("{"):
        return ""
    from afresh.base.records.visiting import Visiting  # noqa: PLC0415 (few lists are ours)

    try:
        return Visiting.from_text(text).to_text()
    except UsageError:
        return ""


def moment(value: object) -> float | None:
    """When something was saved, to the second: a date, or a number of seconds, or of their parts since 1970 or 1601.

    >>> [moment(value) for value in ("1700000000", 1700000000123456, "13344473600000000", "2023-11-14T22:13:20Z", 0)]
    [1700000000.0, 1700000000.0, 1700000000.0, 1700000000.0, None]
    """
    if isinstance(value, str):
        if len(value) == 10 and value.isdecimal():  # as nearly all bookmarks have it
            return float(value)
        text = value.strip()
        if not text.isdecimal() or len(text) > 20:
            from afresh.parse.dates import parse_date  # noqa: PLC0415 (few lists write dates in words)

            found = parse_date(text)
            return math.floor(found) * 1.0 if found else None
        value = int(text)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e18:
        return None
    seconds = float(value)
    if seconds >= 1e16:  # Chrome's: millionths since 1601
        seconds = seconds / 1e6 - _UNIX
    elif seconds >= 1e14:  # Firefox's: millionths
        seconds /= 1e6
    elif seconds >= 1e11:  # thousandths
        seconds /= 1e3
    return math.floor(seconds) * 1.0 if 1.0 <= seconds < _LAST else None
