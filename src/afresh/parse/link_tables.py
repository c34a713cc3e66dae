"""CSV with a column of addresses: Pocket, Instapaper, Raindrop, our own, and any other."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain

import orjson

from afresh.base.errors import ParseError
from afresh.base.records.links import LinkRef
from afresh.parse import listing
from afresh.parse.document_links.model import WrittenLink
from afresh.parse.encoding import decode
from afresh.parse.listing import LinkList, Lost

_COLUMNS = ("url", "title", "folder", "tags", "saved", "note", "home")
_RARE_COLUMNS = ("kind", "watch", "visits")  # only where something is said
#: By which the files of Pocket, Instapaper and Raindrop are told from lists of feeds.
_OF_BOOKMARKS = frozenset(("time_added", "selection", "excerpt"))
#: What a column is called, by what it holds; the first that is there counts, of notes all.
_NAMES = {
    "url": ("url", "link", "href", "address", "uri", "feed_url", "xmlurl", "page_url", "website", "channel_url"),
    "title": ("title", "name", "text", "channel_title", "description"),
    "folder": ("folder", "collection", "category", "path", "list", "status"),
    "tags": ("tags", "labels", "document_tags", "keywords", "tag"),
    "saved": ("saved", "time_added", "timestamp", "created", "created_at", "date_added", "saved_date", "added", "date"),
    "note": ("note", "notes", "excerpt", "selection", "comment", "extended", "description"),
    "home": ("home", "htmlurl", "site_url"),
    "kind": ("kind",),
    "visits": ("visits",),
    "said": ("watch",),  # as we say it ourselves
    "watch": ("selector", "css", "css_selector", "xpath", "json_path", "include_filters"),
}
_DELIMITERS = ",;\t"
_MARK_SAID = "sep="  # how the first line of some begins, for Excel
_MOST_CELLS = 100_000  # of a line: each takes fifty bytes however short it is
_LONG = 1_000_000  # characters of a file


def looks_like_table(head: str) -> bool:
    """Whether the first line names a column of addresses."""
    first = _heading(head)
    return any(mark in first for mark in _DELIMITERS) and any(name in _NAMES["url"] for name in columns_of(first))


def columns_of(line: str) -> list[str]:
    """The names of the columns as far as one line tells them; none where it cannot be read."""
    try:
        return [_name(cell) for cell in next(csv.reader([line], delimiter=_delimiter(line)), [])]
    except csv.Error:
        return []


def read_table(body: bytes) -> LinkList:
    """The links of a CSV file, by its named columns; without names, every cell that is an address."""
    lost = Lost()
    text = listing.legal(decode(body).lstrip("\ufeff"))
    links = listing.kept(_links(text, lost))
    is_of_bookmarks = not _OF_BOOKMARKS.isdisjoint(columns_of(_heading(text)))
    return LinkList(format="CSV", **links, lost=lost.told(), kind="link" if is_of_bookmarks else "")


def _heading(text: str) -> str:
    """The line that names the columns."""
    first, _, rest = text.partition("\n")
    return rest.partition("\n")[0] if first.startswith(_MARK_SAID) else first


def places_in_table(text: str) -> Iterator[WrittenLink]:
    """The addresses of a CSV file and where they stand, without the quotes around a cell.

    >>> text = "url;title\\n http://a.example/x;x\\n"
    >>> [(link.target, text[link.start : link.end]) for link in places_in_table(text)]
    [('http://a.example/x', 'http://a.example/x')]
    """
    first = text.lstrip("\ufeff").partition("\n")[0]
    names, mark, at = columns_of(first), _delimiter(first), 0
    column = next((names.index(name) for name in _NAMES["url"] if name in names), None)
    for found in _cells_by(mark).finditer(text):
        if found[0] == mark:
            at += 1
        elif found[0] in ("\r\n", "\n", "\r"):
            at = 0
        elif (column is None or at == column) and "://" in found[0]:
            place = found.start("quoted") if found["quoted"] is not None else found.start()
            written = found["quoted"] if found["quoted"] is not None else found[0]
            start = place + len(written) - len(written.lstrip())
            target = written.strip()
            yield WrittenLink(target=target, start=start, end=start + len(target))


def cell_of(url: str, text: str, link: WrittenLink) -> str:
    """An address as it is written in the place of another: in quotes where it needs them."""
    if text[link.start - 1 : link.start] == '"':
        return url.replace('"', '""')
    return f'"{url.replace(chr(34), chr(34) * 2)}"' if any(mark in url for mark in (*_DELIMITERS, '"')) else url


def _cells_by(mark: str) -> re.Pattern[str]:
    plain = f'[^{mark}\\r\\n"][^{mark}\\r\\n]*'
    return re.compile(rf'"(?P<quoted>(?:[^"]|"")*+)(?:"|\Z)|{plain}|{mark}|\r\n|\r|\n')


def _links(text: str, lost: Lost) -> Iterator[LinkRef]:
    rows = _rows(text)
    first = next(rows, None)
    if first is not None and first[1][:1] == [_MARK_SAID]:
        first = next(rows, None)
    if first is None:
        return
    names = [_name(cell) for cell in first[1]]
    if not any(name in _NAMES["url"] for name in names):
        for line, row in chain([first], rows):
            yield from (listing.new_link(url=listing.address(cell), line=line) for cell in row if "://" in cell)
        return
    cells = {what: _picker(names, what) for what in _NAMES}
    has_parts = bool(set(_NAMES["watch"]) & set(names))
    for line, row in rows:
        url = listing.address("".join(cells["url"](row)[:1]))
        if not url:
            continue
        lost.page = url
        yield listing.new_link(
            url=url,
            title=listing.title_of("".join(cells["title"](row)[:1]), url),
            folder=listing.folder_path("".join(cells["folder"](row)[:1])),
            tags=_tags("".join(cells["tags"](row)[:1])),
            saved=listing.moment("".join(cells["saved"](row)[:1])),
            note=listing.note_of(*cells["note"](row)),
            home=listing.address("".join(cells["home"](row)[:1])),
            line=line,
            watch=_parts(cells["watch"](row), lost) if has_parts else listing.watch_of("".join(cells["said"](row))),
            kind=listing.kind_said("".join(cells["kind"](row))),
            visits=listing.visits_of("".join(cells["visits"](row))),
        )


def _parts(said: Sequence[str], lost: Lost) -> str:
    from afresh.parse.watch_lists import accepted, selected  # noqa: PLC0415 (few lists are of pages)

    return accepted(selected([text for one in said if (text := one.strip())], lost), lost)


def _picker(names: Sequence[str], what: str) -> Callable[[Sequence[str]], list[str]]:
    """Takes from a row what is said of one thing."""
    places = [names.index(name) for name in _NAMES[what] if name in names]
    if what == "note" and "description" in names and not {"title", "name", "text"} & set(names):
        places.remove(names.index("description"))  # it is the title
    if what not in ("note", "watch"):
        places = places[:1]
    return lambda row: [row[place] for place in places if place < len(row)]


def _name(cell: str) -> str:
    return cell.strip().strip('"\ufeff').lower().replace(" ", "_")


def _tags(text: str) -> tuple[str, ...]:
    """A JSON list (Instapaper), or with bars (Pocket), semicolons or commas in between."""
    if text.startswith("["):
        try:
            found = orjson.loads(text)
        except ValueError:  # as Python writes one (Readwise)
            found = [tag.strip(" '\"") for tag in text.strip("[]").split(",")]
        return listing.tags_of(listing.legal(",".join(tag for tag in found if isinstance(tag, str))))
    return listing.tags_of(text, next((mark for mark in "|;" if mark in text), ","))


def _delimiter(first: str) -> str:
    return max(_DELIMITERS, key=first.count)


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """One after the other, with the line each ends on: a row of commas takes many times the memory of its text."""
    mark = _delimiter(text.partition("\n")[0])
    if len(text) > _LONG and (number := _line_of_many(text, mark)):
        raise ParseError(f"a line with more than {_MOST_CELLS:,} cells; refused", position=f"{number}:1")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise ParseError(f"not readable as CSV: {error}", position=f"{reader.line_num}:1") from error


def _line_of_many(text: str, mark: str) -> int:
    """The number of a line with more cells than a table has columns; 0: there is none."""
    return next((n for n, line in enumerate(listing.lines_of(text), start=1) if line.count(mark) >= _MOST_CELLS), 0)


def write_table(links: Iterable[LinkRef]) -> str:
    """The links as CSV with all that is known of them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    rows = list(links)
    rare = [name for name in _RARE_COLUMNS if any(getattr(link, name) for link in rows)]
    writer.writerow((*_COLUMNS, *rare))
    for link in rows:
        saved = "" if link.saved is None else f"{datetime.fromtimestamp(link.saved, UTC):%Y-%m-%dT%H:%M:%SZ}"
        usual = (link.url, link.title, link.folder, _written(link.tags), saved, link.note, link.home)
        cells = (*usual, *(getattr(link, name) for name in rare))
        # One that stands alone would end the line: it gets no quotes.
        writer.writerow(cell.replace("\r\n", "\n").replace("\r", "\n") for cell in cells)
    return out.getvalue()


def _written(tags: tuple[str, ...]) -> str:
    joined = ",".join(tags)
    return orjson.dumps(tags).decode() if {"|", ";", "["} & set(joined) else joined
